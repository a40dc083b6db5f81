#!/usr/bin/env python3
"""Corrupted certificates: each must be refused by tools/check_certificate.py.

  prove_corrupt.py CHECKER SOLVER TEXT CERTIFICATE

Each kind of corruption is made at up to four places: a question dropped, weakened, answered by an assumption, exchanged; a
fact, an axiom or a definition added; a step changed, in the script and in the text; the manner of a beginning left out or
another; a read weakened that is none; the effect of an operation, the relation, a declaration changed. Prints those that
are accepted; the last line says how many were refused. Where the script still fits the text, SOLVER must have a
counterexample or leave a question open."""
import importlib.util, os, re, sys


def spread(found, most=4):
    return found if len(found) <= most else [found[i * (len(found) - 1) // (most - 1)] for i in range(most)]


def cut(s, m, new=""):
    return s[: m.start()] + new + s[m.end():]


def corruptions(s, text):
    """(kind, text, certificate)"""
    questions = list(re.finditer(r"\(push 1\)\n\(set-info :question.*?\(pop 1\)\n", s, re.S))
    goals = list(re.finditer(r"\(assert (\(not .*\))\)\n\(check-sat\)", s))
    bodies = list(re.finditer(r"\(define-fun \|[GRFK][^@\n]*?Bool (\(and true)", s))
    choices = list(re.finditer(r'\(set-info :(manner|effect|weak|witness|position|immutable|program) "([^"]*)"\)\n', s))
    for m in spread(questions):
        yield "question dropped", text, cut(s, m)
        yield "question twice", text, s[: m.end()] + m.group() + s[m.end():]
    for a, b in spread(list(zip(questions, questions[1:]))):
        yield "questions exchanged", text, s[: a.start()] + b.group() + a.group() + s[b.end():]
    for m in spread(goals):
        yield "goal weakened", text, cut(s, m, "(assert (and false %s))\n(check-sat)" % m.group(1))
        yield "goal dropped", text, cut(s, m, "(check-sat)")
        yield "assumption added", text, s[: m.start()] + "(assert false)\n" + s[m.start():]
    steps = [m for m in re.finditer(r"\(define-fun \|[^|]*@\d+\| .*\n", s)]
    for m in spread(steps):
        yield "step changed", text, cut(s, m, re.sub(r"(\S+)\)\)\n$", "7))\n", m.group()))
    for m in spread([m for m in re.finditer(r"\(assert \(= \|\d.*\n", s)]):
        yield "condition added", text, s[: m.start()] + "(assert (= |%s| 5))\n" % m.group().split("|")[1] + s[m.start():]
        yield "condition dropped", text, cut(s, m)
    for m in spread(bodies):
        yield "false fact", text, s[: m.end()] + " false" + s[m.end():]
        part = re.search(r"\(declare-const (\|[^|]*@0\|) Int\)", s)
        if part:
            yield "fact about the first state", text, s[: m.end()] + " (= %s 0)" % part.group(1) + s[m.end():]
    for m in choices:
        words = m.group(2).split(" ")
        yield m.group(1) + " left out", text, cut(s, m)
        if m.group(1) == "manner":
            for other in ("weak", "right", "left", "whole", "chain"):
                if other != words[2]:
                    yield "manner " + other, text, s.replace(m.group(), m.group().replace(words[2] + '"', other + '"'))
        if m.group(1) == "program":
            for other in ("text", "joined", "ranks", "pairs", "text enlarged", "joined enlarged"):
                if other != m.group(2):
                    yield "another program", text, s.replace(m.group(), m.group().replace(m.group(2), other))
        if m.group(1) == "effect":
            yield "effect of nobody", text, s.replace(m.group(), m.group().replace(words[0], "Nobody"))
    heads = list(re.finditer(r"\(declare-const \|[^|]*@0\| .*\n", s))
    for m in spread(heads):
        yield "axiom added", text, s[: m.end()] + "(assert (forall ((x Int)) (< x 0)))\n" + s[m.end():]
        yield "declaration dropped", text, cut(s, m)
    first = re.search(r"^op (\w+)", text, re.M)
    if first:  # its last step, which writes or is followed by nothing
        last = len(re.findall(r"\(define-fun \|F\.%s\.\d+\|" % first.group(1), s))
        yield "weakened write", text, s.replace(
            "(define-fun |G|", '(set-info :weak "%s %d")\n(define-fun |G|' % (first.group(1), last), 1)
    relation = re.search(r"(\(define-fun \|R\| .*? Bool )\(and true.*?\)\)\n(?=\(push)", s, re.S)
    if relation:
        yield "relation without content", text, cut(s, relation, relation.group(1) + "(and true))\n")
    facts = re.search(r"(\(define-fun \|G\| .*? Bool )\(and true.*?\)\)\n(?=\(define-fun)", s, re.S)
    if facts:
        yield "facts without content", text, cut(s, facts, facts.group(1) + "(and true))\n")
    read = re.search(r"\(set-info :model .*?\)\n(?=\(push)", s, re.S)
    if read:
        for m in spread(list(re.finditer(r"\((num|local|global|field) (\d+)", read.group()))):
            other = "(%s %d" % (m.group(1), int(m.group(2)) + 1)
            yield "operation of the model changed", text, s[: read.start() + m.start()] + other + s[read.start() + m.end():]
        yield "operations of the model dropped", text, cut(s, read)
        return
    lines = text.split("\n")
    for n, line in spread([(n, l) for n, l in enumerate(lines) if re.match(r"\s*[1*] .*= [^;]*;", l)]):
        other = lines[:n] + [re.sub(r"= ([^=;]*);\s*(\}?)\s*$", r"= 9; \2", line)] + lines[n + 1:]
        if other != lines:
            yield "text: step changed", "\n".join(other), s
    for n, line in spread([(n, l) for n, l in enumerate(lines) if re.search(r"<.*>", l) and re.match(r"\s*[1*] ", l)]):
        yield "text: condition dropped", "\n".join(lines[:n] + [re.sub(r"<.*>", "", line)] + lines[n + 1:]), s


def main():
    checker, solver, text_path, certificate_path = sys.argv[1:]
    spec = importlib.util.spec_from_file_location("check_certificate", checker)
    check = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(check)
    text, certificate = open(text_path).read(), open(certificate_path).read()
    refused = {}
    accepted = 0
    for kind, t, c in corruptions(certificate, text):
        if (t, c) == (text, certificate):
            continue
        try:
            check.compare(t, c, text_path.endswith(".hm"))
            bad = check.solve(solver, c) if solver != "none" else ("sat", "not asked")
        except (check.Refused, ValueError, IndexError, KeyError, TypeError) as error:
            bad = ("refused", str(error))
        if bad is None:
            accepted += 1
            print("accepted: %s" % kind)
        else:
            refused[kind] = refused.get(kind, 0) + 1
    print("%d refused, %d accepted, %d kinds" % (sum(refused.values()), accepted, len(refused)))
    sys.exit(accepted > 0)


main()
