#!/usr/bin/env python3
"""One random text in both notations: the paper's (or that of operations) and the modelling language. The answers must agree.

  prove_notations.py HEDDLE COUNT SEED

The text is that of prove_texts.py (registers in globals, cells and nodes; freed nodes; wrong ones, too), step by step: a step is
an atomic statement of the model. Texts that name a node which no step before has found or made have no counterpart and are
left out. Prints a table; the exit status is 1 if two answers differ."""
import os, random, sys, tempfile
from prove_texts import answer, random_hp



class NoCounterpart(Exception):
    pass


def names(e):
    if e[0] == "l":
        return {e[1]}
    return set() if e[0] in "ng" else names(e[2]) if e[0] in "cf" else names(e[1]) | names(e[2])


def words(e, known):
    if not names(e) <= known:
        raise NoCounterpart
    kind = e[0]
    if kind == "n":
        return str(e[1])
    if kind in "lg":
        return e[1]
    if kind == "c":
        return "%s[%s]" % (e[1], words(e[2], known))
    if kind == "f":
        return "%s->%s" % (words(e[2], known), e[1])
    return "(%s + %s)" % (words(e[1], known), words(e[2], known))


def step_words(step, known):
    """An atomic statement; what an equation gives to a local is an assignment."""
    out, left = [], list(step[0])
    while left:
        at = next((i for i, g in enumerate(left) if names(g[1]) | names(g[2]) <= known or
                   (g[0] == "==" and any(x[0] == "l" and x[1] not in known and names(e) <= known
                                         for x, e in ((g[1], g[2]), (g[2], g[1]))))), None)
        if at is None:
            raise NoCounterpart
        relation, a, b = left.pop(at)
        if names(a) | names(b) <= known:
            out.append("await(%s %s %s);" % (words(a, known), relation, words(b, known)))
            continue
        x, e = (a, b) if a[0] == "l" and a[1] not in known else (b, a)
        out.append("%s = %s;" % (x[1], words(e, known)))
        known.add(x[1])
    for s in step[1]:
        if s[0] == "new":
            if s[1] in known:
                raise NoCounterpart
            known.add(s[1])
            out.append("%s = new node;" % s[1])
        elif s[0] == "free":
            out.append("free(%s);" % words(("l", s[1]), known))
        elif s[1][0] == "l" and s[1][1] not in known:
            out.append("%s = %s;" % (s[1][1], words(s[2], known)))
            known.add(s[1][1])
        elif s[1][0] == "l":
            out.append("await(%s == %s);" % (s[1][1], words(s[2], known)))
        else:
            out.append("%s = %s;" % (words(s[1], known), words(s[2], known)))
    return "    atomic { %s }\n" % " ".join(out)


def model(program, freed):
    """The program in the modelling language."""
    body = ""
    for op in program["ops"]:
        name, port = op["name"].lower(), op["visible"][0]
        given = name == "write"
        known = {port} if given else set()
        steps = "".join(step_words(s, known) for s in op["steps"])
        locals_ = sorted(known - ({port} if given else set()))
        declared = "".join("    %s%s;\n" % ("node *" if op["kinds"][x] == "node" else "int ", x) for x in locals_)
        body += "operation %s %s(%s)\n{\n%s%s%s}\n" % ("void" if given else "int", name, "int(0..3) " + port if given else "", declared,
                                                      steps, "" if given else "    return %s;\n" % words(("l", port), known))
    places = {"abs": "int abs;", "seq": "int seq[13];"}
    first = program["ops"][0]["spec"][1][0][1]
    spec = "%s\n" % places[first[1]]
    for op in program["ops"]:
        name, port = op["name"].lower(), op["visible"][0]
        if name == "write":
            spec += "operation void write(int(0..3) %s) { %s = %s; }\n" % (port, words(first, set()), port)
        else:
            change = "".join("%s = %s; " % (words(s[1], {port}), words(s[2], {port})) for s in op["spec"][1])
            spec += "operation int %s() { int %s = %s; %sreturn %s; }\n" % (name, port, words(first, set()), change, port)
    text = "#include <common.hm>\nthreads 2;\n"
    if program["init"]:
        text += "struct node { int val; } pool 6%s;\nnode *top;\ninit { top = new node; }\n" % (" manual" if freed else "")
    else:
        text += "int reg;\nint cells[13];\n"
    return text + "int lk;\n%sspecification s {\n%s}\n" % (body, spec)


def main():
    heddle, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    tally, number, done, wrong = {}, seed, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while done < count:
            text, program = random_hp(random.Random("hp %d" % number))
            number += 1
            freed = any(s[0] == "free" for op in program["ops"] for step in op["steps"] for s in step[1])
            try:
                other = model(program, freed)
            except NoCounterpart:
                continue
            if program["init"] and not freed and not text.startswith("collected"):
                text = "collected;\n" + text
            answers = []
            for kind, t in (("hp", text), ("hm", other)):
                path = os.path.join(folder, "text." + kind)
                with open(path, "w") as out:
                    out.write(t)
                answers.append(answer([heddle, "prove", "--json", path]))
            done += 1
            words_ = [a["verdict"] for a in answers]
            tally[tuple(words_)] = tally.get(tuple(words_), 0) + 1
            bad = len(set(words_)) > 1 or "error" in words_
            wrong += bad
            if bad:
                print("%d: %s %s" % (number - 1, words_, answers[1].get("text", "")))
    for (a, b), n in sorted(tally.items()):
        print("%s as steps, %s as a model: %d" % (a, b, n))
    print("%d texts, %d differ" % (done, wrong))
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
