#!/usr/bin/env python3
"""Random texts for `heddle prove`, judged by an enumerator that shares nothing with it.

  prove_texts.py HEDDLE COUNT SEED hp     texts in the notation of operations and in the paper's: each execution
                                          of three threads is enumerated here, with up to four operations
  prove_texts.py HEDDLE COUNT SEED hm     models: `heddle refine` explores them, with two threads, and three if they are proved
  prove_texts.py HEDDLE COUNT SEED wide   the same, of the models of prove_places.py

A register is kept in a global, a cell of an array, or a node (collected, freed, or neither), and changed under a lock,
by comparing and swapping, in one step, or wrongly. Names collide on purpose: locals are called like results, helpers'
locals, generated names. Prints a line a difference and, last, how many of each answer there were; the exit status is 1 if
an answer is wrong: `holds' of what has a violation, `violated' of what has none."""
import itertools, json, os, random, subprocess, sys, tempfile
from prove_places import random_wide

# ---- the notation of operations: programs as data, printed as text and enumerated here ----
# expressions: ("n", number) ("l", local) ("g", global) ("c", array, e) ("f", field, e) ("+", a, b)
# steps: (guards, statements); guard: (relation, a, b); statement: ("=", target, e), ("new", l), ("free", l)


def show(e):
    kind = e[0]
    if kind == "n":
        return str(e[1])
    if kind in "lg":
        return e[1]
    if kind == "c":
        return "%s[%s]" % (e[1], show(e[2]))
    if kind == "f":
        return "%s.%s" % (show(e[2]), e[1])
    return "%s + %s" % (show(e[1]), show(e[2]))


def show_step(step, label):
    guards, statements = step[:2]
    text = "1 %s: " % label
    if guards:
        text += "<" + "; ".join("%s %s %s" % (show(a), r, show(b)) for r, a, b in guards) + "> "
    for s in statements:
        text += "%s = %s; " % (show(s[1]), show(s[2])) if s[0] == "=" else "%s %s; " % s[:2]
    return text


class Stuck(Exception):
    pass


class Freed(Exception):
    """A step touches a node that was freed."""


def value(state, local, e):
    kind = e[0]
    if kind == "n":
        return e[1]
    if kind == "l":
        if e[1] not in local:
            raise KeyError(e[1])
        return local[e[1]]
    if kind == "g":
        return state.get(e[1], 0)
    if kind == "c":
        return state.get((e[1], value(state, local, e[2])), 0)
    if kind == "f":
        base = value(state, local, e[2])
        if base == 0:
            raise Stuck
        return state.get((e[1], node(state, base)), 0)
    return value(state, local, e[1]) + value(state, local, e[2])


def node(state, n):
    if state.get(("?", n), 0) == -1:
        raise Freed
    return n


RELATIONS = {"==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
             ">": lambda a, b: a > b}
NODES = 5


def domain(kind, state):
    if kind == "node":
        return [0] + [n for n in range(1, NODES + 1) if state.get(("?", n), 0) == 1]
    return [0, 1]


def run_step(step, kinds, state, local):
    """All (state, locals) after the step; free locals take every value of their domain, equations are solved."""
    guards, statements = step[:2]
    work, results = [(list(guards), local)], []
    while work:
        left, have = work.pop()
        try:
            done = False
            while not done:
                done = True
                for g in list(left):
                    r, a, b = g
                    free = [x for x in locals_of(a) + locals_of(b) if x not in have]
                    if not free:
                        if not RELATIONS[r](value(state, have, a), value(state, have, b)):
                            raise Stuck
                        left.remove(g)
                        done = False
                    elif r == "==" and ((a[0] == "l" and a[1] in free and not set(locals_of(b)) & set(free)) or
                                        (b[0] == "l" and b[1] in free and not set(locals_of(a)) & set(free))):
                        x, e = (a, b) if a[0] == "l" and a[1] in free else (b, a)
                        have = dict(have)
                        have[x[1]] = value(state, have, e)
                        left.remove(g)
                        done = False
            if left:
                free = [x for g in left for x in locals_of(g[1]) + locals_of(g[2]) if x not in have][0]
                for v in domain(kinds[free], state):
                    work.append((list(left), dict(have, **{free: v})))
            else:
                results += run_statements(statements, kinds, dict(state), dict(have))
        except Stuck:
            continue
    return results


def run_statements(statements, kinds, state, local):
    out = [(state, local)]
    for s in statements:
        following = []
        for st, lo in out:
            try:
                if s[0] == "new":
                    fresh = False
                    for n in range(1, NODES + 1):
                        mark = st.get(("?", n), 0)
                        if mark == 1 or (s[1] in lo and lo[s[1]] != n) or (mark == 0 and fresh):
                            continue
                        fresh |= mark == 0
                        following.append((dict(st, **{}) | {("?", n): 1}, dict(lo, **{s[1]: n})))
                    continue
                if s[0] == "free":
                    following.append((st | {("?", node(st, lo[s[1]])): -1}, lo))
                    continue
                free = [x for x in locals_of(s[2]) if x not in lo]
                choices = itertools.product(*[domain(kinds[x], st) for x in free])
                for choice in choices:
                    have = dict(lo, **dict(zip(free, choice)))
                    v, target = value(st, have, s[2]), s[1]
                    if target[0] == "l":
                        if have.get(target[1], v) == v:
                            following.append((st, dict(have, **{target[1]: v})))
                    elif target[0] == "g":
                        following.append((st | {target[1]: v}, have))
                    else:
                        base = value(st, have, target[2])
                        if target[0] == "f" and base == 0:
                            continue
                        following.append((st | {(target[1], node(st, base) if target[0] == "f" else base): v}, have))
            except Stuck:
                continue
        out = following
    return out


def locals_of(e):
    if e[0] == "l":
        return [e[1]]
    if e[0] in "ng":
        return []
    if e[0] in "cf":
        return locals_of(e[2])
    return locals_of(e[1]) + locals_of(e[2])


class Enumerator:
    def __init__(self, program, threads, operations):
        self.program, self.threads, self.operations = program, threads, operations
        self.seen, self.bad = set(), None

    def explained(self, history):
        """history: (begin, end or None, operation, locals); does some order explain it?"""
        program = self.program

        def search(left, state):
            if not [h for h in left if h[1] is not None]:
                return True
            for h in left:
                if any(o[1] is not None and o[1] < h[0] for o in left if o is not h):
                    continue
                op = program["ops"][h[2]]
                seen = {k: v for k, v in h[3].items() if k in op["visible"]}
                for st, _ in run_step(op["spec"], op["kinds"], state, seen):
                    if search([o for o in left if o is not h], st):
                        return True
            return False

        return search(list(history), dict(program["spec_init"]))

    def run(self):
        try:
            for state, _ in run_statements(self.program["init"], {}, {}, {}):
                self.go(state, [None] * self.threads, [], 0, 0)
        except Freed:
            self.bad = "a freed node"
        return self.bad

    def go(self, state, slots, done, started, time):
        if self.bad:
            return
        ranks = {}
        for h in sorted([(b, 0) for b, e, *_ in done] + [(e, 1) for b, e, *_ in done] +
                        [(s[0], 0) for s in slots if s]):
            ranks.setdefault(h, len(ranks))
        key = (frozenset(state.items()),
               tuple(None if s is None else (ranks[(s[0], 0)], s[1], s[2], frozenset(s[3].items())) for s in slots),
               frozenset((ranks[(b, 0)], ranks[(e, 1)], o, frozenset(lo.items())) for b, e, o, lo in done), started)
        if key in self.seen:
            return
        self.seen.add(key)
        for i, slot in enumerate(slots):
            choices = [(slot[1], slot[2], slot[3], slot[0])] if slot else (
                [(o, 0, {}, time) for o in range(len(self.program["ops"]))] if started < self.operations else [])
            if not slot and None in slots[:i]:
                continue  # the first free thread stands for all
            for o, point, lo, begin in choices:
                op = self.program["ops"][o]
                last = point + 1 == len(op["steps"])
                for st, have in run_step(op["steps"][point], op["kinds"], state, lo):
                    now = list(slots)
                    if not last:
                        now[i] = (begin, o, point + 1, have)
                        self.go(st, now, done, started + (slot is None), time + 1)
                        continue
                    now[i] = None
                    open_ones = [x for x in op["visible"] if x not in have]
                    for choice in itertools.product(*[domain(op["kinds"][x], st) for x in open_ones]):
                        full = dict(have, **dict(zip(open_ones, choice)))
                        over = done + [(begin, time, o, full)]
                        harmless = all(s is None or s[2] <= self.program["ops"][s[1]]["first_write"] for s in now)
                        if harmless and not self.explained(over):
                            self.bad = over
                            return
                        self.go(st, now, over, started + (slot is None), time + 1)


# ---- random programs ----
L, G, N = lambda x: ("l", x), lambda x: ("g", x), lambda x: ("n", x)


def writes(step):
    return any(s[0] != "=" or s[1][0] != "l" for s in step[1])


def finish(op):
    op["first_write"] = next((i for i, s in enumerate(op["steps"]) if writes(s)), len(op["steps"]))
    return op


def random_hp(r):
    """A register of 0 and 1 (or a counter) in one of several places."""
    where = r.choice(["global", "cell", "node", "node"])
    freed = where == "node" and r.random() < 0.5
    paper = where == "node" and r.random() < 0.7
    names = r.sample(["t", "result", "x1", "p", "n", "read0", "v", "w"], 8)
    t, v, w = names[:3]
    X, Y = ("X", "Y") if r.random() < 0.7 else ("N2", "new0")
    at = r.choice([0, 3, 9, 12])
    place = G("reg") if where == "global" else ("c", "cells", N(at))
    ops, spec = [], G("abs")
    if r.random() < 0.5:
        spec = ("c", "seq", N(r.choice([0, 7, 11])))
    good = lambda: r.random() < 0.75
    locked = r.random() < 0.3
    first_lock = ([("==", G("lk"), N(0))], [("=", G("lk"), N(1))])
    last_lock = ([], [("=", G("lk"), N(0))])

    def wrap(steps):
        return [first_lock] + steps + [last_lock] if locked and good() else steps

    kinds = {t: "int", v: "int", w: "int", X: "node", Y: "node"}
    read = lambda base: ("f", "val", L(base)) if where == "node" else place
    # write(v)
    if where == "node":
        publish = [("=", G("top"), L(X))]
        old = [("==", G("top"), L(Y))] if freed or r.random() < 0.4 else []
        steps = [([], [("new", X)]), ([], [("=", ("f", "val", L(X)), L(v) if good() else N(1))]), (old, publish)]
        if not paper or r.random() < 0.3:
            steps = [(old, [("new", X), ("=", ("f", "val", L(X)), L(v)), *publish])]
        if freed:
            steps.append(([], [("free", Y)]))
    else:
        steps = [([], [("=", place, L(v) if good() else N(0))])]
    ops.append({"name": "Write", "steps": wrap(steps), "spec": ([], [("=", spec, L(v))]), "visible": [v]})
    # read
    if where == "node":
        steps = [([("==", G("top"), L(Y))], []), ([], [("=", L(w), read(Y))])]
        if r.random() < 0.5:
            steps = [([("==", G("top"), L(Y))], [("=", L(w), read(Y))])]
        if not good():
            steps = [([("==", read(Y), L(w))], [])]  # of any node
    else:
        steps = [([("==", place, L(w))], [])]
        if r.random() < 0.3:
            steps.append(([("==", place, L(w))] if good() else [], []))
    ops.append({"name": "Read", "steps": wrap(steps), "spec": ([("==", spec, L(w))], []), "visible": [w]})
    # a change that depends on what is there
    if r.random() < 0.7 and where != "node":
        to = N(1) if r.random() < 0.5 else ("+", L(t), N(1))
        steps = [([("==", place, L(t))], []), ([("==", place, L(t))] if good() else [], [("=", place, to)])]
        if r.random() < 0.4:
            steps = [([("==", place, L(t))], [("=", place, to)])]
        ops.append({"name": "Change", "steps": wrap(steps), "visible": [t],
                    "spec": ([("==", spec, L(t))], [("=", spec, to)])})
    for op in ops:
        op["kinds"] = kinds
        finish(op)
    init = []
    if where == "node":
        init = [("new", "D"), ("=", G("top"), L("D"))]
    program = {"ops": ops, "init": init, "spec_init": {}}
    text = ""
    if where == "node":
        text += "struct node { int val; }\nnode top;\ninit { node D; new D; top = D; }\n"
        if not freed and r.random() < 0.9:
            text = "collected;\n" + text
    else:
        text += "int reg;\n" if where == "global" else "int cells[];\n"
    if locked:
        text += "int lk;\n"
    label = iter("abcdefghijklmnopqrstuvwxyzABCDEFGH")
    for op in ops:
        used = sorted({x for s in op["steps"] for x in used_in(s)} | set(op["visible"]))
        declare = "".join("%s %s; " % (kinds[x], x) for x in used)
        lines = "\n ".join(show_step(s, next(label)) for s in op["steps"])
        text += ("%s()\n %s\n %s\n" if paper else "op %s { %s\n %s\n}\n") % (op["name"], declare, lines)
    text += "spec {\n int %s;\n" % ("abs" if spec[0] == "g" else "seq[]")
    for op in ops:
        declare = "".join("%s %s; " % (kinds[x], x) for x in op["visible"])
        body = show_step(op["spec"], "s").replace("1 s: ", "1 ") or "1 "
        text += (" %s() %s %s\n" if paper else " op %s { %s %s }\n") % (op["name"], declare, body)
    return text + "}\n", program


def used_in(step):
    out = []
    for _, a, b in step[0]:
        out += locals_of(a) + locals_of(b)
    for s in step[1]:
        out += [s[1]] if s[0] != "=" else locals_of(s[1]) + locals_of(s[2])
    return out


# ---- models ----
def lazy_hm(r):
    """A pointer that may be NULL, looked at by operands that are only evaluated when needed."""
    text = "#include <common.hm>\nthreads 2;\nstruct Node { int(0..2) val; } pool 4;\nNode *top;\n"
    start = r.choice(["", "init { top = new Node; }\n"])
    text += start
    a, b = r.sample(["result", "t", "truth0", "x1"], 2)
    null, other = r.choice([(0, 1), (1, 0), (2, 1)])
    tests = ["top == NULL ? %d : top->val" % null, "top != NULL ? top->val : %d" % null,
             "(top != NULL && top->val == 1) ? 1 : %d" % null, "(top == NULL || top->val == 0) ? %d : 1" % null,
             "top->val", "!(top != NULL && top->val == 1) ? %d : 1" % null]
    chosen = r.choice(tests)
    look = "int(0..2) %s; atomic { %s = %s; } return %s;" % (a, a, chosen, a)
    if r.random() < 0.3:
        look = "Node *%s = top; int(0..2) %s = %s; return %s;" % (b, a, chosen.replace("top", b), a)
    if r.random() < 0.3:
        look = "if (top == NULL && %s) return %d; return %d;" % (r.choice(["true", "top == NULL"]), null, other)
    if r.random() < 0.3:  # a read whose value nobody needs: in a round that begins anew, before, or after
        idle = "Node *idle = top; %sint(0..2) unused = idle->val; " % r.choice(["", "if (idle != NULL) { "])
        idle += "} " if "{" in idle else ""
        look = r.choice(["while (flag) { %s} %s", "%s%s"]) % (idle, look)
        text += "bool flag;\noperation void wave() { flag = !flag; }\n"
    put = r.choice(["Node *n = new Node; n->val = %d; top = n;" % other,
                    "Node *n = new Node; n->val = %d; atomic { if (top == NULL || top->val != 1) top = n; }" % other,
                    "atomic { if (top != NULL && top->val == 0) top = NULL; else if (top == NULL) top = new Node; }"])
    gone = r.random() < 0.4
    text += "operation void put() { %s }\noperation int(0..2) get() { %s }\n" % (put, look)
    if gone:
        text += "operation void clear() { top = NULL; }\n"
    first = null if not start else 0
    return text + ("specification own {\nint(0..2) v = %d;\noperation void put() { v = %d; }\noperation int(0..2) get() "
                   "{ return v; }\n%s%s}\n") % (first, other, "operation void clear() { v = %d; }\n" % null if gone else "",
                                 "operation void wave() { }\n" if "wave" in text else "")


def random_hm(r):
    where = r.choice(["x", "cell[1]", "top->val"])
    manual = where == "top->val" and r.random() < 0.5
    names = r.sample(["result", "t", "x1", "old", "read0", "n", "truth1", "put", "y"], 9)
    a, b, c, d = names[:4]
    node = where == "top->val"
    good = lambda: r.random() < 0.8
    text = "#include <common.hm>\nthreads 2;\n"
    if node:
        text += "struct Node { int(0..2) val; } pool 4%s;\nNode *top;\ninit { top = new Node; }\n" % (
            " manual" if manual else "")
    else:
        text += "int(0..2) x;\nint(0..2) cell[2];\n"
    text += "bool lk;\n"
    helper = not node and r.random() < 0.5
    if helper:
        text += "atomic int(0..2) fetch() { int(0..2) %s = %s; return %s; }\n" % (a, where, a)
    fetch = "fetch()" if helper else where
    locked = r.random() < 0.3
    take = "atomic { await(!lk); lk = true; } " if locked else ""
    give = "lk = false; " if locked else ""

    def body(change, result):
        give_now = give if good() else ""
        if node:
            drop = "free(%s); " % b if manual and r.random() < 0.7 else ""
            make = "Node *%s = new Node; " % c
            if change is None:
                late = "int(0..2) late = %s->val; " % b if r.random() < 0.2 else ""
                return "%sNode *%s = top; int(0..2) %s = %s->val; %s%sreturn %s;" % (
                    take, b, a, b, give_now, late, result(a))
            if r.random() < 0.6:
                return ("while (true) { Node *%s = top; int(0..2) %s = %s->val; %s%s->val = %s; "
                        "if (cas(top, %s, %s)) { %sreturn %s; } }") % (b, a, b, make, c, change(a), b, c, drop, result(a))
            return "%s%sNode *%s = top; int(0..2) %s = %s->val; %s->val = %s; top = %s; %s%sreturn %s;" % (
                take, make, b, a, b, c, change(a), c, give, drop, result(a))
        if change is None:
            return "%sint(0..2) %s = %s; %sreturn %s;" % (take, a, fetch, give_now, result(a))
        kind = r.randrange(4)
        if kind == 0:
            return "while (true) { int(0..2) %s = %s; if (cas(%s, %s, %s)) return %s; }" % (
                a, fetch, where, a, change(a), result(a))
        if kind == 1:
            return "int(0..2) %s; atomic { %s = %s; %s = %s; } return %s;" % (b, b, where, where, change(b), result(b))
        return "%sint(0..2) %s = %s; %s = %s; %sreturn %s;" % (take, b, fetch, where, change(b), give, result(b))

    spec, ops = "", ""
    if r.random() < 0.25:
        return lazy_hm(r)
    same = lambda e: e
    right = (lambda e: e) if good() else (lambda e: "0")
    s = r.choice(["x", "s[1]"])
    spec_local = r.choice([a, b, "result"])
    if r.random() < 0.7:
        ops += "operation int(0..2) swap(int(0..2) %s) { %s }\n" % (d, body(lambda e: d, right))
        spec += "operation int(0..2) swap(int(0..2) w) { int(0..2) %s = %s; %s = w; return %s; }\n" % (
            spec_local, s, s, spec_local)
    if r.random() < 0.5:
        ops += "operation int(0..2) clear() { %s }\n" % body(lambda e: "0", same)
        spec += "operation int(0..2) clear() { int(0..2) %s = %s; %s = 0; return %s; }\n" % (spec_local, s, s, spec_local)
    ops += "operation int(0..2) get() { %s }\n" % body(None, right if r.random() < 0.5 else same)
    spec += "operation int(0..2) get() { return %s; }\n" % s
    if r.random() < 0.3:
        ops += "operation int(0..2) set() { %s }\n" % body(lambda e: "1", lambda e: "0")
        spec += "operation int(0..2) set() { %s = 1; return 0; }\n" % s
    return text + ops + "specification own {\nint(0..2) x; int(0..2) s[2];\n%s}\n" % spec


# ---- the campaign ----
def answer(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return json.loads(done.stdout) if done.stdout.startswith("{") else {"verdict": "error", "text": done.stderr[:200]}
    except subprocess.TimeoutExpired:
        return {"verdict": "time"}


def judged(heddle, path):
    """What refine says; that nobody can go on is no matter of linearizability."""
    said = answer([heddle, "refine", "--json", "--time=%ss" % os.environ.get("SECONDS_EACH", "20"), path])
    return "stuck" if said.get("violation") in ("stuck", "deadlock") else said["verdict"]


def main():
    heddle, count, seed, kind = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    tally, wrong, three = {}, 0, 0
    keep = os.environ.get("KEEP")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + count):
            r = random.Random("%s %d" % (kind, number))
            path = os.path.join(folder, "text.hp" if kind == "hp" else "text.hm")
            text, program = random_hp(r) if kind == "hp" else (random_hm(r) if kind == "hm" else random_wide(r), None)
            with open(path, "w") as out:
                out.write(text)
            got = answer([heddle, "prove", "--json", path])
            verdict = got["verdict"]
            if kind == "hp":
                truth = "violated" if Enumerator(program, 3, 3).run() else "holds"
                if truth == "holds" and verdict == "violated" and got.get("search_operations", 0) <= 4:
                    truth = "violated" if Enumerator(program, 2, 4).run() else "holds"
            else:
                truth = judged(heddle, path)
                if truth == "holds" and (verdict == "holds" or got.get("search_threads", 0) > 2):
                    with open(path, "w") as out:
                        out.write(text.replace("threads 2", "threads 3").replace("pool 4", "pool 6").replace("pool 5", "pool 7"))
                    with_three = judged(heddle, path)
                    truth = with_three if with_three in ("holds", "violated", "stuck") else truth
                    three += truth == with_three
            tally[(truth, verdict)] = tally.get((truth, verdict), 0) + 1
            bad = (verdict == "holds" and truth == "violated") or (verdict == "violated" and truth == "holds")
            if bad or verdict in ("error", "time"):
                wrong += bad
                print("%s %d: %s, truth %s %s" % (kind, number, verdict, truth, got.get("text", "")))
                if keep:
                    with open(os.path.join(keep, "%s%d.%s" % (kind, number, path[-2:])), "w") as out:
                        out.write(text)
    for (truth, verdict), n in sorted(tally.items()):
        print("%s judged %s: %d" % (truth, verdict, n))
    if three:
        print("with three threads: %d" % three)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
