# gdb_walk.py: goes through a recorded execution event by event, natively in gdb, and compares each step that a report
# prints with what the machine shows there: the thread, the function and line it stands at, the values of variables
# that gdb can name, who holds a mutex, and what operations return (their functions are stopped at their ends). For `heddle replay --gdb --step=1 RECORD -- -nx -batch -x gdb_walk.py' with the report's document
# (`heddle report --json RECORD') in the file that HEDDLE_DOCUMENT names. Prints what differs, then one line of counts.
#
# Pointers: objects of the heap have names in reports and addresses in gdb. The first address that is seen for a name is
# learnt; from then on name and address must go together, and members of the object are read through it.
#
# What can't be compared, and why: words of locks other than mutexes (they hold the runtime's codes), values that the memory model lets a
# read have although memory has a newer one, values that were overwritten meanwhile in the order of the memory model,
# variables without a name or of the system's libraries, and plain accesses, which happen between two stops.
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
differ, lines, values, results = 0, 0, 0, 0
left_out = {}  # why a value was not compared -> how often
address_of = {}  # name of an object of the heap -> its address


def complain(step, text):
    global differ
    differ += 1
    print("DIFFERS step %d (%s, %s): %s" % (step["number"], step["action"], step["place"], text))


def expression_of(name):
    """What gdb calls the cell; None if it can't."""
    if re.fullmatch(r"[A-Za-z_][\w.\[\]]*", name):
        return name
    heap = re.fullmatch(r"([A-Za-z_]\w*)(#\d+)((?:\.\w+|\[\d+\])+)", name)
    if not heap or heap.group(1) + heap.group(2) not in address_of:
        return None
    address, path = address_of[heap.group(1) + heap.group(2)], heap.group(3)
    for kind in ("struct ", "", "class "):
        try:
            gdb.parse_and_eval("(%s%s *)0" % (kind, heap.group(1)))
            return "(*(%s%s *)%d)%s" % (kind, heap.group(1), address, path)
        except gdb.error:
            continue
    return None


def local_of(name):
    """A variable of a frame, "left.flag of main": (its value, whose members are asked for, these); None if it is not
    found."""
    match = re.fullmatch(r"(\w+)((?:\.\w+)*) of (\w+)", name)
    for thread in gdb.selected_inferior().threads() if match else []:
        if thread.name != match.group(3):
            continue
        here = gdb.selected_thread()
        thread.switch()
        frame = gdb.newest_frame()
        try:
            while frame is not None:
                try:
                    value = frame.read_var(match.group(1))
                    for member in match.group(2).split(".")[1:]:
                        value = value[member]
                    return value
                except (ValueError, RuntimeError):
                    frame = frame.older()
        finally:
            here.switch()
    return None


def value_of(name):
    """The variable as an integer; None if gdb can't tell."""
    expression = expression_of(name)
    try:
        value = local_of(name) if expression is None else gdb.parse_and_eval(expression)
        if value is None:
            return None
        while value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:  # std::atomic
            value = value[[f for f in value.type.strip_typedefs().fields() if hasattr(f, "bitpos")][0]]
        return int(value)
    except (gdb.error, IndexError, ValueError):
        return None


def number_of(text, found):
    """What a report prints, as a number, where gdb has FOUND; None: gdb can't know it."""
    if re.fullmatch(r"-?\d+", text or ""):
        return int(text)
    if text in ("NULL", "false", "true"):
        return int(text == "true")
    if found and re.fullmatch(r"&\w+#\d+", text or ""):
        if text[1:] not in address_of and found not in address_of.values():
            address_of[text[1:]] = found
        return address_of.get(text[1:], 0)
    if re.fullmatch(r"&[A-Za-z_][\w.\[\]]*", text or ""):
        try:
            return int(gdb.parse_and_eval(text))
        except gdb.error:
            return None
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


def is_one_of_several(step):
    return sum(other["thread"] == step["thread"] and other["place"] == step["place"] for other in steps) > 1


def mutex_of(step):
    """The name of the mutex that is locked or unlocked, or None."""
    match = re.fullmatch(r"mutex (?:lock|unlock) ([A-Za-z_][\w.\[\]]*)", step["action"])
    return match and match.group(1)


def stops(step):
    if not step["place"]:
        return False
    if step["order"] == "volatile" or mutex_of(step):
        return step["kind"] == "load"  # what is stored there is in memory when the thread has gone on
    return step["order"] not in ("", "plain") or step["kind"] in STOPS


def next_steps(thread, after):
    """Indexes of the steps of the thread at which it stops, from AFTER on."""
    return [i for i in range(after, len(steps)) if stops(steps[i]) and steps[i]["thread"] is not None and names[steps[i]["thread"]] == thread]


def leave_out(why):
    left_out[why] = left_out.get(why, 0) + 1


def compare_holder(step):
    """The word of a mutex is the number of the thread that holds it, from 1 on. False: it is not taken yet."""
    global values
    try:
        word = int(gdb.parse_and_eval("*(int *)&(%s)" % mutex_of(step)))
    except gdb.error:
        leave_out("unknown to gdb")
        return True
    name = names[step["thread"]]
    own = 1 + (0 if name == "main" else int(name[1:]))
    if step["writes"] and word == 0:
        return False
    values += 1
    if (word == own) != bool(step["writes"]):
        complain(step, "its word is %d" % word)
    return True


class End(gdb.FinishBreakpoint):
    """The end of an operation's function."""

    def __init__(self, frame, thread):
        super().__init__(frame, internal=True)
        self.silent, self.of = True, thread

    def stop(self):
        value = self.return_value
        kinds = {1: "none", 2: int(value["integer"]), 3: int(value["integer"])}  # HEDDLE_NONE, _INT, _BOOL
        returned.setdefault(self.of, []).append(kinds.get(int(value["kind"])))
        return False


def compare_results():
    """What operations of each thread returned, in order."""
    global results
    for operation in document.get("operations") or []:
        left = returned.get(names[operation["thread"]], [])
        expected = "none" if operation["result"] == "none" else number_of(operation["result"], None)
        if not left:
            continue
        found = left.pop(0)
        if expected is None or found is None:
            leave_out("no number")
            continue
        results += 1
        if found != expected:
            complain(steps[operation["to"]], "it returns %s" % found)


def compare_values(step):
    """A read-modify-write stops between its two halves, or after them. False: the step is not made yet."""
    global values
    if mutex_of(step):
        return compare_holder(step)
    expected = {}
    for access in step["writes"] + step["reads"]:
        if access["cell"] is None:
            leave_out("no name")
        elif document["cells"][access["cell"]]["lock"]:
            leave_out("lock")
        elif step["stale"] and access in step["reads"]:
            leave_out("stale read")
        else:
            expected.setdefault(access["cell"], []).append(access["value"])
    for cell, texts in expected.items():
        if any(a["cell"] == cell and not a.get("current") for a in step["writes"]):
            leave_out("overwritten")  # in the order of the memory model
            continue
        name = document["cells"][cell]["name"]
        if " of " in name and (name not in step["action"] or is_one_of_several(step)):
            leave_out("a frame's")  # two frames have the place; two steps of the line may be mistaken for each other
            continue
        found = value_of(name)
        allowed = [number_of(text, found) for text in texts]
        if found is None or None in allowed:
            leave_out("unknown to gdb" if found is None else "no number")
            continue
        values += 1
        if found not in allowed:
            complain(step, "%s is %d in the machine" % (name, found))
    return True


returned = {}  # by thread: what its operations returned
functions = {"heddle_op_" + operation["call"].split("(")[0] for operation in document.get("operations") or []}
for function in sorted(functions):
    try:
        gdb.Breakpoint(function, internal=True).silent = True
    except gdb.error:
        pass  # an operation that is marked in the program's own code
position = {name: 0 for name in names}
for _ in range(2000):
    try:
        if gdb.newest_frame().name() in functions:
            End(gdb.newest_frame(), gdb.selected_thread().name)
            gdb.execute("continue", to_string=True)
            continue
        thread, places = look()
        left = next_steps(thread, position.get(thread, 0))
        if left and steps[left[0]]["place"] in places and compare_values(steps[left[0]]):
            lines += 1
            position[thread] = left[0] + 1
        gdb.execute("set *(unsigned *)&heddle__stop_always = 1")
        gdb.execute("continue", to_string=True)
        if not gdb.selected_inferior().threads():
            break
    except gdb.error:
        break
compare_results()
for name in names:
    for i in next_steps(name, position[name]):
        if not steps[i]["bad"] and not steps[i]["blocked"]:
            complain(steps[i], "%s never stands there" % name)
why = ", ".join("%d %s" % (left_out[w], w) for w in sorted(left_out))
if lines + results == 0:
    differ += 1
    print("DIFFERS nothing was compared")
print("walked: %d steps stand where they are printed, %d values agree, %d results, %d differ%s" % (lines, values, results, differ, why and " (left out: %s)" % why))
