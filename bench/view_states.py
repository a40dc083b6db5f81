#!/usr/bin/env python3
"""How many states would rc11 have? A machine of views and messages (as in ORC11: Dang, Jourdan, Kaiser,
Dreyer, POPL 2020) for threads that push on Treiber's stack: the top is the only location whose old
values can be read. A message is a place in the modification order of the top; a thread's view is the
oldest place that it may still read. Messages before all views can't be read by anybody, and are dropped:
that is why states meet again.

    bench/view_states.py THREADS PUSHES      prints states and steps
"""
import sys

THREADS, PUSHES = int(sys.argv[1]), int(sys.argv[2])
LOAD, CAS = 0, 1
NEW = (0, LOAD, None, 0)  # pushes done, what comes next, the place that a compare-exchange expects, view


def canonical(messages, threads):
    """Drops what nobody can read; a thread that has ended reads nothing."""
    views = [t[3] for t in threads if t[0] < PUSHES]
    first = min(views) if views else len(messages) - 1
    kept = []
    for done, pc, expected, view in threads:
        if done == PUSHES:
            kept.append((done, LOAD, None, 0))
            continue
        if expected is not None:
            expected = max(expected - first, -1)
        kept.append((done, pc, expected, view - first))
    return messages[first:], tuple(kept)


def successors(messages, threads):
    last = len(messages) - 1
    for i, (done, pc, expected, view) in enumerate(threads):
        if done == PUSHES:
            continue
        for place in range(view, last + 1):
            after, pushed = (done, CAS, place, place), messages
            if pc == CAS and place == expected:
                if place != last:
                    continue  # a read-modify-write follows it: another can't
                after, pushed = (done + 1, LOAD, None, last + 1), messages + ((i, done),)
            yield canonical(pushed, threads[:i] + (after,) + threads[i + 1:])


start = canonical(("empty",), (NEW,) * THREADS)
seen, waiting, steps = {start}, [start], 0
while waiting:
    for state in successors(*waiting.pop()):
        steps += 1
        if state not in seen:
            seen.add(state)
            waiting.append(state)
print(len(seen), "states,", steps, "steps")
