"""Reads the notation of heddle-prove(1) for check_certificate.py: texts as plain data.

expressions  ("num", n) ("id",) ("local", i) ("global", i) ("field", f, e) ("cell", a, e) ("+", a, b) ("-", a, b)
             ("wrap", e) ("*", e, n) ("%", e, n) ("any", k)
formulas     ("true",) ("=", l, r) ("!=", l, r) ("<", l, r) ("<=", l, r) ("live", e) ("not", f) ("and", f, g)
             ("or", f, g) ("=>", f, g) ("none", kind, f) ("each", kind, f)
statements   ("new", local) ("free", local) ("set", target, value) ("assume", formula)"""
import copy, re

WORDS = re.compile(r"\s+|//[^\n]*|/\*.*?\*/|(\.\.\.|==|!=|≠|<=|≤|>=|≥|=>|&&|\|\||[{}\[\]();,:.<>=*+%!-]|[A-Za-z_]\w*|\d+|\"[^\"\n]*\")",
                   re.S)
SAME = {"≠": "!=", "≤": "<=", "≥": ">="}
KINDS = ("int", "bool", "key", "tid")


class Refused(Exception):
    pass


class Step:
    def __init__(self, label=None, anyone=False, guards=(), statements=()):
        self.label, self.anyone, self.guards, self.statements = label, anyone, list(guards), list(statements)

    def writes(self):
        return any(s[0] in ("new", "free") or (s[0] == "set" and s[1][0] != "local") for s in self.statements)


class Operation:
    def __init__(self, name, internal=False):
        self.name, self.internal, self.locals, self.steps = name, internal, [], []
        self.ensures, self.walks, self.role, self.meets, self.paper = [], [], None, None, False
        self.observer, self.ports, self.method = False, [], name
        self.asserted = []  # facts of the user's, which name locals

    def find(self, name):
        return next((i for i, (n, _) in enumerate(self.locals) if n == name), -1)


class Program:
    def __init__(self):
        self.structures, self.fields, self.globals, self.arrays = [], [], [], []
        self.size, self.initial, self.operations = -1, None, []
        self.specification, self.discipline, self.collected = None, None, False
        self.model, self.manual, self.stable = False, False, False

    def field(self, structure, name):
        return next((i for i, (s, n, _) in enumerate(self.fields) if (s, n) == (structure, name)), -1)

    def named(self, name):
        return next((o for o in self.operations if o.name == name), None)


class Reader:
    def __init__(self, text):
        self.words, at = [], 0
        while at < len(text):
            m = WORDS.match(text, at)
            if not m:
                raise Refused("text: unexpected %r" % text[at])
            if m.group(1):
                self.words.append(SAME.get(m.group(1), m.group(1)))
            at = m.end()
        self.words.append("")
        self.at, self.program, self.op, self.bound = 0, Program(), None, []

    def peek(self, ahead=0):
        return self.words[min(self.at + ahead, len(self.words) - 1)]

    def take(self):
        self.at += 1
        return self.words[self.at - 1]

    def accept(self, word):
        if self.peek() == word:
            self.at += 1
            return True
        return False

    def expect(self, word):
        if not self.accept(word):
            raise Refused("text: expected %r before %r" % (word, self.peek()))

    def is_kind(self, word):
        return word in KINDS or word in self.program.structures

    def kind(self):
        word = self.take()
        if not self.is_kind(word):
            raise Refused("text: %r is no kind" % word)
        return word

    # ---- expressions and formulas; each expression with its kind ----

    def primary(self):
        word = self.take()
        if word == "-":
            return ("num", -int(self.take())), "int"
        if word.isdigit():
            return ("num", int(word)), "int"
        if word == "NULL":
            return ("num", 0), "int"
        if word == "ID":
            return ("id",), "tid"
        e, kind = self.name(word)
        while self.peek() == "." or (self.peek() == "[" and kind in self.program.structures):
            bracket = self.take() == "["
            field = self.program.field(kind, self.take())
            if field < 0:
                raise Refused("text: no such field")
            if bracket:
                self.expect("]")
            e, kind = ("field", field, e), self.program.fields[field][2]
        return e, kind

    def name(self, word):
        program = self.program
        for k, (name, kind) in enumerate(self.bound):
            if name == word:
                return ("any", k), kind
        if self.op and self.op.find(word) >= 0:
            local = self.op.find(word)
            return ("local", local), self.op.locals[local][1]
        for a, (name, kind) in enumerate(program.arrays):
            if name == word:
                self.expect("[")
                position = self.expr()
                self.expect("]")
                return ("cell", a, position), kind
        names = [n for n, _ in program.globals]
        if word in names:
            return ("global", names.index(word)), program.globals[names.index(word)][1]
        if self.peek() in (".", "[") and word + "." + self.peek(1) in names:
            g = names.index(word + "." + self.peek(1))
            self.at += 2 if self.peek() == "." else 3
            return ("global", g), program.globals[g][1]
        raise Refused("text: %r is not declared" % word)

    def factor(self):
        e, _ = self.primary()
        while self.peek() in ("%", "*"):
            sign, (by, _) = self.take(), self.primary()
            if sign == "*" and e[0] == "num":
                e, by = by, e
            if sign == "%" and by == ("global", self.program.size):
                e = ("wrap", e)
            elif by[0] == "num" and (sign == "*" or by[1] > 0):
                e = (sign, e, by)
            else:
                raise Refused("text: %r needs a number" % sign)
        return e

    def expr(self):
        e = self.factor()
        while self.peek() in ("+", "-"):
            sign = self.take()
            e = (sign, e, self.factor())
        return e

    def holds_formula(self):
        """At "(": what the parentheses hold compares something, or else it is an expression."""
        depth, ahead = 1, 1
        while depth > 0 and self.at + ahead < len(self.words):
            word = self.peek(ahead)
            if word in ("==", "!=", "<", "<=", ">", ">=", "&&", "||", "live", "!"):
                return True
            depth += (word == "(") - (word == ")")
            ahead += 1
        return False

    def condition(self):
        if self.accept("live"):
            return ("live", self.expr())
        if self.accept("!"):
            self.expect("(")
            f = self.formula()
            self.expect(")")
            return ("not", f)
        if self.peek() in ("none", "each"):
            word, kind = self.take(), self.kind()
            self.bound = [(self.take(), kind)]
            self.expect(":")
            self.expect("(")
            f = self.formula()
            self.expect(")")
            self.bound = []
            return (word, kind, f)
        if self.peek() == "(" and self.holds_formula():
            self.expect("(")
            f = self.formula()
            self.expect(")")
            return f
        l, sign = self.expr(), self.take()
        r = self.expr()
        if sign in (">", ">="):
            return ("<" if sign == ">" else "<=", r, l)
        if sign not in ("==", "!=", "<", "<="):
            raise Refused("text: %r is no comparison" % sign)
        return ("=" if sign == "==" else sign, l, r)

    def formula(self):
        f = self.conjunction()
        while self.accept("||"):
            f = ("or", f, self.conjunction())
        return ("=>", f, self.formula()) if self.accept("=>") else f

    def conjunction(self):
        f = self.condition()
        while self.accept("&&"):
            f = ("and", f, self.condition())
        return f

    def conditions(self):
        found = []
        self.expect("<")
        while not self.accept(">"):
            found.append(self.condition())
            if not self.accept(";") and self.peek() != ">":
                raise Refused("text: expected ;")
        return found

    # ---- operations ----

    def declarations(self):
        while self.is_kind(self.peek()):
            kind = self.take()
            while True:
                self.op.locals.append((self.take(), kind))
                if not self.accept(","):
                    break
            self.expect(";")

    def statement(self, step):
        if self.peek() in ("new", "free"):
            word = self.take()
            step.statements.append((word, self.op.find(self.take())))
        elif self.accept("READ"):
            e = self.expr()
            node = e[2] if e[0] == "field" else e
            if node[0] == "local" and self.op.locals[node[1]][1] in self.program.structures:
                step.guards.append(("live", node))
        elif self.accept("assume"):  # only in the steps of a model
            step.statements.append(("assume", self.formula()))
        else:
            target = self.expr()
            self.expect("=")
            if self.accept("malloc"):
                self.kind()
                step.statements.append(("new", target[1]))
            else:
                step.statements.append(("set", target, self.expr()))
        self.expect(";")

    def at_statement(self):
        word = self.peek()
        if not re.match(r"[A-Za-z_]", word) or word in ("ensure", "assert", "op", "internal", "invariant", "spec",
                                                       "struct", "init", "global", "walk", "collected"):
            return False
        return word in ("new", "free", "READ", "assume") or self.peek(1) in ("=", ".", "[")

    def step(self):
        step = Step(anyone=self.take() == "*")
        if re.match(r"[A-Za-z_]", self.peek()) and self.peek(1) == ":":
            step.label = self.take()
            self.take()
        if self.peek() == "<":
            step.guards = self.conditions()
        while self.peek() == ";" or self.at_statement():
            if not self.accept(";"):
                self.statement(step)
        if self.accept("..."):
            step.label = self.take()
        if step.label is None:
            count = sum(len(o.steps) for o in self.program.operations) + len(self.op.steps)
            step.label = chr(ord("a") + count) if count < 26 else "s%d" % count
        self.op.steps.append(step)

    def label(self):
        self.expect("at")
        word = self.take()
        self.expect(";")
        return [s.label for s in self.op.steps].index(word)

    def clause(self):
        op = self.op
        if self.accept("ensure"):
            kind = None
            if self.accept("none"):
                kind = self.take() if self.is_kind(self.peek()) else self.program.structures[0]
                self.bound = [(self.take(), kind)]
                self.expect(":")
            parts = self.conditions()
            self.bound = []
            op.ensures.append((kind, parts))
        elif self.accept("assert"):
            op.asserted += self.conditions()
        elif self.accept("walk"):
            walk = {"local": op.find(self.take()), "to": -1, "until": []}
            self.expect("from")
            walk["global"] = [n for n, _ in self.program.globals].index(self.take())
            self.expect("via")
            walk["field"] = self.program.field(op.locals[walk["local"]][1], self.take())
            if self.accept("to"):
                walk["to"] = op.find(self.take())
            self.expect("keeping")
            walk["keep"] = self.conditions()
            if self.accept("until"):
                walk["until"] = self.conditions()
            self.accept(";")
            op.walks.append(walk)
        elif self.peek() in ("inserts", "removes"):
            role = {"kind": self.take(), "element": op.find(self.take()), "rank": -1}
            self.expect("as")
            role["value"] = op.find(self.take())
            if role["kind"] == "inserts" and self.accept("rank"):
                role["rank"] = op.find(self.take())
            role["step"] = self.label()
            op.role = role
        elif self.accept("meets"):
            meets = {"other": self.take()}
            self.expect("(")
            meets["token"] = self.take()
            self.expect("=")
            meets["own_token"] = op.find(self.take())
            self.expect(",")
            meets["given"] = self.take()
            self.expect("=")
            meets["own_given"] = op.find(self.take())
            self.expect(")")
            meets["step"] = self.label()
            op.meets = meets
        elif self.peek() in ("1", "*"):
            self.step()
        else:
            raise Refused("text: unexpected %r in an operation" % self.peek())

    def operation(self):
        internal = self.accept("internal")
        self.expect("op")
        self.op = Operation(self.take(), internal)
        self.expect("{")
        self.declarations()
        while not self.accept("}"):
            self.clause()
        self.end()

    def paper_operation(self):
        self.op = Operation(self.take())
        self.op.paper = True
        if self.accept("("):
            while not self.accept(")"):
                kind = self.kind()
                self.op.locals.append((self.take(), kind))
                if not self.accept(",") and not self.accept(";") and self.peek() != ")":
                    raise Refused("text: expected )")
        braces = self.accept("{")
        self.declarations()
        while self.peek() in ("1", "*"):
            self.step()
        if braces:
            self.expect("}")
        self.end()

    def end(self):
        if not self.op.steps or self.program.named(self.op.name):
            raise Refused("text: operation %s is empty or there twice" % self.op.name)
        self.program.operations.append(self.op)
        self.op = None

    # ---- declarations ----

    def only_dotted(self, name):
        used = False
        for i in range(self.at, len(self.words) - 1):
            if self.words[i] == name and self.words[i - 1] != ".":
                if self.words[i + 1] not in (".", "["):
                    return False
                used = True
        return used

    def global_variables(self, may_be_record):
        kind = self.kind()
        while True:
            name = self.take()
            if self.accept("["):
                self.expect("]")
                self.program.arrays.append((name, kind))
            elif may_be_record and kind in self.program.structures and self.only_dotted(name):
                self.program.globals += [(name + "." + n, k) for s, n, k in self.program.fields if s == kind]
            else:
                self.program.globals.append((name, kind))
            if not self.accept(","):
                break
        self.expect(";")

    def structure(self):
        name = self.take()
        self.program.structures.append(name)
        self.expect("{")
        while not self.accept("}"):
            kind = self.kind()
            self.program.fields.append((name, self.take(), kind))
            if not self.accept(";") and not self.accept(",") and self.peek() != "}":
                raise Refused("text: expected ;")
        self.accept(";")

    def item(self):
        program = self.program
        if self.accept("struct"):
            self.structure()
        elif self.accept("global"):
            self.global_variables(False)
        elif self.accept("collected"):
            program.collected = True
            self.expect(";")
        elif self.peek() == "stable" and self.peek(1) == ";":
            self.accept("stable")
            program.stable = True
            self.expect(";")
        elif self.accept("size"):
            program.size = len(program.globals)
            program.globals.append((self.take(), "int"))
            self.expect(";")
        elif self.accept("init"):
            self.op, step = Operation("init", True), Step("init")
            program.initial = self.op
            self.expect("{")
            self.declarations()
            while not self.accept("}"):
                self.statement(step)
            self.op.steps.append(step)
            self.op = None
        elif self.peek() in ("internal", "op"):
            self.operation()
        elif self.accept("refinement"):  # R may be anything
            self.expect("{")
            while not self.accept("}"):
                self.take()
        elif self.accept("invariant"):
            while not self.accept(";"):
                self.take()
        elif self.accept("spec"):
            if self.peek() in ("stack", "queue"):
                program.discipline = self.take()
                self.expect(";")
                return
            program.specification, self.program = Program(), None
            self.program = program.specification
            self.expect("{")
            while not self.accept("}"):
                self.item()
            self.program = program
        elif self.is_kind(self.peek()):
            self.global_variables(True)
        elif re.match(r"[A-Za-z_]", self.peek()) and self.peek() != "assume":
            self.paper_operation()
        else:
            raise Refused("text: unexpected %r" % self.peek())


# ---- models: operations as the tool has read them (certificate.md, "Models") ----

def plain(x):
    """Nested lists as expressions, formulas and statements."""
    if isinstance(x, list):
        return tuple(plain(y) for y in x)
    return int(x) if re.fullmatch(r"-?\d+", x) else x.strip("|")


def model_operation(x):
    op = Operation(x[0], x[2] == 1)
    op.method, op.ports, op.locals = x[1], list(x[3]), [tuple(l) for l in x[4]]
    op.steps = [Step(label, False, guards, statements) for label, guards, statements in x[5:]]
    return op


def model_program(structures, fields, globals_, arrays, initial, operations):
    program = Program()
    program.structures, program.fields = list(structures), list(fields)
    program.globals, program.arrays = list(globals_), list(arrays)
    program.initial = model_operation(initial)
    program.operations = [model_operation(x) for x in operations]
    return program


def read_model(data):
    """The program, and the same with the rounds that only look."""
    x = plain(data)
    program = model_program(*x[1:7])
    program.specification = model_program(*x[8:14])
    program.model, program.manual = True, x[0] == 1
    if len({op.name for op in program.operations}) != len(program.operations):
        raise Refused("model: two operations of one name")
    for way in program.specification.operations:
        if len(way.steps) != 1 or not any(op.method == way.method for op in program.operations):
            raise Refused("model: the specification of %s" % way.name)
    for op in program.operations:
        if not op.internal and not any(way.method == op.method for way in program.specification.operations):
            raise Refused("model: %s has no specification" % op.name)
    looks = copy.deepcopy(program)
    looks.operations += [model_operation(y) for y in x[7]]
    return program, looks if x[7] else None


def read(text):
    reader = Reader(text)
    while reader.peek():
        reader.item()
    program = reader.program
    frees = any(s[0] == "free" for op in program.operations for step in op.steps for s in step.statements)
    program.manual = frees and not program.stable
    if program.initial is None:
        program.initial = Operation("init", True)
    if program.specification:
        if program.specification.initial is None:
            program.specification.initial = Operation("init", True)
        for way in program.specification.operations:
            own = program.named(way.name)
            if own is None or len(way.steps) != 1:
                raise Refused("text: the specification of %s" % way.name)
            way.ports = list(range(len(way.locals)))
            own.ports = [own.find(name) for name, _ in way.locals]
            if -1 in own.ports:
                raise Refused("text: the specification of %s has another local" % way.name)
        for op in program.operations:
            if not op.internal and not program.specification.named(op.name):
                raise Refused("text: %s has no specification" % op.name)
    return program
