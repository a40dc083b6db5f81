# heddle replay --gdb: gdb stops where the violation shows, with the threads of the execution as threads
# one can look at and step.
command -v gdb >/dev/null || { echo "skip gdb (not installed)"; exit 0; }
heddle=$PWD/build/heddle; root=$PWD
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cp examples/queue.c examples/queue_check.c tests/golden/reports/*.c tests/golden/reports/*.cpp "$work"
cd "$work" || exit 2
gdb -q -batch -ex run --args /bin/true >probe 2>&1
grep -q 'exited normally' probe || { echo "skip gdb (it can't start programs here)"; exit 0; }

record() { "$heddle" "$@" --quiet --record=r.heddle >report.txt 2>&1; }
# debug OPTIONS -- COMMAND...: what gdb says from its first stop on
debug() {
    local options=() commands=()
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    for command in "$@"; do commands+=(-ex "$command"); done
    timeout 60 "$heddle" replay --gdb "${options[@]}" r.heddle -- -nx -batch "${commands[@]}" 2>&1 </dev/null |
        sed -n '/^\[heddle: /,$p' >out
}
says() { # NAME PATTERN...: lines of out that match, in that order
    local name=$1 at=0; shift
    for pattern in "$@"; do
        found=$(tail -n +$((at + 1)) out | grep -nE -m 1 -- "$pattern" | cut -d: -f1)
        if [ -z "$found" ]; then echo "FAIL gdb $name: nothing like '$pattern'"; cat out; return; fi
        at=$((at + found))
    done
    echo "ok gdb $name"
}

# the README's example: T2's get finds the lock taken, while T1 is between its lock and its unlock
record check queue_check.c
debug -- bt 'info threads' 'print *head' next 'info threads'
says "queue: the thread and its line" '^\[heddle: T2\]' 'queue_get .*queue.c:29' 'pthread_mutex_trylock'
says "queue: bt" '^#[0-9]+ .*in queue_get .* at .*queue.c:29' '^#[0-9]+ .* heddle_op_get .*queue_check.c:5'
says "queue: info threads" 'Id +Thread +Where' 'T1 +queue_get .*queue.c:31' '^\* [0-9]+ +T2 +queue_get .*queue.c:29'
says "queue: a variable" '\$1 = \{value = 0, next = 0x'
says "queue: next" '^30.*return false;' '^\* [0-9]+ +T2 +queue_get .*queue.c:30'
grep -q '#0 .*baton' out && echo "FAIL gdb queue: the runtime shows in bt" || echo "ok gdb queue: bt hides the runtime"
debug --step=3 -- 'info threads' finish
says "queue: another step" '^\[heddle: T1\]' '^31' '\* [0-9]+ +T1 +queue_get .*queue.c:31'
debug -- 'thread apply all bt 2' 'continue' 'continue'
says "queue: to the end" '^Thread .*"T2"' '^Thread .*"T1"' 'exited normally'

record run accounts.c
debug -- 'info threads' 'heddle-thread T1' 'print to->money' 'print from == &current'
says "deadlock" 'main +main .*accounts.c:42' 'T1 +transfer .*accounts.c:17' 'T2 +transfer .*accounts.c:17'
says "deadlock: a thread by name" '^17' '\$1 = 10' '\$2 = 1'

record run message.c
debug -- bt 'info threads'
says "race" '^\[heddle: T2\]' 'receiver .*message.c:19' 'T1 +has ended'

record run --model=sc once.cpp
debug -- bt 'print computed'
says "assertion" '^\[heddle: main\]' 'main ?\(\) .*once.cpp:22' '= 2|\{ 2 \}|2\}'
debug --step=5 -- 'info threads'
says "C++ frames of the program" 'T1 +ensure .*once.cpp:12' 'T2 +ensure .*once.cpp:11'

record check latch_check.c
debug -- 'info threads' 'print missing'
says "stuck" '^\[heddle: T2\]' 'heddle_op_await .*latch_check.c:16' '\$1 = 1'

record run -DLATE inbox.c
debug -- bt
says "crash" '^\[heddle: T2\]' 'receiver .*inbox.c:33'

record run reclaim.c
debug -- bt 'print node'
says "use after free" '^\[heddle: T2\]' 'pop .*reclaim.c:28'

# a program with thread-local storage of its own
cat >local.c <<'TEXT'
#include <assert.h>
#include <pthread.h>
static _Thread_local int mine = 5;
static int shared;
static void *work(void *unused) { mine = 7; shared = mine; return unused; }
int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    pthread_join(a, 0);
    assert(mine == 7);
}
TEXT
record run local.c
debug -- bt 'print mine' 'print shared'
says "thread-local storage" '^\[heddle: main\]' 'main ?\(\) .*local.c:11' '\$1 = 5' '\$2 = 7'

# Every golden report once more, event by event: what it prints is what the machine has (tests/helpers/gdb_walk.py).
# Every sixth here, all with HEDDLE_NIGHTLY=1.
every=6; [ -n "${HEDDLE_NIGHTLY:-}" ] && every=1
while IFS=';' read -r name arguments _; do
    # shellcheck disable=SC2086
    (cd "$root/tests/golden/reports" && "$heddle" $arguments --quiet --record="$work/r.heddle") >report.txt 2>&1
    "$heddle" report --json r.heddle >document.json 2>out
    HEDDLE_DOCUMENT=$work/document.json timeout 100 "$heddle" replay --gdb --step=1 --allow-outside -C "$root/tests/golden/reports" r.heddle -- -nx -batch \
        -x "$root/tests/helpers/gdb_walk.py" >out 2>&1 </dev/null
    if grep -q '^walked: .* 0 differ' out; then echo "ok gdb walk $name: $(sed -n 's/^walked: //p' out)"; else
        echo "FAIL gdb walk $name:"; grep -E '^DIFFERS|^walked|^heddle:|rror' out | head -n 8
    fi
done < <(grep -vE '^(#|$)' "$root/tests/golden/reports/cases" | grep -v ';refine ' | awk -v n="$every" 'NR % n == 1 || n == 1')
"$heddle" replay --step=999 r.heddle >out 2>&1 </dev/null; status=$?
if [ $status = 2 ] && grep -q 'the execution has no step 999' out; then echo "ok gdb a step that is not there"
else echo "FAIL gdb a step that is not there: $status"; cat out; fi
cd "$root" || exit 2
