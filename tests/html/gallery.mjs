/* node tests/html/gallery.mjs FOLDER [NAME...]: every kind of page (or the named ones), made by build/heddle and
 * photographed wide and narrow, light and dark, for a person to look at. FOLDER/NAME-{light,dark}.png shows both widths
 * side by side. Prints "ok NAME", or "FAIL NAME why" for a page that could not be made, that logs an error, that scrolls
 * sideways or cuts a text off, or that shows a violation without a way to jump to it. Needs what `./dev test' installs. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = resolve(process.argv[2] || "gallery"),
    wanted = process.argv.slice(3);
mkdirSync(folder, { recursive: true });
const tool = process.env.HEDDLE || join(root, "build/heddle");
const history = (name, ...words) => {
    const made = spawnSync("node", [join(root, "tests/html/make_history.mjs"), ...words]);
    writeFileSync(join(folder, name), made.stdout);
    return join(folder, name);
};
const slow = ["-I", "tests/oracle", "--no-reductions", "-DP=3", "-DQ=2", "tests/oracle/msqueue.c"];
/* the exit status that each command must have, then its words */
const pages = {
    "run-assertion": [1, "run", "tests/programs/wrong/seqlock_no_fence.c"],
    "run-race": [1, "run", "examples/ring.c"],
    "run-deadlock": [1, "run", "tests/programs/wrong/deadlock_philosophers.c"],
    "run-memory": [1, "run", "tests/programs/wrong/refcount_relaxed.c"],
    "run-template": [1, "run", "tests/programs/wrong/cxx_map_race.cpp"],
    "run-holds": [0, "run", "-DFIXED", "examples/ring.c"],
    "run-unseen": [3, "run", "tests/programs/wrong/inline_asm.c"],
    "run-time": [3, "run", "--time=2s", ...slow],
    "run-sampled": [0, "run", "--schedules=500", ...slow],
    "run-sampled-bug": [1, "run", "--schedules=500", "examples/ring.c"],
    "run-preemptions": [0, "run", "--model=sc", "--preemptions=1", "tests/oracle/sb.c"],
    "run-states": [0, "run", "--unbounded", "--model=sc", "tests/unbounded/programs/flags.c"],
    "run-states-bug": [1, "run", "--unbounded", "--model=tso", "tests/unbounded/programs/flags.c"],
    "check-violated": [1, "check", "examples/queue_check.c"],
    "check-stuck": [1, "check", "--model=sc", "--shape=2x1", "-DNO_NEXT_WAIT", "corpus/classics/mcs_lock.c"],
    "check-holds": [0, "check", "--shape=2x1", "corpus/classics/treiber_stack.c"],
    "check-time": [3, "check", "--time=1s", "--shape=3x3", "--exhaustive", "corpus/classics/treiber_stack.c"],
    "check-quasi": [0, "check", "--quasi=auto", "--model=sc", "--shape=2x2", "examples/queue_check.c"],
    "check-annotated": [1, "check", "tests/annotations/wrong/cycle.c"],
    "check-states": [0, "check", "--unbounded", "tests/unbounded/ticket_lock.c"],
    "check-states-bug": [1, "check", "--unbounded", "tests/unbounded/pool_stack.c"],
    "check-states-time": [3, "check", "--unbounded=4", "--time=1s", "tests/unbounded/ms_queue.c"],
    "history-violated": [1, "history", "--spec=register:0", history("wrong.jsonl", "300", "6", "wrong")],
    "history-holds": [0, "history", "--witness", "--spec=register:0", history("right.jsonl", "60", "4")],
    "refine-violated": [1, "refine", "-DBUG=1", "corpus/refine/treiber_stack.hm"],
    "refine-holds": [0, "refine", "corpus/refine/treiber_stack.hm"],
    "refine-memory": [3, "refine", "--time=1ms", "corpus/refine/treiber_stack.hm"],
    "prove-violated": [1, "prove", "corpus/prove/treiber_bad1.hp"],
    "prove-holds": [0, "prove", "corpus/prove/treiber.hp"],
    weaken: [0, "weaken", "--time=30s", "tests/weaken/mp.c"],
    "prove-open": [3, "prove", "--no-search", "--time=100ms", "corpus/prove/lazy_set.hp"],
};
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
});
let failed = 0;
/* In the page: texts that what they stand in cuts off: of pictures, of elements that hide what is too long. */
function findCutTexts() {
    const cut = [];
    for (const text of document.querySelectorAll("svg text")) {
        const inner = text.getBoundingClientRect(),
            outer = text.ownerSVGElement.getBoundingClientRect();
        if (inner.width && (inner.left < outer.left - 1 || inner.right > outer.right + 1)) cut.push(text.textContent);
    }
    for (const element of document.querySelectorAll("body *")) {
        const style = getComputedStyle(element);
        if (element.matches(".repair, .repair *") && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1 && style.display !== "inline" && !element.closest("pre")) cut.push(element.textContent);
        if (!["hidden", "clip"].includes(style.overflowX) || element.clientWidth < 2 || element instanceof SVGElement) continue;
        if (element.matches(".op")) continue; // as wide as it took; what matters (.core) is not cut
        if (element.scrollWidth > element.clientWidth + 1) cut.push(element.textContent);
    }
    return cut.map((text) => text.trim().slice(0, 60)).filter(Boolean).slice(0, 5);
}
/* Photographs an address in both colour schemes and widths; returns what is wrong with it. */
async function photograph(name, address, violated) {
    const trouble = new Set();
    for (const colorScheme of ["light", "dark"]) {
        const shots = [];
        for (const [width, height] of [
            [1366, 768],
            [500, 844],
            [390, 844],
        ]) {
            const page = await browser.newPage({ viewport: { width, height }, colorScheme });
            page.on("pageerror", (error) => trouble.add(error.message));
            page.on("console", (message) => message.type() === "error" && trouble.add(message.text()));
            await page.goto(address);
            await page.waitForTimeout(400);
            const [over, tall] = await page.evaluate(() => [
                document.documentElement.scrollWidth - innerWidth,
                document.documentElement.scrollHeight,
            ]);
            if (over > 0) trouble.add(`at ${width} it scrolls sideways by ${over}`);
            const cut = width < 500 ? [] : await page.evaluate(findCutTexts); // a phone is too narrow for all
            for (const text of cut) trouble.add(`at ${width} cut off: ${text}`);
            const steps = await page.locator('input[type="range"]').count(); // else all is in sight
            if (violated && steps && !(await page.getByText(/jump to what is wrong/i).count())) trouble.add("no jump");
            await page.setViewportSize({ width, height: Math.min(Math.max(tall, height), 1800) });
            await page.waitForTimeout(100);
            shots.push((await page.screenshot()).toString("base64"));
            await page.close();
        }
        const sheet = await browser.newPage({ viewport: { width: 2300, height: 900 } });
        await sheet.setContent(
            `<body style="margin:0;background:#808080;display:flex;gap:20px;align-items:flex-start">${shots
                .map((shot) => `<img src="data:image/png;base64,${shot}">`)
                .join("")}`,
        );
        await sheet.screenshot({ path: join(folder, `${name}-${colorScheme}.png`), fullPage: true });
        await sheet.close();
    }
    return [...trouble];
}
function say(name, trouble) {
    failed += trouble.length > 0;
    console.log(trouble.length ? `FAIL ${name}: ${trouble.join("; ")}` : `ok ${name}`);
}
const asked = (name) => !wanted.length || wanted.includes(name);
for (const [name, [status, command, ...words]] of Object.entries(pages).filter(([name]) => asked(name))) {
    const file = join(folder, `${name}.html`),
        record = ["run", "check"].includes(command) ? ["--no-record"] : [];
    const made = spawnSync(
        tool,
        [command, "--quiet", ...record, `--html=${file}`, ...words],
        { cwd: root, encoding: "utf8" },
    );
    writeFileSync(join(folder, `${name}.txt`), made.stdout);
    if (made.status !== status || !existsSync(file))
        say(name, [`exit status ${made.status}, not ${status}: ${made.stderr.split("\n")[0]}`]);
    else say(name, await photograph(name, `file://${file}`, status === 1));
}
if (asked("serve")) {
    const journal = join(folder, "serve.journal"),
        heddle = tool;
    const explorer = spawn(
        heddle,
        ["run", "--quiet", "--no-record", "--time=60s", `--journal=${journal}`, ...slow, "-DP=4"],
        {
            cwd: root,
            stdio: "ignore",
        },
    );
    const server = spawn(heddle, ["serve", "--port=0", journal]);
    const address = await new Promise((found) =>
        server.stdout.once("data", (text) => found(String(text).trim())),
    );
    await new Promise((later) => setTimeout(later, 3000));
    say("serve", await photograph("serve", address));
    explorer.kill("SIGINT");
    server.kill();
}
await browser.close();
process.exit(failed > 0 ? 1 : 0);
