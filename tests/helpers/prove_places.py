"""Random models whose specification is their own sequential meaning: for prove_texts.py, kind `wide'.

One to three places hold small numbers (also 7 and above), each in a global, an array, a record or a node (collected or freed).
Operations read, write, exchange, compare, copy and clear one or two of them; each is made as one step, under a lock, by comparing
and swapping, by collecting twice, or without care. The specification does the same in one step, on variables
that are named and placed otherwise; locals are called like results, like helpers' locals, like places of either."""

NAMES = ["result", "t", "x1", "old", "read0", "n", "truth1", "y", "p0", "abs0", "v1", "loc", "get_1", "s0", "mine", "w9"]


class Wide:
    def __init__(self, r):
        self.r, self.count, self.base = r, r.choice([1, 1, 2, 2, 3]), r.choice([0, 0, 0, 6, 8])
        self.top = self.base + 2
        self.kind = [r.choice(["global", "global", "cell", "record", "node"]) for _ in range(self.count)]
        self.at = r.sample(range(12), self.count)
        self.manual = r.random() < 0.4 and self.count < 3
        self.number = "int(0..%d)" % self.top
        self.helpers, self.fresh = "", 0
        self.locked = r.random() < 0.4
        self.careless = r.choice([0.0, 0.2, 0.5])

    def name(self, used):
        word = self.r.choice([n for n in NAMES if n not in used])
        used.add(word)
        return word

    # ---- places of the model ----
    def place(self, i):
        return {"global": "g%d" % i, "cell": "cells[%d]" % self.at[i], "record": "pair.m%d" % i,
                "node": "top%d->val" % i}[self.kind[i]]

    def write(self, i, e, used):
        if self.kind[i] != "node":
            return "%s = %s; " % (self.place(i), e)
        n, o = self.name(used), self.name(used)
        make = "Node *%s = new Node; %s->val = %s; " % (n, n, e)
        if not self.manual:
            return make + "top%d = %s; " % (i, n)
        return make + "Node *%s = top%d; top%d = %s; free(%s); " % (o, i, i, n, o)

    def get(self, i, used):
        """An expression that reads place I in one step, perhaps by a helper."""
        if self.kind[i] == "node" or self.r.random() < 0.7:
            return self.place(i)
        if "look%d()" % i not in self.helpers:
            local = self.r.choice(NAMES)
            self.helpers += "%sint look%d() { int %s = %s; return %s; }\n" % (
                self.r.choice(["atomic ", ""]), i, local, self.place(i), local)
        return "look%d()" % i

    def declare(self):
        text = "#include <common.hm>\nthreads 2;\n"
        if "node" in self.kind:
            text += "struct Node { %s val; } pool 5%s;\n" % (self.number, " manual" if self.manual else "")
            text += "".join("Node *top%d;\n" % i for i in range(self.count) if self.kind[i] == "node")
            text += "init { %s}\n" % "".join("top%d = new Node; top%d->val = %d; " % (i, i, self.base)
                                             for i in range(self.count) if self.kind[i] == "node")
        if "record" in self.kind:
            text += "struct Pair { %s } \n" % " ".join("%s m%d;" % (self.number, i) for i in range(self.count))
            text = text.replace("} \n", "};\n") + "Pair pair;\n"
        text += "".join("%s g%d = %d;\n" % (self.number, i, self.base) for i in range(self.count) if self.kind[i] == "global")
        if "cell" in self.kind:
            text += "%s cells[12];\n" % self.number
        rest = ["%s = %d;" % (self.place(i), self.base) for i in range(self.count) if self.kind[i] in ("cell", "record")]
        if rest and self.base:
            text += "init { %s }\n" % " ".join(rest)
        # one init block only
        blocks = [l[len("init { "):-2] for l in text.split("\n") if l.startswith("init {")]
        if len(blocks) > 1:
            text = "\n".join(l for l in text.split("\n") if not l.startswith("init {")) + "init { %s }\n" % " ".join(blocks)
        return text + "int(0..1) lk;\n"

    # ---- operations: what is read, the condition, what is written, the result ----
    def meaning(self, kind):
        """(name, parameter?, read places, condition, [(place, value)], result); {0} {1} are what was read, V the parameter."""
        r, i = self.r, self.r.randrange(self.count)
        j = self.r.choice([k for k in range(self.count) if k != i] or [i])
        c, d = self.base + r.randrange(3), self.base + r.randrange(3)
        cycle = "({0} == %d ? %d : {0} + 1)" % (self.top, self.base)
        return {"get": (False, [i], None, [], "{0}"),
                "put": (True, [], None, [(i, "V")], None),
                "swap": (True, [i], None, [(i, "V")], "{0}"),
                "inc": (False, [i], None, [(i, cycle)], r.choice(["{0}", None])),
                "both": (False, [i, j], None, [], "16 * {0} + {1}"),
                "move": (False, [i], "{0} == %d" % c, [(j, str(d))], "1"),
                "claim": (True, [i], "{0} == %d" % c, [(i, "V")], r.choice(["1", "{0}"])),
                "copy": (False, [i], None, [(j, "{0}")], r.choice(["{0}", None])),
                "clear": (False, [], None, [(k, str(self.base)) for k in sorted({i, j})], None),
                "same": (False, [i, j], "{0} == {1}", [], "1")}[kind]

    def operation(self, name, meaning):
        parameter, reads, condition, writes, result = meaning
        r, used = self.r, set()
        value = self.name(used)
        local = [self.name(used) for _ in reads]
        fill = lambda e: e.format(*local).replace("V", "%s" % ("%d + %s" % (self.base, value) if self.base else value))
        kind = "void" if result is None else "int"
        head = "operation %s %s(%s)" % (kind, name, "int(0..1) " + value if parameter else "")
        finish = "return;" if result is None else "return %s;" % fill(result)
        fail = "return 0;" if result is not None else "return;"
        places = set(reads) | {p for p, _ in writes}
        careful = r.random() >= self.careless

        def plain(finish, fail, wrap=""):
            body = "".join("%s %s = %s; " % (self.number, l, self.get(p, used)) for p, l in zip(reads, local))
            act = "".join(self.write(p, fill(e), used) for p, e in writes)
            end = {"lock": "lk = 0; ", "": ""}[wrap]
            if condition:
                return "%sif (%s) { %s%s%s } %s%s" % (body, fill(condition), act, end, finish, end, fail)
            return body + act + end + finish

        if self.locked and careful and r.random() < 0.8:
            take = "atomic { await(lk == 0); lk = 1; } "
            return "%s { %s%s }" % (head, take, plain(finish, fail, "lock"))
        if not careful or (len(places) == 1 and len(reads) + len(writes) == 1 and r.random() < 0.7):
            return "%s { %s }" % (head, plain(finish, fail))
        if len(places) == 1 and reads and writes and r.random() < 0.7:
            p, e = writes[0]
            test = "if (!(%s)) %s " % (fill(condition), fail) if condition else ""
            if self.kind[p] == "node":
                o, n = self.name(used), self.name(used)
                drop = "free(%s); " % o if self.manual else ""
                return "%s { while (true) { Node *%s = top%d; %s %s = %s->val; %sNode *%s = new Node; %s->val = %s; if (cas(top%d, %s, %s)) { %s%s } } }" % (
                    head, o, p, self.number, local[0], o, test, n, n, fill(e), p, o, n, drop, finish)
            return "%s { while (true) { %s %s = %s; %sif (cas(%s, %s, %s)) %s } }" % (
                head, self.number, local[0], self.get(p, used), test, self.place(p), local[0], fill(e), finish)
        if len(reads) == 2 and not writes and r.random() < 0.5:
            return "%s { while (true) { %s if (%s == %s) { %s } } }" % (
                head, "".join("%s %s = %s; " % (self.number, l, self.get(p, used)) for p, l in zip(reads, local)),
                self.place(reads[0]), local[0], finish if not condition else "if (%s) %s %s" % (fill(condition), finish, fail))
        declared = "".join("%s %s; " % (self.number, l) for l in local)
        body = "".join("%s = %s; " % (l, self.place(p)) for p, l in zip(reads, local))
        act = "".join(self.write(p, fill(e), used) for p, e in writes)
        if condition:
            act = "if (%s) { %s%s } " % (fill(condition), act, finish)
            return "%s { %satomic { %s%s} %s }" % (head, declared, body, act, fail)
        return "%s { %satomic { %s%s} %s }" % (head, declared, body, act, finish)

    def specification(self, operations, wrong):
        r = self.r
        where = r.choice(["plain", "cells"])
        at = r.sample(range(12), self.count)
        place = [("abs%d" % i if where == "plain" else "seq[%d]" % at[i]) for i in range(self.count)]
        text = "specification own {\n"
        text += "".join("int %s = %d; " % (p, self.base) for p in place) if where == "plain" else "int seq[12]; init { %s }" % " ".join(
            "%s = %d;" % (p, self.base) for p in place)
        text += "\n"
        for name, (parameter, reads, condition, writes, result) in operations:
            used = {"abs0"}
            value = self.name(used)
            local = [self.name(used) for _ in reads]
            fill = lambda e: e.format(*local).replace("V", "%s" % ("%d + %s" % (self.base, value) if self.base else value))
            if wrong == name and result not in (None, "0"):
                result = "0"
            kind = "void" if result is None else "int"
            body = "".join("int %s = %s; " % (l, place[p]) for p, l in zip(reads, local))
            act = "".join("%s = %s; " % (place[p], fill(e)) for p, e in writes)
            finish = "return;" if result is None else "return %s;" % fill(result)
            fail = "return 0;" if result is not None else "return;"
            if condition:
                act = "if (%s) { %s%s } %s" % (fill(condition), act, finish, fail)
            else:
                act += finish
            text += "operation %s %s(%s) { %s%s }\n" % (kind, name, "int(0..1) " + value if parameter else "", body, act)
        return text + "}\n"


def random_wide(r):
    wide = Wide(r)
    kinds = ["get", "put", "swap", "inc", "move", "claim"] + (["both", "copy", "clear", "same"] if wide.count > 1 else [])
    chosen = ["get"] * (r.random() < 0.5) + r.sample(kinds, r.choice([1, 2, 2, 3]))
    operations = [("%s%d" % (k, n), wide.meaning(k)) for n, k in enumerate(chosen)]
    bodies = "".join(wide.operation(name, meaning) + "\n" for name, meaning in operations)
    wrong = r.choice(operations)[0] if r.random() < 0.1 else None
    return wide.declare() + wide.helpers + bodies + wide.specification(operations, wrong)
