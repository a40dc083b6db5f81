"""The questions of doc/proofs/certificate.md, made from the text and the choices of a certificate: a list of commands of
SMT-LIB as nested lists of words. Facts are names here: their definitions are the certificate's."""
from text import Refused, Step, Operation

ARRAY = ["Array", "Int", "Int"]


def number(n):
    return str(n) if n >= 0 else ["-", str(-n)]


class Speaker:
    """An instance of an operation: its locals are constants that end in .u, .v, ..."""

    def __init__(self, op, who, names=None, abstract=False):
        self.op, self.who, self.abstract = op, who, abstract
        self.names = names or ["|%d.%s.%s|" % (i, n, who) for i, (n, _) in enumerate(op.locals)]
        self.id = "|ID.%s|" % who


class Maker:
    """CHOICES: weak {(operation, step)}, manner [(operation, prefix, manner)], effect {operation: step}, witness
    {array of the specification: structure}, position [structure]; RELATED: there is a relation."""

    def __init__(self, program, choices, related):
        self.p, self.choices, self.related = program, choices, related
        self.spec = program.specification if related else None
        names = [n for n, _ in program.globals]
        fields = ["%s.%s" % (s, n) for s, n, _ in program.fields]
        arrays = ["%s[]" % n for n, _ in program.arrays]
        self.own = set(names + fields + arrays + ["maker", "allocated"])
        self.size = names[program.size] if program.size >= 0 else None
        if related:
            names += ["spec." + n for n, _ in self.spec.globals]
            fields += [s + ".position" for s in choices["position"]]
            arrays += ["spec.%s[]" % n for n, _ in self.spec.arrays]
            arrays += [n + ".nodes[]" for n in choices["witness"]]
        if choices["weak"] - {(op.name, i) for op in program.operations for i in range(len(op.steps))}:
            raise Refused("no such step to be weakened")
        for op in program.operations:
            for i, step in enumerate(op.steps):
                if (op.name, i) in choices["weak"] and (step.writes() or i + 1 == len(op.steps)):
                    raise Refused("step %d of %s can't be weakened" % (i, op.name))
                if any(f[0] == "each" for f in step.guards):
                    raise Refused("text: `each' outside of a proof by ranks")
        self.parts = names + fields + arrays + ["maker", "allocated"]
        if len(set(self.parts)) != len(self.parts):
            raise Refused("text: two parts of the state have one name")
        self.sort = {n: "Int" if n in names else ARRAY for n in self.parts}
        self.out, self.goal, self.inlined = [], None, False

    # ---- words ----

    def base(self):
        return {n: "|%s|" % n if n == self.size else "|%s@0|" % n for n in self.parts}

    def expr(self, state, who, e):
        kind = e[0]
        if kind == "num":
            return number(e[1])
        if kind == "id":
            return who.id
        if kind == "local":
            return who.names[e[1]]
        if kind == "any":
            return "|any|" if e[1] == 0 else "|any1|"
        if kind == "wrap":
            return ["remainder", self.expr(state, who, e[1])]
        if kind in "%/":
            a, n, sign = self.expr(state, who, e[1]), number(e[2][1]), "mod" if kind == "%" else "div"
            return ["ite", ["<=", "0", a], [sign, a, n], ["-", [sign, ["-", a], n]]]
        if kind in "+-*":
            return [kind, self.expr(state, who, e[1]), self.expr(state, who, e[2])]
        part = state[self.part(who, e)]
        return part if kind == "global" else ["select", part, self.expr(state, who, e[2])]

    def part(self, who, e):
        program = self.spec if who.abstract else self.p
        prefix = "spec." if who.abstract else ""
        if e[0] == "global":
            return self.size if who.abstract and e[1] == program.size else prefix + program.globals[e[1]][0]
        if e[0] == "field":
            return "%s.%s" % program.fields[e[1]][:2]
        return "%s%s[]" % (prefix, program.arrays[e[1]][0])

    def live(self, state, node):
        return ["and", ["not", ["=", node, "0"]], ["=", ["select", state["allocated"], node], "1"]]

    def formula(self, state, who, f):
        kind = f[0]
        if kind == "true":
            return "true"
        if kind == "live":
            return self.live(state, self.expr(state, who, f[1]))
        if kind in ("none", "each"):
            inner = self.formula(state, who, f[2])
            return ["forall", [["|any|", "Int"]], ["not", ["not", inner] if kind == "each" else inner]]
        if kind == "not":
            return ["not", self.formula(state, who, f[1])]
        if kind in ("and", "or", "=>"):
            return [kind, self.formula(state, who, f[1]), self.formula(state, who, f[2])]
        l, r = self.expr(state, who, f[1]), self.expr(state, who, f[2])
        return ["not", ["=", l, r]] if kind == "!=" else [kind, l, r]

    # ---- commands ----

    def begin(self, name):
        self.last = dict.fromkeys(self.parts, 0)
        self.out += [["push", "1"], ["set-info", ":question", '"%s"' % name]]

    def refute(self, goal):
        self.out += [["assert", ["not", goal]], ["check-sat"], ["pop", "1"]]

    def say(self, term):
        if self.goal is None:
            self.out.append(["assert", term])
        else:
            self.goal.append(term)

    def speaker(self, op, who, other=None):
        s = Speaker(op, who)
        for name in [s.id] + s.names:
            self.out.append(["declare-const", name, "Int"])
        if who != "i":
            self.say(["<", "1", s.id])
        if other:
            self.say(["not", ["=", s.id, other.id]])
        return s

    def apply(self, name, state, who=None, everything=False):
        parts = [state[n] for n in self.parts if n != self.size and (everything or n in self.own)]
        return ["|%s|" % name] + parts + ([who.id] + who.names if who else [])

    def known(self, state):
        return self.apply("G", state)

    def relation(self, state):
        return self.apply("R", state, None, True)

    def point(self, letter, state, who, point):
        if point == 0 or point >= len(who.op.steps):
            return "true"
        return self.apply("%s.%s.%d" % (letter, who.op.name, point), state, who)

    # ---- runs ----

    def defined(self, state, who, x):
        """What is read is no field of NULL, inner expressions first."""
        if x[0] in ("none", "each"):
            return
        for part in x[1:]:
            if isinstance(part, tuple):
                self.defined(state, who, part)
        if x[0] == "field":
            self.say(["not", ["=", self.expr(state, who, x[2]), "0"]])

    def guard(self, state, who, f):
        self.defined(state, who, f)
        self.say(self.formula(state, who, f))

    def set(self, state, part, term):
        if self.inlined:
            state[part] = term
            return
        self.last[part] += 1
        name = "|%s@%d|" % (part, self.last[part])
        self.out.append(["define-fun", name, [], self.sort[part], term])
        state[part] = name

    def store(self, state, part, index, value):
        self.set(state, part, ["store", state[part], index, value])

    def statement(self, state, who, s):
        if s[0] == "assume":
            self.guard(state, who, s[1])
        elif s[0] in ("new", "free"):
            node = who.names[s[1]]
            if s[0] == "new":
                self.say(["<", "0", node])
                self.say(["not", ["=", ["select", state["allocated"], node], "1"]])
            self.store(state, "allocated", node, "1" if s[0] == "new" else "0")
            if s[0] == "new":
                self.store(state, "maker", node, who.id)
        else:
            self.defined(state, who, s[1])
            self.defined(state, who, s[2])
            value = self.expr(state, who, s[2])
            if s[1][0] == "local":
                self.say(["=", who.names[s[1][1]], value])
            elif s[1][0] == "global":
                self.set(state, self.part(who, s[1]), value)
            else:
                self.store(state, self.part(who, s[1]), self.expr(state, who, s[1][2]), value)

    def step(self, state, who, step):
        for f in step.guards:
            self.guard(state, who, f)
        for s in step.statements:
            self.statement(state, who, s)

    def run(self, state, who, first, end, weak=False):
        for i in range(first, end):
            if weak and (who.op.name, i) in self.choices["weak"]:
                self.say(self.point("F", state, who, i + 1))
            else:
                self.step(state, who, who.op.steps[i])

    def collect(self, function):
        self.goal = ["and", "true"]
        function()
        goal, self.goal = self.goal, None
        return goal

    def swaps(self, start, end, a, a0, a1, b, b0, b1):
        other = dict(start)

        def run():
            self.run(other, b, b0, b1, True)
            self.run(other, a, a0, a1, True)
            for n in self.parts:
                if other[n] != end[n]:
                    self.say(["=", end[n], other[n]])

        return self.collect(run)

    # ---- 1: facts ----

    def initial(self, relation):
        self.begin("the relation holds at the beginning" if relation else "the facts hold at the beginning")
        state = self.base()
        for n in self.parts:
            if n != self.size:
                self.say(["=", state[n], "0" if self.sort[n] == "Int" else [["as", "const", ARRAY], "0"]])
        own, spec = self.p.initial, self.spec.initial if self.related else None
        both = Operation("init")
        both.locals = own.locals + (spec.locals if spec else [])
        who = self.speaker(both, "i")
        for step in own.steps:
            self.step(state, Speaker(own, "i", who.names), step)
        for step in spec.steps if spec else []:
            self.step(state, Speaker(spec, "i", who.names[len(own.locals):], True), step)
        self.refute(self.relation(state) if relation else self.known(state))

    def facts(self):
        self.initial(False)
        for op in self.p.operations:
            for i, step in enumerate(op.steps):
                self.begin("%s.%s keeps and reaches" % (op.name, step.label))
                start = self.base()
                u, end = self.speaker(op, "u"), dict(start)
                self.say(self.known(start))
                self.say(self.point("F", start, u, i))
                self.run(end, u, i, i + 1)
                self.refute(["and", "true" if op.observer else self.known(end), self.point("F", end, u, i + 1)])
        for op in self.p.operations:
            for other in self.p.operations:
                for i, step in enumerate(op.steps):
                    for q in range(1, len(other.steps)):
                        if step.writes() and not op.observer:
                            self.interference(op, i, other, q)

    def interference(self, op, i, other, q):
        self.begin("%s.%s keeps %s at %d" % (op.name, op.steps[i].label, other.name, q))
        start = self.base()
        u = self.speaker(op, "u")
        v, end = self.speaker(other, "v", u), dict(start)
        self.say(self.known(start))
        self.say(self.point("F", start, u, i))
        self.say(self.point("F", start, v, q))
        self.run(end, u, i, i + 1)
        self.refute(self.point("F", end, v, q))

    # ---- 2, 3: reordering ----

    def weakened(self):
        for op in self.p.operations:
            if not any((op.name, i) in self.choices["weak"] for i in range(len(op.steps))):
                continue
            self.begin("%s with weakened reads is real" % op.name)
            start = self.base()
            u = self.speaker(op, "u")
            self.say(self.known(start))
            self.run(dict(start), u, 0, len(op.steps), True)
            self.refute(self.collect(lambda: self.run(dict(start), u, 0, len(op.steps))))

    def exchange(self, right, op, other, x, w):
        """Steps X of OP's instance and W of OTHER's, in this order (RIGHT), or the other way round."""
        start = self.base()
        u = self.speaker(op, "u")
        v = self.speaker(other, "v", u)
        a, b = ((u, x), (v, w)) if right else ((v, w), (u, x))
        self.say(self.known(start))
        for who, steps in (a, b):
            self.say(self.point("F", start, who, steps[0]))
        middle = dict(start)
        self.run(middle, a[0], *a[1], True)
        self.say(self.known(middle))
        self.say(self.point("F", middle, a[0], a[1][1]))
        self.say(self.point("F", middle, b[0], b[1][0]))
        end = dict(middle)
        self.run(end, b[0], *b[1], True)
        self.refute(self.swaps(start, end, a[0], *a[1], b[0], *b[1]))

    def reorder(self):
        wanted = [(op.name, p) for op in self.p.operations for p in range(1, len(op.steps))]
        if [m[:2] for m in self.choices["manner"]] != wanted:
            raise Refused("not each beginning of each operation has one manner")
        self.weakened()
        for name, p, manner in self.choices["manner"]:
            op = self.p.named(name)
            if manner == "weak":
                if not all((name, i) in self.choices["weak"] for i in range(p)):
                    raise Refused("%s.%d is not weakened reads only" % (name, p))
            elif manner in ("right", "left"):
                for other in self.p.operations:
                    for i, step in enumerate(other.steps):
                        self.begin("%s.%d, %s and %s.%s" % (name, p, manner, other.name, step.label))
                        if manner == "right":
                            self.exchange(True, op, other, (0, p), (i, i + 1))
                        else:
                            self.exchange(False, op, other, (p, p + 1), (i, i + 1))
            elif manner in ("whole", "chain"):
                for other in self.p.operations:
                    for w in range(1, len(other.steps) + 1):
                        if manner == "chain":
                            self.chain(op, p, other, w)
                            continue
                        self.begin("%s.%d, whole and %s.%d" % (name, p, other.name, w))
                        self.exchange(True, op, other, (0, p), (0, w))
            else:
                raise Refused("unknown manner %s" % manner)

    def chain(self, op, p, other, w):
        for question in ("starts", "direct", "kept", "chain"):
            from_x = question in ("starts", "direct")
            self.begin("%s.%d, %s with %s.%d" % (op.name, p, question, other.name, w))
            start = self.base()
            u = self.speaker(op, "u")
            v = self.speaker(other, "v", u)
            self.say(self.known(start))
            middle = dict(start)
            if from_x:
                self.run(middle, u, 0, p, True)
                self.say(self.known(middle))
            else:
                self.say(self.point("F", start, u, p))
                self.say(self.point("K", start, u, p))
            end = dict(middle)
            self.run(end, v, 0, w, True)
            if from_x:
                self.say(["not", self.swaps(start, end, u, 0, p, v, 0, w)])
            if question in ("starts", "kept"):
                self.refute(self.point("K", end, u, p))
                continue
            self.run(end, u, p, p + 1, True)
            self.refute(self.swaps(middle, end, v, 0, w, u, p, p + 1))

    # ---- 5: serial runs ----

    def ways(self, op, prefix):
        """(way of the specification, operation that it is the way of, locals of that as locals of OP)"""
        for way in self.spec.operations:
            if op.internal:
                return
            if op.method == way.method:
                yield way, op, {i: i for i in range(len(op.locals))}
                continue
            for other in self.p.operations if prefix < len(op.steps) else []:
                pairs, common = pairing(op, other)
                if not other.internal and other.method == way.method and common >= prefix:
                    yield way, other, {b: a for a, b in pairs.items()}
                    break

    def effect(self, u, way, path, to_own):
        """The names of the way's locals, and which of them are its own."""
        names = ["|%d.%s.s|" % (i, n) for i, (n, _) in enumerate(way.locals)]
        own = [True] * len(names)
        for k, local in enumerate(way.ports):
            port = to_own.get(path.ports[k]) if k < len(path.ports) else None
            if port is not None and local >= 0:
                names[local], own[local] = u.names[port], False
        return names, own

    def do_effect(self, state, u, way, names, prefix, ghosts):
        who = Speaker(way, "s", names, True)
        for f in way.steps[0].guards:
            self.guard(state, who, f)
        for s in way.steps[0].statements:
            if ghosts and s[0] == "set" and s[1][0] == "cell":
                self.remember(state, u, who, prefix, s[1])
            self.statement(state, who, s)

    def remember(self, state, u, who, prefix, target):
        name = self.spec.arrays[target[1]][0]
        if name not in self.choices["witness"]:
            return
        made = [s[1] for step in u.op.steps[:prefix] for s in step.statements if s[0] == "new"]
        structure = self.choices["witness"][name]
        fits = made and u.op.locals[made[-1]][1] == structure
        node, at = u.names[made[-1]] if fits else "0", self.expr(state, who, target[2])
        self.store(state, name + ".nodes[]", at, node)
        if fits and structure in self.choices["position"]:
            self.store(state, structure + ".position", node, at)

    def can(self, state, u, way, path, to_own, prefix):
        names, own = self.effect(u, way, path, to_own)
        used = {x for step in u.op.steps[:prefix] for x in locals_of(step)}
        bound = []
        for l in range(len(names)):
            unfinished = prefix < len(u.op.steps) and not own[l]
            free = unfinished and u.names.index(names[l]) not in used and self.may_choose(u.op, u.names.index(names[l]))
            if own[l] or free:
                names[l] = "|%d.%s.s|" % (l, way.locals[l][0])
                bound.append([names[l], "Int"])
        self.inlined = True
        some = self.collect(lambda: self.do_effect(dict(state), u, way, names, prefix, False))
        self.inlined = False
        return ["exists", bound, some] if bound else some

    def may_choose(self, op, local):
        return not self.p.model or (op.ports and op.ports[0] == local)

    def related_run(self, op, prefix, words):
        self.begin("%s.%d %s" % (op.name, prefix, words))
        start = self.base()
        u = self.speaker(op, "u")
        self.say(self.known(start))
        self.say(self.relation(start))
        state = dict(start)
        self.run(state, u, 0, prefix, prefix < len(op.steps))
        return u, state

    def with_effects(self, op, prefix):
        for way, path, to_own in self.ways(op, prefix):
            u, state = self.related_run(op, prefix, "with %s keeps the relation" % way.name)
            names, own = self.effect(u, way, path, to_own)
            self.out += [["declare-const", n, "Int"] for n, o in zip(names, own) if o]
            self.do_effect(state, u, way, names, prefix, True)
            self.refute(self.relation(state))
        finished = prefix == len(op.steps)
        u, state = self.related_run(op, prefix, "is followed" if finished else "where nothing follows")
        some = ["or", "false"] + [self.can(state, u, *way, prefix) for way in self.ways(op, prefix)]
        if finished:
            self.refute(some)
            return
        self.say(["not", some])
        self.refute(self.relation(state))

    def alone(self, op, prefix):
        _, state = self.related_run(op, prefix, "alone keeps the relation")
        self.refute(self.relation(state))

    def seen_before(self, op, prefix):
        for other in self.p.operations:
            if other is op:
                return False
            weak = any((o.name, i) in self.choices["weak"] for o in (op, other)
                       for i in range(min(prefix, len(other.steps))))
            if not weak and not op.internal and not other.internal and prefix < len(other.steps) and \
                    pairing(op, other)[1] >= prefix:
                return True
        return False

    def serial(self):
        self.initial(True)
        for op in self.p.operations:
            for prefix in range(1, len(op.steps)):
                if self.seen_before(op, prefix):
                    continue
                if self.choices["effect"][op.name] <= prefix:
                    self.with_effects(op, prefix)
                elif any(step.writes() for step in op.steps[:prefix]):
                    self.alone(op, prefix)
            if op.internal:
                self.alone(op, len(op.steps))
            else:
                self.with_effects(op, len(op.steps))


    # ---- what the text claims, memory, ghosts ----

    def ensures(self):
        for op in self.p.operations:
            for i, (kind, parts) in enumerate(op.ensures):
                self.begin("%s ensures %d" % (op.name, i))
                start = self.base()
                u = self.speaker(op, "u")
                self.say(self.known(start))
                self.run(dict(start), u, 0, len(op.steps))
                formula = parts[0] if parts else ("true",)
                for f in parts[1:]:
                    formula = ("and", formula, f)
                formula = self.formula(start, u, formula)
                self.refute(["forall", [["|any|", "Int"]], ["not", formula]] if kind else formula)

    def all(self, state, who, formulas):
        return ["and", "true"] + [self.formula(state, who, f) for f in formulas]

    def walks(self):
        for op in self.p.operations:
            for i, walk in enumerate(op.walks):
                name = "walk %d of %s" % (i, op.name)
                if op.steps[0].writes():
                    raise Refused("text: the first step of %s writes" % op.name)
                self.walk_starts(op, walk, name)
                self.walk_goes_on(op, walk, name)
                for other in self.p.operations:
                    for p, step in enumerate(other.steps):
                        if step.writes():
                            self.walk_step(op, walk, name, other, p, None)
                self.walk_guards(op, i, walk, name)

    def link(self, state, walk, node):
        return ["select", state["%s.%s" % self.p.fields[walk["field"]][:2]], node]

    def walk_starts(self, op, walk, name):
        self.begin(name + " starts")
        s = self.base()
        u = self.speaker(op, "u")
        node = u.names[walk["local"]]
        self.say(self.known(s))
        self.say(["=", node, s[self.p.globals[walk["global"]][0]]])
        self.refute(["and", self.live(s, node), self.all(s, u, walk["keep"])])

    def walk_goes_on(self, op, walk, name):
        self.begin(name + " goes on")
        s = self.base()
        u = self.speaker(op, "u")
        w = self.speaker(op, "w", u)
        node, after = u.names[walk["local"]], w.names[walk["local"]]
        self.say(self.known(s))
        self.say(self.live(s, node))
        self.say(self.all(s, u, walk["keep"]))
        self.say(["=", after, self.link(s, walk, node)])
        self.say(["not", ["=", after, "0"]])
        self.refute(["and", self.live(s, after), self.all(s, w, walk["keep"])])

    def walk_step(self, op, walk, name, other, p, guard):
        self.begin("%s and %s.%s" % (name, other.name, other.steps[p].label))
        before = self.base()
        u = self.speaker(op, "u")
        v, after = self.speaker(other, "v", u), dict(before)
        node = u.names[walk["local"]]
        self.say(self.known(before))
        self.say(self.point("F", before, v, p))
        self.run(after, v, p, p + 1)
        self.say(self.live(before, node))
        if guard:
            if walk["to"] >= 0:
                to = u.names[walk["to"]]
                self.say(["or", ["=", to, "0"], self.live(before, to)])
            self.refute(["=", self.formula(before, u, guard), self.formula(after, u, guard)])
            return
        keeps, still = self.all(before, u, walk["keep"]), self.all(after, u, walk["keep"])
        until = self.all(before, u, walk["until"]) if walk["until"] else "true"
        self.refute(["and", ["=>", still, keeps],
                     ["or", still, ["=", self.link(before, walk, node), self.link(after, walk, node)]],
                     self.live(after, node), ["=>", keeps, ["or", still, until]]])

    def walk_guards(self, op, number_, walk, name):
        fixed = [i for i in range(len(op.steps[0].guards)) if (op.name, number_, i) in self.choices["immutable"]]
        for i in fixed:
            for other in self.p.operations:
                for p in range(len(other.steps)):
                    self.walk_step(op, walk, "%s, condition %d" % (name, i), other, p, op.steps[0].guards[i])
        self.begin(name + ", first step")
        s = self.base()
        u = self.speaker(op, "u")
        node = u.names[walk["local"]]
        self.say(self.known(s))
        self.say(self.live(s, node))
        self.say(self.all(s, u, walk["keep"]))
        self.say(self.all(s, u, walk["until"]))
        if walk["to"] >= 0:
            self.say(["=", u.names[walk["to"]], self.link(s, walk, node)])
        rest = []
        for i, f in enumerate(op.steps[0].guards):
            if i in fixed:
                self.say(self.formula(s, u, f))
            else:
                rest.append(self.formula(s, u, f))
        self.refute(["and", "true"] + rest)

    def memory(self):
        for op in self.p.operations:
            for i, step in enumerate(op.steps):
                self.begin("%s.%s touches allocated nodes" % (op.name, step.label))
                state = self.base()
                u = self.speaker(op, "u")
                self.say(self.known(state))
                self.say(self.point("F", state, u, i))
                self.inlined, self.goal, touched = True, [], []
                for f in step.guards:
                    self.touch(state, u, f, touched)
                    self.guard(state, u, f)
                for s in step.statements:
                    if s[0] == "free":
                        self.touch_node(state, u.names[s[1]], touched)
                    for part in reversed(s[1:]):
                        if isinstance(part, tuple):
                            self.touch(state, u, part, touched)
                    self.statement(state, u, s)
                self.inlined, self.goal = False, None
                self.refute(["and", "true"] + touched)

    def touch_node(self, state, node, touched):
        good = ["or", ["=", node, "0"], self.live(state, node)]
        if self.p.model:
            good = self.live(state, node) if self.p.manual else ["not", ["=", node, "0"]]
        touched.append(["=>", ["and", "true"] + list(self.goal), good])

    def touch(self, state, who, x, touched):
        if x[0] in ("none", "each"):
            touched.append("false")
            return
        if x[0] == "live":
            self.touch_node(state, self.expr(state, who, x[1]), touched)
        for part in x[1:]:
            if isinstance(part, tuple):
                self.touch(state, who, part, touched)
        if x[0] == "field":
            self.touch_node(state, self.expr(state, who, x[2]), touched)

    def debts(self, owed):
        for i, (op, step, quantified, formula) in enumerate(owed):
            self.begin("%s.%s owes %d" % (op.name, op.steps[step].label, i))
            start = self.base()
            u = self.speaker(op, "u")
            self.say(self.known(start))
            self.say(self.point("F", start, u, step))
            self.run(dict(start), u, step, step + 1)
            formula = self.formula(start, u, formula)
            self.refute(["forall", [["|any|", "Int"]], formula] if quantified else formula)

    def pair(self, first, second, given):
        self.begin("%s and then %s are nothing" % (first.name, second.name))
        start = self.base()
        u = self.speaker(first, "u")
        v, end = self.speaker(second, "v", u), dict(start)
        self.say(self.known(start))
        if None not in given:
            self.say(["=", u.names[given[0]], v.names[given[1]]])
        self.inlined = True

        def run():
            self.run(end, u, 0, 1)
            self.run(end, v, 0, 1)
            for n in self.parts:
                if end[n] != start[n]:
                    self.say(["=", start[n], end[n]])

        goal = self.collect(run)
        self.inlined = False
        self.refute(goal)


def locals_of(x):
    if isinstance(x, Step):
        for part in x.guards + x.statements:
            yield from locals_of(part)
    elif x[0] == "local":
        yield x[1]
    elif x[0] in ("new", "free"):
        yield x[1]
    else:
        for part in x[1:]:
            if isinstance(part, tuple):
                yield from locals_of(part)


def pairing(a, b):
    """(local of A: local of B, how many first steps are the same but for these)"""
    pairs, back = {}, {}

    def same_local(x, y):
        if x not in pairs and y not in back and a.locals[x][1] == b.locals[y][1]:
            pairs[x], back[y] = y, x
        return pairs.get(x) == y and back.get(y) == x

    def same(x, y):
        if not isinstance(x, tuple) or not isinstance(y, tuple):
            return x == y
        if x[0] != y[0] or len(x) != len(y):
            return False
        if x[0] in ("local", "new", "free"):
            return same_local(x[1], y[1])
        return all(same(p, q) for p, q in zip(x[1:], y[1:]))

    if a.method == b.method:
        for x, y in zip(a.ports, b.ports):
            if x >= 0 and y >= 0 and not same_local(x, y):
                return pairs, 0
    count = 0
    for s, t in zip(a.steps, b.steps):
        shape = s.anyone == t.anyone and len(s.guards) == len(t.guards) and len(s.statements) == len(t.statements)
        if not shape or not all(same(p, q) for p, q in zip(s.guards + s.statements, t.guards + t.statements)):
            break
        count += 1
    return pairs, count
