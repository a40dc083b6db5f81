#!/usr/bin/env python3
"""core.py SPEC FILE.json LOG...: what `heddle history --json' says of violated logs, checked by a search of its own. The
operations that contradict each other must do so whatever all others gave and whether or not those happened (where
"minimal" is said; else, together with all that the log says), and with each one of them left free in the same way
the rest must fit. No operation that has returned may be called pending. SPEC: fifo, register:0 or cas-register."""
import json, sys

def step(spec, state, name, args):
    """The one transition of an operation: the next state, and its result."""
    if spec == "fifo":
        if name == "enq":
            return state + (args[0],), None
        return (state[1:], state[0]) if state else (state, "empty")
    if name == "write":
        return args[0], None
    if name == "read":
        return state, state
    return (args[1], True) if state == args[0] else (state, False)

def fits(spec, ops, fixed, optional):
    """Is there an order in which the operations of FIXED give what they gave, and those of OPTIONAL may be left out?"""
    seen = set()
    start = () if spec == "fifo" else (0 if spec == "register:0" else None)
    whole = (1 << len(ops)) - 1
    def go(done, state):
        if done == whole:
            return True
        if (done, state) in seen:
            return False
        seen.add((done, state))
        least = min(op["returned"] for i, op in enumerate(ops) if not done >> i & 1)
        for i, op in enumerate(ops):
            if done >> i & 1:
                continue
            if i in optional and go(done | 1 << i, state):
                return True
            if op["called"] > least:
                continue
            after, result = step(spec, state, op["name"], op["args"])
            if i in fixed and op["name"] in ("deq", "read", "cas") and result != op["result"]:
                continue
            if go(done | 1 << i, after):
                return True
        return False
    return go(0, start)

def read(path):
    ops, open_by, moment = [], {}, -1
    for number, line in enumerate(open(path), 1):
        event = json.loads(line)
        moment += 1
        if event["type"] == "call":
            open_by[event["process"]] = len(ops)
            ops.append({"line": number, "name": event["op"], "args": event["args"], "called": moment,
                        "returned": float("inf"), "result": None})
        else:
            op = ops[open_by.pop(event["process"])]
            op["returned"], op["result"] = moment, event["result"]
    return ops

spec, answer = sys.argv[1], json.load(open(sys.argv[2]))
violated = minimal = wrong = 0
sys.setrecursionlimit(100000)
for result in answer["results"]:
    if result["verdict"] != "violated":
        continue
    violated += 1
    ops = read(result["file"])
    # a line names an operation by its call or by its return
    at = {op["called"]: i for i, op in enumerate(ops)}
    core = [at[member["called"]] for member in result["core"]]
    pending = {i for i, op in enumerate(ops) if op["returned"] == float("inf")}
    for member in result["core"] + result["context"]:
        if (member["returned"] is None) != (at[member["called"]] in pending):
            wrong += 1
            print("wrong: pending or not:", result["file"], member)
    rest = set(range(len(ops))) - set(core)
    if fits(spec, ops, set(core) - pending, pending | rest) if result["minimal"] else fits(spec, ops, set(range(len(ops))) - pending, pending):
        wrong += 1
        print("wrong: no contradiction:", result["file"], [ops[i] for i in core])
    if result["minimal"]:
        minimal += 1
        for i in core:
            if not fits(spec, ops, set(core) - pending - {i}, pending | rest | {i}):
                wrong += 1
                print("wrong: can be left out:", result["file"], ops[i])
print(violated, "violated,", minimal, "minimal,", wrong, "wrong")
sys.exit(wrong != 0)
