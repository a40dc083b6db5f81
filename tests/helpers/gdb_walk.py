# gdb_walk.py: goes through a recorded execution event by event, natively in gdb, and compares each step that a report
# prints with what the machine shows there: the thread, the function and line it stands at, and the values of variables
# that gdb can name. For `heddle replay --gdb --step=1 RECORD -- -nx -batch -x gdb_walk.py' with the report's document
# (`heddle report --json RECORD') in the file that HEDDLE_DOCUMENT names. Prints what differs, then one line of counts.
import json
import os
import re

import gdb

# Steps at which the machine stops: atomic accesses (they have a memory order) and what threads do to each other. Plain
# accesses that race are events as well, but happen when their thread has gone on.
STOPS = {"create", "join"}
document = json.load(open(os.environ["HEDDLE_DOCUMENT"]))
names = [thread["name"] for thread in document["threads"]]
steps = document["steps"]
differ, lines, values = 0, 0, 0


def complain(step, text):
    global differ
    differ += 1
    print("DIFFERS step %d (%s, %s): %s" % (step["number"], step["action"], step["place"], text))


def value_of(name):
    """The variable as an integer; None if gdb can't tell."""
    if not re.fullmatch(r"[A-Za-z_][\w.\[\]]*", name):
        return None
    try:
        value = gdb.parse_and_eval(name)
        while value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:  # std::atomic
            value = value[[f for f in value.type.strip_typedefs().fields() if hasattr(f, "bitpos")][0]]
        return int(value)
    except (gdb.error, IndexError, ValueError):
        return None


def look():
    """Thread, places of its frames in the program (innermost first)."""
    thread, frame, places = gdb.selected_thread(), gdb.newest_frame(), []
    while frame is not None:
        sal = frame.find_sal()
        if sal.symtab is not None and not sal.symtab.fullname().startswith("/usr/"):
            places.append("%s:%d" % (os.path.basename(sal.symtab.filename), sal.line))
        frame = frame.older()
    return thread.name, places


def stops(step):
    return bool(step["place"]) and (step["order"] not in ("", "plain", "volatile") or step["kind"] in STOPS)


def next_steps(thread, after):
    """Indexes of the steps of the thread at which it stops, from AFTER on."""
    return [i for i in range(after, len(steps)) if stops(steps[i]) and steps[i]["thread"] is not None and names[steps[i]["thread"]] == thread]


def is_number(text):
    return re.fullmatch(r"-?\d+", text or "") is not None


def compare_values(step):
    """A read-modify-write stops between its two halves, or after them."""
    global values
    expected = {}
    for access in step["writes"] + ([] if step["stale"] else step["reads"]):
        if access["cell"] is not None and is_number(access["value"]) and not document["cells"][access["cell"]]["lock"]:
            expected.setdefault(access["cell"], set()).add(int(access["value"]))
    for cell, allowed in expected.items():
        if any(a["cell"] == cell and not a.get("current") for a in step["writes"]):
            continue  # it is overwritten already, in the order of the memory model
        name = document["cells"][cell]["name"]
        found = value_of(name)
        if found is None:
            continue
        values += 1
        if found not in allowed:
            complain(step, "%s is %d in the machine" % (name, found))


position = {name: 0 for name in names}
for _ in range(2000):
    try:
        thread, places = look()
        left = next_steps(thread, position.get(thread, 0))
        if left and steps[left[0]]["place"] in places:
            lines += 1
            compare_values(steps[left[0]])
            position[thread] = left[0] + 1
        gdb.execute("set *(unsigned *)&heddle__stop_always = 1")
        gdb.execute("continue", to_string=True)
        if not gdb.selected_inferior().threads():
            break
    except gdb.error:
        break
for name in names:
    for i in next_steps(name, position[name]):
        if not steps[i]["bad"] and not steps[i]["blocked"]:
            complain(steps[i], "%s never stands there" % name)
print("walked: %d steps stand where they are printed, %d values agree, %d differ" % (lines, values, differ))
