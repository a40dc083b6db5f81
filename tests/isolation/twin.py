"""A slow, obvious judge of isolation levels, beside `heddle history --consistency=auto`.

It takes the definitions literally: for every choice of which transactions of unknown outcome
committed, and every order of the versions of every key, it builds Adya's direct serialization graph
with all its edges and enumerates all simple cycles. A level holds if some choice and order has none
of the phenomena that it proscribes.

campaigns.csv says what was run on which commit, this and the other twins.

    twin.py HEDDLE COUNT [SEED]    compares on COUNT random small histories; prints the differences
"""
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

LEVELS = {  # name: (kinds of edges, rule for cycles)
    "read-uncommitted": ("ww", "any"),
    "read-committed": ("ww wr", "any"),
    "monotonic-atomic-view": ("ww wr", "any"),
    "cut-isolation": ("ww wr", "any"),
    "parallel-snapshot-isolation": ("ww wr rw", "one"),
    "snapshot-isolation": ("ww wr rw", "split"),
    "strong-session-snapshot-isolation": ("ww wr rw so", "split"),
    "strong-snapshot-isolation": ("ww wr rw so rt", "split"),
    "repeatable-read": ("ww wr rw", "any"),
    "serializable": ("ww wr rw", "any"),
    "strong-session-serializable": ("ww wr rw so", "any"),
    "strict-serializable": ("ww wr rw so rt", "any"),
}


PLAIN = {"garbage-read", "duplicate-elements", "internal", "G1a", "G1b", "dirty-update", "non-repeatable-read"}


PAIRS = {"incompatible-order", "lost-update"}


class Txn:
    def __init__(self, process, steps, call, ret, status):
        self.process, self.steps, self.call, self.ret, self.status = process, steps, call, ret, status


def generate(rng):
    """Random transactions with random results, mostly such as some run could give. LISTS says of each key whether it
    holds a list: mostly all do, or none. APART: who reads sees all keys, who writes mostly one, for long forks and skews."""
    keys = ["x", "y"][: rng.choice([1, 2, 2])]
    all_lists = rng.random() < 0.5
    lists = {k: rng.random() < 0.5 for k in keys} if rng.random() < 0.15 else {k: all_lists for k in keys}
    processes = rng.choice([2, 3, 4])
    count = rng.choice([2, 3, 3, 4, 4, 5])
    apart = rng.random() < 0.25
    if apart:
        processes, count = 4, rng.choice([4, 5, 5])
    value = itertools.count(1)
    txns, events, clock, busy = [], [], itertools.count(), {}
    writes = {k: [] for k in keys}
    while len(txns) < count or busy:
        free = [p for p in range(processes) if p not in busy]
        if len(txns) < count and free and (not busy or rng.random() < 0.6):
            steps = []
            looks = apart and rng.random() < 0.6
            writing = apart and (not looks or rng.random() < 0.3)
            touched = [rng.choice(keys) for _ in range(1 if apart else rng.choice([1, 2, 2, 3]))]
            if looks:
                touched = rng.sample(keys, len(keys)) + [rng.choice(keys)] * writing
            for place, key in enumerate(touched):
                write = writing and place + 1 == len(touched) if apart else rng.random() < 0.5
                if write and len(writes[key]) < 4:
                    v = next(value)
                    writes[key].append(v)
                    steps.append(["append" if lists[key] else "w", key, v])
                else:
                    steps.append(["r", key, None])
            p = rng.choice(free)
            txn = Txn(p, steps, next(clock), None, "ok")
            txns.append(txn)
            busy[p] = txn
        else:
            p = rng.choice(sorted(busy))
            txn = busy.pop(p)
            txn.status = rng.choices(["ok", "fail", "info"], [0.86, 0.07, 0.07])[0]
            txn.ret = next(clock)
    orders = {k: rng.sample(writes[k], len(writes[k])) for k in keys}
    if rng.random() < 0.5:  # as they were called
        orders = {k: list(writes[k]) for k in keys}
    for txn in txns:
        own = {k: [] for k in keys}
        position = {k: rng.randrange(len(orders[k]) + 1) for k in keys}
        for step in txn.steps:
            f, k, v = step
            if f != "r":
                own[k].append(v)
                continue
            if rng.random() < 0.15:
                position[k] = rng.randrange(len(orders[k]) + 1)
            mine = {v for g, l, v in txn.steps if g != "r"}
            if lists[k]:
                shown = [v for v in orders[k][: position[k]] if v not in mine] + own[k]
                if rng.random() < 0.03:
                    rng.shuffle(shown)
                if shown and rng.random() < 0.01:
                    shown.append(rng.choice(shown + [99]))
                step[2] = shown
            else:
                before = [v for v in orders[k][: position[k]] if v not in mine]
                step[2] = own[k][-1] if own[k] else (before[-1] if before else None)
                if rng.random() < 0.02:
                    step[2] = rng.choice(orders[k] + [99])
    return lists, keys, txns


def write_log(txns, path, nothing=None):
    """nothing: what a register holds before the first write."""
    events = []
    for t in txns:
        call = [[f, k, None if f == "r" else v] for f, k, v in t.steps]
        events.append((t.call, {"process": t.process, "type": "call", "op": "txn", "args": [call]}))
        event = {"process": t.process, "type": {"ok": "return", "fail": "fail", "info": "unknown"}[t.status]}
        if t.status == "ok":
            event["result"] = [[f, k, nothing if v is None else v] for f, k, v in t.steps]
        events.append((t.ret, event))
    line = {moment: i + 1 for i, (moment, _) in enumerate(sorted(events, key=lambda e: e[0]))}
    for t in txns:
        t.line = line[t.call]
    with open(path, "w") as out:
        for _, event in sorted(events, key=lambda e: e[0]):
            out.write(json.dumps(event) + "\n")


def static_faults(lists, txns):
    """Garbage, duplicates, reads that do not show the own writes: ruled out at every level."""
    written = {(k, v) for t in txns for f, k, v in t.steps if f != "r"}
    for t in txns:
        if t.status != "ok":
            continue
        for i, (f, k, v) in enumerate(t.steps):
            if f != "r":
                continue
            before = [w for g, l, w in t.steps[:i] if g != "r" and l == k]
            every = [w for g, l, w in t.steps if g != "r" and l == k]
            if lists[k]:
                if len(set(v)) < len(v) or any((k, e) not in written for e in v):
                    return True
                if [e for e in v if e in every] != before:
                    return True
            else:
                if v is not None and (k, v) not in written:
                    return True
                if before and v != before[-1]:
                    return True
                if not before and v in every:
                    return True
    return False


def plain_anomalies(lists, txns):
    """The anomalies that are no cycles and need no order of versions, by their definitions."""
    writer = {(k, v): t for t in txns for f, k, v in t.steps if f != "r"}
    found = set()
    for t in txns:
        if t.status != "ok":
            continue
        versions = {}
        for i, (f, k, v) in enumerate(t.steps):
            if f != "r":
                continue
            before = [w for g, l, w in t.steps[:i] if g != "r" and l == k]
            every = [w for g, l, w in t.steps if g != "r" and l == k]
            shown = v if lists[k] else [v] if v is not None else []
            if before and not lists[k]:
                if shown != before[-1:]:
                    found.add("internal")
                continue
            garbage = any((k, e) not in writer for e in shown)
            if garbage:
                found.add("garbage-read")
            elif len(set(shown)) < len(shown):
                found.add("duplicate-elements")
            if [e for e in shown if e in every] != (before if lists[k] else []):
                found.add("internal")
                if not garbage:
                    continue
            others = [e for e in shown if garbage or writer[(k, e)] is not t]
            for e in others if not garbage else []:
                u = writer[(k, e)]
                mine = [w for g, l, w in u.steps if g != "r" and l == k]
                if not set(mine[mine.index(e):]) <= set(shown):
                    found.add("G1b")
                if u.status == "fail":
                    found.add("G1a")
                    if any(writer[(k, a)].status == "ok" for a in shown[shown.index(e) + 1:]):
                        found.add("dirty-update")
            if versions.setdefault(k, others) != others:
                found.add("non-repeatable-read")
    return found


def pair_anomalies(lists, txns):
    """Those of two transactions, where every read by itself makes sense, by their definitions."""
    found, reads, updates = set(), [], []
    for t in txns:
        if t.status != "ok":
            continue
        for k in {k for f, k, v in t.steps}:
            own = [i for i, (f, l, v) in enumerate(t.steps) if f != "r" and l == k]
            seen = [(i, v) for i, (f, l, v) in enumerate(t.steps) if f == "r" and l == k]
            reads += [(k, v) for i, v in seen]
            if own and seen and seen[0][0] < own[0]:
                updates.append((k, seen[0][1]))
    listed = [(k, v) for k, v in reads if lists[k]]
    for k, v in listed:  # a transaction's appends stand in the order it made them
        for t in txns:
            mine = [w for f, l, w in t.steps if f != "r" and l == k]
            if [w for w in v if w in mine] != mine[: len([w for w in v if w in mine])]:
                return {"incompatible-order"}
    if any(k == l and v[: len(w)] != w[: len(v)] for k, v in listed for l, w in listed):
        return {"incompatible-order"}
    if any(updates.count(u) > 1 for u in updates):
        found.add("lost-update")
    return found


def simple_cycles(n, edges):
    """All simple cycles as lists of sets of kinds, one a step."""
    for start in range(n):
        stack = [(start, [start])]
        while stack:
            node, path = stack.pop()
            for to in range(start, n):
                if (node, to) not in edges:
                    continue
                if to == start and len(path) > 1:
                    yield [edges[(path[i], path[(i + 1) % len(path)])] for i in range(len(path))]
                elif to not in path:
                    stack.append((to, path + [to]))


def name_of(kinds):
    suffix = "-realtime" if "rt" in kinds else "-process" if "so" in kinds else ""
    rw = kinds.count("rw")
    n = len(kinds)
    if rw == 0:
        return ("G0" if "wr" not in kinds else "G1c") + suffix
    if rw == 1:
        return "G-single" + suffix
    adjacent = any(kinds[i] == kinds[(i + 1) % n] == "rw" for i in range(n))
    return ("G2-item" if adjacent else "G-nonadjacent") + suffix


def allowed(kinds, rule):
    rw = kinds.count("rw")
    if rule == "any":
        return False
    if rule == "one":
        return rw > 1
    n = len(kinds)
    return any(kinds[i] == kinds[(i + 1) % n] == "rw" for i in range(n))


def judge_order(lists, txns, committed, orders):
    """The phenomena of one choice of committed transactions and version orders; None if the orders
    do not fit the reads of lists."""
    writer = {(k, v): t for t in txns for f, k, v in t.steps if f != "r"}
    index = {t: i for i, t in enumerate(committed)}
    edges, wide = {}, {}  # wide: to every later version, not only to the next

    def edge(a, b, kind, direct=True):
        if a is not b:
            wide.setdefault((index[a], index[b]), set()).add(kind)
            if direct:
                edges.setdefault((index[a], index[b]), set()).add(kind)

    faults = set()
    for k, order in orders.items():
        for t in committed if lists[k] else []:
            mine = [w for g, l, w in t.steps if g != "r" and l == k]
            if [w for w in order if w in mine] != mine:
                return None
        for i, a in enumerate(order):
            for later in range(i + 1, len(order)):
                edge(writer[(k, a)], writer[(k, order[later])], "ww", later == i + 1)
    for t in committed:
        if t.status != "ok":
            continue
        external, observed = {}, []
        for i, (f, k, v) in enumerate(t.steps):
            if f != "r":
                continue
            before = [w for g, l, w in t.steps[:i] if g != "r" and l == k]
            order = orders[k]
            if lists[k]:
                shown = [e for e in v if writer[(k, e)] in index]
                if shown != order[: len(shown)]:
                    return None
                if len(shown) < len(v):
                    faults.add("G1a")
                for e in v:
                    u = writer[(k, e)]
                    mine = [w for g, l, w in u.steps if g != "r" and l == k]
                    if u is not t and not set(mine[mine.index(e):]) <= set(v):
                        faults.add("G1b")
                outside = [e for e in shown if writer[(k, e)] is not t]
                source, version = (outside[-1] if outside else None), tuple(outside)
                place = len(shown)
            else:
                if before:
                    continue
                source = version = v
                if v is not None:
                    u = writer[(k, v)]
                    if u not in index:
                        faults.add("G1a")
                        external.setdefault(k, version)
                        if external[k] != version:
                            faults.add("IMP")
                        continue
                    if v != [w for g, l, w in u.steps if g != "r" and l == k][-1]:
                        faults.add("G1b")
                        continue
                place = order.index(v) + 1 if v is not None else 0
            external.setdefault(k, version)
            if external[k] != version:
                faults.add("IMP")
            if source is not None:
                edge(writer[(k, source)], t, "wr")
            for later in range(place, len(order)) if not before else []:
                edge(t, writer[(k, order[later])], "rw", later == place)
            if not before:
                for u in observed:
                    mine = [w for g, l, w in u.steps if g != "r" and l == k]
                    if mine and order.index(mine[-1]) >= place:
                        faults.add("OTV")
            if source is not None:
                observed.append(writer[(k, source)])
    for a in committed:
        for b in committed:
            if a is not b and a.status == "ok" and a.ret < b.call:
                edge(a, b, "rt")
                if a.process == b.process:
                    edge(a, b, "so")
    names, broken = set(), set()
    for cycle in simple_cycles(len(committed), edges):
        for kinds in itertools.product(*[sorted(s) for s in cycle]):
            for level, (wanted, rule) in LEVELS.items():
                if level not in broken and set(kinds) <= set(wanted.split()) and not allowed(kinds, rule):
                    broken.add(level)
    for cycle in simple_cycles(len(committed), wide):
        for kinds in itertools.product(*[sorted(s) for s in cycle]):
            names.add(name_of(kinds))
    for level in LEVELS:
        if level != "read-uncommitted" and faults & {"G1a", "G1b"}:
            broken.add(level)
    if "OTV" in faults:
        broken.add("monotonic-atomic-view")
    if "IMP" in faults:
        broken.add("cut-isolation")
    drawn = {(committed[a], committed[b], kind) for (a, b), kinds in wide.items() for kind in kinds}
    return broken, names, faults & {"G1a", "G1b"}, drawn, "OTV" in faults


def judge(lists, keys, txns):
    """For each level whether it holds; and the names of cycles, the edges, and whether a transaction
    vanishes, that every choice has (None: no choice tells)."""
    holds = {level: False for level in LEVELS}
    if static_faults(lists, txns):
        return holds, None, None, None
    certain = [t for t in txns if t.status == "ok"]
    unknown = [t for t in txns if t.status == "info"]
    everywhere = drawn = vanishes = None
    for size in range(len(unknown) + 1):
        for extra in itertools.combinations(unknown, size):
            committed = certain + list(extra)
            pools = []
            for k in keys:
                pool = []
                for t in committed:
                    mine = [v for f, l, v in t.steps if f != "r" and l == k]
                    pool += mine if lists[k] else mine[-1:]
                pools.append(list(itertools.permutations(pool)))
            for choice in itertools.product(*pools):
                orders = {k: list(o) for k, o in zip(keys, choice)}
                found = judge_order(lists, txns, committed, orders)
                if found is None:
                    continue
                # a register's order is inferred for histories without G1c: see dependencies.c
                if not found[2] and (all(lists.values()) or not any(n.startswith("G1c") for n in found[1])):
                    everywhere = found[1] if everywhere is None else everywhere & found[1]
                    drawn = found[3] if drawn is None else drawn & found[3]
                    vanishes = found[4] if vanishes is None else vanishes and found[4]
                for level in LEVELS:
                    holds[level] = holds[level] or level not in found[0]
    return holds, everywhere, drawn, vanishes


def special(kinds, keys):
    """Which name a cycle has beside that of its kind."""
    if kinds == ["rw", "rw"] and keys[0] != keys[1]:
        return "write-skew"
    if sorted(kinds) == ["rw", "ww"] and keys[0] == keys[1]:
        return "lost-update"
    if len(kinds) == 4 and kinds in (["rw", "wr"] * 2, ["wr", "rw"] * 2):
        return "long-fork"
    return None


def evidence(answer, lists, txns, holds, drawn, vanishes):
    """What is wrong with the anomalies as evidence: each violated level needs one that it rules out, each one rules
    out violated levels only, each edge is there whichever order the versions have, and the names fit the edges."""
    certain = [a for a in answer["anomalies"] if not a["supposed"]]
    for level, right in holds.items():
        shown = any(level in a["rules_out"] for a in certain)
        if right and shown:
            yield level + " holds, but an anomaly is said to rule it out"
        if not right and not shown and len(certain) == len(answer["anomalies"]):
            yield level + " is violated, but no anomaly rules it out"
    calls = {t.line: t for t in txns}
    for a in certain:
        kinds = [{"process": "so", "real time": "rt"}.get(e["kind"], e["kind"]) for e in a["cycle"]]
        if not kinds or "observed" in kinds:
            continue
        at = {t["name"]: calls[t["line"]] for t in a["transactions"]}
        for e, kind in zip(a["cycle"], kinds):
            if drawn is not None and (at[e["from"]], at[e["to"]], kind) not in drawn:
                yield "%s: the edge %s -> %s (%s) is not in every order" % (a["anomaly"], e["from"], e["to"], e["kind"])
        if any(e["to"] != a["cycle"][(i + 1) % len(kinds)]["from"] for i, e in enumerate(a["cycle"])):
            yield a["anomaly"] + ": its edges are no cycle"
        name = name_of(kinds)
        if a["anomaly"] not in (name, name.replace("G0", "G1c")):  # a register's order is told by reads
            yield a["anomaly"] + " has the edges of " + name
        keys = [e.get("key") for e in a["cycle"]]
        if a.get("also") != special(kinds, keys):
            yield "%s with the edges %s is also %s, not %s" % (a["anomaly"], kinds, special(kinds, keys), a.get("also"))
    shown = any(a["anomaly"] == "observed-transaction-vanishes" for a in certain)
    # of registers only some orders are looked at, see judge; G1c rules out what a vanishing transaction does
    told = all(lists.values()) and vanishes is not None and len(certain) == len(answer["anomalies"])
    if told and vanishes != shown and not any(t.status == "info" for t in txns):
        if shown or not any(a["anomaly"] in ("G0", "G1c") for a in certain):
            yield "a transaction vanishes: %s, said: %s" % (vanishes, shown)


def main():
    heddle, count = sys.argv[1], int(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    differences = compared = 0
    tally = {level: [0, 0] for level in LEVELS}
    anomalies = {}
    with tempfile.TemporaryDirectory() as work:
        while compared < count:
            batch = []
            zero = compared // 100 % 4 == 3  # registers that hold 0 at first
            for i in range(min(100, count - compared)):
                lists, keys, txns = generate(rng)
                while zero and any(lists.values()):
                    lists, keys, txns = generate(rng)
                path = os.path.join(work, f"{compared + i}.jsonl")
                write_log(txns, path, 0 if zero else None)
                batch.append((path, lists, keys, txns))
            run = subprocess.run(
                [heddle, "history", "--spec=transactions" + ":0" * zero, "--consistency=auto", "--json", "--quiet"]
                + [b[0] for b in batch], capture_output=True, text=True)
            answers = {r["file"]: r for r in json.loads(run.stdout)["results"]}
            for path, lists, keys, txns in batch:
                holds, everywhere, drawn, vanishes = judge(lists, keys, txns)
                answer = answers[path]
                for level, right in holds.items():
                    tally[level][right] += 1
                    if answer["levels"][level] != ("holds" if right else "violated"):
                        differences += 1
                        print(f"{level}: {answer['levels'][level]}, but the twin says {right}")
                        print(open(path).read())
                for a in answer["anomalies"]:
                    name = a["anomaly"]
                    anomalies[name] = anomalies.get(name, 0) + 1
                    cycle = name.startswith("G") and name not in ("G1a", "G1b")
                    if cycle and not a["supposed"] and everywhere is not None and name not in everywhere:
                        differences += 1
                        print(f"{name} is not in every order: {sorted(everywhere)}")
                        print(open(path).read())
                for problem in evidence(answer, lists, txns, holds, drawn, vanishes):
                    differences += 1
                    print(problem)
                    print(open(path).read())
                plain = plain_anomalies(lists, txns)
                names = {a["anomaly"] for a in answer["anomalies"]} & PLAIN
                # where a read is wrong already, what else is said of it is a matter of taste
                more, every = set(), {a["anomaly"] for a in answer["anomalies"]}
                if "duplicate-elements" in plain & every:
                    more = PLAIN
                elif "garbage-read" in plain:
                    more = {"G1a", "G1b", "dirty-update", "non-repeatable-read"}
                elif plain & {"G1a", "internal"} or "incompatible-order" in every:
                    more = {"G1b", "non-repeatable-read"}
                if not any(t.status == "info" for t in txns) and plain - more != names - more:
                    differences += 1
                    print(f"anomalies: {sorted(names)}, but the twin finds {sorted(plain)}")
                    print(open(path).read())
                pairs = pair_anomalies(lists, txns)
                names = every & PAIRS - ({"lost-update"} if "incompatible-order" in pairs else set())
                if not plain and not any(t.status == "info" for t in txns) and names != pairs:
                    differences += 1
                    print(f"anomalies: {sorted(names)}, but the twin finds {sorted(pairs)}")
                    print(open(path).read())
                compared += 1
    for level, (no, yes) in tally.items():
        print(f"{level}: {yes} hold, {no} do not")
    print("anomalies:", ", ".join(f"{n} {c}" for n, c in sorted(anomalies.items())))
    print(f"{compared} histories, {differences} differences")
    return differences > 0


if __name__ == "__main__":
    sys.exit(main())
