/* node serve.mjs ADDRESS SUBJECT PROCESS [SCREENSHOT]: the page of `heddle serve`, in a real Chromium, while an
 * exploration of a program with a hostile name runs, and after it is told to end. Prints "ok NAME" or "FAIL NAME why". */
import { chromium } from "playwright-core";

const [address, subject, explorer, screenshot] = process.argv.slice(2);
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
});
const context = await browser.newContext({ viewport: { width: 1100, height: 800 } });
const page = await context.newPage(),
    trouble = [];
page.on("request", (request) => {
    if (!request.url().startsWith(address)) trouble.push(`request ${request.url()}`);
});
page.on("pageerror", (error) => trouble.push(String(error)));
page.on("dialog", (dialog) => {
    trouble.push(`dialog ${dialog.message()}`);
    dialog.dismiss();
});
let failed = 0;
async function test(name, action) {
    try {
        await action();
        console.log(`ok serve: ${name}`);
    } catch (error) {
        failed++;
        console.log(`FAIL serve: ${name}: ${String(error.message).split("\n")[0]}`);
    }
}
const executions = async () =>
    Number((await page.locator(".figures b").first().textContent()).replaceAll(",", ""));

await page.goto(address);
await test("the figures move while it runs", async () => {
    await page.locator(".state.running").waitFor({ timeout: 15000 });
    const first = await executions();
    for (let tries = 0; tries < 150 && (await executions()) <= first; tries++) await page.waitForTimeout(100);
    if ((await executions()) <= first) throw new Error(`they stay at ${first}`);
});
await test("a hostile name is text", async () => {
    const title = await page.locator(".journal h1").textContent();
    if (!title.includes(subject)) throw new Error(`the title is ${title}`);
    if (await page.locator(".journal img, .journal script").count()) throw new Error("it became an element");
});
await test("the tree of work is drawn", async () => {
    if (!(await page.locator(".node .unit").count())) throw new Error("there is no unit");
    if (screenshot) await page.screenshot({ path: screenshot });
});
await test("the answer comes, and the server ends", async () => {
    process.kill(Number(explorer), "SIGTERM");
    await page.locator(".state.bad, .state.good, .state.unsure").waitFor({ timeout: 60000 });
    await page.getByText("have ended").waitFor({ timeout: 15000 });
});
await test("nothing else is loaded, nothing goes wrong", async () => {
    if (trouble.length) throw new Error(trouble.join("; "));
});
await browser.close();
process.exit(failed ? 1 : 0);
