"""Following a log gives the answer of the whole log, wherever it pauses: random logs of a register, whose lines are a
little out of the order of their `seq`, written in pieces.

    follow.py HEDDLE COUNT [SEED]
"""
import json
import random
import subprocess
import sys
import time


def make(rng):
    """Events of a register that is right, apart from some reads of half of the logs."""
    events, busy, held, broken = [], {}, None, rng.random() < 0.5
    for _ in range(rng.randint(10, 60)):
        p = rng.randrange(4)
        if p not in busy:
            busy[p] = rng.randint(1, 4) if rng.random() < 0.5 else None
            events.append({"process": p, "type": "call", "op": "write" if busy[p] else "read", "args": [busy[p]] if busy[p] else []})
            if busy[p]:
                held = busy[p]
        else:
            wrote = busy.pop(p)
            result = None if wrote else rng.randint(1, 4) if broken and rng.random() < 0.2 else held
            events.append({"process": p, "type": "return", "result": result})
    lines = [json.dumps(dict(event, seq=i)) + "\n" for i, event in enumerate(events)]
    order = sorted(range(len(lines)), key=lambda i: i + rng.uniform(0, 5))
    return [lines[i] for i in order]


def main():
    heddle, count = sys.argv[1], int(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    command, tally, wrong = [heddle, "history", "--quiet", "--spec=register", "-"], [0, 0], 0
    for _ in range(count):
        lines = make(rng)
        whole = subprocess.run(command, input="".join(lines), capture_output=True, text=True).returncode
        follow = subprocess.Popen(command + ["--follow", "--time=0"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        try:
            for begin in range(0, len(lines), 12):
                follow.stdin.write("".join(lines[begin : begin + 12]))
                follow.stdin.flush()
                time.sleep(0.08 * (begin // 12 % 2))
            follow.stdin.close()
        except BrokenPipeError:
            pass
        tally[whole == 1] += 1
        if follow.wait() != whole:
            wrong += 1
            print("exit status %d when followed, but %d:" % (follow.returncode, whole), "".join(lines), sep="\n")
    print("%d logs, %d of them violated, %d wrong" % (count, tally[1], wrong))
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
