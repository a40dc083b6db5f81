/* Writes a history of a register as JSON lines: node make_history.mjs OPERATIONS PROCESSES [wrong].
 * Processes take turns at random (a fixed seed); every operation takes effect at a moment between its
 * call and its return, so that the history is linearizable by construction. `wrong`: near the end, one
 * read returns a value that was overwritten long before it was called. */
const [operations, processes, wrong] = [
    Number(process.argv[2]),
    Number(process.argv[3]),
    process.argv[4] === "wrong",
];
let seed = 7;
const below = (n) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
};
const lines = [],
    open = new Map();
let value = 0,
    made = 0,
    stale = null;
while (made < operations || open.size) {
    const p = below(processes),
        op = open.get(p);
    if (!op && made < operations) {
        const write = below(3) === 0;
        open.set(p, { write, argument: made + 1, done: false });
        lines.push({ process: p, type: "call", op: write ? "write" : "read", args: write ? [made + 1] : [] });
        made++;
        if (made === Math.floor(operations / 2)) stale = value;
    } else if (op && !op.done) {
        op.done = true;
        if (op.write) value = op.argument;
        op.result = op.write ? null : value;
    } else if (op) {
        open.delete(p);
        if (wrong && !op.write && made > operations * 0.9 && stale !== null) {
            op.result = stale;
            stale = null;
        }
        lines.push({ process: p, type: "return", result: op.result });
    }
}
process.stdout.write(lines.map((line) => JSON.stringify(line)).join("\n") + "\n");
