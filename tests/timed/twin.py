"""twin.py SEED COUNT HEDDLE [OPTION...]: programs of timed.c by all states of a machine, against what Heddle finds.

A program is two threads of words (timed.c). The machine takes one step of one thread at a time; a thread that waits with a
deadline may time out at any step, and clocks are not part of it, as no word looks at what it reads. Compared are: can threads
be stuck for ever (Heddle: violated, or given up where a loop looks at the clock), and if not, which values are left in the end:
all runs end with one of them, and each of them is the end of some run."""
import os, random, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from reach import reach  # noqa: E402

WORDS = "aAqbWLOUFSsMPNfXYVxy"

# A thread is (word number, pc in the word, locals). Shared: a, b, w, flag, sem, owner of m, of n, the set that waits on c, of these
# those that were told; the same two sets of the futex.
def start(words):
    thread = (0, 0, (0, 0, 0), 0)  # word, pc, locals of the word, result
    return ((thread, thread), (0, 0, 0, 0, 0), (None, None), frozenset(), frozenset(), frozenset(), frozenset())

def steps(state, words):
    for t in range(2):
        if state[0][t][0] < len(words[t]):
            yield from step(state, t, words[t][state[0][t][0]])

def step(state, t, word):
    threads, (a, b, w, flag, sem), (m, n), waiting, told, asleep, woken = state
    number, pc, local, r = threads[t]

    def go(pc, a=a, b=b, w=w, flag=flag, sem=sem, m=m, n=n, waiting=waiting, told=told, asleep=asleep, woken=woken,
           local=local, r=r, done=False):
        mine = (number + 1, 0, (0, 0, 0), r) if done else (number, pc, local, r)
        both = (mine, threads[1]) if t == 0 else (threads[0], mine)
        return (both, (a, b, w, flag, sem), (m, n), waiting, told, asleep, woken)

    def wait(first, after, timed):  # pcs first: enter and unlock; first + 1: sleep; first + 2, + 3: lock again (told, over)
        if pc == first:
            yield go(first + 1, m=None, waiting=waiting | {t})
        elif pc == first + 1:
            if t in told:
                yield go(first + 2, told=told - {t})
            elif timed:
                yield go(first + 3, waiting=waiting - {t})
        elif m is None:
            yield go(after, m=t, local=(int(pc == first + 3),) + local[1:])

    if word in "aAqb":
        if pc == 0:
            if m is None:
                yield go(1, m=t)
        elif pc == 1:
            yield go(2, **{"b" if word == "b" else "a": 1})
        elif pc == 2:
            if word == "q" or not waiting:
                yield go(3)
            elif word == "A":
                yield go(3, waiting=frozenset(), told=told | waiting)
            else:
                for u in waiting:
                    yield go(3, waiting=waiting - {u}, told=told | {u})
        else:
            yield go(0, m=None, done=True)
    elif word in "WLU":
        if pc == 0:
            if m is None:
                yield go(1, m=t)
        elif pc == 1:
            yield go(6 if (b if word == "U" else a) else 2)
        elif pc == 6:
            yield go(0, m=None, r=r if word == "U" else 2 * r + b, done=True)
        else:
            yield from wait(2, 1, word != "U")
    elif word == "O":
        if pc == 0:
            if m is None:
                yield go(1, m=t)
        elif pc == 1:
            yield go(6 if a else 2)
        elif pc == 6:
            yield go(0, m=None, r=4 * r + 2 * local[0] + a, done=True)
        else:
            yield from wait(2, 6, True)
    elif word == "F":
        if pc == 0:
            if m is None:
                yield go(1, m=t)
        elif pc == 1:  # the inner loop's test
            yield go(7 if a or b else 2)
        elif pc == 6:  # back from the wait
            yield go(7 if local[0] else 1)
        elif pc == 7:
            yield go(8, b=0, m=None, local=(0, local[1] + b, a))
        elif pc == 8:
            if m is None:
                yield go(9 if local[2] else 1, m=t)
        elif pc == 9:
            yield go(0, m=None, r=2 * r + local[1], done=True)
        else:
            yield from wait(2, 6, True)
    elif word == "S":
        yield go(0, sem=sem - 1, r=2 * r + 1, done=True) if sem else go(0)
    elif word == "s":
        yield go(0, sem=sem + 1, done=True)
    elif word == "M":
        if pc == 0:
            yield go(1, n=t) if n is None else go(0)
        else:
            yield go(0, n=None, w=1, r=2 * r + w, done=True)
    elif word in "XYV":  # pc 0: looks, 1: enters the set if the value is still 0, 2: asleep
        def back(code):
            return go(0) if word != "V" else go(0, r=4 * r + code, done=True)
        if pc == 0:
            yield go(1) if not flag else go(0, done=True) if word != "V" else back(3)
        elif pc == 1:
            yield back(2) if flag else go(2, asleep=asleep | {t})
        elif t in woken:
            got = back(0)
            yield got[:6] + (woken - {t},)
        elif word != "Y":
            got = back(1)
            yield got[:5] + (asleep - {t},) + got[6:]
    elif word in "xy":
        if word == "x" and pc == 0:
            yield go(1, flag=1)
        elif not asleep:
            yield go(0, r=2 * r if word == "y" else r, done=True)
        else:
            for u in asleep:
                yield go(0, asleep=asleep - {u}, woken=woken | {u}, r=2 * r + 1 if word == "y" else r, done=True)
    elif word in "PN":
        yield go(0, done=True) if flag else go(0)
    else:
        yield go(0, flag=1, done=True)

def decide(words):
    """(stuck, outcomes)"""
    stuck, final = reach(start(words), lambda s: steps(s, words), lambda s: all(s[0][t][0] == len(words[t]) for t in range(2)))
    outcomes = {(((s[1][0] * 2 + s[1][1]) * 2 + s[1][2]) * 64 + s[0][0][3]) * 64 + s[0][1][3] for s in final}
    return stuck, outcomes

def draw(source):
    def thread():
        return "".join(source.choice(WORDS) for _ in range(source.randint(1, 3)))
    words = thread(), thread()
    while decide(words)[0] and source.random() < 0.9:  # most would be stuck
        words = thread(), thread()
    return words

def ask(command, numbers):
    run = subprocess.run([*command, numbers], capture_output=True, text=True)
    return run.returncode, run.stdout

def differs(command, words, stuck, outcomes):
    """What is wrong, in words, or None; "" if Heddle gave up."""
    status, said = ask(command, ",".join(map(str, sorted(outcomes))) or "0")
    if stuck:
        looks = status == 3 and any(word in "LNF" for word in "".join(words))
        right = status == 1 and ("deadlock" in said or "livelock" in said)
        return None if looks or right else "" if status == 3 else "exit %d although threads may be stuck" % status
    if status:
        return "" if status == 3 else "exit %d" % status
    for outcome in sorted(outcomes):
        status, said = ask(command, "not %d" % outcome)
        if status != 1 or "assertion" not in said:
            return "" if status == 3 else "%d is not met" % outcome
    return None

def main():
    seed, count, heddle, options = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    source, bad, stuck_ones, gave_up = random.Random(seed), 0, 0, 0
    for _ in range(count):
        words = draw(source)
        join = source.choice("jt")
        stuck, outcomes = decide(words)
        command = [heddle, "run", "--no-record", "--jobs=1", "--quiet", "--time=20s", "--no-repair", *options, "tests/timed/timed.c",
                   "--", *words, join]
        wrong = differs(command, words, stuck, outcomes)
        stuck_ones += stuck
        if wrong is not None:
            gave_up += not wrong
            bad += bool(wrong)
            print("differs:" if wrong else "gave up:", " ".join(command), wrong)
    print("%d programs, %d of them stuck, %d given up, %d differ" % (count, stuck_ones, gave_up, bad))
    sys.exit(bad > 0 or gave_up * 20 > count)

main()
