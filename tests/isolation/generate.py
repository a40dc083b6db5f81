"""Writes a log of transactions that a serializable store ran, as JSON lines.

    generate.py COUNT CLIENTS [lists|registers] [ANOMALY] [SEED]

ANOMALY: one that is planted in the middle, on keys of its own, by its name for Heddle: G0, G1a, G1b,
G1c, G-single, G-nonadjacent, G2-item, lost-update, long-fork, internal, non-repeatable-read,
duplicate-elements, incompatible-order, dirty-update, garbage-read, observed-transaction-vanishes.
Each transaction takes effect between its call and its return. At most 32 elements go to a list.
"""
import random
import sys

PLANTS = {  # transactions with their answers; "!" in front: it aborts. All overlap.
    "G0": ["append:p=[1] append:q=[3]", "append:p=[2] append:q=[4]", "r:p=[1,2] r:q=[4,3]"],
    "G1a": ["!append:p=[1]", "r:p=[1]"],
    "G1b": ["append:p=[1] append:p=[2]", "r:p=[1]", "r:p=[1,2]"],
    "G1c": ["append:p=[1] r:q=[2]", "append:q=[2] r:p=[1]"],
    "G-single": ["append:p=[1] append:q=[2]", "r:p=[1] r:q=[]", "r:q=[2]"],
    "G-nonadjacent": ["append:p=[1]", "append:q=[2]", "r:p=[1] r:q=[]", "r:p=[] r:q=[2]"],
    "long-fork": ["append:p=[1]", "append:q=[2]", "r:p=[1] r:q=[]", "r:p=[] r:q=[2]"],
    "G2-item": ["r:p=[] append:q=[1]", "r:q=[] append:p=[2]", "r:p=[2] r:q=[1]"],
    "lost-update": ["r:p=[] append:p=[1]", "r:p=[] append:p=[2]", "r:p=[1,2]"],
    "internal": ["append:p=[1] r:p=[]"],
    "non-repeatable-read": ["append:p=[1]", "r:p=[] r:p=[1]"],
    "duplicate-elements": ["append:p=[1]", "r:p=[1,1]"],
    "incompatible-order": ["append:p=[1]", "append:p=[2]", "r:p=[1,2]", "r:p=[2,1]"],
    "dirty-update": ["!append:p=[1]", "append:p=[2]", "r:p=[1,2]"],
    "garbage-read": ["r:p=[7]"],
    "observed-transaction-vanishes": ["append:p=[1] append:q=[2]", "r:p=[1] r:q=[]", "r:q=[2]"],
}


def planted(name, client, lines):
    calls, returns = [], []
    for i, text in enumerate(PLANTS[name]):
        steps = [s.replace("=", ":").split(":") for s in text.lstrip("!").split()]
        name_of = {"p": "10000000", "q": "10000001"}
        call = ",".join('["%s",%s,%s]' % (f, name_of[k], "null" if f == "r" else v[1:-1]) for f, k, v in steps)
        done = ",".join('["%s",%s,%s]' % (f, name_of[k], v if f == "r" else v[1:-1]) for f, k, v in steps)
        calls.append('{"process":%d,"type":"call","op":"txn","args":[[%s]]}\n' % (client + i, call))
        returns.append('{"process":%d,"type":"fail"}\n' % (client + i) if text[0] == "!" else
                       '{"process":%d,"type":"return","result":[%s]}\n' % (client + i, done))
    lines += calls + returns


def main():
    count, clients = int(sys.argv[1]), int(sys.argv[2])
    lists = (sys.argv[3] if len(sys.argv) > 3 else "lists") == "lists"
    plant = sys.argv[4] if len(sys.argv) > 4 and sys.argv[4] != "-" else None
    rng = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    out, lines, started, value, next_key = sys.stdout, [], 0, 0, 10
    keys, store, used = list(range(10)), {}, {}
    busy = [None] * clients
    active = 0
    write = "append" if lists else "w"
    while started < count or active:
        c = int(rng.random() * clients)
        txn = busy[c]
        if txn is None:
            if started == count:
                continue
            steps = []
            for _ in range(1 + int(rng.random() * 4)):
                k = keys[int(rng.random() * 10)]
                if rng.random() < 0.5:
                    steps.append((k, None))
                    continue
                value += 1
                steps.append((k, value))
                used[k] = used.get(k, 0) + 1
                if used[k] == 32:
                    keys[keys.index(k)] = next_key
                    next_key += 1
            busy[c] = [steps, None]
            active += 1
            started += 1
            body = ",".join('["r",%d,null]' % k if v is None else '["%s",%d,%d]' % (write, k, v) for k, v in steps)
            lines.append('{"process":%d,"type":"call","op":"txn","args":[[%s]]}\n' % (c, body))
            if plant and started == count // 2:
                planted(plant, clients, lines)
        elif txn[1] is None:
            done = []
            for k, v in txn[0]:
                if v is None:
                    now = store.get(k)
                    done.append('["r",%d,%s]' % (k, "[%s]" % ",".join(now) if lists and now else "null" if not now else now))
                elif lists:
                    store.setdefault(k, []).append(str(v))
                    done.append('["append",%d,%d]' % (k, v))
                else:
                    store[k] = str(v)
                    done.append('["w",%d,%d]' % (k, v))
            txn[1] = ",".join(done)
        else:
            lines.append('{"process":%d,"type":"return","result":[%s]}\n' % (c, txn[1]))
            busy[c] = None
            active -= 1
        if len(lines) > 10000:
            out.write("".join(lines))
            lines = []
    out.write("".join(lines))


main()
