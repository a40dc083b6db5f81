"""Writes the log of a bank with eight accounts of 100 each, as JSON lines: transfers, balances of one account and of all.

    bank.py COUNT CLIENTS SEED ok|bad    bad: one of the last balances is wrong by one
"""
import json
import random
import sys

count, clients, rng = int(sys.argv[1]), int(sys.argv[2]), random.Random(int(sys.argv[3]))
accounts, busy, started, active, out = [100] * 8, [None] * clients, 0, 0, []
while started < count or active:
    client = rng.randrange(clients)
    call = busy[client]  # name, arguments, result once it took effect
    if call is None:
        if started == count:
            continue
        name = rng.choice(["read", "balance", "transfer"])
        arguments = []
        if name == "balance":
            arguments = [rng.randrange(8)]
        elif name == "transfer":
            arguments = rng.sample(range(8), 2) + [rng.randint(1, 5)]
        busy[client] = [name, arguments]
        started += 1
        active += 1
        out.append({"process": client, "type": "call", "op": name, "args": arguments})
    elif len(call) == 2:
        name, arguments = call
        if name == "read":
            call.append(list(accounts))
        elif name == "balance":
            call.append(accounts[arguments[0]])
        else:
            call.append(accounts[arguments[0]] >= arguments[2])
            if call[2]:
                accounts[arguments[0]] -= arguments[2]
                accounts[arguments[1]] += arguments[2]
    else:
        out.append({"process": client, "type": "return", "result": call[2]})
        busy[client] = None
        active -= 1
if sys.argv[4] == "bad":
    for event in out[-len(out) // 4:]:
        if type(event.get("result")) is int:
            event["result"] += 1
            break
for event in out:
    print(json.dumps(event))
