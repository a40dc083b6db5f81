#!/usr/bin/env python3
"""Mutants of proved texts: each must be violated, inconclusive, an error of input, or linearizable, as a machine says.

  prove_mutants.py HEDDLE COUNT SEED SECONDS FILE...

One place of the text before its specification is changed: a condition or an assignment is dropped, a relation turned, two
steps joined or exchanged, a number moved, a local or global replaced by another of the same kind. Of what is still proved,
prove_enumerate.py looks at all executions that SECONDS suffice for. Prints a table of what is proved; the exit status is 1 if one
of these has a violation, or could not be looked at."""
import json, os, random, re, subprocess, sys, tempfile
from prove_enumerate import judge


def mutants(text):
    """(what, text) for every change of one place."""
    cut = re.search(r"^\s*spec\b", text, re.M)
    body, rest = text[: cut.start()], text[cut.start():]
    lines = body.split("\n")
    for n, line in enumerate(lines):
        code = line.split("//")[0]
        if not re.match(r"\s*[1*] ", code):
            continue

        def change(what, new):
            return ("line %d: %s" % (n + 1, what), "\n".join(lines[:n] + [new] + lines[n + 1:]) + rest)

        guards = re.search(r"<(.*)>", code)
        if guards:
            parts = [p.strip() for p in guards.group(1).split(";") if p.strip()]
            for i, part in enumerate(parts):
                left = "; ".join(parts[:i] + parts[i + 1:])
                yield change("without " + part, code[: guards.start()] + ("<%s>" % left if left else "") + code[guards.end():])
                for a, b in (("==", "!="), ("!=", "=="), ("<=", "<"), (">=", ">")):
                    if a in part and "(" not in part:
                        turned = "; ".join(parts[:i] + [part.replace(a, b)] + parts[i + 1:])
                        yield change("%s for %s in %s" % (b, a, part), code[: guards.start() + 1] + turned + code[guards.end() - 1:])
        tail_at = guards.end() if guards else re.match(r"\s*[1*] (\w+:)?", code).end()
        head, tail = code[:tail_at], code[tail_at:]
        statements = [s.strip() for s in tail.split(";") if s.strip() and not s.strip().startswith("...")]
        dots = tail[tail.index("..."):] if "..." in tail else ""
        for i, s in enumerate(statements):
            left = statements[:i] + statements[i + 1:]
            yield change("without " + s, head + " " + "".join(x + "; " for x in left) + dots)
            if re.search(r"= .*\d", s):
                more = re.sub(r"(\d+)$", lambda m: str(int(m.group(1)) + 1), s)
                if more != s:
                    yield change(more, head + " " + "".join(x + "; " for x in statements[:i] + [more] + statements[i + 1:]) + dots)
        if n + 1 < len(lines) and re.match(r"\s*[1*] ", lines[n + 1]):
            swapped = lines[:n] + [lines[n + 1], line] + lines[n + 2:]
            yield ("line %d: after the next" % (n + 1), "\n".join(swapped) + rest)


def main():
    heddle, count, seed, seconds, files = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), sys.argv[5:]
    sys.setrecursionlimit(100000)
    everything = []
    for path in files:
        text = open(path).read()
        everything += [(os.path.basename(path), what, new) for what, new in mutants(text)]
    random.Random(seed).shuffle(everything)
    tally, wrong = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, what, text in everything[:count]:
            path = os.path.join(folder, name)
            with open(path, "w") as out:
                out.write(text)
            done = subprocess.run([heddle, "prove", "--json", "--time=30s", path], capture_output=True, text=True)
            verdict = json.loads(done.stdout)["verdict"] if done.stdout.startswith("{") else "refused"
            tally[verdict] = tally.get(verdict, 0) + 1
            if done.returncode > 3:
                print("%s %s: status %d" % (name, what, done.returncode))
                wrong += 1
            if verdict != "holds":
                continue
            answer, words = judge(text, seconds)
            good = answer == "explained"
            wrong += not good
            print("%s%s %s -- %s" % ("" if good else "WRONG ", name, what, words if answer != "violated" else "\n  ".join(words)))
    print(", ".join("%s %d" % pair for pair in sorted(tally.items())) + ", of %d" % len(everything), file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
