#!/usr/bin/env python3
"""derive.py: two rows of expected.csv once more, without Heddle. Every interleaving of the calls, accesses and returns
of two small mutants is made here, and each history is judged by the definitions of the notions, over all orders.

HEAD_STORE (Michael and Scott's queue, the head moved by a store) and NO_SWAP (Herlihy and Wing's queue, an element read
and cleared in two steps) lose the race between two dequeues in the same way: both read before either writes, so each
begins before the other ends, and both return the element. Taken together as one they are right (set); one after the
other they are not, whatever the order and however relaxed: no order of the calls makes an element that was put once
come out twice, in a queue or a bag, and no call fails. Prints a line for each row; exit status 1 if it is another."""
import csv
import itertools
import os
import sys


def head_store():
    """enqueue(1) / dequeue() | dequeue() / dequeue(): the queue is dummy -> 1 when the threads begin, the tail at 1."""
    def dequeue(memory):
        while True:
            head = yield lambda: memory["head"]
            tail = yield lambda: memory["tail"]
            after = yield lambda: memory["next"][head]
            again = yield lambda: memory["head"]
            if head != again:
                continue
            if head == tail:
                return None  # there is no next: all enqueues are over
            yield lambda: memory.__setitem__("head", after)
            return memory["value"][after]

    memory = {"head": 0, "tail": 1, "next": {0: 1, 1: None}, "value": {1: 1}}
    return memory, [("enqueue", 1)], [[("dequeue", dequeue)], [("dequeue", dequeue)]], [("dequeue", dequeue)]


def no_swap():
    """enqueue(1) | dequeue() | dequeue(): an enqueue reserves a slot, then fills it; a dequeue goes round until it
    finds something. A round in which nothing can have changed is not made: the thread waits."""
    def enqueue(memory):
        slot = yield lambda: memory.__setitem__("back", memory["back"] + 1) or memory["back"] - 1
        yield lambda: memory["items"].__setitem__(slot, 1)
        return "done"

    def dequeue(memory):
        while True:
            yield "wait", lambda: any(memory["items"][:memory["back"]])
            limit = yield lambda: memory["back"]
            for i in range(limit):
                element = yield lambda i=i: memory["items"][i]
                if element:
                    yield lambda i=i: memory["items"].__setitem__(i, None)
                    return element

    memory = {"back": 0, "items": [None] * 4}
    return memory, [], [[("enqueue", enqueue)], [("dequeue", dequeue)], [("dequeue", dequeue)]], []


def run(make, schedule):
    """Runs the threads by SCHEDULE, thread numbers, as far as it goes. The history, and who can go on."""
    memory, before, threads, after = make()
    clock = itertools.count()
    history = []  # [name, argument, result, called, returned]; returned None: it waits for ever
    for name, argument in before:
        history.append([name, argument, "done", next(clock), next(clock)])
    state = []
    for calls in threads:
        state.append({"calls": list(calls), "call": None, "op": None, "ask": None})

    def ready(t):
        if t["call"] is None:
            return bool(t["calls"])
        return not (isinstance(t["ask"], tuple) and not t["ask"][1]())

    def step(t):
        if t["call"] is None:  # the call
            name, body = t["calls"].pop(0)
            t["op"] = [name, 1 if name == "enqueue" else None, None, next(clock), None]
            history.append(t["op"])
            t["call"] = body(memory)
            t["ask"] = next(t["call"])
            return
        if t["ask"] == "return":
            t["op"][4] = next(clock)
            t["call"] = None
            return
        next(clock)
        try:
            if isinstance(t["ask"], tuple):
                t["ask"] = t["call"].send(None)
            else:
                t["ask"] = t["call"].send(t["ask"]())
        except StopIteration as end:
            t["op"][2] = end.value
            t["ask"] = "return"

    for number in schedule:
        step(state[number])
    able = [i for i, t in enumerate(state) if ready(t)]
    if not able:
        for name, body in after:  # main, when the threads have ended
            if any(t["call"] for t in state):
                break
            t = {"calls": [(name, body)], "call": None, "op": None, "ask": None}
            while t["calls"] or t["call"]:
                step(t)
    return history, able


def histories(make):
    """All different histories of all interleavings: results, and who returned before whom was called."""
    seen = set()
    stack = [()]
    while stack:
        schedule = stack.pop()
        history, able = run(make, schedule)
        stack.extend(schedule + (i,) for i in able)
        if able:
            continue
        order = tuple((a[0], a[1], a[2], a[4] is None,
                       tuple(j for j, b in enumerate(history) if b[4] is not None and b[4] < a[3])) for a in history)
        seen.add(order)
    return [[dict(name=n, argument=a, result=r, waits=w, after=set(p)) for n, a, r, w, p in order] for order in seen]


def apply(op, content, kind):
    """Contents after OP with its result, or None if that is not right."""
    if op["name"] == "enqueue":
        return content + (op["argument"],)
    if op["result"] is None:
        return content if not content else None
    if kind == "bag" and op["result"] in content:
        at = content.index(op["result"])
        return content[:at] + content[at + 1:]
    return content[1:] if content and content[0] == op["result"] else None


def explained(history, kind="fifo", together=False, left_out=()):
    """Is there an order of the calls that returned? TOGETHER: dequeues that overlap and give the same may be one."""
    made = [i for i, op in enumerate(history) if not op["waits"] and i not in left_out]

    def search(done, content):
        if len(done) == len(made):
            return not any(op["waits"] for op in history) or not content  # who waits has nothing to take
        rest = [i for i in made if i not in done]
        free = [i for i in rest if not any(j in history[i]["after"] for j in rest)]
        groups = [[i] for i in free]
        if together:
            for size in range(2, len(free) + 1):
                for group in itertools.combinations(free, size):
                    first = history[group[0]]
                    if first["name"] == "dequeue" and first["result"] is not None and all(
                            history[i]["name"] == "dequeue" and history[i]["result"] == first["result"] for i in group):
                        groups.append(list(group))
        for group in groups:
            then = apply(history[group[0]], content, kind)
            if then is not None and search(done | set(group), then):
                return True
        return False

    return search(frozenset(), ())


def overlaps(history, i):
    return any(j != i and j not in history[i]["after"] and i not in history[j]["after"] for j in range(len(history)))


def promise(make):
    """The first promise of --relax=auto that holds of every history."""
    all_of = histories(make)
    if all(explained(h) for h in all_of):
        return "linearizable", len(all_of)
    failing = [[i for i, op in enumerate(h) if op["name"] == "dequeue" and op["result"] is None and not op["waits"] and
                overlaps(h, i)] for h in all_of]
    if all(explained(h, left_out=f) for h, f in zip(all_of, failing)):
        return "may-fail", len(all_of)

    def balanced(h):  # every relaxed queue: what is taken was put, and no more often
        taken = [op["result"] for op in h if op["name"] == "dequeue" and not op["waits"] and op["result"] is not None]
        return len(taken) <= sum(op["name"] == "enqueue" for op in h)
    if all(balanced(h) for h in all_of):
        return "quasi, or a bag: not told apart here", len(all_of)
    assert not all(explained(h, kind="bag") for h in all_of)
    return ("set" if all(explained(h, together=True) for h in all_of) else "sequential, quiescent or nothing"), len(all_of)


def main():
    wanted = {}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected.csv"), encoding="utf-8") as file:
        for arguments, found, _ in list(csv.reader(file))[1:]:
            for word in arguments.split():
                wanted.setdefault(word, found)
    wrong = 0
    for word, make in (("-DHEAD_STORE", head_store), ("-DNO_SWAP", no_swap)):
        got, count = promise(make)
        print(f"{word[2:]}: {got}, of {count} histories; expected.csv says {wanted[word]}")
        wrong += got != wanted[word]
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
