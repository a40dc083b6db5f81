"""A slow, obvious judge of what counts no real time: session guarantees, PRAM, causal memory and causal
convergence, beside `heddle history --consistency=...`. It takes the definitions literally: it tries all
orders of the versions, all sets that a look can have seen, all serial orders.

    sessions.py HEDDLE cases           small histories whose answers were found by hand
    sessions.py HEDDLE COUNT [SEED]    COUNT random small histories of each kind; prints the differences
"""
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

GUARANTEES = ["read-your-writes", "monotonic-reads", "monotonic-writes", "writes-follow-reads"]
SESSIONS = GUARANTEES + ["session"]
CAUSAL = ["pram", "causal", "causal-convergence"]


class Op:
    """name: r, w (of key, value), q... ; result None: nothing; status ok or info."""

    def __init__(self, process, name, args, result=None, status="ok"):
        self.process, self.name, self.args, self.result, self.status = process, name, args, result, status


def write_log(ops, path):
    """One after the other: real time must not matter. What is open stays so."""
    with open(path, "w") as out:
        for op in ops:
            out.write(json.dumps({"process": op.process, "type": "call", "op": op.name, "args": op.args}) + "\n")
            event = {"process": op.process, "type": {"ok": "return", "info": "unknown", "fail": "fail"}[op.status]}
            if op.status == "ok":
                event["result"] = op.result
            out.write(json.dumps(event) + "\n")


# ---- stores that are more or less right

def replicas(rng, processes, order):
    """What each process has received: others' writes come late, in the order of their process ("fifo"), with
    all that they follow ("causal"), or in any order ("any")."""
    log, received = [], [[] for _ in range(processes)]

    def catch_up(p):
        for w in rng.sample(range(len(log)), len(log)):
            process, after, _, _ = log[w]
            if w in received[p] or rng.random() < 0.5:
                continue
            if order == "fifo" and any(v < w and log[v][0] == process and v not in received[p] for v in range(w)):
                continue
            if order == "causal" and any(v not in received[p] for v in after):
                continue
            received[p].append(w)

    def write(p, key, value):
        log.append((p, list(received[p]), key, value))
        received[p].append(len(log) - 1)

    return log, received, catch_up, write


def keys_history(rng):
    keys = rng.choice([["x"], ["x", "y"], ["x", "y"]])
    processes = rng.choice([2, 3])
    log, received, catch_up, write = replicas(rng, processes, rng.choice(["fifo", "causal", "any"]))
    ops, values = [], itertools.count(1)
    for _ in range(rng.choice([4, 6, 7, 8, 9])):
        p, key = rng.randrange(processes), rng.choice(keys)
        catch_up(p)
        if rng.random() < 0.45:
            v = next(values)
            write(p, key, v)
            ops.append(Op(p, "put", [key, v], None, "info" if rng.random() < 0.07 else "ok"))
        else:
            seen = [log[w][3] for w in received[p] if log[w][2] == key]
            got = seen[-1] if seen else None
            if rng.random() < 0.25:
                got = rng.choice([None] + [w[3] for w in log if w[2] == key])
            if rng.random() < 0.01:
                got = 99
            ops.append(Op(p, "get", [key], got, "info" if rng.random() < 0.03 else "ok"))
    return ops


def set_history(rng, twice):
    processes = rng.choice([2, 3])
    log, received, catch_up, write = replicas(rng, processes, rng.choice(["fifo", "causal", "any"]))
    ops, elements, contains = [], itertools.count(1), 0
    for _ in range(rng.choice([3, 4, 5, 6, 7])):
        p = rng.randrange(processes)
        catch_up(p)
        shown = sorted({log[w][3] for w in received[p]})
        if rng.random() < 0.3 and log:
            e = rng.choice(log)[3]
            shown = sorted(set(shown) ^ {e})
        kind = rng.random()
        if kind < 0.5 and len(log) < 4:
            e = rng.choice(log)[3] if twice and log and rng.random() < 0.3 else next(elements)
            write(p, "s", e)
            ops.append(Op(p, "add", [e], True, "info" if rng.random() < 0.08 else "ok"))
        elif kind < 0.65 and contains < 2 and log:
            contains += 1
            e = rng.choice(log)[3]
            ops.append(Op(p, "contains", [e], e in shown))
        else:
            ops.append(Op(p, "read", [], shown))
    return ops


def txn_history(rng):
    lists = rng.random() < 0.5
    keys = ["x", "y"][: rng.choice([1, 2])]
    processes = rng.choice([2, 3])
    log, received, catch_up, write = replicas(rng, processes, rng.choice(["fifo", "causal", "any"]))
    order = {k: [] for k in keys}
    ops, values = [], itertools.count(1)
    for _ in range(rng.choice([2, 3, 4, 5])):
        p = rng.randrange(processes)
        catch_up(p)
        steps = []
        status = rng.choices(["ok", "fail", "info"], [0.88, 0.06, 0.06])[0]
        for _ in range(rng.choice([1, 2, 2, 3])):
            k = rng.choice(keys)
            if rng.random() < 0.5 and len(order[k]) < 4:
                v = next(values)
                if rng.random() < 0.2:
                    order[k].insert(rng.randrange(len(order[k]) + 1), v)
                else:
                    order[k].append(v)
                write(p, k, v)
                steps.append(["append" if lists else "w", k, v])
            else:
                seen = [order[k].index(log[w][3]) for w in received[p] if log[w][2] == k]
                place = max(seen) + 1 if seen and rng.random() < 0.85 else rng.randrange(len(order[k]) + 1)
                shown = order[k][:place]
                if rng.random() < 0.02 and len(shown) > 1:
                    shown = shown[::-1]
                steps.append(["r", k, (shown if lists else shown[-1] if shown else None)])
        ops.append(Op(p, "txn", [[[f, k, None if f == "r" else v] for f, k, v in steps]], steps, status))
    return ops


def queue_history(rng):
    """Of a queue: PRAM by search."""
    processes = rng.choice([2, 3])
    ops, values, queues = [], itertools.count(1), [[] for _ in range(processes)]
    for _ in range(rng.choice([3, 4, 5, 6])):
        p = rng.randrange(processes)
        if rng.random() < 0.5:
            v = next(values) if rng.random() < 0.8 else 1
            for q in queues:
                q.insert(len(q) if rng.random() < 0.6 else 0, v)
            ops.append(Op(p, "enq", [v], None, "info" if rng.random() < 0.1 else "ok"))
        else:
            mine = queues[p]
            ops.append(Op(p, "deq", [], mine.pop(0) if mine else None, "info" if rng.random() < 0.05 else "ok"))
            for q in queues:
                if q and rng.random() < 0.6:
                    q.pop(0)
    return ops


# ---- the definitions

def kept(accesses, age, guarantees):
    """accesses: of one process and key in their order, (writes, version)."""
    for (a_writes, a), (b_writes, b) in itertools.combinations(accesses, 2):
        kind = (("monotonic-writes" if b_writes else "read-your-writes") if a_writes
                else ("writes-follow-reads" if b_writes else "monotonic-reads"))
        if kind in guarantees and (age[a] > age[b] or (b_writes and age[a] >= age[b])):
            return False
    return True


def order_exists(versions, sessions, guarantees, fits=lambda order: True):
    """Is there an order of the versions of a key (None, the initial one, first) that all sessions keep?"""
    for order in itertools.permutations(versions):
        age = {v: i + 1 for i, v in enumerate(order)}
        age[None] = 0
        if fits(order) and all(kept(s, age, guarantees) for s in sessions):
            return True
    return False


def judge_sessions_keys(ops, guarantees):
    for key in {op.args[0] for op in ops}:
        mine = [op for op in ops if op.args[0] == key]
        versions = [op.args[1] for op in mine if op.name == "put"]
        sessions = {}
        for op in mine:
            if op.status != "ok":
                continue
            version = op.args[1] if op.name == "put" else op.result
            if version is not None and version not in versions:
                return False
            sessions.setdefault(op.process, []).append((op.name == "put", version))
        if not order_exists(versions, sessions.values(), guarantees):
            return False
    return True


def judge_sessions_txns(ops, guarantees):
    lists = any(f == "append" for op in ops for f, _, _ in op.result)
    for key in {k for op in ops for _, k, _ in op.result}:
        versions = [v for op in ops for f, k, v in op.result if k == key and f != "r"]
        sessions, reads = {}, []
        for op in ops:
            for f, k, v in op.result if op.status == "ok" else []:
                if k != key:
                    continue
                if f == "r" and isinstance(v, list):
                    reads.append(v)
                    v = v[-1] if v else None
                if v is not None and v not in versions:
                    return False
                sessions.setdefault(op.process, []).append((f != "r", v))
        fits = lambda order: all(list(order[: len(r)]) == r for r in reads)
        if not order_exists(versions, sessions.values(), guarantees, fits):
            return False
    return True


def judge_sessions_set(ops, guarantees):
    """All sets of additions (by operation) that each look can have seen."""
    adds = [i for i, op in enumerate(ops) if op.name == "add"]
    looks = [i for i, op in enumerate(ops) if op.name != "add"]

    def choices(i):
        for size in range(len(adds) + 1):
            for seen in itertools.combinations(adds, size):
                values = {ops[a].args[0] for a in seen}
                if ops[i].name == "read" and values == set(ops[i].result):
                    yield set(seen)
                if ops[i].name == "contains" and (ops[i].args[0] in values) == ops[i].result:
                    yield set(seen)

    def before(i):
        return [j for j in range(i) if ops[j].process == ops[i].process and ops[j].status == "ok"]

    for chosen in itertools.product(*[list(choices(i)) for i in looks]):
        vis = dict(zip(looks, chosen))
        good = True
        for i in looks:
            if "read-your-writes" in guarantees:
                good = good and all(j in vis[i] for j in before(i) if j in adds)
            if "monotonic-reads" in guarantees:
                good = good and all(vis[j] <= vis[i] for j in before(i) if j in vis)
            for a in vis[i]:
                if "monotonic-writes" in guarantees:
                    good = good and all(j in vis[i] for j in before(a) if j in adds)
                if "writes-follow-reads" in guarantees:
                    good = good and all(vis[j] <= vis[i] for j in before(a) if j in vis)
        if good:
            return True
    return False


def steps_of(op, state, known):
    """The states after the operation, if it may give its result (any, if that is not known)."""
    if op.name == "put":
        return [tuple(sorted(dict(state, **{op.args[0]: op.args[1]}).items()))]
    if op.name == "get":
        return [state] if not known or dict(state).get(op.args[0]) == op.result else []
    if op.name == "enq":
        return [state + (op.args[0],)]
    if op.name == "deq":
        head = state[0] if state else None
        return [state[1:]] if not known or head == op.result else []
    if op.name == "add":
        return [tuple(sorted(set(state) | {op.args[0]}))]
    if op.name == "contains":
        return [state] if not known or (op.args[0] in state) == op.result else []
    if op.name == "read":
        return [state] if not known or list(state) == op.result else []
    raise ValueError(op.name)


def serial_order(ops, before, process, state):
    """Is there a serial order of all operations in which those of PROCESS give their results? before[i]:
    what must come before i. Operations of unknown outcome happen or not."""
    seen = set()

    def go(done, state):
        if (done, state) in seen:
            return False
        seen.add((done, state))
        if all(i in done or ops[i].status != "ok" for i in range(len(ops))):
            return True
        for i, op in enumerate(ops):
            if i in done or not before[i] <= done:
                continue
            for after in steps_of(op, state, op.process == process and op.status == "ok"):
                if go(done | {i}, after):
                    return True
        return False

    return go(frozenset(), state)


def process_order(ops):
    return [{j for j in range(i) if ops[j].process == ops[i].process and ops[j].status == "ok"}
            for i in range(len(ops))]


def judge_pram(ops, initial):
    before = process_order(ops)
    return all(serial_order(ops, before, p, initial) for p in {op.process for op in ops})


def causality(ops):
    """The transitive closure of process order and "read from"; None if a read has no write or it has circles."""
    before = process_order(ops)
    for i, op in enumerate(ops):
        if op.name == "get" and op.status == "ok" and op.result is not None:
            wrote = [j for j, o in enumerate(ops) if o.name == "put" and o.args == [op.args[0], op.result]]
            if not wrote:
                return None
            before[i].add(wrote[0])
    for k in range(len(ops)):
        for i in range(len(ops)):
            if k in before[i]:
                before[i] |= before[k]
    return None if any(i in before[i] for i in range(len(ops))) else before


def without_unread(ops):
    """Of unknown outcome: reads tell nothing, and writes that nobody read need not have happened."""
    given = [(op.args[0], op.result) for op in ops if op.name == "get" and op.status == "ok"]
    return [op for op in ops if op.status == "ok" or (op.name == "put" and tuple(op.args) in given)]


def judge_causal(ops):
    ops = without_unread(ops)
    before = causality(ops)
    if before is None:
        return False
    return all(serial_order(ops, before, p, ()) for p in {op.process for op in ops})


def judge_convergence(ops):
    ops = without_unread(ops)
    before = causality(ops)
    if before is None:
        return False
    writes = [i for i, op in enumerate(ops) if op.name == "put"]
    for order in itertools.permutations(writes):
        place = {w: n for n, w in enumerate(order)}
        if any(a in before[b] and place[a] > place[b] for a in writes for b in writes):
            continue
        good = True
        for i, op in enumerate(ops):
            if op.name == "get":
                seen = [w for w in before[i] if w in place and ops[w].args[0] == op.args[0]]
                last = ops[max(seen, key=place.get)].args[1] if seen else None
                good = good and last == op.result
        if good:
            return True
    return False


def asked(consistency):
    return GUARANTEES if consistency == "session" else [consistency]


KINDS = {  # name: (specification, generator, {consistency: judge})
    "keys": ("kv", keys_history, dict(
        [(c, lambda ops, c=c: judge_sessions_keys(ops, asked(c))) for c in SESSIONS]
        + [("pram", lambda ops: judge_pram(ops, ())), ("causal", judge_causal),
           ("causal-convergence", judge_convergence)])),
    "sets": ("set", lambda rng: set_history(rng, False), dict(
        [(c, lambda ops, c=c: judge_sessions_set(ops, asked(c))) for c in SESSIONS]
        + [("pram", lambda ops: judge_pram(ops, ()))])),
    "sets, added twice": ("set", lambda rng: set_history(rng, True), dict(
        [(c, lambda ops, c=c: judge_sessions_set(ops, asked(c))) for c in GUARANTEES[:2]])),
    "transactions": ("transactions", txn_history, dict(
        [(c, lambda ops, c=c: judge_sessions_txns(ops, asked(c))) for c in SESSIONS])),
    "queues": ("fifo", queue_history, {"pram": lambda ops: judge_pram(ops, ())}),
}


# name | specification | operations one after the other, process:name=arguments>result ("?": open) | answers.
# Each by hand. In the order: what PRAM allows and causality does not, and so on.
CASES = """
through a third | kv | 0:put=x,1 1:get=x>1 1:put=y,1 2:get=y>1 2:get=x>null | pram=holds causal=violated causal-convergence=violated
opposite orders | kv | 0:put=x,1 1:put=x,2 2:get=x>1 2:get=x>2 3:get=x>2 3:get=x>1 | pram=holds causal=holds causal-convergence=violated session=violated
orders of others | kv | 0:put=x,1 0:put=y,1 1:get=y>1 1:get=x>null | pram=violated causal=violated session=holds
open, then more | kv | 0:put=x,1>? 0:put=y,2 1:get=y>2 1:get=x>null 1:get=x>1 | pram=holds causal=holds causal-convergence=holds
open, before it | kv | 0:put=x,1 0:put=y,2>? 1:get=y>2 1:get=x>null | pram=violated causal=violated
two open | kv | 0:put=x,1>? 0:put=y,2>? 1:get=y>2 1:get=x>null 1:get=x>1 | pram=holds causal=holds
three rounds | kv | 0:put=y,6 0:put=y,7 0:put=x,1 0:put=v,5 1:put=x,2 1:put=z,4 2:get=z>4 2:get=y>6 2:get=v>5 2:get=x>2 | pram=violated causal=violated
own future | kv | 0:get=x>1 0:put=x,1 | pram=violated causal=violated monotonic-reads=holds writes-follow-reads=violated
never written | kv | 0:get=x>9 | pram=violated causal=violated session=violated
values repeat | kv | 0:put=x,1 1:put=x,1 | pram=holds causal=inconclusive session=inconclusive
all that was read | kv | 0:get=x>1 0:get=x>2 0:put=x,3 1:get=x>3 1:put=x,1 2:put=x,2 | writes-follow-reads=violated monotonic-reads=holds
set, own | set | 0:add=1>true 0:read>[] | read-your-writes=violated monotonic-reads=holds pram=violated
set, back | set | 0:add=1>true 1:read>[1] 1:read>[] | read-your-writes=holds monotonic-reads=violated
set, order of additions | set | 0:add=1>true 0:add=2>true 1:read>[2] | monotonic-writes=violated writes-follow-reads=holds
set, what was seen | set | 0:add=1>true 1:read>[1] 1:add=2>true 2:read>[2] | writes-follow-reads=violated monotonic-writes=holds session=violated pram=holds
set, open | set | 0:add=1>? 0:add=2>true 1:read>[2] | session=holds
set, twice | set | 0:add=1>true 1:add=1>true | session=inconclusive read-your-writes=holds pram=holds
set, removed | set | 0:add=1>true 0:remove=1>true | session=inconclusive pram=holds
transaction, own list | transactions | 0:txn=append.x.1 1:txn=append.x.2 2:txn=r.x.[2] 0:txn=r.x.[2] | read-your-writes=violated monotonic-reads=holds
transaction, back | transactions | 0:txn=w.x.1 1:txn=r.x.1 1:txn=r.x.null | monotonic-reads=violated read-your-writes=holds
transaction, aborted | transactions | 0:txn=w.x.1! 0:txn=r.x.null | session=holds
transaction, disagree | transactions | 0:txn=append.x.1+append.x.2 1:txn=r.x.[1,2] 2:txn=r.x.[2,1] | session=violated
transaction, repeats | transactions | 0:txn=w.x.1 1:txn=w.x.1 | session=inconclusive
queue, seen in two orders | fifo | 0:enq=1 1:enq=2 2:deq>1 3:deq>2 | pram=holds
queue, not in the order of a process | fifo | 0:enq=1 0:enq=2 1:deq>2 1:deq>1 | pram=violated
"""


def case_ops(text):
    ops = []
    for word in text.split():
        process, rest = word.split(":", 1)
        call, _, result = rest.partition(">")
        name, _, args = call.partition("=")
        status = "info" if result == "?" else "fail" if call.endswith("!") else "ok"
        if name == "txn":
            steps = [step.split(".") for step in args.rstrip("!").split("+")]
            steps = [[f, k, json.loads(v)] for f, k, v in steps]
            ops.append(Op(int(process), name, [[[f, k, None if f == "r" else v] for f, k, v in steps]], steps, status))
        else:
            args = [json.loads(a) if a.isdigit() else a for a in args.split(",") if a]
            ops.append(Op(int(process), name, args, json.loads(result) if result and status == "ok" else None, status))
    return ops


def run_cases(heddle):
    with tempfile.TemporaryDirectory() as work:
        for line in CASES.strip().splitlines():
            name, spec, text, answers = [part.strip() for part in line.split("|")]
            path = os.path.join(work, "case.jsonl")
            write_log(case_ops(text), path)
            wrong = []
            for answer in answers.split():
                consistency, right = answer.split("=")
                run = subprocess.run([heddle, "history", f"--spec={spec}", f"--consistency={consistency}", "--quiet",
                                      "--json", path], capture_output=True, text=True)
                verdict = json.loads(run.stdout)["verdict"] if run.stdout else run.stderr
                if verdict != right:
                    wrong.append(f"{consistency}: {verdict}, not {right}")
            print(f"FAIL sessions, {name}: {'; '.join(wrong)}" if wrong else f"ok sessions, {name}")


def main():
    if sys.argv[2] == "cases":
        return run_cases(sys.argv[1])
    heddle, count = sys.argv[1], int(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    differences = 0
    with tempfile.TemporaryDirectory() as work:
        for kind, (spec, generate, judges) in KINDS.items():
            tally = {c: [0, 0] for c in judges}
            for first in range(0, count, 400):
                batch = []
                for i in range(first, min(first + 400, count)):
                    ops = generate(rng)
                    path = os.path.join(work, f"{i}.jsonl")
                    write_log(ops, path)
                    batch.append((path, ops))
                for consistency, judge in judges.items():
                    for extra in [[], ["--no-monitors"]] if consistency == "pram" else [[]]:
                        run = subprocess.run(
                            [heddle, "history", f"--spec={spec}", f"--consistency={consistency}", "--json", "--quiet"]
                            + extra + [b[0] for b in batch], capture_output=True, text=True)
                        if not run.stdout:
                            print(run.stderr)
                        answers = {r["file"]: r for r in json.loads(run.stdout)["results"]}
                        for path, ops in batch:
                            right = judge(ops)
                            tally[consistency][right] += 1
                            if answers[path]["verdict"] != ("holds" if right else "violated"):
                                differences += 1
                                print(f"{kind}, {consistency} {extra}: {answers[path]['verdict']}, "
                                      f"but the twin says {right}\n{open(path).read()}")
            for consistency, (no, yes) in tally.items():
                print(f"{kind}, {consistency}: {yes} hold, {no} do not")
    print(f"{count} histories of {len(KINDS)} kinds, {differences} differences")
    return differences > 0


if __name__ == "__main__":
    sys.exit(main())
