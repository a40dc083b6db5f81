/* page.js: reads the document, writes the head of the page, and gives the rest to the view that fits. */
"use strict";

const SIGNS = { violated: "✗", holds: "✓", inconclusive: "?", error: "!" };

/* The first order tried and where it disagrees, as a sentence; null if there is none. */
function disagreement(doc) {
    const order = doc.kind === "execution" && doc.orders && doc.orders[0];
    const refused = order && order.refused[0];
    if (!refused || !refused.why) return null;
    const words = (op) =>
        doc.operations[op].call +
        (doc.operations[op].result === null ? "" : ` = ${doc.operations[op].result}`);
    const operation = doc.operations[refused.operation];
    const before = order.calls.length ? `after ${order.calls.map(words).join(", ")}` : "at the start";
    const what =
        operation.to === null
            ? "waits for ever"
            : operation.result === null
              ? "returns"
              : `gives ${operation.result}`;
    return `${doc.threads[operation.thread].name}'s ${operation.call} ${what}, but ${before} ${refused.why}.`;
}

function buildHead(doc, root, tools) {
    root.append(
        el(
            "div",
            { class: "top" },
            el("span", { class: `verdict ${doc.verdict}` }, `${SIGNS[doc.verdict] || ""} ${doc.verdict}`),
            doc.violation ? el("span", { class: "kind" }, doc.violation) : null,
            el("span", { class: "subject" }, doc.subject),
            tools,
        ),
    );
    if (doc.message)
        root.append(
            el(
                "h1",
                {},
                /^[a-z]+ /.test(doc.message)
                    ? doc.message.charAt(0).toUpperCase() + doc.message.slice(1)
                    : doc.message,
            ),
        );
    const why = [...(doc.explanations || []), disagreement(doc)].filter(Boolean);
    if (why.length)
        root.append(
            el(
                "ul",
                { class: "why" },
                why.map((text) => el("li", {}, text)),
            ),
        );
    root.append(
        el(
            "dl",
            { class: "facts" },
            doc.facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
        ),
    );
    if (doc.verdict === "inconclusive" || (doc.verdict === "holds" && doc.kind !== "history"))
        root.append(outcome(doc));
    if (doc.repair) root.append(repair(doc.repair));
    for (const text of doc.remarks || []) root.append(el("p", { class: "remark" }, `Note: ${text}`));
    if (doc.replay) root.append(el("p", { class: "replay" }, "See it again: ", el("code", {}, doc.replay)));
}

/* The memory orders that mend a violation: a table a way, and the patch. */
function repair(found) {
    const way = (one, number) =>
        el(
            "div",
            { class: "way" },
            el(
                "table",
                { class: "list" },
                one.changes.map((change, i) =>
                    el(
                        "tr",
                        {},
                        el("td", {}, found.ways.length > 1 && !i ? `${number + 1}.` : ""),
                        el("td", {}, el("code", {}, change.place)),
                        el("td", {}, el("code", {}, change.change)),
                        el("td", {}, el("code", {}, change.function)),
                    ),
                ),
            ),
            one.patch ? el("details", {}, el("summary", {}, "Patch"), el("pre", {}, one.patch)) : null,
        );
    const text = found.text.charAt(0).toUpperCase() + found.text.slice(1);
    return el(
        "section",
        { class: "card repair" },
        el("h2", {}, found.ways.length ? "To repair it" : "Memory orders"),
        el("p", {}, text),
        found.ways.slice(0, 12).map(way),
        found.ways.length > 12 ? el("p", {}, `... and ${found.ways.length - 12} more.`) : null,
        el("p", { class: "tried" }, `${found.tried}.`),
    );
}

/* TEXT with its options as code: --trust=PLACE is not broken at the end of a line. */
function options(text) {
    return text
        .split(/(--[a-z][a-z-]*(?:=[A-Za-z0-9]+)?)/)
        .map((part, i) => (i % 2 ? el("code", { class: "option" }, part) : part));
}

/* An answer without an execution still says what was looked at, what stopped it, and what to do. */
function outcome(doc) {
    const sure = doc.verdict === "holds",
        facts = new Map(doc.facts);
    const counts = ["executions", "blocked", "given up", "tests", "serial runs", "states", "steps", "transitions"]
        .filter((name) => facts.has(name))
        .map((name) => `${facts.get(name)} ${facts.get(name) === "1" ? name.replace(/s$/, "") : name}`);
    const explored = [
        counts.length ? `${counts.join(", ")}${facts.has("time") ? `, in ${facts.get("time")}` : ""}.` : null,
        facts.has("covered") ? `Covered: ${facts.get("covered")}.` : null,
        facts.has("progress") ? `Progress: ${facts.get("progress")}.` : null,
        facts.has("bounds") ? `Bounds: ${facts.get("bounds")}.` : null,
        sure
            ? doc.command === "refine"
                ? "Nothing beyond that is claimed: more threads were not looked at."
                : facts.has("bounds")
                  ? "Nothing beyond that is claimed: other executions, other inputs, more threads and longer tests were not looked at."
                : /^[0-9]+ threads? that call/.test(facts.get("covered"))
                  ? "Nothing beyond that is claimed: other arguments and more threads were not looked at."
                  : "Nothing beyond that is claimed: other inputs, more threads and longer tests were not looked at."
            : doc.steps && doc.steps.length
              ? null
              : "Nothing wrong was found in what was explored; the rest is unknown.",
    ].filter(Boolean);
    const card = (title, texts) =>
        el("section", { class: "card" }, el("h2", {}, title), texts.map((text) => el("p", {}, options(text))));
    return el(
        "div",
        { class: "outcome" },
        card("What was explored", explored),
        sure ? null : card("What stopped it", [doc.doubted || doc.message]),
        doc.advice ? card("What to do", [doc.advice]) : null,
    );
}

/* The reader's choice, or the system's. Storage may be forbidden to a file: then it lasts for the page. */
class Theme {
    constructor() {
        this.system = matchMedia("(prefers-color-scheme: dark)");
        this.chosen = null;
        try {
            this.chosen = localStorage.getItem("heddle-theme");
        } catch {
            /* no storage */
        }
        this.system.addEventListener("change", () => this.apply());
        this.apply();
    }
    name() {
        return this.chosen || (this.system.matches ? "dark" : "light");
    }
    apply() {
        document.documentElement.dataset.theme = this.name();
        dispatchEvent(new Event("heddle-theme")); /* pictures have no style sheet */
    }
    toggle() {
        this.chosen = this.name() === "dark" ? "light" : "dark";
        try {
            localStorage.setItem("heddle-theme", this.chosen);
        } catch {
            /* no storage */
        }
        this.apply();
    }
}

function helpDialog(keys) {
    const list = el("dl", {});
    for (const key of keys)
        list.append(
            el(
                "dt",
                {},
                key.shown.split(" ").length > 2
                    ? key.shown.split(" ").map((k) => [el("kbd", {}, k), " "])
                    : el("kbd", {}, key.shown),
            ),
            el("dd", {}, key.text),
        );
    const dialog = el(
        "dialog",
        { "aria-label": "help" },
        el("h2", {}, "Keys"),
        list,
        el("button", { type: "button", onclick: () => dialog.close() }, "Close"),
    );
    document.body.append(dialog);
    return dialog;
}

function start() {
    const doc = JSON.parse(document.getElementById("document").textContent);
    const theme = new Theme();
    document.title = `${doc.violation || doc.verdict}: ${doc.subject}`.slice(0, 200) + " · heddle";
    const tools = el(
        "div",
        { class: "tools" },
        el(
            "button",
            { type: "button", id: "theme", "aria-label": "light or dark", onclick: () => theme.toggle() },
            "◐",
            el("span", {}, " Theme"),
        ),
        el(
            "button",
            { type: "button", id: "help", "aria-label": "help", onclick: () => dialog.showModal() },
            "?",
            el("span", {}, " Keys"),
        ),
    );
    buildHead(doc, document.getElementById("head"), tools);
    const main = document.getElementById("main");
    let view = null;
    if (doc.kind === "history") view = new HistoryView(doc, main);
    else if (doc.steps && doc.steps.length) view = new ExecutionView(doc, main);
    const states = doc.states ? new StatesView(doc, main) : null;
    const keys = [
        ...(view ? view.keys() : []),
        ...(states ? states.keys() : []),
        { keys: ["t"], shown: "t", text: "light or dark", action: () => theme.toggle() },
        {
            keys: ["?"],
            shown: "?",
            text: "this help",
            action: () => (dialog.open ? dialog.close() : dialog.showModal()),
        },
    ];
    const dialog = helpDialog(keys);
    addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        if (dialog.open && event.key !== "?") return;
        const slider = event.target.matches && event.target.matches("input");
        if (
            slider &&
            (event.key.startsWith("Arrow") ||
                event.key.startsWith("Page") ||
                event.key === "Home" ||
                event.key === "End")
        )
            return;
        const found = keys.find((key) => key.keys.includes(event.key));
        if (!found) return;
        event.preventDefault();
        found.action();
    });
    document
        .getElementById("foot")
        .append(
            "Made by heddle ",
            doc.command,
            ".",
            el("span", { class: "foot-keys" }, " Press ? for the keys."),
        );
    document.documentElement.dataset.ready = "true";
    return view;
}
const heddleView = start();
