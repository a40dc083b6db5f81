/* node doc/screenshots.mjs: makes the pictures of doc/ again, with build/heddle and Chromium. Needs what
 * `./dev test' installs. Four pages, light and dark. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url))),
    work = mkdtempSync(join(tmpdir(), "heddle-"));
const { chromium } = createRequire(join(root, "tests/html/package.json"))("playwright-core");
const heddle = (...words) => {
    try {
        execFileSync(join(root, "build/heddle"), words, { cwd: root, stdio: "ignore" });
    } catch (error) {
        if (error.status !== 1) throw error; /* 1: violated, as it should be */
    }
};
const history = join(work, "register.jsonl");
writeFileSync(
    history,
    execFileSync("node", [join(root, "tests/html/make_history.mjs"), "300", "6", "wrong"]),
);
const pages = {
    linearizability: ["check", "-q", "--no-record", "examples/queue_check.c"],
    "stale-read": ["run", "-q", "--no-record", "tests/programs/wrong/seqlock_no_fence.c"],
    deadlock: ["run", "-q", "--no-record", "tests/programs/wrong/deadlock_philosophers.c"],
    history: ["history", "--spec=register:0", history],
};
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox"],
});
for (const [name, words] of Object.entries(pages)) {
    heddle(...words, `--html=${join(work, name)}.html`);
    for (const colorScheme of ["light", "dark"]) {
        const page = await browser.newPage({
            viewport: {
                width: 1280,
                height: { linearizability: 900, history: 900, deadlock: 840 }[name] || 740,
            },
            colorScheme,
        });
        await page.goto(`file://${join(work, name)}.html`);
        await page.evaluate((path) => {
            /* no path of the machine that made the picture */
            for (const node of document.querySelectorAll(".subject"))
                node.textContent = node.textContent.replace(path, "");
        }, `${work}/`);
        await page.waitForTimeout(300);
        await page.screenshot({ path: join(root, "doc", `${name}-${colorScheme}.png`) });
        await page.close();
    }
}
await browser.close();
rmSync(work, { recursive: true });
