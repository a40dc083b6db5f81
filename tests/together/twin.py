"""twin.py SEED COUNT HEDDLE [OPTION...]: programs of together.c by all states of a machine, against what Heddle finds.

A program is three threads of words (together.c). The machine takes one step of one thread at a time. Compared are: can threads be
stuck for ever, and if not, which values are left in the end: all runs end with one of them, and each is the end of some run."""
import os, random, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from reach import reach  # noqa: E402

SETS = {"a": "01", "b": "10", "c": "12", "d": "20", "e": "012", "f": "210", "W": "01", "s": "12", "R": "01", "P": "01", "G": "01"}
WORDS = "aabbccddefWslm" + "h"
RARE = "ABCTYZRPG"  # these show what they have found: loops beside them may have no bounded number of rounds, and are given up

# A thread is (word number, place, locals, result); shared: x, done, failed, then the owners of the locks.
def steps(state, words):
    for t in range(3):
        if state[0][t][0] < len(words[t]):
            yield from step(state, t, words[t][state[0][t][0]])

def step(state, t, word):
    threads, (x, done, failed), owners = state
    number, pc, local, r = threads[t]

    def go(pc=0, local=local, x=x, done=done, failed=failed, owners=owners, r=r, over=False):
        mine = (number + 1, "", (), r) if over else (number, pc, local, r)
        return (threads[:t] + (mine,) + threads[t + 1:], (x, done, failed), owners)

    def taken(n, by=t):
        return owners[:n] + (by,) + owners[n + 1:]

    def free(n):
        return taken(n, None)

    if word in SETS:
        which = SETS[word]
        if pc == "":
            yield go("take", (0, 0, 0))  # first, how many it has, attempts (1: some failed)
        elif pc == "take":
            first, has, failures = local
            n = int(which[(first + has) % len(which)])
            if has == 0:
                if owners[n] is None:
                    yield go("take", (first, 1, failures), owners=taken(n))
            elif has == len(which):
                yield go("body", (failures,))
            elif owners[n] is None:
                yield go("take", (first, has + 1, failures), owners=taken(n))
            elif word == "P" and first:
                yield go("drop", (first, has, 1, has), failed=1)
            else:
                yield go("drop", (first, has, 1, has))
        elif pc == "drop":
            first, has, failures, tried = local
            n = int(which[(first + has - 1) % len(which)])
            after = (first, has - 1, failures, tried)
            if has > 1:
                yield go("drop", after, owners=free(n))
            elif word == "G" and first:
                yield go(owners=free(n), r=2 * r + 1, over=True)
            else:
                yield go("take", ((first + tried) % len(which), 0, failures), owners=free(n))
        elif pc == "body":
            if word in "abcdef":
                yield go("give", (0,), x=1 - x, r=2 * r + x)
            elif word == "W":
                yield go("give", (0, done))
            elif word == "s":
                if owners[0] is None:
                    yield go("give", (0,), done=1, owners=taken(0))
            elif word == "R":
                yield go("give", (0,), r=2 * r + local[0])
            elif word == "P":
                yield go("give", (0,), r=2 * r + failed)
            else:
                yield go("give", (0,), r=2 * r)
        else:
            back = "012" if word == "s" else which
            n = int(back[local[0]])
            if local[0] + 1 < len(back):
                yield go("give", (local[0] + 1,) + local[1:], owners=free(n))
            elif word == "W" and not local[1]:
                yield go("", (), owners=free(n))
            else:
                yield go(owners=free(n), over=True)
    elif word in "ABC":
        n = "ABC".index(word)
        if pc == "":
            yield go("got", r=2 * r + 1, owners=taken(n)) if owners[n] is None else go(r=2 * r, over=True)
        else:
            yield go(owners=free(n), over=True)
    elif word in "lm":
        n = "lm".index(word)
        if pc == "":
            if owners[n] is None:
                yield go("got", owners=taken(n))
        else:
            yield go(owners=free(n), over=True)
    elif word in "YZ":
        n = 2 if word == "Y" else 0
        if pc == "":
            if owners[n] is None:
                yield go("has", owners=taken(n))
        elif pc == "has":
            yield go("one", r=2 * r, owners=taken(1)) if owners[1] is None else go("back", r=2 * r + 1)
        elif pc == "one":
            yield go("back", owners=free(1))
        else:
            yield go(owners=free(n), over=True)
    elif word == "h":
        if owners[1] is None:
            yield go(owners=taken(1), over=True)
    else:  # T
        if pc == "":
            yield go("zero", owners=taken(0)) if owners[0] is None else go(r=2 * r, over=True)
        elif pc == "zero":
            yield go("one", r=2 * r, owners=taken(1)) if owners[1] is None else go("back", r=2 * r + 1)
        elif pc == "one":
            yield go("back", owners=free(1))
        else:
            yield go(owners=free(0), over=True)

def decide(words):
    """(stuck, outcomes)"""
    thread = (0, "", (), 0)
    first = ((thread,) * 3, (0, 0, 0), (None,) * 3)
    stuck, final = reach(first, lambda s: steps(s, words), lambda s: all(s[0][t][0] == len(words[t]) for t in range(3)))
    outcomes = {(((s[1][0] * 2 + s[1][1]) * 2 + s[1][2]) * 16 + s[0][0][3]) * 256 + s[0][1][3] * 16 + s[0][2][3] for s in final}
    return stuck, outcomes

def draw(source):
    def thread(most):
        return "".join(source.choice(RARE if source.random() < rare else WORDS) for _ in range(source.randint(0, most)))
    rare = 0.3 if source.random() < 0.3 else 0
    while True:
        words = thread(2), thread(2), thread(2)
        if decide(words)[0] and source.random() < 0.8:
            continue
        return words

def ask(command, numbers):
    run = subprocess.run([*command, *numbers], capture_output=True, text=True)
    return run.returncode, run.stdout

def differs(command, stuck, outcomes):
    """What is wrong, in words, or None; "" if Heddle gave up."""
    status, said = ask(command, [",".join(map(str, sorted(outcomes))) or "-1"])
    if stuck:
        right = status == 1 and ("deadlock" in said or "livelock" in said)
        return None if right else "" if status == 3 else "exit %d although threads may be stuck" % status
    if status:
        return "" if status == 3 else "exit %d" % status
    for outcome in sorted(outcomes):
        status, said = ask(command, ["not", str(outcome)])
        if status != 1 or "assertion" not in said:
            return "" if status == 3 else "%d is not met" % outcome
    return None

def main():
    seed, count, heddle, options = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    source, bad, stuck_ones, gave_up = random.Random(seed), 0, 0, 0
    for _ in range(count):
        words = draw(source)
        stuck, outcomes = decide(words)
        command = [heddle, "run", "--no-record", "--jobs=1", "--quiet", "--time=3s", "--no-repair", *options,
                   "tests/together/together.c", "--", *words]
        wrong = differs(command, stuck, outcomes)
        stuck_ones += stuck
        if wrong is not None:
            gave_up += not wrong
            bad += bool(wrong)
            print("differs:" if wrong else "gave up:", " ".join("'%s'" % w if not w else w for w in command), wrong, flush=True)
    print("%d programs, %d of them stuck, %d given up, %d differ" % (count, stuck_ones, gave_up, bad))
    sys.exit(bad > 0 or gave_up * 4 > count)

main()
