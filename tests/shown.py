#!/usr/bin/env python3
"""Is the execution that is shown the one that is wrong? The calls of the execution that a violation of linearizability shows,
in their order in time on the page, must have no serial explanation.

shown.py HEDDLE TEMPORARY-FOLDER reads lines FOLDER<tab>ARGUMENTS, checks each, takes the calls from the page's document
(heddle report --json), has the serial runs of the same test written (--observations), and looks for a run in which each
call has its result and which keeps the order of calls that follow one another. Prints a line a row: ok, skip or FAIL.
"""
import json, os, re, shlex, subprocess, sys
import xml.etree.ElementTree as xml

heddle, work = os.path.abspath(sys.argv[1]), sys.argv[2]
SHAPES = ("--scenario", "--shape", "--exhaustive", "--samples", "--keep-going", "--all", "--preemptions", "--lists")


def run(folder, *words, limit=120):
    try:
        return subprocess.run([heddle, *words], cwd=folder, capture_output=True, text=True, timeout=limit, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None


def without_shape(words):
    """The arguments of a check without those that say which tests are made."""
    left, skip = [], False
    for word in words:
        if skip or word.split("=")[0] in SHAPES:
            skip = not skip and "=" not in word and word not in ("--exhaustive", "--keep-going", "--all")
            continue
        left.append(word)
    return left


def result_in(text):
    found = re.search(r'result="(.*)"$', text)
    return found.group(1).strip("'") if found else ""


def serial_runs(path):
    """Each as [(thread, index among the thread's calls, name, result)]."""
    for observation in xml.parse(path).getroot():
        place = {}
        for thread in observation.findall("thread"):
            for i, op in enumerate((thread.text or "").split()):
                place[op] = (thread.get("id"), i)
        ops = {op.get("id"): (op.get("name"), result_in(op.text or "")) for op in observation.findall("op")}
        for history in observation.findall("history"):
            order = re.findall(r"(\d+)\[", history.text)
            if "#" not in history.text:
                yield [(*place[op], *ops[op]) for op in order]


def explained(calls, threads, runs):
    """A run with the results of CALLS, in an order that is that of CALLS where one follows another."""
    count = {}
    by_place = {}
    for call in sorted(calls, key=lambda c: c["from"]):
        name = threads[call["thread"]]["name"]
        name = "M" if name == "main" else chr(ord("A") + int(name[1:]) - 1)
        by_place[name, count.get(name, 0)] = call
        count[name] = count.get(name, 0) + 1
    for one in runs:
        latest = -1  # the latest call of a step so far
        for thread, i, name, result in one:
            call = by_place.get((thread, i))
            if not call or call["call"].split("(")[0] != name:
                return None  # the threads are numbered in another way
            if (call["result"] or "") != result or call["to"] < latest:
                break
            latest = max(latest, call["from"])
        else:
            return one
    return []


def judge(folder, arguments):
    words = shlex.split(arguments)
    record, serial = os.path.join(work, "record.heddle"), os.path.join(work, "serial.xml")
    for path in (record, serial):
        if os.path.exists(path):
            os.unlink(path)
    answer = run(folder, *words, "--quiet", "--json", "--no-repair", "--record=" + record)
    if not answer or not os.path.exists(record):
        return "skip", "no violation in the time"
    told = json.loads(answer.stdout)
    if told["violation"] != "linearizability":
        return "skip", str(told["violation"])
    page = run(folder, "report", "--json", record)
    document = json.loads(page.stdout)
    calls = document["operations"]
    if any(call["to"] is None for call in calls):
        return "skip", "a call that does not return"
    again = [w for w in without_shape(words)] + ["--scenario=" + told["test"], "--observations=" + serial, "--quiet", "--no-record", "--no-repair"]
    said = run(folder, *again)
    if not os.path.exists(serial):
        return "skip", "no serial runs: " + (said.stderr or said.stdout)[:150].replace("\n", " ") if said else "no serial runs in the time"
    runs = list(serial_runs(serial))
    found = explained(calls, document["threads"], runs)
    if found is None:
        return "FAIL", "the calls of %s can't be told apart" % told["test"]
    if found:
        return "FAIL", "what is shown has a serial explanation: %s: %s" % (told["test"], found)
    return "ok", "%s: %d calls, %d serial runs" % (told["test"], len(calls), len(runs))


bad = 0
for line in sys.stdin:
    folder, arguments = line.rstrip("\n").split("\t")[:2]
    verdict, why = judge(folder, arguments)
    bad += verdict == "FAIL"
    print("%s shown: %s/%s: %s" % (verdict, folder, arguments, why), flush=True)
sys.exit(bad > 0)
