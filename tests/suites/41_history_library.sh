# libheddle-history and the Python module, used from an installed prefix by their examples. At night under
# AddressSanitizer and ThreadSanitizer.
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
if ! make -s install PREFIX="$work/usr" >"$work/log" 2>&1; then echo "FAIL history library: make install: $(tail -n 3 "$work/log")"; exit 0; fi
export PKG_CONFIG_PATH=$work/usr/lib/pkgconfig LD_LIBRARY_PATH=$work/usr/lib
flags=$(pkg-config --cflags --libs heddle-history)
static="-I$work/usr/include $work/usr/lib/libheddle-history.a -lz -lm"
# expect NAME STATUS TEXT COMMAND...
expect() {
    local name=$1 status=$2 text=$3 got output; shift 3
    output=$(timeout 120 "$@" 2>&1); got=$?
    if [ "$got" = "$status" ] && grep -q -e "$text" <<<"$output"; then echo "ok $name"
    else echo "FAIL $name: exit status $got, wanted $status and \"$text\"; got: $(head -n 5 <<<"$output")"; fi
}
# example NAME COMPILER-ARGUMENTS...: the map, correct and broken
example() {
    local name=$1; shift
    for broken in "" -DBROKEN; do
        # shellcheck disable=SC2086
        if ! cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror $broken -pthread -o "$work/map" examples/history/map_test.c "$@"; then
            echo "FAIL history library, $name: the example does not compile"; continue
        fi
        if [ -n "$broken" ]; then expect "history library, $name, broken" 1 "contradict each other" "$work/map"
        else expect "history library, $name" 0 "2000 operations: linearizable" "$work/map"; fi
    done
}
# shellcheck disable=SC2086
example shared $flags
# shellcheck disable=SC2086
example static $static
visible=$(nm -D --defined-only "$work/usr/lib/libheddle-history.so.1" | awk '{ print $3 }' | grep -v '^heddle_history_')
if [ -z "$visible" ]; then echo "ok history library shows its own names only"; else echo "FAIL history library also shows $visible"; fi

# golden code with the process: a lock that only its owner may release; errors; an interrupted order of calls
cat >"$work/owner.c" <<'PROGRAM'
#include <heddle_history.h>
#include <heddle_spec.h>
#include <stdio.h>
#include <string.h>
typedef struct Lock { long long owner; } Lock;
static void init(void *state) { ((Lock *)state)->owner = -1; }
static heddle_value lock(void *state, heddle_call *call)
{
    Lock *l = state;
    if (l->owner >= 0)
        return HEDDLE_WAIT;
    l->owner = call->process.number;
    return HEDDLE_DONE;
}
static heddle_value unlock(void *state, heddle_call *call)
{
    Lock *l = state;
    if (l->owner != call->process.number)
        return HEDDLE_BOOL(0);
    l->owner = -1;
    return HEDDLE_BOOL(1);
}
static heddle_value take(void *state, heddle_call *call)
{
    ((Lock *)state)->owner = heddle_int(call, 0);
    return HEDDLE_DONE;
}
static heddle_history_function *find(void *context, const char *name)
{
    (void)context;
    return !strcmp(name, "lock")     ? (heddle_history_function *)lock
           : !strcmp(name, "take")   ? (heddle_history_function *)take
           : !strcmp(name, "unlock") ? (heddle_history_function *)unlock
                                     : NULL;
}
int main(void)
{
    for (int thief = 0; thief < 2; thief++) {
        heddle_history *h = heddle_history_open_code(sizeof(Lock), init, find, NULL);
        heddle_history_call(h, 1, "lock", NULL);
        heddle_history_return(h, 1, NULL);
        heddle_history_call(h, 1 + thief, "unlock", "[]");
        heddle_history_return(h, 1 + thief, "true");
        int bad = heddle_history_return(h, 7, NULL), json = heddle_history_call(h, 9, "lock", "[1");
        printf("%d %d %d %s\n", (int)heddle_history_check(h, NULL), bad, json, heddle_history_error(h));
        heddle_history_close(h);
    }
    heddle_history *h = heddle_history_open_code(sizeof(Lock), init, find, NULL);
    heddle_history_call(h, 1, "take", "[\"me\"]");
    heddle_history_return(h, 1, NULL);
    printf("%d", (int)heddle_history_check(h, NULL));
    printf(" %s\n", heddle_history_error(h));
    heddle_history_close(h);
    char message[200];
    printf("%d %s\n", heddle_history_open("queue", message, sizeof message) == NULL, message);
    return 0;
}
PROGRAM
# shellcheck disable=SC2086
if cc -std=c11 -Wall -Wextra -Werror -Wno-cast-function-type -o "$work/owner" "$work/owner.c" $flags; then
    expect "history library, owner of a lock" 0 "^0 -1 -1 " "$work/owner"
    expect "history library, thief of a lock" 0 "^1 -1 -1 " "$work/owner"
    expect "history library, code that asks for a number" 0 "^2 the golden code's take: argument 1 is asked for as a number and is none" "$work/owner"
    expect "history library, no such specification" 0 '^1 there is no specification "queue"' "$work/owner"
else
    echo "FAIL history library: the owner of a lock does not compile"
fi

if command -v python3 >/dev/null; then
    export PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1
    expect "history module, doctests" 0 "" python3 -c "import doctest, sys, heddle_history
sys.exit(doctest.testmod(heddle_history, optionflags=doctest.ELLIPSIS).failed)"
    printf '{:process 0, :type :%s, :f :%s, :value %s}\n' invoke write 1 ok write 1 invoke read nil ok read nil >"$work/nil.edn"
    expect "history module, what nil means" 0 "only if reads of nil (1 in this log)" python3 -c "from heddle_history import *
history = History('register')
history.read('$work/nil.edn')
assert history.check() is Answer.INCONCLUSIVE
print(history.explain())"
    # Ctrl-C ends a check that has no limit: additions of even numbers, and one who looks meanwhile sees an odd one
    cat >"$work/hard.py" <<'HARD'
import signal
from heddle_history import History
history = History("counter")
history.call(0, "get")
for i in range(1, 41):
    history.call(i, "add", 2 ** i)
history.returned(0, 2 ** 40 + 1)
signal.alarm(1)
signal.signal(signal.SIGALRM, signal.default_int_handler)
try:
    history.check()
except KeyboardInterrupt:
    print("interrupted,", len(history), "operations")
HARD
    expect "history module, interrupted" 0 "interrupted, 41 operations" timeout 60 python3 "$work/hard.py"
    expect "history module, server" 0 "240 requests: HOLDS" python3 examples/history/kv_server_test.py
    expect "history module, broken server" 1 "240 requests: VIOLATED" python3 examples/history/kv_server_test.py --broken
    # the installed one, which finds the library beside it: threads and tasks, each a process of its own
    cat >"$work/clients.py" <<'CLIENTS'
import asyncio, sys, threading, time
from heddle_history import History, Recorder

broken = len(sys.argv) > 1
history = History("register:0")
recorder, value, lock = Recorder(history, fails=(PermissionError,)), [0], threading.Lock()

def client(number):
    @recorder.records("write")
    def write(v):
        with lock:
            if v % 10 == 3:
                raise PermissionError
            value[0] = v
        if v % 10 == 7:
            raise TimeoutError
    for i in range(20):
        try:
            write(10 * (20 * number + i + 1) + i % 10)
        except (PermissionError, TimeoutError):
            pass
        with recorder.operation("read") as operation, lock:
            operation.result = value[0] if not broken or i < 19 else -1

threads = [threading.Thread(target=client, args=(n,)) for n in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
history.require(60)

bank = History("transactions", isolation="serializable")
tasks, store = Recorder(bank), {"x": [], "y": []}

async def transact(number):
    for i in range(10):
        with tasks.transaction([["r", "x", None], ["append", "y", [number, i]]]) as txn:
            await asyncio.sleep(0)
            read = list(store["x"])
            store["y"].append([number, i])
            txn.result = [["r", "x", read], ["append", "y", [number, i]]]
            await asyncio.sleep(0)

async def all_of_them():
    await asyncio.gather(*[transact(n) for n in range(8)])

asyncio.run(all_of_them())
bank.require(60)
print(len(history), len(bank), "operations")
CLIENTS
    installed=(env -u LD_LIBRARY_PATH -u HEDDLE_HISTORY_LIBRARY "PYTHONPATH=$work/usr/lib/python3/dist-packages")
    expect "history module, installed, threads and tasks" 0 "160 80 operations" "${installed[@]}" python3 "$work/clients.py"
    expect "history module, installed, broken" 1 "NOT linearizable" "${installed[@]}" python3 "$work/clients.py" broken
    tester=python3; python3 -c "import pytest" 2>/dev/null || tester=/usr/bin/python3
    if $tester -c "import pytest" 2>/dev/null; then
        printf 'def test_holds(heddle_history):\n    h = heddle_history("register:0")\n    h.call(0, "read")\n    h.returned(0, 0)\n' >"$work/test_good.py"
        sed 's/returned(0, 0)/returned(0, 1)/' "$work/test_good.py" >"$work/test_bad.py"
        expect "history module, pytest" 0 "1 passed" "${installed[@]}" $tester -m pytest -q -p no:cacheprovider "$work/test_good.py"
        sed 's/"read"/"peruse"/' "$work/test_good.py" >"$work/test_wrong.py"
        { cat "$work/test_bad.py"; sed 's/test_holds/test_raises/; $s/$/\n    raise ValueError/' "$work/test_bad.py"; } >"$work/test_both.py"
        # a test that does not hold has failed; one that fails by itself shows its history as well
        expect "history module, pytest, violated" 1 "2 failed, 1 error" "${installed[@]}" $tester -m pytest -q -p no:cacheprovider "$work/test_both.py"
        expect "history module, pytest, the evidence alone" 1 "^NOT linearizable" "${installed[@]}" $tester -m pytest -q -p no:cacheprovider "$work/test_bad.py"
        expect "history module, pytest, no such operation" 1 "^history:1: .*no operation peruse" "${installed[@]}" $tester -m pytest -q -p no:cacheprovider "$work/test_wrong.py"
    else
        echo "skip history module, pytest (it is not installed)"
    fi
else
    echo "skip history module (no python3)"
fi

# python_module SANITIZER OPTION: the module with a library that is built with it. Debian's python3 does not start with
# the runtime of ThreadSanitizer in front of it, but a program that is compiled with it can be Python. A library
# with a race shows that threads of Python are seen.
python_module() {
    local sanitizer=$1 option=$2 flags
    if ! flags=$(python3-config --embed --cflags --ldflags 2>/dev/null); then
        echo "skip history module, $sanitizer (no python3-config)"; return
    fi
    echo 'int Py_BytesMain(int argc, char **argv); int main(int argc, char **argv) { return Py_BytesMain(argc, argv); }' >"$work/python.c"
    echo 'static long count; void add(void) { for (int i = 0; i < 5000000; i++) count++; }' >"$work/racy.c"
    # shellcheck disable=SC2086
    if ! cc -fsanitize=$option -o "$work/python" "$work/python.c" $flags || ! cc -g -fsanitize=$option -shared -fPIC -o "$work/racy.so" "$work/racy.c"; then
        echo "FAIL history module, $sanitizer: Python does not link"; return
    fi
    local run=(env ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=exitcode=66 "HEDDLE_HISTORY_LIBRARY=$PWD/build-$sanitizer/libheddle-history.so.1" "$work/python")
    expect "history module, $sanitizer" 0 "240 requests: HOLDS" "${run[@]}" examples/history/kv_server_test.py
    expect "history module, $sanitizer, broken" 1 "240 requests: VIOLATED" "${run[@]}" examples/history/kv_server_test.py --broken
    [ "$sanitizer" = tsan ] && expect "history module, tsan sees threads of Python" 66 "data race" "${run[@]}" -c "
import ctypes, threading
add = ctypes.CDLL('$work/racy.so').add
threads = [threading.Thread(target=add) for _ in range(2)]
[t.start() for t in threads]
[t.join() for t in threads]"
}
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    for sanitizer in asan tsan; do
        option=$([ $sanitizer = asan ] && echo address,undefined || echo thread)
        # HISTORY_SHARED leaves out -z defs: the sanitizer's functions come with the program
        if make -s -j2 variant=$sanitizer HISTORY_SHARED="-shared -fsanitize=$option" "build-$sanitizer/libheddle-history.a" \
            "build-$sanitizer/libheddle-history.so.1" >"$work/log" 2>&1; then
            example $sanitizer -fsanitize="$option" -Iinclude build-$sanitizer/libheddle-history.a -lz -lm
            python_module $sanitizer "$option"
        else
            echo "FAIL history library: $sanitizer: $(tail -n 3 "$work/log")"
        fi
    done
fi
