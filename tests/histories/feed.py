"""Feeds a log to `heddle history --follow` at a rate, with a wrong operation somewhere; says how far the pipe was
behind, when the violation was told, and what processor time that took.

    feed.py HEDDLE SPEC LOG RATE PLACE    RATE: events a second; PLACE: the share of the log before the wrong read
"""
import os
import resource
import subprocess
import sys
import time

heddle, spec, log, rate, place = sys.argv[1:4] + [float(n) for n in sys.argv[4:6]]


def used(pid):
    """Processor time of a process and of its children, in seconds."""
    total, ticks = 0, os.sysconf("SC_CLK_TCK")
    try:
        for p in [str(pid)] + open("/proc/%d/task/%d/children" % (pid, pid)).read().split():
            total += sum(int(n) for n in open("/proc/%s/stat" % p).read().rsplit(")", 1)[1].split()[11:15])
    except (OSError, IndexError):
        pass
    return total / ticks


lines = open(log, "rb").read().splitlines(True)
name = b'"op":"get","args":["k0"]' if spec == "kv" else b'"op":"read"'
wrong = [b'{"process":999,"type":"call",%s}\n' % name, b'{"process":999,"type":"return","result":-1}\n']
at = int(len(lines) * place)
tool = subprocess.Popen([heddle, "history", "--follow", "--time=0", "--quiet", "--spec=" + spec, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
start, told, late = time.monotonic(), None, 0.0
try:
    for i in range(0, len(lines), 500):
        if told is None and i >= at:
            before = used(tool.pid)
            tool.stdin.writelines(wrong)
            told = time.monotonic()
        tool.stdin.writelines(lines[i : i + 500])
        tool.stdin.flush()
        due = start + (i + 500) / rate
        late = max(late, time.monotonic() - due)
        time.sleep(max(0, due - time.monotonic()))
    if told is None:
        before = used(tool.pid)
        tool.stdin.writelines(wrong)
        tool.stdin.flush()
        told = time.monotonic()
    while tool.poll() is None:
        time.sleep(0.005)
except BrokenPipeError:
    tool.wait()
all_of_it = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = all_of_it.ru_utime + all_of_it.ru_stime
print("%s, wrong after %d of %d events: told %.2f s (%.2f s of processor time) after it, at most %.2f s behind the rate, %.2f s of processor time in all; %s" % (
    spec, at, len(lines), time.monotonic() - told, seconds - before, late, seconds,
    tool.stdout.read().split(b"\n")[0].decode()[:60]))
sys.exit(tool.returncode != 1)
