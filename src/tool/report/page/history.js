/* history.js: the page of recorded histories: a lane a process, a bar an operation, time from left to
 * right by the order of calls and returns. Only bars in sight are elements, so that a log of tens of
 * thousands of operations opens as fast as a small one; the overview above is a picture of all. */
"use strict";

const HISTORY = { lane: 32, label: 120, narrowest: 3, widest: 80 };

class HistoryView {
    constructor(doc, root) {
        this.doc = doc;
        this.root = root;
        this.chosen = Math.max(
            0,
            doc.histories.findIndex((history) => history.verdict !== "holds"),
        );
        if (doc.histories.length > 1) root.append(this.picker());
        this.body = el("div", {});
        root.append(this.body);
        addEventListener(
            "resize",
            onceAFrame(() => this.resize()),
        );
        addEventListener("beforeprint", () => this.fitPaper());
        addEventListener("afterprint", () => this.zoom(1));
        this.open(this.chosen);
    }

    picker() {
        const tabs = this.doc.histories.map((history, i) =>
            el(
                "button",
                { type: "button", onclick: () => this.open(i) },
                `${SIGNS[history.verdict]} ${history.name}`,
            ),
        );
        this.tabs = tabs;
        return el(
            "section",
            { class: "card", style: { marginBottom: "14px" } },
            el("h2", {}, "Histories"),
            el("div", { class: "tabs" }, tabs),
        );
    }

    open(i) {
        this.chosen = i;
        this.history = this.doc.histories[i];
        this.only = this.history.operations.some((op) => !op.here);
        this.selected = null;
        if (this.tabs) this.tabs.forEach((tab, k) => tab.setAttribute("aria-pressed", String(k === i)));
        this.core = new Set(this.history.core || []);
        this.context = new Set(this.history.context || []);
        this.order = null;
        clear(this.body);
        this.build();
        this.arrange();
        if (this.orders.rows.length) this.orders.show(0);
        this.jump();
    }

    build() {
        const history = this.history,
            button = (text, label, action) =>
                el("button", { type: "button", title: label, "aria-label": label, onclick: action }, text);
        this.orders = new OrdersPanel(
            { orders: history.orders },
            (op) => this.cls(op),
            (op) => history.operations[op].text,
            {
                light: (i) => this.light(i === null ? null : history.orders[i]),
                jump: (op) => this.select(op),
            },
        );
        if (this.orders.node) this.body.append(el("div", { class: "beside" }, this.orders.node));
        this.slider = el("input", {
            type: "range",
            min: 0,
            max: 1,
            value: 0,
            "aria-label": "moment of the history",
            oninput: () => this.moveTo(Number(this.slider.value), true),
        });
        this.where = el("span", { class: "where", role: "status", "aria-live": "polite" });
        this.now = el("div", { class: "now" });
        const hidden = history.operations.filter((op) => !op.here).length;
        this.body.append(
            el(
                "div",
                { class: "bar" },
                this.now,
                button("«", "start (Home)", () => this.moveTo(0, true)),
                button("‹", "one event back (←)", () => this.moveTo(this.moment - 1, true)),
                this.slider,
                button("›", "one event on (→)", () => this.moveTo(this.moment + 1, true)),
                button("»", "end (End)", () => this.moveTo(this.moments.length - 1, true)),
                this.where,
                fill(
                    button("−", "smaller (-)", () => this.zoom(1 / 1.5)),
                    { class: "zoom" },
                    [],
                ),
                fill(
                    button("+", "larger (+)", () => this.zoom(1.5)),
                    { class: "zoom" },
                    [],
                ),
                history.focus === null
                    ? null
                    : el(
                          "button",
                          {
                              type: "button",
                              class: "jump",
                              title: "jump to what is wrong (b)",
                              "aria-label": "jump to what is wrong",
                              onclick: () => this.jump(),
                          },
                          "✗ ",
                          el("span", {}, "Jump to what is wrong"),
                      ),
            ),
        );
        if (hidden) {
            this.body.append(
                el(
                    "p",
                    { class: "hint" },
                    el(
                        "label",
                        {},
                        el("input", {
                            type: "checkbox",
                            checked: true,
                            onchange: (e) => {
                                this.only = e.target.checked;
                                this.arrange();
                                this.jump();
                            },
                        }),
                        ` only the part that goes wrong (${history.part}): ${history.operations.length - hidden} of ${words(history.operations.length, "operation")}`,
                    ),
                ),
            );
        }
        this.overview = new Overview(this);
        this.nameColumn = el("div", { class: "names" });
        this.plane = el("div", { class: "plane" });
        this.scroll = el(
            "div",
            {
                class: "scroll",
                tabindex: "0",
                role: "region",
                "aria-label": "operations by process",
                onscroll: onceAFrame(() => this.paint()),
            },
            this.plane,
        );
        this.detail = el("p", { class: "detail" });
        this.detailHead = el("h2", {}, "Operation");
        this.openList = el("ul", { class: "opslist" });
        this.openHead = el("h2", {}, "Open at this moment");
        this.body.append(this.overview.node, el("div", { class: "hist" }, this.nameColumn, this.scroll));
        this.body.append(
            el(
                "div",
                { class: "pair" },
                el(
                    "div",
                    {},
                    el(
                        "section",
                        { class: "card", style: { marginBottom: "14px" } },
                        this.detailHead,
                        this.detail,
                    ),
                    el("section", { class: "card" }, this.openHead, this.openList),
                ),
                this.coreCard(),
            ),
        );
    }

    coreCard() {
        const history = this.history,
            list = (ops) =>
                el(
                    "ul",
                    { class: "opslist" },
                    ops.map((i) =>
                        el(
                            "li",
                            { class: this.cls(i) },
                            el(
                                "button",
                                {
                                    type: "button",
                                    class: "who",
                                    "aria-label": "show",
                                    onclick: () => this.select(i),
                                },
                                history.processes[history.operations[i].process],
                            ),
                            el("span", { class: "mono" }, history.operations[i].text),
                            el(
                                "small",
                                {},
                                history.operations[i].line ? `line ${history.operations[i].line}` : "",
                            ),
                        ),
                    ),
                );
        if (history.witness && history.witness.length && history.witness.length <= 2000)
            return el(
                "section",
                { class: "card" },
                el("h2", {}, "An order that explains it"),
                list(history.witness),
            );
        if (!history.core || !history.core.length) return null;
        return el(
            "section",
            { class: "card" },
            el(
                "h2",
                {},
                `Operations that contradict each other${history.minimal ? " (none can be left out)" : ""}`,
            ),
            list(history.core),
            history.context.length
                ? [
                      el(
                          "h2",
                          { style: { marginTop: "14px" } },
                          "Others on the same values; the contradiction stays whatever they gave",
                      ),
                      list(history.context),
                  ]
                : null,
        );
    }

    cls(op) {
        return `thread-${1 + (this.history.operations[op].process % 7)}`;
    }

    /* Moments are the calls and returns that are shown, in order: empty time between them is cut out.
     * A process whose operations overlap (one was left open) takes several lanes. */
    arrange() {
        const { operations } = this.history;
        this.shown = operations.map((op, i) => i).filter((i) => !this.only || operations[i].here);
        const times = new Set();
        for (const i of this.shown) {
            times.add(operations[i].called);
            if (operations[i].returned !== null) times.add(operations[i].returned);
        }
        this.moments = Float64Array.from(times).sort();
        const rank = new Map();
        this.moments.forEach((time, k) => rank.set(time, k));
        const lanes = new Map();
        this.bars = this.shown.map((i) => ({
            op: i,
            from: rank.get(operations[i].called),
            to: operations[i].returned === null ? this.moments.length : rank.get(operations[i].returned),
            pending: operations[i].returned === null,
        }));
        this.lanes = [];
        for (const bar of this.bars) {
            const own =
                lanes.get(operations[bar.op].process) ||
                lanes.set(operations[bar.op].process, []).get(operations[bar.op].process);
            let lane = own.find((l) => l.end < bar.from);
            if (!lane) {
                lane = { process: operations[bar.op].process, bars: [], end: -1 };
                own.push(lane);
            }
            lane.bars.push(bar);
            lane.end = bar.to;
        }
        const natural = new Intl.Collator("en", { numeric: true });
        [...lanes.keys()]
            .sort((a, b) => natural.compare(this.history.processes[a], this.history.processes[b]))
            .forEach((process) =>
                lanes.get(process).forEach((lane) => {
                    lane.index = this.lanes.length;
                    lane.bars.forEach((bar) => {
                        bar.lane = lane.index;
                    });
                    this.lanes.push(lane);
                }),
            );
        this.barOf = new Map(this.bars.map((bar) => [bar.op, bar]));
        const spans = this.bars
            .filter((bar) => !bar.pending)
            .map((bar) => bar.to - bar.from)
            .sort((a, b) => a - b);
        const usual = spans.length ? spans[Math.floor(spans.length / 2)] : 1;
        /* all of it if that is legible; else as much as leaves room for a name in a usual bar */
        const fits = (this.scroll.clientWidth - 60) / Math.max(this.moments.length, 1),
            legible = HISTORY.label / Math.max(usual, 1);
        this.unit = Math.max(
            HISTORY.narrowest,
            Math.min(
                HISTORY.widest,
                Math.max(fits, Math.min(legible, 44)),
                4e6 / Math.max(this.moments.length, 1),
            ),
        );
        this.slider.max = Math.max(this.moments.length - 1, 0);
        this.moment = Math.min(this.moment || 0, this.moments.length - 1);
        this.place();
    }

    /* Sizes of the plane for the present zoom; bars are made when they come into sight. */
    place() {
        const height = this.lanes.length * HISTORY.lane + 8;
        this.planeWidth = (this.moments.length + 1) * this.unit + 40;
        Object.assign(this.plane.style, { width: `${this.planeWidth}px`, height: `${height}px` });
        this.nameColumn.style.height = `${height}px`;
        clear(this.nameColumn).append(
            ...this.lanes.map((lane) =>
                el(
                    "div",
                    {
                        class: `who thread-${1 + (lane.process % 7)} lane-name`,
                        style: { top: `${lane.index * HISTORY.lane + 8}px` },
                        title: this.history.processes[lane.process],
                    },
                    this.history.processes[lane.process],
                ),
            ),
        );
        this.live = new Map();
        this.cursor = el("div", { class: "cursor" });
        clear(this.plane).append(
            ...this.bands(),
            this.cursor,
            ...this.lanes.map((lane) =>
                el("div", { class: "lane-line", style: { top: `${(lane.index + 1) * HISTORY.lane + 4}px` } }),
            ),
        );
        this.overview.draw();
        this.paint();
    }

    /* What happened beside the operations: faults over all lanes, failed requests faintly. A long
     * history may have very many; the first ones are drawn. */
    bands() {
        const rank = (position) => {
            let low = 0,
                high = this.moments.length;
            while (low < high) {
                const middle = (low + high) >> 1;
                if (this.moments[middle] < position) low = middle + 1;
                else high = middle;
            }
            return low;
        };
        return (this.history.notes || []).slice(0, 5000).map((note) => {
            const from = rank(note.from),
                to = rank(note.to);
            return el("div", {
                class: note.failed ? "band failed" : "band",
                title: `${note.failed ? "did not happen: " : ""}${note.text.slice(0, 500)}${note.line ? ` (line ${note.line})` : ""}`,
                style: {
                    left: `${from * this.unit + 8}px`,
                    width: `${Math.max((to - from) * this.unit, 3)}px`,
                },
            });
        });
    }

    /* Makes the bars in sight, drops the others. */
    paint() {
        const left = (this.scroll.scrollLeft - 300) / this.unit,
            right = (this.scroll.scrollLeft + this.scroll.clientWidth + 300) / this.unit;
        const wanted = new Set();
        for (const lane of this.lanes) {
            let low = 0,
                high =
                    lane.bars
                        .length; /* bars of a lane follow each other: find the first that ends in sight */
            while (low < high) {
                const middle = (low + high) >> 1;
                if (lane.bars[middle].to < left) low = middle + 1;
                else high = middle;
            }
            for (; low < lane.bars.length && lane.bars[low].from <= right; low++)
                wanted.add(lane.bars[low].op);
        }
        for (const [op, node] of this.live) {
            if (!wanted.has(op)) {
                node.remove();
                this.live.delete(op);
            }
        }
        const fresh = [];
        for (const op of wanted) {
            if (!this.live.has(op)) {
                const node = this.makeBar(op);
                this.live.set(op, node);
                fresh.push(node);
            }
        }
        this.plane.append(...fresh);
        this.overview.showWindow();
    }

    makeBar(op) {
        const bar = this.barOf.get(op),
            operation = this.history.operations[op];
        const width = bar.pending
            ? Math.max(220, this.unit * 2)
            : Math.max((bar.to - bar.from) * this.unit, 6);
        const node = el("button", {
            type: "button",
            tabindex: "-1",
            class: `op ${this.cls(op)}`,
            "data-op": op,
            title: `${this.history.processes[operation.process]}: ${operation.text.slice(0, 500)}${operation.line ? ` (line ${operation.line})` : ""}${bar.pending ? ", never returned" : ""}`,
            style: {
                left: `${bar.from * this.unit + 8}px`,
                top: `${bar.lane * HISTORY.lane + 7}px`,
                width: `${width}px`,
            },
            onclick: () => this.select(op),
        });
        this.dress(op, node);
        return node;
    }
    /* Classes and text of a bar as things stand. */
    dress(op, node) {
        const bar = this.barOf.get(op),
            history = this.history,
            toggle = (name, on) => node.classList.toggle(name, Boolean(on));
        const place = this.places && this.places.get(op);
        toggle("pending", bar.pending);
        toggle("core", this.core.has(op));
        toggle("context", this.context.has(op));
        toggle("ended", history.focus === op);
        toggle("open", bar.from <= this.moment && bar.to >= this.moment && this.stepping);
        toggle("selected", this.selected === op);
        toggle("faded", this.places && !place && !this.core.has(op));
        toggle("refused", place && place.refused);
        clear(node).append(
            ...(place ? [el("span", { class: "place-number" }, place.text)] : []),
            history.operations[op].text.slice(0, 200),
        );
    }
    refresh() {
        for (const [op, node] of this.live) this.dress(op, node);
        this.cursor.style.left = `${this.moment * this.unit + 7}px`;
    }

    light(order) {
        this.places = null;
        if (order) {
            this.places = new Map();
            order.calls.forEach((op, k) => this.places.set(op, { text: String(k + 1), refused: false }));
            order.refused.forEach((r) => this.places.set(r.operation, { text: "✗", refused: true }));
        }
        if (this.live) this.refresh();
    }

    select(op) {
        this.selected = op;
        if (!this.barOf.get(op)) {
            this.only = false;
            this.arrange();
        }
        const at = this.barOf.get(op);
        this.moveTo(at.pending ? at.from : at.to, false);
        const left = at.from * this.unit,
            right = (at.pending ? at.from + 1 : at.to) * this.unit + 16;
        if (left < this.scroll.scrollLeft || right > this.scroll.scrollLeft + this.scroll.clientWidth)
            this.scroll.scrollLeft = (left + right) / 2 - this.scroll.clientWidth / 2;
        this.tell(op);
        this.paint();
    }

    /* The card of one operation: the chosen one, else the one that calls or returns at the moment. */
    tell(op) {
        const operation = this.history.operations[op];
        this.detailHead.textContent = `Process ${this.history.processes[operation.process]}${operation.line ? `, line ${operation.line}` : ""}`;
        this.detail.textContent = operation.text + (this.barOf.get(op).pending ? "\nnever returned" : "");
    }

    moveTo(moment, follow) {
        this.moment = Math.max(0, Math.min(moment, this.moments.length - 1));
        this.stepping = true;
        this.slider.value = this.moment;
        this.where.textContent = `event ${this.moment + 1} of ${this.moments.length}`;
        const open = this.bars.filter(
            (bar) =>
                bar.from <= this.moment &&
                bar.to >= this.moment &&
                !(bar.pending && bar.from < this.moment - 400),
        );
        const happened = open.find((bar) => bar.from === this.moment || bar.to === this.moment);
        if (happened && this.selected === null) this.tell(happened.op);
        this.openHead.textContent = happened
            ? `Process ${this.history.processes[this.history.operations[happened.op].process]} ${happened.from === this.moment ? "calls" : "returns"}; open at this moment`
            : "Open at this moment";
        clear(this.openList).append(
            ...open
                .slice(0, 100)
                .map((bar) =>
                    el(
                        "li",
                        { class: this.cls(bar.op) },
                        el(
                            "span",
                            { class: "who" },
                            this.history.processes[this.history.operations[bar.op].process],
                        ),
                        el("span", { class: "mono" }, this.history.operations[bar.op].text.slice(0, 2000)),
                        el(
                            "small",
                            {},
                            bar.from === this.moment
                                ? "called now"
                                : bar.to === this.moment
                                  ? "returns now"
                                  : "",
                        ),
                    ),
                ),
        );
        clear(this.now).append(happened ? this.history.operations[happened.op].text.slice(0, 300) : "");
        if (follow) {
            const x = this.moment * this.unit;
            if (x < this.scroll.scrollLeft + 40 || x > this.scroll.scrollLeft + this.scroll.clientWidth - 40)
                this.scroll.scrollLeft = x - this.scroll.clientWidth / 2;
        }
        this.refresh();
    }
    jump() {
        const focus = this.history.focus;
        if (focus !== null && this.barOf.has(focus)) this.select(focus);
        else this.moveTo(0, true);
    }
    zoom(by) {
        const middle = (this.scroll.scrollLeft + this.scroll.clientWidth / 2) / this.unit;
        this.unit = Math.max(0.5, Math.min(400, this.unit * by));
        this.place();
        this.scroll.scrollLeft = middle * this.unit - this.scroll.clientWidth / 2;
        this.refresh();
    }
    /* Paper does not scroll: a history that can be squeezed onto it is. */
    fitPaper() {
        const unit = this.unit,
            fits = 600 / Math.max(this.moments.length, 1);
        if (fits < 7 || fits > unit) return;
        this.unit = fits;
        this.place();
        this.refresh();
        this.unit = unit; /* zoom(1) goes back */
    }
    resize() {
        this.overview.draw();
        this.paint();
    }

    keys() {
        return [
            {
                keys: ["ArrowRight", "ArrowDown", "j"],
                shown: "→ ↓ j",
                text: "next call or return",
                action: () => this.moveTo(this.moment + 1, true),
            },
            {
                keys: ["ArrowLeft", "ArrowUp", "k"],
                shown: "← ↑ k",
                text: "previous call or return",
                action: () => this.moveTo(this.moment - 1, true),
            },
            {
                keys: ["PageDown"],
                shown: "Page down",
                text: "twenty events on",
                action: () => this.moveTo(this.moment + 20, true),
            },
            {
                keys: ["PageUp"],
                shown: "Page up",
                text: "twenty events back",
                action: () => this.moveTo(this.moment - 20, true),
            },
            { keys: ["Home"], shown: "Home", text: "start", action: () => this.moveTo(0, true) },
            {
                keys: ["End"],
                shown: "End",
                text: "end",
                action: () => this.moveTo(this.moments.length - 1, true),
            },
            { keys: ["+", "="], shown: "+", text: "larger", action: () => this.zoom(1.5) },
            { keys: ["-"], shown: "-", text: "smaller", action: () => this.zoom(1 / 1.5) },
            { keys: ["b"], shown: "b", text: "jump to what is wrong", action: () => this.jump() },
            { keys: ["o"], shown: "o", text: "next serial order", action: () => this.orders.next() },
        ];
    }
}
