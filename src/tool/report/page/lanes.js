/* lanes.js: the chart of an execution: a column a thread, a row a step, operations as bars, arrows
 * between the events.
 *
 * A row holds one step, so the rest of it is free: an arrow leaves its event along the lower edge of
 * the row, goes down in the gutter left of the lane it is bound for, and enters its event from the
 * left. It never crosses a label of its own rows; where it passes behind another label, the label has
 * a ground of its own. Arrows that share a gutter get tracks side by side, like wires on a board.
 *
 * Wide: labels stand in their lanes. Compact (phones, many threads): narrow lanes, all labels to their
 * right. */
"use strict";

const GEOMETRY = {
    row: 26,
    tall: 44,
    number: 34,
    dot: 5,
    bar: 12,
    track: 6,
    compactLane: 30,
    wideLane: 168,
    corner: 6,
};

class Lanes {
    /* on.select(step index) when a row is chosen; on.hover(index or null). */
    constructor(doc, threadNames, on) {
        this.doc = doc;
        this.names = threadNames;
        this.on = on;
        this.kinds = { "reads-from": true, "happens-before": true, missed: true };
        this.head = el("div", { class: "lanes-head" });
        this.svg = svg("svg", { "aria-hidden": "true" });
        this.list = el("ol", {
            class: "steps",
            role: "listbox",
            tabindex: "0",
            "aria-label": "steps of the execution",
        });
        this.chart = el("div", { class: "chart" }, this.head, this.svg, this.list);
        this.node = el(
            "section",
            { class: `card lanes ${doc.violation || ""}`, style: { padding: "0" } },
            this.chart,
            this.legend(),
        );
        this.missed = new Map(
            doc.arrows.filter((arrow) => arrow.kind === "missed").map((arrow) => [arrow.to, arrow]),
        );
        this.rows = doc.steps.map((step, i) => this.makeRow(step, i));
        this.list.append(...this.rows);
        this.clash = this.findClash();
        this.arrowsOf = doc.steps.map(() => []);
        doc.arrows.forEach((arrow, i) => {
            this.arrowsOf[arrow.from].push(i);
            this.arrowsOf[arrow.to].push(i);
        });
        this.assignTracks();
        this.width = 0;
    }

    cls(thread) {
        return threadClass(this.names, thread);
    }

    makeRow(step, i) {
        if (step.thread === null) return el("li", { class: "step gap" }, step.action);
        const operation = step.operation === null ? null : this.doc.operations[step.operation];
        const label = el("span", { class: "text" });
        if (step.kind === "call" && operation) label.append(operation.call);
        else if (step.kind === "return" && operation)
            label.append(operation.result === null ? "returns" : `= ${operation.result}`);
        else {
            const cut =
                step.kind === "step" ? 0 : step.action.indexOf(" "); /* a step of a model has no verb */
            label.append(
                el("span", { class: "verb" }, cut < 0 ? step.action : step.action.slice(0, cut)),
                cut < 0 ? "" : step.action.slice(cut),
            );
        }
        const missed = this.missed.get(i);
        const note = missed ? step.note.replace(/,? ?STALE.*/, "") : step.note.replace("waits for ever", "");
        return el(
            "li",
            {
                class: `step ${this.cls(step.thread)} ${step.kind}${step.bad ? " bad" : ""}`,
                id: `step-${i}`,
                role: "option",
                "aria-selected": "false",
                "aria-label": `step ${step.number}, ${this.names[step.thread]}: ${step.action} ${step.order} ${step.note} ${step.place}`,
                onclick: () => this.on.select(i),
                onmouseenter: () => this.on.hover(i),
                onmouseleave: () => this.on.hover(null),
            },
            el("span", { class: "n" }, String(step.number)),
            el(
                "span",
                { class: "label", title: step.action.length > 60 ? step.action.slice(0, 2000) : null },
                label,
                this.tags(step, i, missed).map((text) => el("span", { class: "tag" }, text)),
                step.order ? el("span", { class: "order-word" }, step.order) : null,
                note ? el("span", { class: "note" }, note) : null,
            ),
            el(
                "span",
                { class: "place", title: step.place || null },
                this.doc.sources.length === 1 && step.line !== null ? `line ${step.line}` : step.place || "",
            ),
        );
    }
    /* What must not be overlooked about a step. */
    tags(step, i, missed) {
        const tags = [];
        if (missed) tags.push(`older value: misses ${this.doc.steps[missed.from].number}`);
        if (this.doc.violation === "race" && (step.partner || step.bad)) tags.push("races");
        else if (step.partner) tags.push("the other access");
        else if (step.blocked) tags.push("waits for ever");
        else if (i === this.doc.focus && this.doc.orders.length) tags.push("fits no serial order");
        else if (step.bad) tags.push("✗");
        return tags;
    }
    /* About how wide the label of a step is; without its note, which may be cut. */
    labelWidth(step, i) {
        const tags = [...this.rows[i].querySelectorAll(".tag")].reduce(
            (sum, tag) => sum + 7 * tag.textContent.length + 24,
            0,
        );
        const text = this.rows[i].querySelector(".text");
        return (
            (step.note ? 36 : 20) +
            8 * (text ? text.textContent.length : 0) +
            tags +
            (step.order ? 7 * step.order.length + 7 : 0)
        );
    }
    /* How much room a label takes: its text alone, and with tags, order and note beside it. The
     * numbers are those of a fixed-width font in the two sizes that page.css has. */
    room(i) {
        const length = (name) => [...this.rows[i].querySelectorAll(name)].map((e) => e.textContent.length);
        const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
        const text = 6 + 7.85 * sum(length(".text"));
        return {
            text,
            all:
                text +
                sum(length(".tag").map((n) => 7 * n + 24)) +
                sum(length(".order-word, .note").map((n) => 7 * n + 8)),
        };
    }
    /* Rows whose label, tags and note do not fit side by side get two lines: the text on the first,
     * unless it needs both. */
    placeRows() {
        const g = GEOMETRY;
        let at = 0;
        this.top = [];
        this.tall = [];
        this.rows.forEach((row, i) => {
            const step = this.doc.steps[i],
                from = this.compact ? this.labelStart : this.x[step.thread] + 13;
            const least = this.room(i),
                free = this.width - this.placeWidth - from,
                tall = least.all > free;
            row.classList.toggle("tall", tall);
            row.classList.toggle("long", least.text > free);
            this.top.push(at);
            this.tall.push(tall);
            at += tall ? g.tall : g.row;
        });
        this.top.push(at);
    }

    /* The two accesses of a race (of a use after free that nothing orders), or null. */
    findClash() {
        const ends = this.doc.steps
            .map((step, i) => (step.bad || step.partner ? i : -1))
            .filter((i) => i >= 0);
        const fits =
            ["race", "use-after-free"].includes(this.doc.violation) &&
            ends.length === 2 &&
            ends.some((i) => this.doc.steps[i].partner) &&
            this.doc.steps[ends[0]].thread !== this.doc.steps[ends[1]].thread;
        return fits ? { from: ends[0], to: ends[1] } : null;
    }

    /* Tracks of the gutters: arrows bound for one lane that overlap in time stand side by side; short
     * ones get the track next to the lane. Greedy over intervals sorted by length. */
    assignTracks() {
        this.gutter = this.names.map(() => 0);
        const lanes = this.names.map(() => []);
        this.doc.arrows.forEach((arrow, i) => {
            const from = this.doc.steps[arrow.from],
                to = this.doc.steps[arrow.to];
            if (from.thread !== to.thread && from.thread !== null && to.thread !== null)
                lanes[to.thread].push({ ...arrow, i });
        });
        if (this.clash) lanes[this.doc.steps[this.clash.to].thread].push({ ...this.clash, i: -1 });
        this.track = new Map();
        lanes.forEach((arrows, lane) => {
            const tracks = [];
            arrows.sort((a, b) => a.to - a.from - (b.to - b.from));
            for (const arrow of arrows) {
                let k = tracks.findIndex((used) => used.every((o) => o.to < arrow.from || o.from > arrow.to));
                if (k < 0) k = tracks.push([]) - 1;
                tracks[k].push(arrow);
                this.track.set(arrow.i, k);
            }
            this.gutter[lane] = Math.min(tracks.length, 12);
        });
    }

    /* Places lanes for a chart of WIDTH pixels. */
    layout(width) {
        if (!width || (width === this.width && this.drawn)) return;
        this.width = width;
        const g = GEOMETRY,
            count = this.names.length;
        const room = (lane) => 12 + this.gutter[lane] * g.track;
        const gutters = this.names.reduce((sum, _, lane) => sum + room(lane), 0);
        /* the last lane's labels have the rest of the row: as much as they need, if there is so much */
        this.placeWidth =
            width < 560
                ? 12
                : 24 +
                  Math.max(
                      0,
                      ...this.rows.map((row) =>
                          row.lastChild.className === "place" ? row.lastChild.textContent.length * 7 : 0,
                      ),
                  );
        const last = this.doc.steps.map((step, i) =>
            step.thread === count - 1 ? this.labelWidth(step, i) : 0,
        );
        const longest = this.placeWidth + 24 + Math.min(Math.max(120, ...last), width * 0.5);
        const each = count > 1 ? Math.min(230, (width - g.number - gutters - longest) / (count - 1)) : 200;
        this.compact = each < 84 || width < 560;
        this.x = [];
        let at = g.number;
        this.names.forEach((_, lane) => {
            at += room(lane);
            this.x.push(at + 6);
            at += this.compact ? g.compactLane - 8 : each;
        });
        this.labelStart = this.compact ? at + 4 : null;
        this.chart.classList.toggle("compact", width < 560);
        this.rows.forEach((row, i) => {
            const step = this.doc.steps[i];
            if (step.thread === null) return;
            const from = this.compact ? this.labelStart : this.x[step.thread] + 13;
            row.children[1].style.marginLeft = `${from - g.number}px`;
        });
        this.placeRows();
        this.head.classList.toggle(
            "tall",
            !this.compact && this.doc.threads.some((thread) => thread.function),
        );
        this.drawHead();
        this.draw();
        this.drawn = true;
        this.shown = this.lit = undefined; /* new arrows: everything is to be told again */
    }

    drawHead() {
        clear(this.head).append(
            ...this.names.map((name, lane) =>
                el(
                    "div",
                    {
                        class: `who ${this.cls(lane)} lane-name`,
                        style: { left: `${this.x[lane] - (this.compact ? 10 : 6)}px` },
                    },
                    name,
                    this.compact ? null : el("small", {}, this.doc.threads[lane].function || ""),
                ),
            ),
        );
    }

    y(i) {
        return this.top[i] + GEOMETRY.row / 2;
    }

    draw() {
        const g = GEOMETRY,
            height = this.top[this.top.length - 1];
        clear(this.svg);
        fill(
            this.svg,
            { width: this.width, height, style: { top: `${this.head.offsetHeight || 45}px` } },
            [],
        );
        this.svg.append(
            svg(
                "defs",
                {},
                [...Object.keys(this.kinds), "weak"].map((kind) =>
                    svg(
                        "marker",
                        {
                            id: `head-${kind}`,
                            viewBox: "0 0 8 8",
                            refX: 7,
                            refY: 4,
                            markerWidth: 8,
                            markerHeight: 8,
                            markerUnits: "userSpaceOnUse",
                            orient: "auto",
                        },
                        svg("path", { class: `head-${kind}`, d: "M0 0.8 L8 4 L0 7.2 L1.8 4 z" }),
                    ),
                ),
            ),
        );
        this.drawBands();
        this.names.forEach((_, lane) => {
            const own = this.doc.steps.map((s, i) => (s.thread === lane ? i : -1)).filter((i) => i >= 0);
            if (own.length)
                this.svg.append(
                    svg("line", {
                        class: "rail lane",
                        x1: this.x[lane],
                        x2: this.x[lane],
                        y1: this.y(own[0]),
                        y2: this.y(own[own.length - 1]),
                    }),
                );
        });
        this.drawOperations();
        this.drawArrows();
        this.drawDots();
    }

    /* Steps that one thread makes in a row share a band: where it ends, another thread goes on. */
    drawBands() {
        let from = 0;
        const steps = this.doc.steps;
        for (let i = 1; i <= steps.length; i++) {
            if (i < steps.length && steps[i].thread === steps[from].thread) continue;
            const lane = steps[from].thread;
            if (lane !== null) {
                const right = this.compact
                    ? this.x[lane] + 10
                    : this.x[lane] +
                      Math.min(
                          230,
                          (this.x[lane + 1] || this.width) -
                              this.x[lane] -
                              18 -
                              (this.gutter[lane + 1] || 0) * GEOMETRY.track,
                      );
                this.svg.append(
                    svg("rect", {
                        class: `band ${this.cls(lane)}`,
                        x: this.x[lane] - 10,
                        y: this.top[from] + 1,
                        width: Math.max(right - this.x[lane] + 10, 20),
                        height: this.top[i] - this.top[from] - 2,
                        rx: 6,
                    }),
                );
            }
            from = i;
        }
    }

    drawOperations() {
        const g = GEOMETRY;
        this.bars = this.doc.operations.map((op) => {
            const top = this.y(op.from) - 9,
                bottom = op.to === null ? this.top[this.top.length - 1] : this.y(op.to) + 9;
            const bar = svg("rect", {
                class: `bar-op ${this.cls(op.thread)}`,
                x: this.x[op.thread] - g.bar / 2,
                y: top,
                width: g.bar,
                height: bottom - top,
                rx: 5,
            });
            this.svg.append(bar);
            return bar;
        });
        this.badges = svg("g", {});
    }

    drawDots() {
        this.doc.steps.forEach((step, i) => {
            if (step.thread === null) return;
            const x = this.x[step.thread],
                y = this.y(i),
                wrong = step.bad || step.partner;
            const minor = ["create", "join", "end", "begin", "allocate", "free"].includes(step.kind);
            const read = step.reads.length && !step.writes.length;
            this.svg.append(
                svg("circle", {
                    class: `dot ${this.cls(step.thread)}${read ? " read" : ""}${minor ? " minor" : ""}${wrong ? " bad" : ""}`,
                    cx: x,
                    cy: y,
                    r: minor ? 3 : GEOMETRY.dot,
                }),
            );
            if (wrong || step.blocked) this.svg.append(svg("circle", { class: "halo", cx: x, cy: y, r: 9 }));
        });
        this.svg.append(this.badges);
    }

    drawArrows() {
        this.arrows = this.doc.arrows.map((arrow, i) => {
            const from = this.doc.steps[arrow.from],
                to = this.doc.steps[arrow.to];
            const own = from.thread === to.thread;
            const path = svg("path", {
                class: `arrow ${arrow.kind}${arrow.orders ? " orders" : ""}${own ? " own" : ""}${this.kinds[arrow.kind] ? "" : " hidden"}`,
                d: own ? this.loop(arrow) : this.route(arrow, i),
                "marker-end": `url(#head-${arrow.kind === "reads-from" && !arrow.orders ? "weak" : arrow.kind})`,
            });
            this.svg.append(path);
            return path;
        });
        if (this.clash) {
            const lane = this.x[this.doc.steps[this.clash.to].thread],
                track = lane - 14 - this.track.get(-1) * GEOMETRY.track;
            this.svg.append(
                svg("path", { class: "arrow clash", d: this.route(this.clash, -1) }),
                svg(
                    "text",
                    {
                        class: "clash-word",
                        x: track - 5,
                        "text-anchor": "end",
                        y: (this.y(this.clash.from) + this.y(this.clash.to)) / 2 + 16,
                    },
                    this.doc.violation === "race" ? "race" : "no order",
                ),
            );
        }
    }
    /* Within one thread: a small bow beside the lane, seen when one of its ends is chosen. */
    loop(arrow) {
        const x = this.x[this.doc.steps[arrow.from].thread] - 5,
            a = this.y(arrow.from),
            b = this.y(arrow.to);
        return `M${x} ${a} C${x - 16} ${a} ${x - 16} ${b} ${x - 2} ${b}`;
    }
    route(arrow, i) {
        const g = GEOMETRY,
            source = this.x[this.doc.steps[arrow.from].thread],
            target = this.x[this.doc.steps[arrow.to].thread];
        const a = this.y(arrow.from),
            b = this.y(arrow.to),
            shelf = this.top[arrow.from + 1];
        const track = target - 14 - (this.track.get(i) % 12) * g.track,
            side = track > source ? 1 : -1;
        const r = Math.min(g.corner, Math.abs(track - source) / 2, (b - shelf) / 2);
        if (r <= 0.5) return `M${source} ${a + g.dot} L${target - g.dot - 2} ${b}`;
        return (
            `M${source} ${a + g.dot} L${source} ${shelf - r} Q${source} ${shelf} ${source + side * r} ${shelf}` +
            ` L${track - side * r} ${shelf} Q${track} ${shelf} ${track} ${shelf + r} L${track} ${b - r} Q${track} ${b} ${track + r} ${b} L${target - g.dot - 2} ${b}`
        );
    }

    /* --- what changes while stepping --- */

    /* CURRENT is lit, what comes after it is dim; LIT (a hovered row or the current one) shows its arrows.
     * Only what changes is touched: an execution may have thousands of steps. */
    show(current, lit) {
        const old = this.shown === undefined ? -1 : this.shown;
        for (let i = Math.min(old, current) + 1; i <= Math.max(old, current); i++) this.dim(i, i > current);
        if (this.shown === undefined) for (let i = current + 1; i < this.rows.length; i++) this.dim(i, true);
        for (const i of [old, current]) {
            if (!this.rows[i]) continue;
            this.rows[i].classList.toggle("current", i === current);
            this.rows[i].setAttribute("aria-selected", String(i === current));
        }
        this.shown = current;
        this.list.setAttribute("aria-activedescendant", `step-${current}`);
        for (const i of this.lit || []) this.arrows[i].classList.remove("lit");
        this.lit = this.arrowsOf[lit] || [];
        for (const i of this.lit) this.arrows[i].classList.add("lit");
        this.svg.classList.toggle(
            "some",
            this.lit.some((i) => this.kinds[this.doc.arrows[i].kind]),
        );
    }
    /* Step I and the arrows into it come later than the present step, or no longer do. */
    dim(i, later) {
        this.rows[i].classList.toggle("later", later);
        for (const arrow of this.arrowsOf[i])
            if (this.doc.arrows[arrow].to === i) this.arrows[arrow].classList.toggle("later", later);
    }
    /* Only what happens before step INDEX (or after it) stays bright; null: everything. */
    showCone(index) {
        if (index === null && !this.cone) return;
        this.cone = index !== null;
        const before = index === null ? null : happensBefore(this.doc, index);
        this.rows.forEach((row, i) =>
            row.classList.toggle("unrelated", before !== null && i !== index && !before.has(i)),
        );
    }
    /* Operations of a serial order, numbered; null: none. */
    light(order) {
        if (!this.bars) return;
        clear(this.badges);
        const place = new Map();
        if (order) {
            order.calls.forEach((op, k) => place.set(op, { text: String(k + 1), refused: false }));
            order.refused.forEach((r) => place.set(r.operation, { text: "✗", refused: true }));
        }
        this.bars.forEach((bar, op) => {
            const at = place.get(op);
            bar.classList.toggle("lit", Boolean(at));
            bar.classList.toggle("refused", Boolean(at && at.refused));
            bar.classList.toggle("faded", Boolean(order) && !at);
            if (!at) return;
            const operation = this.doc.operations[op],
                x = this.x[operation.thread],
                y = this.y(operation.from);
            this.badges.append(
                svg("circle", {
                    class: `order-badge ${this.cls(operation.thread)}${at.refused ? " refused" : ""}`,
                    cx: x,
                    cy: y,
                    r: 8,
                }),
                svg("text", { class: "order-number", x, y: y + 3.5 }, at.text),
            );
        });
    }
    reveal(index) {
        const row = this.rows[index];
        if (row) row.scrollIntoView({ block: "nearest" });
    }

    legend() {
        const count = (kind) => this.doc.arrows.filter((a) => a.kind === kind).length;
        const sample = (kind, more) =>
            svg(
                "svg",
                { viewBox: "0 0 30 10" },
                svg("path", { class: `arrow ${kind} ${more || ""}`, d: "M1 5 L24 5", style: { opacity: 1 } }),
                svg("path", {
                    class: `head-${kind === "reads-from" && !more ? "weak" : kind}`,
                    d: "M22 1.8 L30 5 L22 8.2 z",
                }),
            );
        const entry = (kind, text, more) =>
            count(kind)
                ? el(
                      "label",
                      {},
                      el("input", {
                          type: "checkbox",
                          checked: true,
                          onchange: (e) => {
                              this.kinds[kind] = e.target.checked;
                              this.arrows.forEach((path, i) =>
                                  path.classList.toggle("hidden", !this.kinds[this.doc.arrows[i].kind]),
                              );
                              this.on.hover(null);
                          },
                      }),
                      sample(kind, more),
                      text,
                  )
                : null;
        const weak =
            this.doc.violation === "deadlock"
                ? "waits for what was taken there"
                : "reads from, but orders nothing";
        const rf = this.doc.arrows.filter((a) => a.kind === "reads-from");
        return el(
            "div",
            { class: "legend" },
            entry(
                "reads-from",
                rf.some((a) => a.orders) ? "reads from" : weak,
                rf.some((a) => a.orders) ? "orders" : "",
            ),
            rf.some((a) => !a.orders) && rf.some((a) => a.orders)
                ? el("label", {}, sample("reads-from"), weak)
                : null,
            entry("happens-before", "happens before"),
            entry("missed", "a newer write that the read misses"),
            this.doc.operations.length ? el("span", {}, "▮ from call to return") : null,
            this.doc.arrows.some((a) => this.doc.steps[a.from].thread === this.doc.steps[a.to].thread)
                ? el("span", {}, "arrows within a thread show when a step is chosen")
                : null,
        );
    }
}

/* The steps that happen before step INDEX: program order and the arrows that order, walked backwards. */
function happensBefore(doc, index) {
    const seen = new Set(),
        todo = [index];
    const into = new Map();
    for (const arrow of doc.arrows) {
        if (arrow.orders) into.set(arrow.to, [...(into.get(arrow.to) || []), arrow.from]);
    }
    while (todo.length) {
        const at = todo.pop(),
            thread = doc.steps[at].thread;
        let previous = at - 1;
        while (previous >= 0 && doc.steps[previous].thread !== thread) previous--;
        for (const from of [...(into.get(at) || []), previous]) {
            if (from >= 0 && !seen.has(from)) {
                seen.add(from);
                todo.push(from);
            }
        }
    }
    return seen;
}
