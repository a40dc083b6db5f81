/* panels.js: what stands beside the lanes: the source with the line of each thread, the values of the
 * shared variables, the test, and the serial orders that were tried. */
"use strict";

const KEYWORDS = new Set(
    (
        "auto bool break case catch char class const constexpr continue default delete do double else enum " +
        "extern false float for goto if inline int long namespace new nullptr operator private public register return short " +
        "signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void " +
        "volatile while atomic atomic_int atomic_bool atomic_uint _Atomic _Bool NULL " +
        "operation specification implementation clients node data when choose assert param observe"
    ).split(" "),
);

/* One line of C (or of a model) as pieces with a class each. COMMENT: does it begin inside one? */
function colourLine(text, comment) {
    const pieces = [];
    const rule = /\/\*|\*\/|\/\/.*$|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|[^A-Za-z_"'/*]+|[/*"']/g;
    for (const [word] of text.matchAll(rule)) {
        let kind = "";
        if (comment) {
            kind = "c";
            if (word === "*/") comment = false;
        } else if (word === "/*") {
            comment = true;
            kind = "c";
        } else if (word.startsWith("//")) kind = "c";
        else if (/^["']./.test(word)) kind = "s";
        else if (KEYWORDS.has(word)) kind = "k";
        const last = pieces[pieces.length - 1];
        if (last && last.kind === kind) last.text += word;
        else pieces.push({ kind, text: word });
    }
    return { pieces, comment };
}

/* The source beside the execution: show(step) goes to its line; a mark for every thread stands where
 * that thread is. */
class SourcePanel {
    constructor(doc, threadNames) {
        this.doc = doc;
        this.threadNames = threadNames;
        this.file = -1;
        this.lines = [];
        this.tabs = el("div", { class: "tabs" });
        this.box = el("div", { class: "source", tabindex: "0", role: "region", "aria-label": "source" });
        this.node = el(
            "section",
            { class: "card" },
            el("div", { class: "card-head" }, el("h2", {}, "Source"), this.tabs),
            this.box,
        );
        this.touched = doc.sources.map(() => new Set());
        for (const step of doc.steps) {
            if (step.source !== null) this.touched[step.source].add(step.line);
        }
        doc.sources.forEach((source, i) =>
            this.tabs.append(el("button", { type: "button", onclick: () => this.open(i) }, source.name)),
        );
    }

    open(file) {
        if (this.file === file) return;
        this.file = file;
        const source = this.doc.sources[file];
        const list = el("div", { class: "lines" });
        let comment = false;
        this.lines = source.lines.map((text, i) => {
            const line = colourLine(text, comment);
            comment = line.comment;
            const at = el("span", { class: "at" });
            const node = el(
                "div",
                { class: this.touched[file].has(source.first + i) ? "line touched" : "line" },
                at,
                el("span", { class: "number" }, String(source.first + i)),
                el(
                    "span",
                    { class: "code" },
                    line.pieces.map((p) => el("span", { class: p.kind }, p.text)),
                    text ? null : " ",
                ),
            );
            list.append(node);
            return { node, at };
        });
        clear(this.box).append(list);
        [...this.tabs.children].forEach((tab, i) => tab.setAttribute("aria-pressed", String(i === file)));
        this.box.scrollTop = 0;
    }

    /* STEP is the present one; places gives, by thread, the last step that each has made. */
    show(step, places) {
        if (!this.doc.sources.length) return;
        if (step && step.source === null && step.thread !== null)
            step = places[step.thread]; /* where it was last */
        if (step && step.source !== null) this.open(step.source);
        else if (this.file < 0) this.open(0);
        const first = this.doc.sources[this.file].first;
        const current = step && step.source === this.file ? step.line - first : -1;
        this.lines.forEach(({ node, at }, i) => {
            if (at.firstChild) clear(at);
            node.classList.toggle("current", i === current);
            node.classList.toggle("near", Math.abs(i - current) < 9);
        });
        places.forEach((place, thread) => {
            if (!place || place.source !== this.file) return;
            const line = this.lines[place.line - first];
            if (line)
                line.at.append(
                    el(
                        "i",
                        {
                            class: threadClass(this.threadNames, thread),
                            title: `${this.threadNames[thread]} is here`,
                        },
                        this.threadNames[thread],
                    ),
                );
        });
        if (this.lines[current]) revealInside(this.box, this.lines[current].node);
    }
    /* The text of a step's line, or "". */
    lineText(step) {
        if (!step || step.source === null) return "";
        const source = this.doc.sources[step.source];
        return (source.lines[step.line - source.first] || "").trim();
    }
}

/* What shared variables hold after each step. A table of states is made once, by differences: state(i)
 * is found by walking on from the nearest one, so that a step costs what it changes. */
class Memory {
    constructor(doc) {
        this.steps = doc.steps;
        this.cells = doc.cells;
        this.at = -1;
        this.reset();
    }
    reset() {
        this.at = -1;
        this.now = this.cells.map((cell) => ({ value: cell.initial, by: null, step: -1, seen: new Map() }));
    }
    /* After step INDEX: by cell {value, by: thread, step, seen: by thread the older value
     * that it read last, if it did}. */
    after(index) {
        if (index < this.at) this.reset();
        while (this.at < index) {
            const step = this.steps[++this.at];
            for (const read of step.reads) {
                const cell = this.now[read.cell];
                if (cell.value !== null && read.value !== cell.value) cell.seen.set(step.thread, read.value);
                else cell.seen.delete(step.thread);
            }
            for (const write of step.writes) {
                const cell = this.now[write.cell];
                cell.seen.delete(step.thread);
                if (write.current)
                    Object.assign(cell, { value: write.value, by: step.thread, step: this.at });
            }
        }
        return this.now;
    }
}

class ValuesPanel {
    constructor(doc, threadNames, goTo) {
        this.doc = doc;
        this.threadNames = threadNames;
        this.goTo = goTo;
        this.memory = new Memory(doc);
        this.body = el("tbody");
        this.title = el("span", { class: "mono" });
        this.node = doc.cells.length
            ? el(
                  "section",
                  { class: "card" },
                  el("div", { class: "card-head" }, el("h2", {}, "Shared variables"), this.title),
                  el(
                      "div",
                      {
                          class: "values",
                          tabindex: "0",
                          role: "region",
                          "aria-label": "values of the shared variables",
                      },
                      el("table", {}, this.body),
                  ),
              )
            : null;
    }
    who(thread) {
        return el(
            "span",
            { class: `who ${threadClass(this.threadNames, thread)}` },
            this.threadNames[thread],
        );
    }
    show(index) {
        if (!this.node) return;
        const step = this.doc.steps[index];
        const before = new Map(
            step
                ? step.writes.map((w) => [
                      w.cell,
                      index > 0 ? this.memory.after(index - 1)[w.cell].value : this.doc.cells[w.cell].initial,
                  ])
                : [],
        );
        const now = this.memory.after(index);
        const reads = new Set(step ? step.reads.map((r) => r.cell) : []);
        this.title.textContent = step ? `after step ${step.number}` : "at the start";
        clear(this.body).append(
            ...this.doc.cells.map((cell, i) => {
                const { value, by, step: writer, seen } = now[i];
                const changed = before.has(i) && writer === index;
                const others = [...seen].filter(() => !cell.lock);
                return el(
                    "tr",
                    { class: changed ? "changed" : reads.has(i) ? "read" : "" },
                    el("th", { scope: "row" }, cell.name),
                    el(
                        "td",
                        { class: "value" },
                        el(
                            "div",
                            {},
                            changed && before.get(i) !== null && before.get(i) !== value
                                ? el("span", { class: "old" }, before.get(i))
                                : null,
                            value === null ? el("span", { class: "unknown" }, "not known yet") : value,
                        ),
                    ),
                    el(
                        "td",
                        { class: "by" },
                        by === null
                            ? value === null
                                ? ""
                                : "initial"
                            : [this.who(by), cell.model ? "" : ` at ${this.doc.steps[writer].number}`],
                    ),
                    el(
                        "td",
                        { class: "seen" },
                        others.map(([thread, last], k) => [k ? ", " : "", this.who(thread), ` saw ${last}`]),
                    ),
                );
            }),
        );
        const row = this.body.querySelector(".changed, .read");
        if (row) revealInside(this.body.parentNode.parentNode, row);
    }
}

/* A line a thread. */
function columnRows(columns, threadNames) {
    return el(
        "dl",
        { class: "test" },
        columns.map((calls, i) =>
            el(
                "div",
                {},
                el(
                    "dt",
                    {
                        class: `who ${threadClass(threadNames, Math.max(threadNames.indexOf(`T${i + 1}`), 0))}`,
                    },
                    `T${i + 1}`,
                ),
                el("dd", {}, calls),
            ),
        ),
    );
}

/* The smallest failing test. */
function testCard(doc, threadNames) {
    if (!doc.test || !doc.test.length) return null;
    return el(
        "section",
        { class: "card" },
        el("h2", {}, "The smallest test that fails"),
        columnRows(doc.test, threadNames),
        el(
            "p",
            { class: "replay" },
            "Keep it: ",
            el("code", {}, `HD_SCENARIO(${JSON.stringify(doc.test.join(" | "))})`),
        ),
    );
}

/* Of a long order its end matters: how many calls are left out of its row. */
function folded(order) {
    return order.calls.length > 7 ? order.calls.length - 5 : 0;
}

/* The serial orders that were tried, as rows. on.light(order or null) shows one among the lanes;
 * on.jump(operation) goes to an operation. */
class OrdersPanel {
    constructor(doc, threadOf, label, on) {
        this.doc = doc;
        this.on = on;
        this.chosen = -1;
        this.rows = (doc.orders || []).map((order, i) => {
            const chip = (operation, refused) =>
                el(
                    "span",
                    {
                        class: `chip ${threadOf(operation)}${refused ? " refused" : ""}`,
                        title: label(operation),
                    },
                    label(operation),
                );
            return el(
                "button",
                {
                    class: "order",
                    type: "button",
                    "aria-pressed": "false",
                    onclick: () => this.choose(i),
                    onmouseenter: () => on.light(i),
                    onmouseleave: () => on.light(this.chosen >= 0 ? this.chosen : null),
                    onfocus: () => on.light(i),
                    onblur: () => on.light(this.chosen >= 0 ? this.chosen : null),
                },
                el("span", { class: "number" }, `${i + 1}.`),
                order.calls.length ? null : el("span", { class: "then" }, "at the start"),
                folded(order) ? el("span", { class: "then" }, `… ${words(folded(order), "call")} …`) : null,
                order.calls
                    .slice(folded(order))
                    .map((c, k) => [k || folded(order) ? el("span", { class: "then" }, "→") : null, chip(c)]),
                order.refused.map((r, k) => [
                    el("span", { class: "then" }, k ? "or" : "→"),
                    chip(r.operation, true),
                    r.why ? el("span", { class: "but" }, `here ${r.why}`) : null,
                ]),
                order.state ? el("span", { class: "state mono" }, `state: ${order.state}`) : null,
            );
        });
        this.node = this.rows.length
            ? el(
                  "section",
                  { class: "card" },
                  el(
                      "h2",
                      {},
                      this.rows.length === 1
                          ? "The only serial order that comes this far"
                          : "Serial orders tried, and where each disagrees",
                  ),
                  el(
                      "ol",
                      { class: "orders" },
                      this.rows.map((row) => el("li", {}, row)),
                  ),
                  doc.closest && doc.closest.length
                      ? el(
                            "div",
                            { class: "closest" },
                            el("h2", {}, "The closest outcome that would be right"),
                            columnRows(
                                doc.closest,
                                doc.threads.map((thread) => thread.name),
                            ),
                        )
                      : null,
                  el(
                      "p",
                      { class: "hint" },
                      "Point at an order to see it among the lanes; click it to go to its first disagreement.",
                  ),
              )
            : null;
    }
    /* Lights order I up for good. */
    show(i) {
        this.chosen = i;
        this.rows.forEach((row, k) => {
            row.classList.toggle("lit", k === i);
            row.setAttribute("aria-pressed", String(k === i));
        });
        this.on.light(i);
    }
    /* The same, and goes to its first disagreement. */
    choose(i) {
        this.show(i);
        const order = this.doc.orders[i];
        const wrong = order.refused.length ? order.refused[0].operation : order.calls[order.calls.length - 1];
        if (wrong !== undefined) this.on.jump(wrong);
    }
    next() {
        if (this.rows.length) this.choose((this.chosen + 1) % this.rows.length);
    }
}
