/* execution.js: the page of one execution (or of the counterexample of a model): the lanes, a slider
 * through their steps, and beside them what the present step means. */
"use strict";

class ExecutionView {
    constructor(doc, root) {
        this.doc = doc;
        this.names = doc.threads.map((thread) => thread.name);
        this.current = doc.focus === null ? doc.steps.length - 1 : doc.focus;
        this.hovered = null;
        this.cone = false;
        this.lanes = new Lanes(doc, this.names, {
            select: (i) => this.select(i),
            hover: (i) => this.hover(i),
        });
        this.source = new SourcePanel(doc, this.names);
        this.values = new ValuesPanel(doc, this.names, (i) => this.select(i));
        this.orders = new OrdersPanel(
            doc,
            (op) => this.lanes.cls(doc.operations[op].thread),
            (op) => this.operationText(op),
            {
                light: (i) => this.lanes.light(i === null ? null : doc.orders[i]),
                jump: (op) =>
                    this.select(
                        doc.operations[op].to === null ? doc.operations[op].from : doc.operations[op].to,
                        true,
                    ),
            },
        );
        this.build(root);
        new ResizeObserver(onceAFrame(() => this.layout())).observe(this.lanes.node);
        addEventListener("beforeprint", () => this.layout(690));
        addEventListener("afterprint", () => this.layout());
        this.layout();
        this.select(this.current);
        if (this.orders.rows.length) this.orders.show(0);
    }

    operationText(op) {
        const { call, result } = this.doc.operations[op];
        return result === null ? call : `${call} = ${result}`;
    }

    build(root) {
        const test = testCard(this.doc, this.names);
        if (test || this.orders.node) root.append(el("div", { class: "beside" }, test, this.orders.node));
        const button = (text, label, action) =>
            el("button", { type: "button", title: label, "aria-label": label, onclick: action }, text);
        this.slider = el("input", {
            type: "range",
            min: 0,
            max: this.doc.steps.length - 1,
            value: this.current,
            "aria-label": "step of the execution",
            oninput: () => this.select(Number(this.slider.value), true),
        });
        this.where = el("span", { class: "where", role: "status", "aria-live": "polite" });
        this.now = el("div", { class: "now" });
        root.append(
            el(
                "div",
                { class: "bar" },
                this.now,
                button("«", "first step (Home)", () => this.select(0, true)),
                button("‹", "previous step (←)", () => this.move(-1)),
                this.slider,
                button("›", "next step (→)", () => this.move(1)),
                button("»", "last step (End)", () => this.select(this.doc.steps.length - 1, true)),
                this.where,
                this.doc.focus === null
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
        root.append(
            el(
                "div",
                { class: "work" },
                this.lanes.node,
                el(
                    "div",
                    { class: "side" },
                    this.doc.sources.length ? this.source.node : null,
                    this.values.node,
                ),
            ),
        );
    }

    layout(width) {
        this.lanes.layout(Math.floor(width || this.lanes.node.clientWidth));
        this.lanes.light(this.orders.chosen >= 0 ? this.doc.orders[this.orders.chosen] : null);
        this.refresh();
    }
    refresh() {
        this.lanes.show(this.current, this.hovered === null ? this.current : this.hovered);
        this.lanes.showCone(this.cone ? this.current : null);
    }

    hover(index) {
        this.hovered = index;
        this.refresh();
    }

    /* Goes to step INDEX; FAR: it may be out of sight. */
    select(index, far) {
        this.current = Math.max(0, Math.min(index, this.doc.steps.length - 1));
        const step = this.doc.steps[this.current];
        this.hovered = null;
        this.slider.value = this.current;
        this.slider.setAttribute(
            "aria-valuetext",
            step.thread === null
                ? step.action
                : `step ${step.number}, ${this.names[step.thread]}, ${step.action}`,
        );
        const last = this.doc.steps[this.doc.steps.length - 1].number;
        this.where.textContent = step.number ? `step ${step.number} of ${last}` : `… of ${last}`;
        this.refresh();
        const places = this.names.map((_, thread) => {
            for (let i = this.current; i >= 0; i--)
                if (this.doc.steps[i].thread === thread && this.doc.steps[i].source !== null)
                    return this.doc.steps[i];
            return null;
        });
        this.source.show(step, places);
        this.values.show(this.current);
        clear(this.now).append(
            ...(step.thread === null
                ? [step.action]
                : [
                      el("span", { class: `who ${this.lanes.cls(step.thread)}` }, this.names[step.thread]),
                      ` ${step.action}`,
                      el(
                          "span",
                          { style: { color: "var(--dim)" } },
                          `  ${this.source.lineText(step) || step.place || ""}`,
                      ),
                  ]),
        );
        if (far) this.lanes.reveal(this.current);
    }
    move(by) {
        this.select(this.current + by, true);
    }
    jump() {
        if (this.doc.focus !== null) this.select(this.doc.focus, true);
        if (this.orders.rows.length && this.orders.chosen < 0) this.orders.choose(0);
    }
    /* The next step of the same thread. */
    moveInThread(by) {
        const thread = this.doc.steps[this.current].thread;
        for (let i = this.current + by; i >= 0 && i < this.doc.steps.length; i += by) {
            if (this.doc.steps[i].thread === thread) return this.select(i, true);
        }
    }

    keys() {
        return [
            {
                keys: ["ArrowRight", "ArrowDown", "j"],
                shown: "→ ↓ j",
                text: "next step",
                action: () => this.move(1),
            },
            {
                keys: ["ArrowLeft", "ArrowUp", "k"],
                shown: "← ↑ k",
                text: "previous step",
                action: () => this.move(-1),
            },
            { keys: ["PageDown"], shown: "Page down", text: "ten steps on", action: () => this.move(10) },
            { keys: ["PageUp"], shown: "Page up", text: "ten steps back", action: () => this.move(-10) },
            { keys: ["Home"], shown: "Home", text: "first step", action: () => this.select(0, true) },
            {
                keys: ["End"],
                shown: "End",
                text: "last step",
                action: () => this.select(this.doc.steps.length - 1, true),
            },
            { keys: ["n"], shown: "n", text: "next step of this thread", action: () => this.moveInThread(1) },
            {
                keys: ["p"],
                shown: "p",
                text: "previous step of this thread",
                action: () => this.moveInThread(-1),
            },
            { keys: ["b"], shown: "b", text: "jump to what is wrong", action: () => this.jump() },
            {
                keys: ["h"],
                shown: "h",
                text: "dim what does not happen before this step",
                action: () => {
                    this.cone = !this.cone;
                    this.refresh();
                },
            },
            this.orders.rows.length
                ? { keys: ["o"], shown: "o", text: "next serial order", action: () => this.orders.next() }
                : null,
        ].filter(Boolean);
    }
}
