"""A history of a register in which few values are written again and again, which is hard: it is linearizable but for its
last two reads.

    repeat.py OPERATIONS CLIENTS VALUES SEED
"""
import json
import random
import sys

operations, clients, values, seed = map(int, sys.argv[1:5])
rng = random.Random(seed)
held, stage, busy, called, ended = None, [0] * clients, [None] * clients, 0, 0


def event(process, **fields):
    print(json.dumps({"process": process, **fields}))


while ended < operations:
    p = rng.randrange(clients)
    if stage[p] == 0:
        if called == operations:
            continue
        called += 1
        busy[p] = rng.randint(1, values) if rng.random() < 0.5 else None
        event(p, type="call", op="read" if busy[p] is None else "write", args=[] if busy[p] is None else [busy[p]])
    elif stage[p] == 1:
        held, busy[p] = (held, held) if busy[p] is None else (busy[p], None)
    else:
        event(p, type="return", result=busy[p])
        ended += 1
    stage[p] = (stage[p] + 1) % 3
for value in (1, 2):
    event(clients, type="call", op="read")
    event(clients, type="return", result=value)
