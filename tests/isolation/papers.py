"""Anomalies as they stand in papers (papers.txt), each with its name and the strongest levels.

    papers.py HEDDLE TABLE
"""
import json
import subprocess
import sys


def steps_of(text):
    steps = []
    for word in text.split():
        f, rest = word.split(":", 1)
        key, value = rest.split("=", 1)
        value = json.loads(value)
        steps.append([f, key, value[0] if f == "append" else value])
    return steps


def log_of(text):
    events, last, process = [], [], 0
    for at_once in text.split(">>"):
        calls, returns = [], []
        for text in at_once.split(";"):
            text, process = text.strip(), process + 1
            p = process
            if text[0].isdigit():
                number, text = text.split(" ", 1)
                p = "p" + number
            aborts, open_to_the_end = text.startswith("!"), text.startswith("~")
            steps = steps_of(text.lstrip("!~"))
            asked = [[f, k, None if f == "r" else v] for f, k, v in steps]
            calls.append({"process": p, "type": "call", "op": "txn", "args": [asked]})
            (last if open_to_the_end else returns).append({"process": p, "type": "fail"} if aborts else {"process": p, "type": "return", "result": steps})
        events += calls + returns
    return "".join(json.dumps(event) + "\n" for event in events + last)


for line in open(sys.argv[2]):
    if line.startswith("#") or not line.strip():
        continue
    name, anomaly, strongest, transactions = [part.strip() for part in line.split("|")]
    run = subprocess.run(
        [sys.argv[1], "history", "--spec=transactions", "--consistency=auto", "--json", "--quiet", "-"],
        input=log_of(transactions), capture_output=True, text=True)
    result = json.loads(run.stdout)["results"][0]
    found = [a["anomaly"] for a in result["anomalies"]] + [a.get("also") for a in result["anomalies"]]
    right = result["strongest"] == strongest.split() and (anomaly in found if anomaly else not result["anomalies"])
    status = run.returncode == (0 if strongest else 1)
    print(f"ok isolation, papers, {name}" if right and status else
          f"FAIL isolation, papers, {name}: {found}, strongest {result['strongest']}, exit status {run.returncode}")
