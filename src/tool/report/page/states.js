/* states.js: a small graph of states, drawn by levels: a state stands as many columns to the right as it has
 * steps to the start. One state is looked at: its calls, its variables, the steps from it. A reader goes on by
 * a step, or along the way to a violation. */

const STATE_GAP_X = 64,
    STATE_GAP_Y = 34,
    STATE_MARGIN = 26;

class StatesView {
    constructor(doc, root) {
        this.graph = doc.states;
        this.threads = this.graph.states[0].calls.length;
        this.at = 0;
        this.onWay = new Map(this.graph.way.map((state, i) => [state, i]));
        this.from = this.graph.states.map(() => []);
        for (const step of this.graph.steps) this.from[step.from].push(step);
        this.place();
        this.nodes = [];
        this.detail = el("div", { class: "state-detail", "aria-live": "polite" });
        root.append(
            el(
                "section",
                { class: "card states" },
                el("h2", {}, "States"),
                el("p", { class: "states-how" }, this.summary()),
                el(
                    "div",
                    { class: "states-body" },
                    el("div", { class: "states-box" }, (this.picture = this.draw())),
                    this.detail,
                ),
            ),
        );
        this.show(this.graph.way.length ? this.graph.way[0] : 0);
    }
    summary() {
        const { states, steps, way } = this.graph;
        const whole = `${words(states.length, "state")}, ${words(steps.length, "step")}; a colour a thread.`;
        return way.length
            ? `${whole} The thick line is the way to the violation, ${words(way.length - (this.graph.last ? 0 : 1), "step")}.`
            : whole;
    }
    /* Columns by distance from the start, rows in the order of their numbers. */
    place() {
        const level = this.graph.states.map(() => -1),
            queue = [0],
            rows = [];
        level[0] = 0;
        for (let i = 0; i < queue.length; i++)
            for (const step of this.from[queue[i]])
                if (level[step.to] < 0) {
                    level[step.to] = level[queue[i]] + 1;
                    queue.push(step.to);
                }
        this.points = level.map((column) => {
            const x = Math.max(column, 0);
            rows[x] = (rows[x] || 0) + 1;
            return { x: STATE_MARGIN + x * STATE_GAP_X, y: STATE_MARGIN + (rows[x] - 1) * STATE_GAP_Y };
        });
        this.width = 2 * STATE_MARGIN + (rows.length - 1) * STATE_GAP_X;
        this.height = 2 * STATE_MARGIN + (Math.max(...rows.map((n) => n || 0)) - 1) * STATE_GAP_Y;
    }
    threadClass(thread) {
        return `thread-${1 + ((thread + 6) % 7)}`;
    }
    curve(step) {
        const a = this.points[step.from],
            b = this.points[step.to];
        if (step.from === step.to)
            return `M${a.x},${a.y - 8} C${a.x - 16},${a.y - 26} ${a.x + 16},${a.y - 26} ${a.x},${a.y - 8}`;
        const bend = b.x > a.x ? 0 : 26 + step.thread * 5;
        return `M${a.x},${a.y} C${a.x + STATE_GAP_X / 2},${a.y + bend} ${b.x - STATE_GAP_X / 2},${b.y + bend} ${b.x},${b.y}`;
    }
    isOnWay(step) {
        const i = this.onWay.get(step.from);
        return i !== undefined && this.graph.way[i + 1] === step.to;
    }
    draw() {
        const picture = svg("svg", {
            class: "states-picture",
            width: this.width,
            height: this.height,
            viewBox: `0 0 ${this.width} ${this.height}`,
            role: "group",
            "aria-label": "graph of states",
        });
        this.lines = this.graph.steps.map((step) =>
            svg("path", {
                class: `state-step ${this.threadClass(step.thread)}${this.isOnWay(step) ? " on-way" : ""}`,
                d: this.curve(step),
            }),
        );
        picture.append(...this.lines);
        this.nodes = this.points.map((point, i) => {
            const node = svg(
                "g",
                {
                    class: `state-node${this.onWay.has(i) ? " on-way" : ""}`,
                    tabindex: 0,
                    role: "button",
                    "aria-label": `state ${i}`,
                    onclick: () => this.show(i),
                    onkeydown: (event) => {
                        if (event.key !== "Enter" && event.key !== " ") return;
                        event.preventDefault();
                        this.show(i);
                    },
                },
                svg("circle", { cx: point.x, cy: point.y, r: 9 }),
                svg("text", { x: point.x, y: point.y + 3 }, String(i)),
            );
            return node;
        });
        picture.append(...this.nodes);
        return picture;
    }
    callText(call) {
        return call === null ? null : this.graph.calls[call];
    }
    stepText(step) {
        const begun = this.callText(step.begun),
            ended = this.callText(step.ended);
        if (begun && ended) return `${begun} = ${step.result}`;
        if (begun) return `begins ${begun}`;
        if (ended) return `${ended} = ${step.result}`;
        return "goes on";
    }
    /* The variables of a state: [name, value]. Numbers are read as signed ones of their size. */
    variables(state) {
        return this.graph.words.flatMap((word, i) => {
            const text = state.values[i] === undefined ? word.initial : state.values[i];
            if (text.startsWith("@") || !/^[0-9a-f]{1,16}$/.test(text)) return [[word.names[0], text]];
            const value = BigInt(`0x${text}`);
            return word.names.map((name, k) => [
                name,
                String(BigInt.asIntN(word.bytes * 8, value >> BigInt(k * word.bytes * 8))),
            ]);
        });
    }
    /* The state before AT on the way, or the first one that leads to it. */
    before(at) {
        const i = this.onWay.get(at);
        if (i > 0) return this.graph.way[i - 1];
        const step = this.graph.steps.find((s) => s.to === at && s.from !== at);
        return step ? step.from : at;
    }
    walk(by) {
        const { way } = this.graph,
            i = way.length ? this.onWay.get(this.at) : undefined;
        if (i === undefined) {
            if (way.length) this.show(way[0]);
            else if (by < 0) this.show(this.before(this.at));
            else if (this.from[this.at].length) this.show(this.from[this.at][0].to);
        } else if (way[i + by] !== undefined) this.show(way[i + by]);
    }
    violationText(at) {
        const { last, way } = this.graph;
        if (!way.length || at !== way[way.length - 1]) return null;
        if (!last || last.thread === null) return "Here it shows.";
        const begun = this.callText(last.begun);
        return `T${last.thread}'s next step${begun ? `, which begins ${begun},` : ""} shows the violation.`;
    }
    show(at) {
        const state = this.graph.states[at],
            old = new Map(this.variables(this.graph.states[this.before(at)])),
            i = this.onWay.get(at),
            bad = this.violationText(at);
        this.nodes[this.at].classList.remove("current");
        this.nodes[at].classList.add("current");
        this.at = at;
        const move = (name, text, by) =>
            el("button", { type: "button", class: name, onclick: () => this.walk(by) }, text);
        clear(this.detail).append(
            el(
                "div",
                { class: "state-walk" },
                move("state-previous", "◀ Previous", -1),
                el("strong", {}, `State ${at}`),
                i === undefined ? null : el("span", {}, `${i + 1} of ${this.graph.way.length} on the way`),
                move("state-next", "Next ▶", 1),
            ),
            bad ? el("p", { class: "state-bad" }, bad) : "",
            el(
                "ul",
                { class: "state-calls" },
                state.calls.map((call, t) =>
                    el(
                        "li",
                        { class: this.threadClass(t + 1) },
                        el("span", { class: "who" }, `T${t + 1}`),
                        ` ${call === null ? "is between calls" : `is in ${this.callText(call)}`}`,
                    ),
                ),
            ),
            el(
                "dl",
                { class: "state-words" },
                this.variables(state)
                    .filter(([name]) => name !== "?")
                    .map(([name, value]) =>
                        el(
                            "div",
                            { class: old.get(name) === value ? null : "changed" },
                            el("dt", {}, name),
                            el("dd", {}, value.startsWith("@") ? `heap object ${value.slice(1)}` : value),
                        ),
                    ),
            ),
            el("h3", {}, this.from[at].length ? "Steps from here" : "No steps from here were taken"),
            el(
                "ul",
                { class: "state-steps" },
                this.from[at].map((step) =>
                    el(
                        "li",
                        { class: this.threadClass(step.thread) },
                        el(
                            "button",
                            {
                                type: "button",
                                class: this.isOnWay(step) ? "on-way" : null,
                                onclick: () => this.show(step.to),
                            },
                            el("span", { class: "who" }, `T${step.thread}`),
                            ` ${this.stepText(step)} → ${step.to}`,
                        ),
                    ),
                ),
            ),
        );
    }
    keys() {
        return [
            { keys: ["["], shown: "[", text: "the state before", action: () => this.walk(-1) },
            { keys: ["]"], shown: "]", text: "the next state", action: () => this.walk(1) },
        ];
    }
}
