#!/usr/bin/env python3
"""Enumerates all executions of a text in the notation of operations, and asks of each whether its specification explains it.

  prove_enumerate.py FILE [SECONDS]

Shares nothing with the prover but the notation, which tools/certificate/text.py reads. Each call has all its ports (arguments
and results) from its beginning on, out of small domains: so some executions are left out, and none is added. Kept with each
state of the text is the set of the specification's states that the calls so far allow, and which pending ones have been taken.
A stack or queue by ranks is a specification, too, and `each' is looked at one by one, as soon as it holds.
Prints `violated' with the steps (status 1), or `explained' and the most threads and operations within SECONDS (20); status 2 if
it can't be asked."""
import itertools, os, sys, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "certificate"))
from questions import locals_of, pairing
from text import Operation, Program, Refused, Step, read

PLAN = [(2, 2), (2, 3), (3, 3), (2, 4), (3, 4), (2, 5)]
NUMBERS = {"int": (0, 1), "bool": (0, 1), "key": (1, 2), "tid": (0,)}
MOST_NODES = 7


class Unknown(Exception):
    """A local has no value yet."""


class Stuck(Exception):
    """The step can't run."""


class OutOfTime(Exception):
    pass


class Freed(Exception):
    """A node that was freed is touched, and the text does not say that its memory is stable."""


class Run:
    """One instance making one step of PROGRAM: STATE is a dict, LOCAL the values that are known."""

    def __init__(self, program, op, own_id):
        self.program, self.op, self.id = program, op, own_id

    def value(self, state, local, e, bound=None):
        kind = e[0]
        if kind == "num":
            return e[1]
        if kind == "local":
            if e[1] not in local:
                raise Unknown(e[1])
            return local[e[1]]
        if kind == "global":
            return state.get(e[:2], 0)
        if kind == "any":
            return bound
        if kind == "id":
            return self.id
        if kind in ("field", "cell"):
            at = self.value(state, local, e[2], bound)
            if kind == "field":
                self.touch(state, at)
            return state.get((kind, e[1], at), 0)
        a = self.value(state, local, e[1], bound)
        if kind == "wrap":
            return a % 2 # a size of 2
        b = self.value(state, local, e[2], bound)
        if kind == "%":
            return abs(a) % b * (1 if a >= 0 else -1)
        return a + b if kind == "+" else a - b if kind == "-" else a * b

    def touch(self, state, node):
        if node == 0:
            raise Stuck
        if self.program.manual and state.get(("alive", node), 0) == -1:
            raise Freed

    def holds(self, state, local, f, bound=None):
        kind = f[0]
        if kind == "true":
            return True
        if kind in ("and", "or", "=>"): # as the prover: all of it is read, so no field of NULL
            a, b = self.holds(state, local, f[1], bound), self.holds(state, local, f[2], bound)
            return a and b if kind == "and" else a or b if kind == "or" else not a or b
        if kind == "not":
            return not self.holds(state, local, f[1], bound)
        if kind == "live":
            node = self.value(state, local, f[1], bound)
            return node != 0 and state.get(("alive", node), 0) == 1
        if kind == "none":
            return not any(self.some(state, local, f[2], v) for v in self.domain(f[1], state) if v != 0 or f[1] in NUMBERS)
        l, r = self.value(state, local, f[1], bound), self.value(state, local, f[2], bound)
        return {"=": l == r, "!=": l != r, "<": l < r, "<=": l <= r}[kind]

    def some(self, state, local, f, bound):
        try:
            return self.holds(state, local, f, bound)
        except Stuck:
            return False

    def domain(self, kind, state):
        if kind in NUMBERS:
            return NUMBERS[kind]
        return [0] + [n for n in range(1, MOST_NODES + 1) if state.get(("alive", n), 0) == 1]

    def step(self, step, state, local):
        """All (state, locals) after it."""
        return list(self.go(list(step.guards), list(step.statements), dict(state), dict(local)))

    def go(self, guards, statements, state, local):
        try:
            while guards or statements:
                if guards:
                    at = next((i for i, f in enumerate(guards) if self.known(state, local, f)), 0)
                    f = guards[at]
                    done = self.holds(state, local, f)
                    guards = guards[:at] + guards[at + 1:]
                    if not done:
                        return
                    continue
                s = statements[0]
                if s[0] == "assume":
                    guards, statements = [s[1]], statements[1:]
                    continue
                if s[0] == "new":
                    yield from self.new(s[1], statements[1:], state, local)
                    return
                if s[0] == "free":
                    freed = self.value(state, local, ("local", s[1]))
                    if freed != 0:
                        self.touch(state, freed)
                    state[("alive", freed)] = -1
                else:
                    value, target = self.value(state, local, s[2]), s[1]
                    if target[0] == "local":
                        if local.setdefault(target[1], value) != value:
                            return
                    elif target[0] == "global":
                        state[target[:2]] = value
                    else:
                        at = self.value(state, local, target[2])
                        if target[0] == "field":
                            self.touch(state, at)
                        state[(target[0], target[1], at)] = value
                statements = statements[1:]
            yield state, local
        except Stuck:
            return
        except Unknown as unknown:
            l = unknown.args[0]
            for v in self.domain(self.op.locals[l][1], state):
                yield from self.go(list(guards), list(statements), dict(state), local | {l: v})

    def known(self, state, local, f):
        """Can the condition be decided now? An equation may give a local its value."""
        try:
            self.holds(state, local, f)
            return True
        except Stuck:
            return True
        except Unknown:
            if f[0] != "=":
                return False
        for x, e in ((f[1], f[2]), (f[2], f[1])):
            if x[0] == "local" and x[1] not in local:
                try:
                    local[x[1]] = self.value(state, local, e)
                    return True
                except (Unknown, Stuck):
                    continue
        return False

    def new(self, local_number, statements, state, local):
        fresh = False
        for n in range(1, MOST_NODES + 1):
            mark = state.get(("alive", n), 0)
            if mark == 1 or local.get(local_number, n) != n or (mark == 0 and fresh):
                continue
            fresh |= mark == 0
            yield from self.go([], list(statements), state | {("alive", n): 1}, local | {local_number: n})


def frozen(state):
    return frozenset((k, v) for k, v in state.items() if v != 0)


class Enumeration:
    def __init__(self, program, threads, operations, end):
        self.program, self.spec = program, program.specification
        self.threads, self.operations, self.end = threads, operations, end
        self.seen, self.path, self.options = set(), [], {}
        self.calls = [self.calls_of(op) for op in program.operations]
        self.own_guards = [[[f for f in s.guards if f[0] != "each"] for s in op.steps] for op in program.operations]

    def calls_of(self, op):
        way = self.spec.named(op.name)
        ports = [l for l in op.ports if l >= 0] if way and not op.internal else []
        kinds = [op.locals[l][1] for l in ports]
        if any(k not in NUMBERS for k in kinds):
            raise Refused("a port that is a node")
        return [dict(zip(ports, values)) for values in itertools.product(*[NUMBERS[k] for k in kinds])]

    def effects(self, slot):
        """What a pending call may be taken as: (operation, values of its ports). An operation with the same steps so far is as
        good as its own, and what these have not named is open."""
        o, point, known, _, _, _ = slot
        if slot in self.options:
            return self.options[slot]
        op, values, found = self.program.operations[o], dict(known), []
        used = {l for step in op.steps[:point] for l in locals_of(step)}
        for number, other in enumerate(self.program.operations):
            pairs, common = ({l: l for l in range(len(op.locals))}, point) if other is op else pairing(op, other)
            if other.internal or common < point or (point == len(op.steps) and other is not op):
                continue
            own = {b: a for a, b in pairs.items()}
            fixed = [own.get(l) if own.get(l) in used or point == len(op.steps) else None for l in other.ports]
            found += [(number, v) for v in itertools.product(*[NUMBERS[other.locals[l][1]] if f is None else (values[f],)
                                                              for l, f in zip(other.ports, fixed)])]
        self.options[slot] = found
        return found

    def taken(self, abstract, slots):
        """The states of the specification, closed under taking pending calls."""
        found, work = set(abstract), list(abstract)
        while work:
            state, flags = work.pop()
            for i, slot in enumerate(slots):
                if slot is None or flags[i]:
                    continue
                for o, values in self.effects(slot):
                    way = self.spec.named(self.program.operations[o].name)
                    for after, _ in Run(self.spec, way, slot[4]).step(way.steps[0], dict(state), dict(enumerate(values))):
                        one = (frozen(after), flags[:i] + ((o, values),) + flags[i + 1:])
                        if one not in found:
                            found.add(one)
                            work.append(one)
        return frozenset(found)

    def first(self, program):
        init = program.initial
        if not init or not init.steps:
            return [{}]
        return [state for state, _ in Run(program, init, 1).step(init.steps[0], {}, {})]

    def run(self):
        """None, or the steps of an execution that is not explained."""
        spec = frozenset((frozen(s), (None,) * self.threads) for s in self.first(self.spec))
        try:
            for state in self.first(self.program):
                if self.go(state, (None,) * self.threads, spec, 0):
                    return self.path[::-1]
        except Freed:
            return self.path[::-1] + ["a freed node is touched"]
        return None

    # ---- `each': every value is looked at once while the operation stands before the step ----

    def each(self, op, point):
        return [f for f in op.steps[point].guards if f[0] == "each"] if point < len(op.steps) else []

    def all_values(self, kind):
        return range(1, MOST_NODES + 1) if kind not in NUMBERS else range(self.operations + 1)

    def chosen(self, op, point, local):
        """With values for the locals that the looks before the step at POINT name."""
        missing = sorted({l for f in self.each(op, point) for l in locals_of(f[2])} - set(local))
        return [{**local, **dict(zip(missing, values))}
                for values in itertools.product(*[self.all_values(op.locals[l][1]) for l in missing])]

    def everything_looked_at(self, op, point, looked):
        return all((k, v) in looked for k, f in enumerate(self.each(op, point)) for v in self.all_values(f[1]))

    def look(self, state, slot):
        if slot is None or not self.each(self.program.operations[slot[0]], slot[1]):
            return slot
        op, local = self.program.operations[slot[0]], dict(slot[2])
        run = Run(self.program, op, slot[4])
        now = {(k, v) for k, f in enumerate(self.each(op, slot[1])) for v in self.all_values(f[1])
               if run.some(state, local, f[2], v)}
        return slot[:5] + (slot[5] | now,)

    def go(self, state, slots, abstract, started):
        slots = tuple(self.look(state, slot) for slot in slots)
        key = (frozen(state), slots, abstract, started)
        if key in self.seen:
            return False
        self.seen.add(key)
        if len(self.seen) % 256 == 0 and time.time() > self.end:
            raise OutOfTime
        for i, slot in enumerate(slots):
            if slot is None and (None in slots[:i] or started == self.operations):
                continue # the first free thread stands for all
            begun = [slot] if slot else [(o, 0, None, frozenset(values.items()), 2 + started, frozenset())
                                         for o, calls in enumerate(self.calls) for values in calls]
            for o, point, known, ports, own, looked in begun:
                op = self.program.operations[o]
                last = point + 1 == len(op.steps)
                start = dict(known) if known is not None else dict(ports)
                if not self.everything_looked_at(op, point, looked):
                    continue
                found = Run(self.program, op, own).step(Step(None, False, self.own_guards[o][point], op.steps[point].statements),
                                                        state, start)
                for after, local in [(s, l) for s, known_now in found for l in self.chosen(op, point + 1, known_now)]:
                    if self.go_on(i, (o, point + 1, frozenset(local.items()), ports, own, frozenset()), last, after, slots, abstract,
                                  started + (slot is None)):
                        self.path.append("T%d %s.%s %s" % (i + 1, op.name, op.steps[point].label, {
                            op.locals[l][0]: v for l, v in sorted(local.items())}))
                        return True
        return False

    def go_on(self, i, slot, last, state, slots, abstract, started):
        now = slots[:i] + (slot,) + slots[i + 1:]
        if not last:
            return self.go(state, now, abstract, started)
        op = self.program.operations[slot[0]]
        if not op.internal:
            values = dict(slot[3])
            own = (slot[0], tuple(values[l] for l in op.ports))
            abstract = frozenset((s, f[:i] + (None,) + f[i + 1:]) for s, f in self.taken(abstract, now) if f[i] == own)
            if not abstract:
                return True
        return self.go(state, slots[:i] + (None,) + slots[i + 1:], abstract, started)


def of_ranks(program):
    """A stack or a queue as a specification, whose calls have a value."""
    spec = Program()
    spec.globals, spec.arrays, spec.initial = [("low", "int"), ("high", "int")], [("s", "int")], Operation("init", True)
    low, high, value = ("global", 0), ("global", 1), ("local", 0)
    for op in program.operations:
        if not op.role:
            op.internal = True
            continue
        way = Operation(op.name)
        way.locals, way.ports, op.ports = [("v", "int")], [0], [op.role["value"]]
        if op.role["kind"] == "inserts":
            step = Step("s", False, [], [("set", ("cell", 0, high), value), ("set", high, ("+", high, ("num", 1)))])
        elif program.discipline == "stack":
            top = ("-", high, ("num", 1))
            step = Step("s", False, [("<", low, high), ("=", value, ("cell", 0, top))], [("set", high, top)])
        else:
            step = Step("s", False, [("<", low, high), ("=", value, ("cell", 0, low))], [("set", low, ("+", low, ("num", 1)))])
        way.steps = [step]
        spec.operations.append(way)
    return spec


def judge(text, seconds):
    """("violated", steps), ("explained", words), or ("unknown", why)"""
    try:
        program = read(text)
        if program.discipline:
            program.specification = of_ranks(program)
        if not program.specification:
            return "unknown", "no specification"
        NUMBERS["int"] = (1, 2) if program.discipline else (0, 1)
        end, done, states = time.time() + seconds, None, 0
        for threads, operations in PLAN:
            enumeration = Enumeration(program, threads, operations, end if done else float("inf"))  # the smallest always
            steps = enumeration.run()
            if steps:
                return "violated", steps
            done, states = (threads, operations), len(enumeration.seen)
    except OutOfTime:
        pass
    except Refused as refused:
        return "unknown", str(refused)
    return "explained", "%d threads, %d operations, %d states" % (*done, states)


def main():
    answer, what = judge(open(sys.argv[1]).read(), float(sys.argv[2]) if len(sys.argv) > 2 else 20)
    print("%s: %s" % (answer, "\n  ".join(what) if answer == "violated" else what))
    sys.exit({"explained": 0, "violated": 1, "unknown": 2}[answer])


if __name__ == "__main__":
    sys.setrecursionlimit(100000)
    main()
