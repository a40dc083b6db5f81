#!/usr/bin/env python3
"""States of the view machine of rc11 against executions, for doc/rc11_states.md.

Programs have relaxed, release and acquire accesses and read-modify-writes, no fences, nothing seq_cst.
A message is (value, view, attached): attached messages are read-modify-writes of the one before. A thread
is (place, registers, view). Views are positions in the lists of messages, by location."""
import sys

R, W, U = "load", "store", "add"  # (R, location, order, register), (W, location, order, value), (U, location, order)


def value_of(v, registers):
    return v(registers) if callable(v) else v


def moved(view, location, at):
    """VIEW after a message was put at position AT of LOCATION."""
    return tuple(p + 1 if l == location and p >= at else p for l, p in enumerate(view))


def join(a, b):
    return tuple(max(p, q) for p, q in zip(a, b))


def steps(program, state):
    threads, memory = state[0], state[1]
    for t, (place, registers, view) in enumerate(threads):
        if place == len(program[t]):
            continue
        op = program[t][place]
        location, order = op[1], op[2]
        messages = memory[location]
        for p in range(view[location], len(messages)):
            value, seen, _ = messages[p]
            after = join(view, seen) if "acq" in order else view
            after = tuple(max(q, p) if l == location else q for l, q in enumerate(after))
            if op[0] == R:
                new = threads[:t] + ((place + 1, dict_set(registers, op[3], value), after),) + threads[t + 1:]
                yield t, ("read", p), (new, memory)
                continue
            if p + 1 < len(messages) and messages[p + 1][2]:
                continue  # nothing comes between a message and its read-modify-write
            at = p + 1
            written = value + 1 if op[0] == U else value_of(op[3], dict(registers))
            own = moved(after if op[0] == U else view, location, at)
            own = tuple(at if l == location else q for l, q in enumerate(own))
            sent = own if "rel" in order else tuple(at if l == location else 0 for l in range(len(memory)))
            if op[0] == U:  # it continues the release sequence of what it reads
                sent = join(sent, moved(seen, location, at))
            others = tuple((a, b, moved(v, location, at)) for a, b, v in threads)
            lists = tuple(tuple((v, moved(m, location, at), k) for v, m, k in list_) for list_ in memory)
            mine = lists[location][:at] + ((written, sent, op[0] == U),) + lists[location][at:]
            new = others[:t] + ((place + 1, registers, own),) + others[t + 1:]
            yield t, ("write", at), (new, lists[:location] + (mine,) + lists[location + 1:])


def dict_set(registers, name, value):
    return tuple(sorted(dict(registers, **{name: value}).items())) if name else registers


def forget(program, state):
    """The state without messages that no thread can read, and without threads that have ended."""
    threads, memory = state
    live = [t for t in range(len(threads)) if threads[t][0] < len(program[t])]
    low = []
    for l in range(len(memory)):
        users = [t for t in live if any(op[1] == l for op in program[t][threads[t][0]:])]
        low.append(min((threads[t][2][l] for t in users), default=len(memory[l])))
    cut = lambda view: tuple(max(p - low[l], -1) for l, p in enumerate(view))
    return (tuple((a, b, cut(v)) if t in live else (a,) for t, (a, b, v) in enumerate(threads)),
            tuple(tuple((v, cut(m), k and i > low[l]) for i, (v, m, k) in enumerate(list_) if i >= low[l])
                  for l, list_ in enumerate(memory)))


def start(program, locations, first):
    zero = (0,) * locations
    return (tuple((0, (), zero) for _ in program), tuple(((first, zero, False),) for _ in range(locations)))


def count_states(program, locations, first=0):
    todo = [start(program, locations, first)]
    seen = {forget(program, todo[0])}
    while todo:
        for _, _, after in steps(program, todo.pop()):
            key = forget(program, after)
            if key not in seen:
                seen.add(key)
                todo.append(after)
    return len(seen)


def count_executions(program, locations, first=0):
    """Distinct graphs: which write each read sees, and the order of writes, by the names of events."""
    names = tuple((("init", l),) for l in range(locations))
    todo, seen, graphs = [(start(program, locations, first), names, frozenset())], set(), set()
    while todo:
        state, order, sees = todo.pop()
        ended = True
        for t, (kind, at), after in steps(program, state):
            ended = False
            event, location = (t, state[0][t][0]), program[t][state[0][t][0]][1]
            new_order, new_sees = order, sees
            if kind == "read":
                new_sees = sees | {(event, order[location][at])}
            else:
                if program[t][event[1]][0] == U:
                    new_sees = sees | {(event, order[location][at - 1])}
                list_ = order[location]
                new_order = order[:location] + (list_[:at] + (event,) + list_[at:],) + order[location + 1:]
            key = (tuple(x[0] for x in after[0]), new_order, new_sees)
            if key not in seen:
                seen.add(key)
                todo.append((after, new_order, new_sees))
        if ended:
            graphs.add((order, sees))
    return len(graphs)


X, Y = 0, 1
increase = lambda n: [op for _ in range(n) for op in ((R, X, "rlx", "v"), (W, X, "rlx", lambda r: r["v"] + 1))]
reader = [(R, Y, "acq", None), (R, X, "rlx", None)]
weak = [(R, Y, "rlx", None), (R, X, "rlx", None)]
PROGRAMS = [  # name, threads, locations, executions that tests/oracle/counts.csv has
    ("sb", [[(W, X, "rlx", 1), (R, Y, "rlx", None)], [(W, Y, "rlx", 1), (R, X, "rlx", None)]], 2, 4),
    ("mp -DN=3", [[(W, X, "rlx", 1), (W, Y, "rlx", 1)], weak, weak, weak], 2, 64),
    ("mp -DN=3 release/acquire", [[(W, X, "rlx", 1), (W, Y, "rel", 1)], reader, reader, reader], 2, 27),
    ("2+2w", [[(W, X, "rlx", 1), (W, Y, "rlx", 2)], [(W, Y, "rlx", 1), (W, X, "rlx", 2)]], 2, 4),
    ("iriw", [[(W, X, "rel", 1)], [(W, Y, "rel", 1)], [(R, X, "acq", None), (R, Y, "acq", None)],
              [(R, Y, "acq", None), (R, X, "acq", None)]], 2, 16),
    ("wrc", [[(W, X, "rel", 1)], [(R, X, "acq", None), (W, Y, "rel", 1)],
             [(R, Y, "acq", None), (R, X, "acq", None)]], 2, 7),
    ("corr -DN=4", [[(W, X, "rlx", k)] for k in range(1, 5)] + [[(R, X, "rlx", None)] * 2], 1, 360),
    ("ainc -DN=6", [[(U, X, "acq rel")]] * 6, 1, 720),
    ("ainc -DN=7", [[(U, X, "acq rel")]] * 7, 1, 5040),
    ("readers -DN=8", [[(W, X, "rel", 1)]] + [[(R, X, "acq", None)]] * 8, 1, 256),
    ("incloop -DN=2", [increase(2), increase(2)], 1, 34),
    ("incloop -DN=3", [increase(3), increase(3)], 1, 328),
    ("incloop -DN=4", [increase(4), increase(4)], 1, 3334),
    ("corr -DN=6", [[(W, X, "rlx", k)] for k in range(1, 7)] + [[(R, X, "rlx", None)] * 2], 1, 20160),
]

if __name__ == "__main__":
    wrong = 0
    print("| program | executions | states |\n| --- | --- | --- |")
    for name, program, locations, expected in PROGRAMS:
        executions = count_executions(program, locations)
        wrong += executions != expected
        note = "" if executions == expected else f" (the oracle has {expected})"
        print(f"| {name} | {executions}{note} | {count_states(program, locations)} |", flush=True)
    sys.exit(wrong != 0)
