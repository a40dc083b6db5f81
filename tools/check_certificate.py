#!/usr/bin/env python3
"""Checks a certificate of `heddle prove --certify`, knowing only the text that was proved and doc/proofs/certificate.md.

  check_certificate.py TEXT CERTIFICATE [SOLVER...]     solvers: z3, cvc5 (default: those that are installed)
  check_certificate.py --solvers                        those that are installed, libz3 without its program included

Builds every question of the theorem from the text and the choices that the certificate states, compares them with the
certificate's, command by command, and has each solver answer them. Of a model (.hm) it takes the operations from the
certificate: that they are the model's is not checked. Prints `accepted' (status 0) or `refused: reason'
(status 1); status 3 if a solver leaves a question open. It shares no code with the prover."""
import os, re, shutil, subprocess, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "certificate"))
sys.setrecursionlimit(100000)
from text import Refused, read, read_model
from questions import Maker, pairing
import instances, programs, z3_library

Z3_LIBRARY = [sys.executable, z3_library.__file__, "-t:5000"]
SOLVERS = {"z3": ["z3", "-smt2", "-t:5000", "-in"] if shutil.which("z3") else Z3_LIBRARY, "cvc5": ["cvc5", "--lang=smt2", "--incremental", "--tlimit-per=5000", "-"]}
WORD = re.compile(r"\s+|;[^\n]*|(\(|\)|\|[^|]*\||\"[^\"]*\"|[^\s()|\";]+)")


def commands(text):
    stack, at = [[]], 0
    while at < len(text):
        m = WORD.match(text, at)
        if not m:
            raise Refused("the certificate is no SMT-LIB")
        at, word = m.end(), m.group(1)
        if word == "(":
            stack.append([])
        elif word == ")":
            if len(stack) == 1:
                raise Refused("the certificate is no SMT-LIB")
            done = stack.pop()
            stack[-1].append(done)
        elif word:
            stack[-1].append(word)
    if len(stack) != 1:
        raise Refused("the certificate is no SMT-LIB")
    return stack[0]


def choices_of(script):
    """What a section states, and its other commands."""
    choices = {"weak": set(), "manner": [], "effect": {}, "witness": {}, "position": [], "immutable": set()}
    kept = []
    for c in script:
        if c[:1] != ["set-info"] or c[1][1:] not in choices:
            kept.append(c)
            continue
        words, known = c[2].strip('"').split(" "), choices[c[1][1:]]
        if c[1] == ":weak":
            known.add((words[0], int(words[1])))
        elif c[1] == ":manner":
            known.append((words[0], int(words[1]), words[2]))
        elif c[1] == ":effect":
            known[words[0]] = int(words[1])
        elif c[1] == ":witness":
            known[words[0]] = words[1]
        elif c[1] == ":position":
            known.append(words[0])
        else:
            known.add((words[0], int(words[1]), int(words[2])))
    return choices, kept


THEORY = {"and", "or", "not", "=>", "=", "<", "<=", "+", "-", "*", "mod", "div", "select", "store", "forall", "exists", "ite", "true",
          "false", "remainder", "Int", "Array", "Bool"}


def closed(x, names):
    """A fact may speak of its parameters only."""
    if isinstance(x, str):
        return x in names or x in THEORY or x.isdigit()
    if x and x[0] in ("forall", "exists"):
        return len(x) == 3 and all(b[1] == "Int" and len(b) == 2 for b in x[1]) and \
            closed(x[2], names | {b[0] for b in x[1]})
    return bool(x) and all(closed(y, names) for y in x)


def size_axioms(n):
    r = lambda e: ["remainder", e]
    one, two = [["|any|", "Int"]], [["|any|", "Int"], ["|any1|", "Int"]]
    return [["declare-const", n, "Int"], ["assert", ["<=", "2", n]],
            ["assert", ["forall", one, ["and", ["<=", "0", r("|any|")], ["<", r("|any|"), n]]]],
            ["assert", ["forall", one, ["=", r(["+", "|any|", n]), r("|any|")]]],
            ["assert", ["forall", one, ["=>", ["<=", "0", "|any|"], ["<=", r("|any|"), "|any|"]]]],
            ["assert", ["forall", two, ["=>", ["and", ["<", "|any|", "|any1|"], ["=", r("|any|"), r("|any1|")]],
                                        ["<=", ["+", "|any|", n], "|any1|"]]]]]


def definition(maker, found, name, op, everything):
    """The define-fun of a fact: its parameters are given, its body is the certificate's."""
    c = found.get("|%s|" % name)
    if c is None:
        raise Refused("no definition of %s" % name)
    parameters = [["|%s|" % n, maker.sort[n]] for n in maker.parts if n != maker.size and (everything or n in maker.own)]
    if op:
        parameters += [["|ID|", "Int"]] + [["|%d.%s|" % (i, n), "Int"] for i, (n, _) in enumerate(op.locals)]
    names = {p[0] for p in parameters} | ({"|%s|" % maker.size} if maker.size else set())
    if c[2] != parameters or c[3] != "Bool" or len(c) != 5 or not closed(c[4], names):
        raise Refused("the definition of %s speaks of something else than its state" % name)
    return c


def head(maker, program, choices, found):
    """Declarations and definitions of a section."""
    made = [["declare-fun", "remainder", ["Int"], "Int"]]
    if maker.size:
        made += size_axioms("|%s|" % maker.size)
    made += [["declare-const", "|%s@0|" % n, maker.sort[n]] for n in maker.parts if n != maker.size]
    made.append(definition(maker, found, "G", None, False))
    for op in program.operations:
        made += [definition(maker, found, "F.%s.%d" % (op.name, p), op, False) for p in range(1, len(op.steps))]
    for name, p, manner in choices["manner"]:
        if manner == "chain" and program.named(name):
            made.append(definition(maker, found, "K.%s.%d" % (name, p), program.named(name), False))
    if maker.related:
        made.append(definition(maker, found, "R", None, True))
    return made


def section(name, program, kinds, script, questions):
    """The commands of a section, from the text; QUESTIONS adds its own to those about facts."""
    choices, _ = choices_of(script)
    found = {c[1]: c for c in script if c[0] == "define-fun" and c[2]}
    maker = Maker(program, choices, name == "steps")
    made = head(maker, program, choices, found)
    if name == "steps" and set(choices["effect"]) != {op.name for op in program.operations}:
        raise Refused("not each operation has one effect")
    maker.facts()
    questions(maker)
    return [["push", "1"], ["set-info", ":section", '"%s"' % name]] + made + maker.out + [["pop", "1"]]


def pairs_of(maker, program, script):
    """Each pair in one of the two orders."""
    spec, names = program.specification, {c[2] for c in script if c[:2] == ["set-info", ":question"]}
    for op in program.operations:
        if op.meets:
            waiting = program.named(op.meets["other"])
            ports = [next((way.ports[k] for k, l in enumerate(o.ports) if l == local), None)
                     for o, way, local in ((waiting, spec.named(waiting.name), waiting.find(op.meets["given"])),
                                           (op, spec.named(op.name), op.meets["own_given"]))]
            first, second = spec.named(waiting.name), spec.named(op.name)
            if '"%s and then %s are nothing"' % (first.name, second.name) not in names:
                first, second, ports = second, first, ports[::-1]
            maker.pair(first, second, ports)


def claims(maker, memory=False):
    maker.ensures()
    maker.walks()
    if memory:
        maker.memory()


def expected(program, looks, kinds, parts):
    """The commands of all sections."""
    if "joined" in kinds:
        for op in program.operations:
            if op.paper:
                programs.join(op)
    if "enlarged" in kinds:
        looks = looks or (program if (program.model or program.manual) and "idle" in kinds else None)
        program = programs.Enlarged(program, "idle" in kinds).program
        looks = looks and programs.Enlarged(looks, needed=False).program

    def steps(maker):
        if not program.specification:
            raise Refused("the text has no specification")
        maker.reorder()
        maker.serial()
        claims(maker, "joined" in kinds or program.model or program.manual)

    if "ranks" in kinds:
        if program.discipline is None:
            raise Refused("the text has no ranks")
        ghosts = programs.Ranks(program)

        def ranks(maker):
            maker.debts(ghosts.owed)
            claims(maker)

        return section("ranks", ghosts.program, kinds, parts["ranks"], ranks)
    if program.discipline is not None or any(op.meets for op in program.operations) != ("pairs" in kinds):
        raise Refused("this is no proof of such a text")
    if "pairs" not in kinds:
        return section("steps", program, kinds, parts["steps"], steps) + \
            (section("looks", looks, kinds, parts["looks"], lambda maker: maker.memory()) if looks else [])
    ghosts, whole = programs.Pairs(program, pairing), program
    program = programs.split(program, pairing)

    def pairs(maker):
        maker.debts(ghosts.owed)
        claims(maker)

    return section("steps", program, kinds, parts["steps"], steps) + \
        section("pairs", ghosts.program, kinds, parts["pairs"], pairs) + \
        section("specification", program.specification, kinds, parts["specification"],
                lambda maker: pairs_of(maker, whole, parts["specification"]))


def compare(text, certificate, is_model=False):
    """The number of questions; refuses. Of a model, the operations are those that the certificate says."""
    script = commands(certificate)
    opening = [["set-logic", "ALL"], ["set-info", ":status", "unsat"], ["set-info", ":heddle", '"certificate 1"']]
    if script[:3] != opening or script[3][:2] != ["set-info", ":program"]:
        raise Refused("no certificate of this kind")
    kinds = script[3][2].strip('"').split(" ")
    if kinds not in (["text"], ["joined"], ["ranks"], ["pairs"], ["text", "enlarged"], ["joined", "enlarged"],
                     ["text", "enlarged", "idle"], ["joined", "enlarged", "idle"]):
        raise Refused("a proof of an unknown program")
    starts = [i for i, c in enumerate(script) if c[:2] == ["set-info", ":section"]]
    parts = {script[i][2].strip('"'): script[i + 1:j] for i, j in zip(starts, starts[1:] + [len(script)])}
    if is_model != (script[4][:2] == ["set-info", ":model"]) or (is_model and kinds[0] != "text"):
        raise Refused("this is no proof of such a text")
    program, looks = read_model(script[4][2]) if is_model else (read(text), None)
    made = expected(program, looks, kinds, parts)
    _, given = choices_of(script[5 if is_model else 4:])
    for i, (a, b) in enumerate(zip(made, given)):
        if a != b:
            name = [c[2] for c in made[:i + 1] if c[:2] == ["set-info", ":question"]]
            raise Refused("differs from the text%s: expected %s, found %s" % (
                " in " + name[-1] if name else "", show(a), show(b)))
    if len(made) != len(given):
        raise Refused("a question too %s" % ("few" if len(made) > len(given) else "many"))
    return sum(c == ["check-sat"] for c in made)


def show(x):
    text = words(x)
    return text if len(text) < 200 else text[:200] + "..."


def words(x):
    return instances.words(instances.frozen(x))


def questions_of(script):
    """(name, commands before the first section's end that it stands in, its own commands) of each question"""
    around, own, depth = [], None, 0
    for c in script:
        if c[0] == "push":
            depth += 1
            if depth == 1:
                around = []
            else:
                own = []
        elif c[0] == "pop":
            if depth == 2:
                yield own[0][2].strip('"'), around, own[1:]
                own = None
            depth -= 1
        elif own is not None:
            own.append(c)
        elif depth == 1:
            around.append(c)


LEVELS = 3  # of instances


def solver_answers(solver, script, count):
    """What a solver says to each question; "unknown" if it does not say."""
    process = subprocess.Popen(SOLVERS[solver], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        said = process.communicate(script, timeout=20 + count)[0]
    except subprocess.TimeoutExpired:  # it may not keep the limit that it is given
        process.kill()
        said = process.communicate()[0]
    answers = said.split("\n")[:-1]
    if len(answers) > count or set(answers) - {"unsat", "unknown", "sat", "timeout"}:
        raise Refused("%s: %s" % (solver, next((a for a in answers if a not in ("unsat", "sat", "unknown")), said)))
    return answers + ["unknown"] * (count - len(answers))


def quantified_script(around, own, part):
    kept = [c for c in around + own[:-2] if c[0] != "set-info"]
    return "\n".join(words(c) for c in kept) + "\n(assert (not %s))\n(check-sat)\n" % instances.words(part)


def solve(solver, certificate):
    """None if all questions are unsatisfiable, or (answer, question). Each is asked without quantifiers first (instances.py):
    as a whole, then part by part of its goal, with more and more instances; and what is left, as it stands."""
    found = list(questions_of(commands(certificate)))
    questions = [instances.Question(around, own) for _, around, own in found]
    left = [(i, [list(range(len(q.parts)))]) for i, q in enumerate(questions) if q.parts]
    for level in range(LEVELS):
        if not left:
            return None
        script = ["(set-logic ALL)"]
        for i, groups in left:
            script += questions[i].script(groups, level)
        count = sum(len(groups) for _, groups in left)
        answers = iter(solver_answers(solver, "\n".join(script) + "\n", count))
        open_ones = [(i, [g for g in groups if next(answers) != "unsat"]) for i, groups in left]
        left = [(i, [[n] for g in groups for n in g]) for i, groups in open_ones if groups]
    for i, groups in left:
        for n, in groups:
            name, around, own = found[i]
            part = questions[i].parts[n]
            answer = solver_answers(solver, "(set-logic ALL)\n" + quantified_script(around, own, part), 1)[0]
            if answer != "unsat":
                return answer, "%s: %s" % (name, show(part))
    return None


def installed(solver):
    return z3_library.library() if SOLVERS[solver] is Z3_LIBRARY else shutil.which(solver)


def main():
    if sys.argv[1:] == ["--solvers"]:
        print(" ".join(s for s in SOLVERS if installed(s)))
        return
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    text, certificate = open(sys.argv[1]).read(), open(sys.argv[2]).read()
    solvers = [s for s in sys.argv[3:] if s != "none"] or ([] if "none" in sys.argv else
                                                            [s for s in SOLVERS if installed(s)])
    try:
        is_model = sys.argv[1].endswith(".hm")
        count = compare(text, certificate, is_model)
        for solver in solvers:
            bad = solve(solver, certificate)
            if bad and bad[0] != "sat":
                print("open: %s answers `%s' to: %s" % (solver, *bad))
                sys.exit(3)
            if bad:
                raise Refused("%s has a counterexample to: %s" % (solver, bad[1]))
    except (Refused, ValueError, IndexError, KeyError, TypeError) as error:
        print("refused: %s" % error)
        sys.exit(1)
    print("accepted: %d questions%s%s" % (count, ", " + " and ".join(solvers) if solvers else ", asked of no solver",
                                          "; of the operations that were read from the model" if is_model else ""))


if __name__ == "__main__":
    main()
