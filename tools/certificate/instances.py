"""A question of a certificate without quantifiers: what is assumed for all values is assumed of those that the question names.

Sound: an assumption is only replaced by what follows from it, and the unknown value that a goal speaks of by a constant. So
if the script that is left is unsatisfiable, the question is; the other way round says nothing. Each part of a goal is asked
by itself. A value is of one of several classes, found by unifying what is compared, stored or looked up with each other;
a quantifier ranges over the values of its class."""

import itertools

QUANTIFIERS = ("forall", "exists")
SIGNS = {"+", "-", "*", "mod", "div", "ite", "=", "<", "<=", "select", "store", "remainder"}


def frozen(x):
    return x if isinstance(x, str) else tuple(frozen(y) for y in x)


def words(x, memo={}):
    if isinstance(x, str):
        return x
    found = memo.get(x)
    if found is None:
        if len(memo) > 400000:
            memo.clear()
        found = memo[x] = "(" + " ".join(words(y) for y in x) + ")"
    return found


def replaced(x, by):
    if isinstance(x, str):
        return by.get(x, x)
    if x and x[0] in QUANTIFIERS:
        bound = {b[0] for b in x[1]}
        return x[:2] + (replaced(x[2], {n: t for n, t in by.items() if n not in bound}),)
    return tuple(replaced(y, by) for y in x)


def both(parts):
    kept = []
    for p in parts:
        if p == "false":
            return "false"
        if isinstance(p, tuple) and p[0] == "and":
            kept += p[1:]
        elif p != "true":
            kept.append(p)
    return "true" if not kept else kept[0] if len(kept) == 1 else ("and",) + tuple(kept)


def negated(f):
    if f in ("true", "false"):
        return "false" if f == "true" else "true"
    return f[1] if f[0] == "not" else ("not", f)


def either(parts):
    return negated(both([negated(p) for p in parts]))


def either_of(formulas):
    return "false" if not formulas else formulas[0] if len(formulas) == 1 else ("or",) + tuple(formulas)


def quantified(x, memo={}):
    if isinstance(x, str):
        return False
    found = memo.get(x)
    if found is None:
        if len(memo) > 400000:
            memo.clear()
        found = memo[x] = x[0] in QUANTIFIERS or any(quantified(y) for y in x)
    return found


def names_in(x, name):
    return x == name if isinstance(x, str) else any(names_in(y, name) for y in x)


def one_point(f):
    """The same formula: a value that exists and is equal to some term is that term."""
    if quantified(f[2]):
        return f  # what is bound inside may have the name of something in the term
    left, parts = list(f[1]), list(f[2][1:]) if isinstance(f[2], tuple) and f[2][0] == "and" else [f[2]]
    for bound in f[1]:
        for p in parts:
            x, t = p[1:] if isinstance(p, tuple) and p[0] == "=" else (None, None)
            if t == bound[0]:
                x, t = t, x
            if x == bound[0] and not names_in(t, x):
                left.remove(bound)
                parts = [replaced(q, {x: t}) for q in parts if q is not p]
                break
    body = both(parts)
    return ("exists", tuple(left), body) if left else body


class Classes:
    """Which values may be compared: of a part x of the state its values ("v", x), of an array where it is looked up ("d", x)."""

    def __init__(self):
        self.up = {}

    def find(self, s):
        top = s
        while top in self.up:
            top = self.up[top]
        while s != top:
            self.up[s], s = top, self.up[s]
        return top

    def join(self, s, t):
        if s and t:
            s, t = self.find(s), self.find(t)
            if s != t:
                self.up[s] = t
        return s or t

    def of(self, x, bound, seen=None):
        """The class of an integer or the part that an array is a version of; SEEN collects what is looked up."""
        if isinstance(x, str):
            if x in bound:
                return bound[x]
            return ("v", x.strip("|").split("@")[0]) if x[0] == "|" else None
        if x[0] == "select":
            part, at = self.part(x[1], bound, seen), self.of(x[2], bound, seen)
            self.look(part, x[2], at, seen)
            return ("v", part)
        if x[0] == "remainder":
            at = self.of(x[1], bound, seen)
            self.look("remainder", x[1], at, seen)
            return ("v", "remainder")
        slots = [self.of(y, bound, seen) for y in x[1:]]
        return self.join(*slots) if len(slots) == 2 else slots[0]

    def look(self, part, term, at, seen):
        if part not in ("allocated", "maker"):  # these are looked up with nodes of all structures
            self.join(("d", part), at)
        if seen is not None:
            seen.setdefault(term, at)

    def part(self, x, bound, seen):
        if isinstance(x, str):
            return x.strip("|").split("@")[0]
        if x[0] == "store":
            part = self.part(x[1], bound, seen)
            at = self.of(x[2], bound, seen)
            self.look(part, x[2], at, seen)
            self.join(("v", part), self.of(x[3], bound, seen))
            return part
        return "const"

    def formula(self, f, bound, seen=None):
        if isinstance(f, str):
            return
        if f[0] in QUANTIFIERS:
            self.formula(f[2], dict(bound, **{b[0]: ("b", words(f), b[0]) for b in f[1]}), None)
        elif f[0] == "=" and self.is_array(f[1]):
            self.part(f[1], bound, seen)
            self.part(f[2], bound, seen)
        elif f[0] in ("=", "<", "<=") and not self.is_formula(f[1]):
            self.join(self.of(f[1], bound, seen), self.of(f[2], bound, seen))
        else:
            for g in f[1:]:
                self.formula(g, bound, seen)

    arrays = frozenset()

    def is_array(self, x):
        return x in self.arrays or (isinstance(x, tuple) and (x[0] == "store" or isinstance(x[0], tuple)))

    def is_formula(self, x):
        return isinstance(x, tuple) and x[0] not in SIGNS - {"=", "<", "<="}


class Question:
    """AROUND: commands of the section; OWN: those of the question, the last being its goal and (check-sat)."""

    def __init__(self, around, own):
        self.macros, self.declared, self.classes, self.named, self.count = {}, [], Classes(), {}, 0
        self.arrays, asserted, self.versions, constants = set(), [], [], []
        for c in [frozen(c) for c in list(around) + list(own)]:
            if c[0] == "define-fun" and c[2]:
                self.macros[c[1]] = ([p[0] for p in c[2]], c[4])
            elif c[0] == "assert":
                asserted.append(c[1])
            elif c[0] in ("define-fun", "declare-const", "declare-fun"):
                self.declared.append(c)
                sort = c[3] if c[0] == "define-fun" else c[2]
                if c[0] == "define-fun":
                    self.versions.append(c)
                if sort != "Int":
                    self.arrays.add(c[1])
                elif c[0] == "declare-const":
                    constants.append(c[1])
        self.parts, self.assumed = [], []
        self.split(self.open(asserted.pop()[1]), self.parts)
        for f in asserted:
            self.split(self.open(f), self.assumed)
        there = set(self.assumed)
        self.parts = [f for f in self.parts if f not in there]
        self.classes.arrays = self.arrays
        for f in self.assumed + self.parts:
            self.classes.formula(f, {})
        plain = [self.ground(f, True) for f in self.assumed]
        self.written = {}
        for c in self.versions:
            if c[3] == "Int":
                self.classes.join(("v", c[1].strip("|").split("@")[0]), self.classes.of(c[4], {}))
            else:
                self.classes.part(c[4], {}, self.written)
        self.values = dict(self.written)
        text = " ".join(words(f) for f in plain + self.versions)
        for f in plain:
            self.classes.formula(f, {}, self.values)
        for name in constants + self.fresh_names():
            if name in text:
                self.values.setdefault(name, ("v", name.strip("|").split("@")[0]))

    def fresh_names(self):
        return [n for names in self.named.values() for n in names]

    def open(self, f):
        """Without the names of facts."""
        if isinstance(f, str):
            return f
        if isinstance(f[0], str) and f[0] in self.macros:
            parameters, body = self.macros[f[0]]
            return self.open(replaced(body, dict(zip(parameters, f[1:]))))
        opened = tuple(self.open(g) for g in f) if any(not isinstance(g, str) for g in f) else f
        return one_point(opened) if opened[0] == "exists" else opened

    def split(self, f, out):
        if isinstance(f, tuple) and f[0] == "and":
            for g in f[1:]:
                self.split(g, out)
        elif f != "true":
            out.append(f)

    def ground(self, f, positive, choose=None):
        """What follows from F (or from not F), without quantifiers. CHOOSE: the values to take for the variables that F binds;
        None: no instances."""
        if not quantified(f):
            return f if positive else negated(f)
        kind = f[0]
        if kind == "not":
            return self.ground(f[1], not positive, choose)
        if kind in ("and", "or"):
            parts = [self.ground(g, positive, choose) for g in f[1:]]
            return both(parts) if (kind == "and") == positive else either(parts)
        if kind == "=>":
            return self.ground(("or", ("not", f[1]), f[2]), positive, choose)
        if kind == "=":
            return self.ground(("and", ("=>", f[1], f[2]), ("=>", f[2], f[1])), positive, choose)
        names = [b[0] for b in f[1]]
        if (kind == "exists") == positive:
            key = words(f)
            if key not in self.named:
                self.count += 1
                self.named[key] = ["|some%d.%d|" % (self.count, i) for i in range(len(names))]
                for name, new in zip(names, self.named[key]):
                    self.classes.join(("v", new.strip("|")), ("b", key, name))
            return self.ground(replaced(f[2], dict(zip(names, self.named[key]))), positive, choose)
        chosen = choose([("b", words(f), n) for n in names]) if choose else []
        return both([self.ground(replaced(f[2], dict(zip(names, values))), positive, choose) for values in chosen])

    def instances(self, formulas, values, pairs, fresh):
        """FORMULAS for all VALUES, for all PAIRS those that bind two variables; if FRESH, only where one of these is named."""
        tables = []
        for table in (values, pairs):
            by_class = {}
            for term, slot in table.items():
                by_class.setdefault(self.classes.find(slot) if slot else None, []).append(term)
            tables.append(by_class)

        def choose(slots):
            by_class = tables[len(slots) - 1] if len(slots) < 3 else tables[1]
            found = []
            for slot in slots:
                slot = self.classes.find(slot)
                found.append([t for ts in by_class.values() for t in ts] if slot[0] == "b" else
                             by_class.get(slot, []) + by_class.get(None, []))
            if fresh is None:
                return list(itertools.product(*found))
            made = []  # each with at least one fresh value, once
            for i in range(len(found)):
                old = [[t for t in ts if t not in fresh] for ts in found[:i]]
                made += itertools.product(*old, [t for t in found[i] if t in fresh], *found[i + 1:])
            return made

        out = []
        for f in formulas:
            if fresh is None or quantified(f):
                self.split(self.ground(f, True, choose), out)
        return list(dict.fromkeys(out))

    def looked_up(self, formulas, known):
        seen = {}
        for f in formulas:
            self.classes.formula(f, {}, seen)
        return {t: s for t, s in seen.items() if t not in known}

    def refuted(self, parts):
        """That one of the parts does not hold. Parts for all values speak of the same unknown ones."""
        opened = []
        for f in parts:
            if isinstance(f, tuple) and f[0] == "forall":
                by = {}
                for i, (name, _) in enumerate(f[1]):
                    slot = self.classes.find(("b", words(f), name))
                    by[name] = "|unknown%d %s|" % (i, "-".join(slot).replace("|", ""))
                    self.named[by[name]] = [by[name]]
                    self.classes.join(("v", by[name].strip("|")), slot)
                f = replaced(f[2], by)
            opened.append(("not", f))
        return either_of(opened)

    def script(self, groups, level):
        """Commands that ask for each of these groups of parts of the goal; the higher the LEVEL, the more is assumed."""
        values, pairs = dict(self.values), self.written if level == 0 else self.values
        base = self.instances(self.assumed, values, pairs, None)
        if level > 1:
            values.update(self.looked_up(base, values))
            base = self.instances(self.assumed, values, pairs if level == 2 else values, None)
        out = ["(push 1)"] + [words(c) for c in self.declared] + declared(self.fresh_names()) + asserted(base)
        for group in groups:
            before = dict(self.named)
            goal = self.refuted([self.parts[n] for n in group])
            new = self.looked_up([self.ground(goal, True)], values)
            new.update({n: ("v", n.strip("|")) for key in self.named if key not in before for n in self.named[key]})
            everything, some = {**values, **new}, {**pairs, **new}
            own = [self.ground(goal, True, lambda slots: [])]
            more = self.instances(self.assumed + [goal], everything, some, new)
            late = [n for key in self.named if key not in before for n in self.named[key]]
            out += ["(push 1)"] + declared(late) + asserted(own + more) + ["(check-sat)", "(pop 1)"]
            self.named = before
        return out + ["(pop 1)"]


def declared(names):
    return ["(declare-const %s Int)" % n for n in names]


def asserted(formulas):
    return ["(assert %s)" % words(f) for f in formulas if f != "true"]
