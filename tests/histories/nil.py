"""What reads of nil mean is told by no log: an answer without --nil-reads is one that holds whichever they mean.

    nil.py HEDDLE COUNT [SEED]    random logs of a register, some reads of nil; each is judged in three ways
"""
import json
import os
import random
import subprocess
import sys
import tempfile


def make(rng):
    """A log of Jepsen; what is read is mostly right, or nil."""
    clients, lines, busy, held, written = rng.randint(2, 4), [], {}, "nil", 0
    for _ in range(rng.randint(6, 24)):
        p = rng.randrange(clients)
        if p in busy:
            f, value = busy.pop(p)
            if f == "read":
                value = rng.choice([held, held, held, "nil", rng.randint(0, written + 1)])
            lines.append("{:process %d, :type %s, :f :%s, :value %s}" % (p, rng.choice([":ok"] * 9 + [":info"]), f, value))
        else:
            f, value = rng.choice([("read", "nil"), ("write", rng.randint(1, 3))])
            busy[p] = f, value
            if f == "write":
                held, written = value, written + 1
            lines.append("{:process %d, :type :invoke, :f :%s, :value %s}" % (p, f, value))
    return "\n".join(lines) + "\n"


def main():
    heddle, count = sys.argv[1], int(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    tally, wrong = {}, 0
    with tempfile.TemporaryDirectory() as work:
        names = [os.path.join(work, "%d.edn" % i) for i in range(count)]
        for name in names:
            open(name, "w").write(make(rng))
        answers = []
        for how in ("--nil-reads=value", "--nil-reads=unknown", "--quiet"):
            run = subprocess.run([heddle, "history", "--json", "--quiet", "--spec=register", how] + names, capture_output=True, text=True)
            answers.append({r["file"]: r["verdict"] for r in json.loads(run.stdout)["results"]})
        for name in names:
            value, unknown, both = (a.get(name) for a in answers)
            tally[value, unknown, both] = tally.get((value, unknown, both), 0) + 1
            if both != (value if value == unknown else "inconclusive") or (value, unknown) == ("holds", "violated"):
                wrong += 1
                print("as values %s, unknown %s, but without the option %s:" % (value, unknown, both), open(name).read(), sep="\n")
    print("%d logs, %d violated only if nil is a value, %d violated anyhow, %d wrong" % (
        count, tally.get(("violated", "holds", "inconclusive"), 0), tally.get(("violated",) * 3, 0), wrong))
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
