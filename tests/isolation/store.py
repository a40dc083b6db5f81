"""Writes a log of a key-value store as JSON lines; put and get only, and values are distinct.

    store.py SEED CLIENTS COUNT KEYS good|bad    bad: some of the last reads give any value
"""
import json
import random
import sys

rng = random.Random(int(sys.argv[1]))
clients, count, keys, bad = int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5] == "bad"
store, busy, value, started, active, out = {}, [None] * clients, 0, 0, 0, []
while started < count or active:
    c = rng.randrange(clients)
    call = busy[c]  # name, key, value, took effect?
    if call is None:
        if started == count:
            continue
        k = "k%d" % rng.randrange(keys)
        if rng.random() < 0.5:
            value += 1
            busy[c] = ["put", k, value, False]
            out.append('{"process":%d,"type":"call","op":"put","args":["%s",%d]}' % (c, k, value))
        else:
            busy[c] = ["get", k, None, False]
            out.append('{"process":%d,"type":"call","op":"get","args":["%s"]}' % (c, k))
        started += 1
        active += 1
    elif not call[3]:
        call[3] = True
        if call[0] == "put":
            store[call[1]] = call[2]
        else:
            call[2] = store.get(call[1])
            if bad and started > count * 0.9 and rng.random() < 0.05:
                call[2] = rng.randrange(1, value)
    else:
        result = "null" if call[0] == "put" else json.dumps(call[2])
        out.append('{"process":%d,"type":"return","result":%s}' % (c, result))
        busy[c] = None
        active -= 1
print("\n".join(out))
