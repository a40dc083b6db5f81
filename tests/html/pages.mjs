/* node pages.mjs FOLDER: the HTML pages in FOLDER (made by tests/suites/75_html.sh), driven in a real
 * Chromium. What is expected comes from the text report, from the test program itself (derived by hand),
 * or from a second, simple computation here; never from the page. Prints "ok NAME" or "FAIL NAME why". */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const folder = process.argv[2];
const read = (name) => readFileSync(join(folder, name), "utf8");
const documentOf = (name) => JSON.parse(/id="document">(.*?)<\/script>/s.exec(read(name))[1]);
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
});
let failed = 0;

function check(condition, why) {
    if (!condition) throw new Error(why);
}
function equal(have, want, what) {
    check(
        JSON.stringify(have) === JSON.stringify(want),
        `${what}: ${JSON.stringify(have)}, not ${JSON.stringify(want)}`,
    );
}
/* Opens a page; the case fails if it asks for anything but itself or complains on the console. */
async function test(name, file, options, action) {
    const context = await browser.newContext({ viewport: { width: 1300, height: 900 }, ...options });
    const page = await context.newPage(),
        trouble = [];
    page.on(
        "request",
        (request) =>
            request.url() !== `file://${join(folder, file)}` && trouble.push(`request ${request.url()}`),
    );
    page.on(
        "console",
        (message) =>
            ["error", "warning"].includes(message.type()) && trouble.push(`console: ${message.text()}`),
    );
    page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => {
        trouble.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    let note = "";
    try {
        await page.goto(`file://${join(folder, file)}`);
        await page.waitForSelector("html[data-ready]", { timeout: 5000 });
        note = (await action(page, () => documentOf(file))) || "";
        equal(trouble, [], "trouble");
        console.log(`ok ${name}${note ? ` (${note})` : ""}`);
    } catch (error) {
        failed++;
        console.log(`FAIL ${name}: ${String(error.message).split("\n")[0]} ${trouble.join("; ")}`);
    }
    await context.close();
}

const more = readdirSync(folder).filter((name) =>
    /^more-.*\.html$/.test(name),
); /* looked at in general only */
const everything = [
    "determined",
    "race",
    "linearizability",
    "stale",
    "deadlock",
    "stuck",
    "hostile",
    "model",
    "holds",
    "inconclusive",
    "history",
    "hostile_history",
    "bands",
    "states",
    "states_wrong",
    "states_long",
]
    .map((name) => `${name}.html`)
    .concat(more);

/* --- every page: opened once, looked at in many ways ------------------------------------------------ */
const looks = {
    "verdict first, buttons have names": async (page, doc) => {
        const text = await page.locator("#head").innerText();
        check(
            text.indexOf(doc.verdict) >= 0 && text.indexOf(doc.verdict) < 10,
            "the verdict does not come first",
        );
        equal(await page.locator("script").count(), 2, "scripts");
        const nameless = await page
            .locator("button")
            .evaluateAll(
                (list) => list.filter((b) => !b.getAttribute("aria-label") && !b.textContent.trim()).length,
            );
        equal(nameless, 0, "buttons without a name");
    },
    "lanes, steps, bars and arrows": async (page, doc) => {
        if (!doc.steps) return;
        equal(await page.locator(".lane-name").count(), doc.threads.length, "lanes");
        equal(await page.locator("li.step").count(), doc.steps.length, "steps");
        equal(await page.locator(".chart .bar-op").count(), doc.operations.length, "operations");
        const paths = await page
            .locator(".chart path.arrow:not(.clash)")
            .evaluateAll((list) =>
                list.map((path) => ({
                    d: path.getAttribute("d"),
                    kind: path.getAttribute("class"),
                    head: path.getAttribute("marker-end"),
                    length: path.getTotalLength(),
                })),
            );
        equal(paths.length, doc.arrows.length, "arrows");
        paths.forEach((path, i) => {
            check(
                !/NaN|undefined|Infinity/.test(path.d) && path.length > 5,
                `arrow ${i} goes nowhere: ${path.d}`,
            );
            check(
                path.kind.includes(doc.arrows[i].kind) && path.head,
                `arrow ${i} is no ${doc.arrows[i].kind}`,
            );
        });
    },
    "every step shows its line and the values": async (page, doc) => {
        if (!doc.steps) return;
        const now = doc.cells.map((cell) => cell.initial);
        const shown = await page.evaluate((count) => {
            /* what a reader sees who presses the key again and again */
            const press = (key) =>
                document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            const text = (node) => (node ? node.textContent : null),
                list = [];
            press("Home");
            for (let i = 0; i < count; i++, press("ArrowRight")) {
                list.push({
                    step: document.querySelector("li.step.current").id,
                    line: text(document.querySelector(".source .line.current .number")),
                    code: text(document.querySelector(".source .line.current .code")),
                    values: [...document.querySelectorAll(".values td.value > div")].map((box) =>
                        [...box.childNodes]
                            .filter((node) => node.className !== "old")
                            .map(text)
                            .join(""),
                    ),
                });
            }
            return list;
        }, doc.steps.length);
        for (const [i, step] of doc.steps.entries()) {
            for (const write of step.writes) if (write.current) now[write.cell] = write.value;
            equal(shown[i].step, `step-${i}`, "current step");
            if (step.source !== null) {
                equal(shown[i].line, String(step.line), `line of step ${i}`);
                equal(
                    shown[i].code.trimEnd(),
                    doc.sources[step.source].lines[step.line - doc.sources[step.source].first].trimEnd(),
                    "its text",
                );
            }
            equal(
                shown[i].values,
                now.map((value) => (value === null ? "not known yet" : value)),
                `values after step ${i}`,
            );
        }
    },
    "no sideways scrolling on phones": async (page) => {
        for (const width of [390, 320]) {
            await page.setViewportSize({ width, height: 800 });
            await page.evaluate(
                () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
            );
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            check(wide <= width, `at ${width} pixels the page is ${wide} wide`);
        }
    },
};
for (const file of everything) {
    await test(`${file}: no network, no error`, file, {}, async (page, document) => {
        const doc = document();
        for (const [name, look] of Object.entries(looks)) {
            try {
                await look(page, doc);
                console.log(`ok ${file}: ${name}`);
            } catch (error) {
                throw new Error(`${name}: ${error.message}`);
            }
        }
    });
}

/* The text report tells by step numbers what each read reads from: those are the arrows. */
for (const name of ["race", "linearizability", "stale", "deadlock", "stuck"]) {
    await test(
        `${name}: the arrows are those of the text report`,
        `${name}.html`,
        {},
        async (page, document) => {
            const doc = document(),
                text = read(`${name}.txt`).split("The execution:\n")[1].split("\n");
            const wanted = [],
                missed = [],
                threads = text[0].trim().split(/\s+/);
            let step = 0; /* lines without a number go on with the step above */
            for (const line of text.slice(1)) {
                const number = /^>?\s*(\d+) {2}/.exec(line);
                if (number) step = Number(number[1]);
                if (!number && !/^ {6}/.test(line)) break;
                if (!doc.steps.some((s) => s.number === step)) continue;
                const from = / (?:from|after) (\d+)(?:,|$)/.exec(line),
                    misses = /misses (\d+)/.exec(line);
                if (from) wanted.push(`${from[1]}-${step}`);
                if (misses) missed.push(`${misses[1]}-${step}`);
            }
            const ends = (kind) =>
                doc.arrows
                    .filter((a) => a.kind === kind)
                    .map((a) => `${doc.steps[a.from].number}-${doc.steps[a.to].number}`);
            equal(doc.threads.map((t) => t.name).sort(), [...threads].sort(), "threads");
            for (const pair of wanted) check(ends("reads-from").includes(pair), `no arrow ${pair}`);
            for (const pair of missed)
                check(ends("missed").includes(pair), `nothing says that ${pair} is missed`);
            check(wanted.length > 0 || name === "deadlock", "the text report names no source of a read");
            return `${doc.arrows.length} arrows`;
        },
    );
}
/* One execution only, derived by hand from tests/html/determined.c. */
await test(
    "determined: steps, arrows, lines and values by hand",
    "determined.html",
    {},
    async (page, document) => {
        const doc = document();
        const arrows = doc.arrows
            .map((a) => `${a.kind} ${doc.steps[a.from].number}-${doc.steps[a.to].number} ${a.orders}`)
            .sort();
        equal(
            arrows,
            ["happens-before 2-3 true", "happens-before 3-4 true", "reads-from 3-5 true"],
            "arrows",
        );
        const expected = [
            [11, "1"],
            [12, "1"],
            [6, "2"],
            [13, "2"],
            [14, "2"],
            [14, "2"],
        ];
        await page.keyboard.press("Home");
        for (const [i, [line, value]] of expected.entries()) {
            equal(
                await page.locator(".source .line.current .number").innerText(),
                String(line),
                `line of step ${i + 1}`,
            );
            const values = await page
                .locator(".values td.value > div")
                .evaluate((box) => box.lastChild.textContent);
            equal(values, value, `x after step ${i + 1}`);
            await page.keyboard.press("ArrowRight");
        }
    },
);

/* --- graphs of states, by hand from tests/html/states_check.c --- */
const stateNow = (page) =>
    page.evaluate(() => ({
        state: Number(document.querySelector(".state-node.current text").textContent),
        bit: [...document.querySelectorAll(".state-words div")]
            .filter((row) => row.querySelector("dt").textContent === "bit")
            .map((row) => row.querySelector("dd").textContent)[0],
        calls: [...document.querySelectorAll(".state-calls li")].map((item) => item.textContent),
    }));
await test("states: all of a small graph", "states.html", {}, async (page) => {
    equal(await page.locator(".state-node").count(), 2, "states");
    equal(await page.locator("path.state-step").count(), 4, "steps");
    equal(await page.locator(".state-step.on-way").count(), 0, "a way");
    const idle = ["T1 is between calls", "T2 is between calls"];
    equal(await stateNow(page), { state: 0, bit: "0", calls: idle }, "the start");
    equal(
        await page.locator(".state-steps button").allInnerTexts(),
        ["T1 flip() = 0 → 1", "T2 flip() = 0 → 1"],
        "steps from the start",
    );
    await page.locator(".state-steps button").nth(1).click();
    equal(await stateNow(page), { state: 1, bit: "1", calls: idle }, "after a step");
    equal(
        await page.locator(".state-steps button").allInnerTexts(),
        ["T1 flip() = 1 → 0", "T2 flip() = 1 → 0"],
        "steps from there",
    );
    await page.keyboard.press("[");
    equal((await stateNow(page)).state, 0, "the state before");
    await page.locator(".state-node").nth(1).click();
    equal((await stateNow(page)).state, 1, "a click on a state");
});
await test("states: the way to a violation", "states_wrong.html", {}, async (page, document) => {
    const { states, steps, way } = document().states;
    equal(await page.locator(".state-node").count(), states.length, "states");
    equal(await page.locator("path.state-step").count(), steps.length, "steps");
    equal(await page.locator(".state-node.on-way").count(), 4, "states on the way");
    const idle = (t) => `T${t} is between calls`,
        inside = (t) => `T${t} is in flip()`;
    const wanted = [
        ["0", [idle(1), idle(2)]],
        ["0", [inside(1), idle(2)]],
        ["0", [inside(1), inside(2)]],
        ["1", [idle(1), inside(2)]],
    ];
    for (const [i, [bit, calls]] of wanted.entries()) {
        equal(await stateNow(page), { state: way[i], bit, calls }, `state ${i} on the way`);
        equal(await page.locator(".state-bad").count(), i === 3 ? 1 : 0, "what is said of the violation");
        await page.keyboard.press("]");
    }
    equal((await stateNow(page)).state, way[3], "it stays at the end");
    equal(await page.locator(".state-bad").innerText(), "T2's next step shows the violation.", "the last step");
    await page.locator(".state-previous").click();
    equal((await stateNow(page)).state, way[2], "the button before");
    await page.locator(".state-next").click();
    equal((await stateNow(page)).state, way[3], "the button behind");
});
await test("states: only the way, where they are many", "states_long.html", {}, async (page, document) => {
    const { states, way } = document().states;
    equal(way, [...states.keys()], "the way");
    equal(await page.locator(".state-node.on-way").count(), states.length, "states on the way");
});

/* --- stepping by hand --- */
await test("slider, buttons and keys", "linearizability.html", {}, async (page, document) => {
    const doc = document(),
        last = doc.steps.length - 1;
    const current = async () => Number((await page.locator("li.step.current").getAttribute("id")).slice(5));
    equal(await current(), doc.focus, "it opens at what is wrong");
    for (const [key, want] of [
        ["Home", 0],
        ["ArrowDown", 1],
        ["j", 2],
        ["k", 1],
        ["ArrowUp", 0],
        ["ArrowLeft", 0],
        ["End", last],
        ["ArrowRight", last],
        ["PageUp", Math.max(last - 10, 0)],
        ["b", doc.focus],
    ]) {
        await page.keyboard.press(key);
        equal(await current(), want, `after ${key}`);
    }
    await page.keyboard.press("Home");
    const next = doc.steps.findIndex((s, i) => i > 0 && s.thread === doc.steps[0].thread);
    await page.keyboard.press("n");
    equal(await current(), next, "n goes on in the same thread");
    await page.keyboard.press("p");
    equal(await current(), 0, "p goes back in it");
    await page.locator("input[type=range]").fill("3");
    equal(await current(), 3, "the slider");
    await page.locator("input[type=range]").press("ArrowRight");
    equal(await current(), 4, "an arrow key on the slider steps once");
    check(
        (await page.locator("input[type=range]").getAttribute("aria-valuetext")).includes(
            `step ${doc.steps[4].number}`,
        ),
        "the slider does not tell its step",
    );
    await page.locator("li.step").nth(2).click();
    equal(await current(), 2, "a click on a step");
    await page.getByRole("button", { name: "next step" }).click();
    equal(await current(), 3, "the button");
    await page.getByRole("button", { name: "jump to what is wrong" }).click();
    equal(await current(), doc.focus, "the jump");
    await page.keyboard.press("?");
    check(await page.locator("dialog").isVisible(), "no help");
    await page.keyboard.press("Escape");
    check(!(await page.locator("dialog").isVisible()), "the help stays");
});
await test("serial orders light up", "linearizability.html", {}, async (page, document) => {
    const doc = document();
    equal(await page.locator(".order").count(), doc.orders.length, "orders");
    for (const [i, order] of doc.orders.entries()) {
        await page.locator(".order").nth(i).hover();
        equal(
            await page.locator(".bar-op.lit").count(),
            order.calls.length + order.refused.length,
            "lit bars",
        );
        equal(await page.locator(".bar-op.refused").count(), order.refused.length, "bars that disagree");
        await page.locator("#head").hover();
    }
    await page.keyboard.press("Home");
    await page.locator(".order").first().click();
    const wrong = doc.operations[doc.orders[0].refused[0].operation];
    equal(
        await page.locator("li.step.current").getAttribute("id"),
        `step-${wrong.to}`,
        "the first disagreement",
    );
    check(await page.locator("li.step.current").isVisible(), "it is out of sight");
    await page.locator("input[type=range]").press("o");
    check((await page.locator(".order.lit").count()) === 1, "o chooses no order");
});
await test(
    "an event shows its arrows; h shows what happens before it",
    "race.html",
    {},
    async (page, document) => {
        const doc = document();
        for (const [i] of doc.steps.entries()) {
            await page.locator("li.step").nth(i).hover();
            equal(
                await page.locator(".arrow.lit").count(),
                doc.arrows.filter((a) => a.from === i || a.to === i).length,
                `arrows of step ${i}`,
            );
        }
        await page.locator("#head").hover();
        /* the two accesses of a race: neither happens before the other */
        const ends = doc.steps.map((s, i) => (s.bad || s.partner ? i : -1)).filter((i) => i >= 0);
        equal(ends.length, 2, "racing accesses");
        await page.locator("li.step").nth(ends[1]).click();
        await page.keyboard.press("h");
        check(
            /unrelated/.test(await page.locator(`#step-${ends[0]}`).getAttribute("class")),
            "the racing access is said to happen before",
        );
        const before = new Set(); /* by definition: the closure of program order and the arrows that order */
        for (let grown = true; grown;) {
            const size = before.size;
            doc.steps.forEach((s, i) => {
                const to = [ends[1], ...before];
                if (
                    to.some(
                        (j) =>
                            (s.thread === doc.steps[j].thread && i < j) ||
                            doc.arrows.some((a) => a.orders && a.from === i && a.to === j),
                    )
                )
                    before.add(i);
            });
            grown = before.size > size;
        }
        equal(
            await page.locator("li.step:not(.unrelated)").count(),
            before.size + 1,
            "steps that happen before",
        );
        await page.keyboard.press("h");
        equal(await page.locator("li.step.unrelated").count(), 0, "h again");
        for (const box of await page.locator(".legend input").all()) {
            const shown = await page.locator(".chart .arrow:not(.clash):not(.hidden)").count();
            await box.uncheck();
            check(
                (await page.locator(".chart .arrow:not(.clash):not(.hidden)").count()) < shown,
                "the legend hides nothing",
            );
            await box.check();
        }
    },
);

/* --- hostile text ---------------------------------------------------------------------------------- */
const hostile = [
    "<script>window.hacked=1</script>",
    '<img src=x onerror="window.hacked=1">',
    "\"'`&lt;&amp;",
    "</script><b>",
    "x".repeat(10000),
];
for (const file of ["hostile.html", "hostile_history.html"]) {
    await test(`${file}: names and values are text`, file, {}, async (page) => {
        const body = await page.evaluate(() => document.body.textContent);
        /* a value is printed as a string is written: with its quotes escaped */
        for (const text of hostile)
            check(
                [text, JSON.stringify(text).slice(1, -1)].some((form) => body.includes(form.slice(0, 60))),
                `not shown: ${text.slice(0, 40)}`,
            );
        equal(await page.evaluate(() => window.hacked === undefined), true, "a script ran");
        equal(await page.locator("img, b, iframe, a").count(), 0, "elements that came from text");
        if (file === "hostile_history.html") check(body.includes(hostile[4]), "the 10 kB string is cut");
        const raw = read(file),
            data = raw.slice(raw.indexOf('id="document">') + 14);
        check(
            !/[<>&\u2028\u2029]/.test(data.slice(0, data.indexOf("</script>"))),
            "the data has characters that HTML reads",
        );
        for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowLeft");
    });
}

/* --- histories ------------------------------------------------------------------------------------- */
await test("history: faults and failed requests are bands, a witness is listed", "bands.html", {}, async (page) => {
    equal(await page.locator(".band:not(.failed)").count(), 1, "faults");
    equal(await page.locator(".band.failed").count(), 1, "failed requests");
    check(
        (await page.locator(".band:not(.failed)").getAttribute("title")).startsWith("start-partition"),
        "the fault has no name",
    );
    const fault = await page.locator(".band:not(.failed)").boundingBox(),
        inside = await page.locator('.op[data-op="1"]').boundingBox();
    check(fault.x <= inside.x && inside.x <= fault.x + fault.width, "the read is not in the fault");
    check((await page.locator("#main, body").first().innerText()).includes("order that explains it"), "no witness");
});
await test("history of 2,000 operations opens in under 2 s", "history.html", {}, async (page, document) => {
    const history = document().histories[0];
    equal(history.operations.length, 2000, "operations");
    const times = [];
    for (let i = 0; i < 3; i++) {
        const start = Date.now();
        await page.reload();
        await page.waitForSelector(".op.core");
        await page.evaluate(
            () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        );
        times.push(Date.now() - start);
    }
    check(Math.min(...times) < 2000, `it took ${times} ms`);
    equal(await page.locator(".lane-name").count(), history.processes.length, "lanes");
    return `${Math.min(...times)} ms`;
});
await test(
    "history: every operation is there, and the wrong one in sight",
    "history.html",
    {},
    async (page, document) => {
        const history = document().histories[0];
        const seen = await page.evaluate(async () => {
            const box = document.querySelector(".scroll"),
                found = new Set();
            document.documentElement.style.scrollBehavior = box.style.scrollBehavior = "auto";
            for (let x = 0; x <= box.scrollWidth; x += box.clientWidth / 2) {
                box.scrollLeft = x;
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
                for (const node of document.querySelectorAll(".op")) found.add(node.dataset.op);
            }
            return found.size;
        });
        equal(seen, 2000, "operations seen");
        await page.keyboard.press("b");
        await page.waitForSelector(`.op[data-op="${history.focus}"]`);
        const box = await page.locator(`.op[data-op="${history.focus}"]`).boundingBox(),
            frame = await page.locator(".scroll").boundingBox();
        check(box.x >= frame.x - 1 && box.x + box.width <= frame.x + frame.width + 1, "it is out of sight");
        const place = await page.locator(".bar .where").innerText();
        await page.keyboard.press("ArrowLeft");
        check((await page.locator(".bar .where").innerText()) !== place, "the arrow key does nothing");
        await page.keyboard.press("Home");
        check((await page.locator(".bar .where").innerText()).startsWith("event 1 of"), "Home");
        await page.keyboard.press("o");
        check(
            (await page.locator(".op .place-number").count()) > 0,
            "the order is not numbered among the lanes",
        );
        const before = await page.locator(".plane").evaluate((node) => node.clientWidth);
        await page.keyboard.press("+");
        check(
            (await page.locator(".plane").evaluate((node) => node.clientWidth)) > before,
            "+ does not enlarge",
        );
    },
);

/* --- themes and paper ------------------------------------------------------------------------------ */
/* WCAG 2: text needs a contrast of 4.5 to 1 with its ground. */
const contrasts = () => {
    const light = (colour) => {
        const [r, g, b] = colour
            .match(/[\da-f]{2}/gi)
            .map((h) => parseInt(h, 16) / 255)
            .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const style = getComputedStyle(document.documentElement),
        low = [];
    for (const [text, ground] of [
        ["ink", "bg"],
        ["ink", "panel"],
        ["dim", "bg"],
        ["dim", "panel"],
        ["bad", "bad-soft"],
        ["bad", "panel"],
        ["good", "good-soft"],
        ["unsure", "unsure-soft"],
        ["ink", "mark"],
        ...[0, 1, 2, 3, 4, 5, 6, 7].map((i) => [`t${i}`, "panel"]),
    ]) {
        const [a, b] = [text, ground]
            .map((name) => light(style.getPropertyValue(`--${name}`).trim()))
            .sort((x, y) => y - x);
        if ((a + 0.05) / (b + 0.05) < 4.5) low.push(`${text} on ${ground}`);
    }
    return low;
};
for (const colorScheme of ["light", "dark"]) {
    await test(
        `${colorScheme} as the system wishes, readable, and by choice the other`,
        "race.html",
        { colorScheme },
        async (page) => {
            const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
            equal(await theme(), colorScheme, "theme");
            equal(await page.evaluate(contrasts), [], "too little contrast");
            await page.getByRole("button", { name: "light or dark" }).click();
            check((await theme()) !== colorScheme, "the button does nothing");
            equal(await page.evaluate(contrasts), [], "too little contrast");
            await page.keyboard.press("t");
            equal(await theme(), colorScheme, "t");
        },
    );
}
for (const file of ["linearizability.html", "history.html"]) {
    await test(`${file}: on paper`, file, { colorScheme: "dark" }, async (page) => {
        await page.keyboard.press("Home");
        await page.emulateMedia({ media: "print" });
        check(
            !(await page.locator(".bar").isVisible()) && !(await page.locator(".tools").isVisible()),
            "buttons are printed",
        );
        equal(
            await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
            "rgb(255, 255, 255)",
            "the ground of paper",
        );
        if (file !== "history.html") {
            const faint = await page
                .locator("li.step .label")
                .evaluateAll((list) => list.filter((node) => getComputedStyle(node).opacity !== "1").length);
            equal(faint, 0, "faint steps");
        }
        const pdf = await page.pdf({ format: "A4" });
        check(pdf.length > 10000 && pdf.subarray(0, 4).toString() === "%PDF", "no PDF");
    });
}
await browser.close();
process.exit(failed ? 1 : 0);
