"""The programs that are proved, made from the text (doc/proofs/certificate.md, "Programs"), and what each owes."""
import copy
from text import Operation, Refused, Step


def mentions(x, locals_):
    if not isinstance(x, tuple):
        return False
    return (x[0] in ("local", "new", "free") and x[1] in locals_) or any(mentions(y, locals_) for y in x[1:])


def uses(step, local):
    return any(mentions(x, {local}) for x in step.guards + step.statements)


# ---- joined: steps on a node that the operation has made and not stored join the next ----

def fresh_values(s, fresh):
    return s[0] == "new" or (s[0] == "set" and s[1][0] == "field" and s[1][2][0] == "local" and s[1][2][1] in fresh and
                             s[2][0] in ("num", "local"))


def join(op):
    fresh = set()
    while len(op.steps) > 1:
        step, after = op.steps[0], op.steps[1]
        fresh |= {s[1] for s in step.statements if s[0] == "new"}
        if step.guards or not step.statements or step.anyone or not all(fresh_values(s, fresh) for s in step.statements):
            return
        if any(mentions(f, fresh) for f in after.guards):
            return
        op.steps[:2] = [Step(after.label, after.anyone, after.guards, step.statements + after.statements)]


# ---- ghosts ----

class Ghosts:
    """A copy of the program with ghost arrays, and what it owes: (operation, step, quantified, formula)."""

    def __init__(self, program):
        self.program = copy.deepcopy(program)
        self.owed, self.original = [], program
        for op in self.program.operations:
            for step in op.steps:
                step.guards = [f for f in step.guards if f[0] != "each"]

    def array(self, name, kind):
        self.program.arrays.append((name, kind))
        return len(self.program.arrays) - 1

    def write(self, op, step, array, index, value):
        op.steps[step].statements.append(("set", ("cell", array, index), value))

    def owe(self, op, step, formula, quantified=False):
        self.owed.append((op, step, quantified, formula))


def cell_is(array, index, number):
    return ("=", ("cell", array, index), ("num", number))


def instantiate(x, by):
    if not isinstance(x, tuple):
        return x
    return by if x[0] == "any" else tuple(instantiate(y, by) for y in x)


def pure(x):
    if not isinstance(x, tuple):
        return True
    return x[0] in ("num", "local", "id", "+", "-", "*", "%", "/", "wrap", "true", "=", "!=", "<", "<=", "not", "and", "or", "=>") and \
        all(pure(y) for y in x[1:])


def hoist(op):
    """A condition about locals only is one as soon as these are known."""
    def known(f, now):
        firsts = [next((i for i in range(now) if uses(op.steps[i], l)), now)
                  for l in range(len(op.locals)) if mentions(f, {l})]
        return max(firsts, default=0)

    for i in range(1, len(op.steps)):
        step = op.steps[i]
        guards, statements = [], []
        for f in step.guards:
            at = known(f, i) if pure(f) else i
            if at < i:
                op.steps[at].statements.append(("assume", f))
            else:
                guards.append(f)
        for s in step.statements:
            at = known(s[1], i) if s[0] == "assume" and pure(s[1]) else i
            (op.steps[at].statements if at < i else statements).append(s)
        step.guards, step.statements = guards, statements


class Ranks(Ghosts):
    def __init__(self, program):
        super().__init__(program)
        ops = self.program.operations
        roles = [op.role for op in ops if op.role]
        kind = [op.locals[op.role["element"]][1] for op in ops if op.role][0]
        self.kind, self.now = kind, None
        if any(r["kind"] == "inserts" and r["rank"] < 0 for r in roles):
            self.program.globals.append(("ticks", "int"))
            self.now = ("global", len(self.program.globals) - 1)
        self.drawn()
        self.begun, self.there, self.gone, self.ended = (self.array(n, "bool") for n in ("begun", "there", "gone", "ended"))
        self.rank, self.value, self.owner = self.array("rank", "int"), self.array("value", "int"), self.array("owner", "tid")
        for op in ops:
            self.record(op)
        count = len(ops)
        for i in range(count):
            if ops[i].role and ops[i].role["kind"] == "inserts":
                self.insertion(ops[i], program.operations[i])
            elif ops[i].role:
                self.removal(ops[i], program.operations[i])
        for op in ops[count:]:
            hoist(op)

    def drawn(self):
        arrays = {}
        for op in self.program.operations:
            for p, step in enumerate(op.steps if op.role and op.role["kind"] == "inserts" else []):
                found = self.draws(step.statements)
                if found:
                    g, local = found
                    if g not in arrays:
                        arrays[g] = self.array("drew_" + self.program.globals[g][0], self.kind)
                    self.write(op, p, arrays[g], local, ("local", op.role["element"]))

    def draws(self, statements):
        for i, s in enumerate(statements):
            if s[0] != "set" or s[1][0] != "local" or s[2][0] != "global":
                continue
            for t in statements[i + 1:]:
                if t[0] == "set" and t[1] == s[2] and t[2][0] == "+" and t[2][1] == s[2] and t[2][2][0] == "num" and \
                        t[2][2][1] > 0:
                    return s[2][1], s[1]
        return None

    def rank_of(self, op):
        return ("local", op.role["rank"]) if op.role["rank"] >= 0 else self.now

    def present(self, element):
        return ("and", cell_is(self.there, element, 1), cell_is(self.gone, element, 0))

    def record(self, op):
        role = op.role
        if not role:
            return
        own, one = ("local", role["element"]), ("num", 1)
        if role["kind"] == "removes":
            self.write(op, role["step"], self.gone, own, one)
            return
        self.write(op, 0, self.begun, own, one)
        self.write(op, 0, self.owner, own, ("id",))
        self.write(op, 0, self.value, own, ("local", role["value"]))
        self.write(op, role["step"], self.there, own, one)
        self.write(op, role["step"], self.rank, own, self.rank_of(op))
        if role["rank"] < 0:
            op.steps[role["step"]].statements.append(("set", self.now, ("+", self.now, one)))
        self.write(op, len(op.steps) - 1, self.ended, own, one)

    def observer(self, op, original, witness, require):
        seen = copy.deepcopy(op)
        seen.name, seen.observer, seen.ensures, seen.walks = op.name + (".observed" if witness else ".late"), True, [], []
        other = ("local", len(op.locals))
        for step, old in zip(seen.steps, original.steps):
            looks = witness and any(f[0] == "each" and f[1] == self.kind for f in old.guards)
            step.guards = []
            for f in old.guards:
                if f[0] != "each" and (not looks or pure(f)):
                    step.guards.append(f)
                elif looks and f[0] == "each" and f[1] == self.kind:
                    step.guards.append(instantiate(f[2], other))
        if witness:
            seen.locals = seen.locals + [("other", self.kind)]
        seen.steps[0].guards += require
        self.program.operations.append(seen)
        return seen

    def insertion(self, op, original):
        role = op.role
        own, rank, any_, step = ("local", role["element"]), self.rank_of(op), ("any", 0), role["step"]
        not_taken = cell_is(self.gone, own, 0)
        self.owe(op, 0, cell_is(self.begun, own, 0))
        another = ("and", self.present(any_), ("!=", any_, own))
        self.owe(op, step, ("=>", ("and", not_taken, another), ("!=", ("cell", self.rank, any_), rank)), True)
        other = ("local", len(op.locals))
        seen = self.observer(op, original, True, [self.present(other)])
        self.owe(seen, step, ("=>", not_taken, ("<", ("cell", self.rank, other), rank)))

    def removal(self, op, original):
        role = op.role
        own, other, step = ("local", role["element"]), ("local", len(op.locals)), role["step"]
        self.owe(op, step, cell_is(self.begun, own, 1))
        self.owe(op, step, cell_is(self.gone, own, 0))
        self.owe(op, step, ("=", ("cell", self.value, own), ("local", role["value"])))
        own_rank, other_rank = ("cell", self.rank, own), ("cell", self.rank, other)
        if self.program.discipline == "stack":
            seen = self.observer(op, original, True, [cell_is(self.begun, other, 1), cell_is(self.ended, own, 1)])
            self.owe(seen, step, ("=>", self.present(other), ("<=", other_rank, own_rank)))
            return
        seen = self.observer(op, original, True, [cell_is(self.there, other, 1)])
        self.owe(op, step, cell_is(self.there, own, 1))
        self.owe(seen, step, ("=>", cell_is(self.gone, other, 0), ("<=", own_rank, other_rank)))
        late = self.observer(op, original, False, [cell_is(self.begun, own, 0)])
        self.owe(late, step, ("not", ("true",)))


# ---- pairs ----

def waits(program, op):
    return next((o.meets for o in program.operations if o.meets and o.meets["other"] == op.name), None)


def begins_like(program, op, pairing):
    """(how many steps, the one that waits, locals of that as locals of OP)"""
    best = (0, None, {})
    if op.meets or waits(program, op):
        return best
    for other in program.operations:
        if waits(program, other):
            pairs, common = pairing(op, other)
            count = min(common, len(op.steps) - 1)
            if count > best[0]:
                best = (count, other, {b: a for a, b in pairs.items()})
    return best


class Pairs(Ghosts):
    def __init__(self, program, pairing):
        super().__init__(program)
        self.waits, self.met = self.array("waits", "bool"), self.array("met", "bool")
        self.passed, self.owner = self.array("passed", "int"), self.array("owner", "tid")
        for op, original in zip(self.program.operations, program.operations):
            meeting = waits(program, original)
            count, waiting, to_own = begins_like(program, original, pairing)
            if meeting:
                last, token = len(op.steps) - 1, ("local", op.find(meeting["token"]))
                self.begin(op, token)
                self.write(op, last, self.waits, token, ("num", 0))
                self.owe(op, last, cell_is(self.met, token, 1))
                self.owe(op, last, ("=", ("cell", self.passed, token), ("local", op.find(meeting["given"]))))
            if op.meets:
                step, token = op.meets["step"], ("local", op.meets["own_token"])
                self.write(op, step, self.met, token, ("num", 1))
                self.write(op, step, self.passed, token, ("local", op.meets["own_given"]))
                self.owe(op, step, cell_is(self.waits, token, 1))
                self.owe(op, step, cell_is(self.met, token, 0))
            if count:
                if not op.internal:
                    raise Refused("text: %s begins like one that waits" % op.name)
                local = to_own.get(waiting.find(waits(program, waiting)["token"]))
                if local is not None:
                    self.begin(op, ("local", local))
                    self.write(op, count, self.waits, ("local", local), ("num", 0))
                    self.owe(op, count, cell_is(self.met, ("local", local), 0))
        for op in program.operations:
            if op.meets:
                of, other = waits(program, program.named(op.meets["other"])), program.named(op.meets["other"])
                if (of["token"], of["given"]) != (op.meets["token"], op.meets["given"]) or other.meets or \
                        other.internal or op.internal:
                    raise Refused("text: %s can't be met so" % other.name)

    def begin(self, op, token):
        self.write(op, 0, self.waits, token, ("num", 1))
        self.write(op, 0, self.owner, token, ("id",))
        self.owe(op, 0, cell_is(self.waits, token, 0))
        self.owe(op, 0, cell_is(self.met, token, 0))


def split(program, pairing):
    """The steps of operations that meet are operations of their own, without effect."""
    done = copy.copy(program)
    done.operations = []
    for op in program.operations:
        if not (op.meets or waits(program, op) or begins_like(program, op, pairing)[0]):
            done.operations.append(op)
            continue
        for step in op.steps:
            one = copy.copy(op)
            one.name = one.method = "%s.%s" % (op.name, step.label)
            one.steps, one.internal, one.ensures, one.walks, one.meets = [step], True, [], [], None
            done.operations.append(one)
    return done


# ---- enlarged: another program with all results of the first, of which more is known ----

def swapped(x, local, by):
    if not isinstance(x, tuple):
        return x
    return by if x == ("local", local) else tuple(swapped(y, local, by) for y in x)


def touches(x):
    return isinstance(x, tuple) and (x[0] in ("field", "live") or any(touches(y) for y in x[1:]))


def claimed(step):
    """What a model claims is to be shown; ..."""
    return any(x[-1] == "claimed" for x in step.guards + step.statements)


def touching(step):
    """... and what it may do wrong."""
    return any(touches(x) for x in step.guards + step.statements)


class Enlarged:
    def __init__(self, program, idle=False, needed=True):
        self.program = p = copy.deepcopy(program)
        self.owner, self.exact = -1, (program.model or program.manual) and not idle
        for op in p.operations:
            if not op.ensures and not op.walks:
                if idle:
                    self.empty(op)
                self.cut(op)
                for local in range(len(op.locals)):
                    self.replace(op, local)
                for local in reversed(range(len(op.locals))):
                    self.forget(op, local)
            for step in op.steps:
                self.number(op, step)
        for op in p.operations:
            self.own(op)
        for op in p.operations:
            self.disown(op)
        for g in range(len(p.globals)):
            self.hold(g)
        steps = [[[vars(step) for step in op.steps] for op in q.operations] for q in (p, program)]
        if needed and steps[0] == steps[1]:
            raise Refused("the enlarged program is the same")

    def named(self, op, local):
        return local in op.ports or any(mentions(f, {local}) for f in op.asserted)

    def empty(self, op):
        """Steps that only read and that nothing needs ask for nothing."""
        stays = [step.writes() or claimed(step) for step in op.steps]

        def needed(step):
            return any(uses(step, l) and (self.named(op, l) or any(s and uses(t, l) for s, t in zip(stays, op.steps)))
                       for l in range(len(op.locals)))

        while any(not s and needed(step) for s, step in zip(stays, op.steps)):
            stays = [s or needed(step) for s, step in zip(stays, op.steps)]
        for s, step in zip(stays, op.steps):
            if not s:
                step.guards, step.statements = [], []

    def first_use(self, op, local):
        return next((i for i, step in enumerate(op.steps) if uses(step, local)), len(op.steps))

    def cut(self, op):
        """Reads at the end are left out, if what the caller sees is known before."""
        last = max((i for i, step in enumerate(op.steps) if step.writes() or claimed(step) or (self.exact and touching(step))),
                   default=len(op.steps))
        if last + 1 >= len(op.steps):
            return
        before = list(op.steps[last].statements)
        for i in range(last + 1, len(op.steps)):
            for s in op.steps[i].statements:
                known = s[0] == "set" and s[1][0] == "local" and pure(s[2]) and self.first_use(op, s[1][1]) == i and all(
                    self.first_use(op, l) <= last for l in range(len(op.locals)) if mentions(s[2], {l}))
                if known:
                    op.steps[last].statements.append(s)
        if any(self.named(op, l) and last < self.first_use(op, l) < len(op.steps) for l in range(len(op.locals))):
            op.steps[last].statements = before
        else:
            del op.steps[last + 1:]

    def replace(self, op, local):
        """A local that one step sets and then only tests, before it writes, is what it read."""
        users = [step for step in op.steps if uses(step, local)]
        if len(users) != 1 or self.named(op, local) or any(mentions(f, {local}) for f in users[0].guards):
            return
        statements, setter, used, wrote = users[0].statements, None, False, False
        for i, s in enumerate(statements):
            if mentions(s, {local}):
                if setter is None and s[:2] == ("set", ("local", local)) and not mentions(s[2], {local}):
                    setter = i
                elif setter is None or wrote or s[0] != "assume" or s[1][0] == "none":
                    return
                else:
                    used = True
            if setter is not None:
                wrote |= s[0] in ("new", "free") or (s[0] == "set" and s[1][0] != "local")
        if used:
            read = statements[setter][2]
            users[0].statements = [swapped(s, local, read) for i, s in enumerate(statements) if i != setter]

    def forget(self, op, local):
        """A read into a local that nothing else uses is left out."""
        users = [x for step in op.steps for x in step.guards + step.statements if mentions(x, {local})]
        if not self.named(op, local) and len(users) == 1 and users[0][:2] == ("set", ("local", local)) and \
                not (self.exact and touches(users[0][2])):
            for step in op.steps:
                step.statements = [s for s in step.statements if s != users[0]]

    def rank(self, structure):
        found = [i for i, (s, _, kind) in enumerate(self.program.fields) if (s, kind) == (structure, "rank")]
        if not found:
            self.program.fields.append((structure, "rank", "rank"))
        return found[0] if found else len(self.program.fields) - 1

    def number(self, op, step):
        """Where a new node is appended behind another, its rank is one more."""
        done = []
        for s in step.statements:
            if s[0] == "set" and s[1][0] == "field" and s[2][0] == "local" and ("new", s[2][1]) in step.statements and \
                    op.locals[s[2][1]][1] == self.program.fields[s[1][1]][0] and not mentions(s[1], {s[2][1]}):
                rank = self.rank(op.locals[s[2][1]][1])
                done.append(("set", ("field", rank, s[2]), ("+", ("field", rank, s[1][2]), ("num", 1))))
            done.append(s)
        step.statements = done

    def own(self, op):
        """What is freed in a later step than it was last changed with has an owner from then on."""
        def takes(step, local):
            sources = [s[2] for t in op.steps for s in t.statements
                       if s[:2] == ("set", ("local", local)) and s[2][0] == "global"]
            return (step.writes() and uses(step, local)) or any(s[:2] == ("set", source) for s in step.statements
                                                                for source in sources[:1])

        for k, step in enumerate(op.steps):
            for s in step.statements:
                takers = [i for i in range(k) if takes(op.steps[i], s[1])] if s[0] == "free" else []
                if not takers:
                    continue
                structure = op.locals[s[1]][1]
                if self.owner < 0:
                    self.owner = len(self.program.fields)
                    self.program.fields.append((structure, "owner", "tid"))
                if self.program.fields[self.owner][0] == structure:
                    op.steps[takers[-1]].statements.append(("set", ("field", self.owner, ("local", s[1])), ("id",)))

    def hold(self, g):
        """A number that an operation sets and then sets back to 0 has a holder meanwhile."""
        def sets(s, zero):
            return s[0] == "set" and s[1] == ("global", g) and s[2][0] == "num" and (s[2][1] == 0) == zero

        def lock(op):
            firsts = [i for i, step in enumerate(op.steps) if any(sets(s, False) for s in step.statements)]
            return firsts and any(sets(s, True) for step in op.steps[firsts[0] + 1:] for s in step.statements)

        if self.program.globals[g][1] not in ("int", "bool") or not any(lock(op) for op in self.program.operations):
            return
        holder = ("global", len(self.program.globals))
        self.program.globals.append((self.program.globals[g][0] + ".holder", "tid"))
        for op in self.program.operations:
            for step in op.steps:
                step.statements += [("set", holder, ("id",) if sets(s, False) else ("num", 0)) for s in step.statements
                                    if sets(s, False) or sets(s, True)]

    def disown(self, op):
        for step in op.steps if self.owner >= 0 else []:
            step.statements += [("set", ("field", self.owner, ("local", s[1])), ("num", 0)) for s in step.statements
                                if s[0] == "new" and op.locals[s[1]][1] == self.program.fields[self.owner][0]]
