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
static heddle_history_function *find(void *context, const char *name)
{
    (void)context;
    return !strcmp(name, "lock")     ? (heddle_history_function *)lock
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
    char message[200];
    printf("%d %s\n", heddle_history_open("queue", message, sizeof message) == NULL, message);
    return 0;
}
PROGRAM
# shellcheck disable=SC2086
if cc -std=c11 -Wall -Wextra -Werror -Wno-cast-function-type -o "$work/owner" "$work/owner.c" $flags; then
    expect "history library, owner of a lock" 0 "^0 -1 -1 " "$work/owner"
    expect "history library, thief of a lock" 0 "^1 -1 -1 " "$work/owner"
    expect "history library, no such specification" 0 '^1 there is no specification "queue"' "$work/owner"
else
    echo "FAIL history library: the owner of a lock does not compile"
fi

if command -v python3 >/dev/null; then
    export PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1
    expect "history module, doctests" 0 "" python3 -c "import doctest, sys, heddle_history
sys.exit(doctest.testmod(heddle_history, optionflags=doctest.ELLIPSIS).failed)"
    expect "history module, server" 0 "240 requests: HOLDS" python3 examples/history/kv_server_test.py
    expect "history module, broken server" 1 "240 requests: VIOLATED" python3 examples/history/kv_server_test.py --broken
else
    echo "skip history module (no python3)"
fi

if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    for sanitizer in asan tsan; do
        option=$([ $sanitizer = asan ] && echo address,undefined || echo thread)
        # HISTORY_SHARED leaves out -z defs: the sanitizer's functions come with the program
        if make -s -j2 variant=$sanitizer HISTORY_SHARED="-shared -fsanitize=$option" "build-$sanitizer/libheddle-history.a" \
            "build-$sanitizer/libheddle-history.so.1" >"$work/log" 2>&1; then
            example $sanitizer -fsanitize=$option -Iinclude build-$sanitizer/libheddle-history.a -lz -lm
            runtime=$(cc -print-file-name=lib$sanitizer.so)
            if ! command -v python3 >/dev/null || ! LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0 python3 -c pass 2>/dev/null; then
                # ThreadSanitizer wants programs at addresses of its own; Debian's Python is linked to fixed ones
                echo "skip history module, $sanitizer (python3 does not start with its runtime)"
            else
                sanitized=(env "LD_PRELOAD=$runtime" ASAN_OPTIONS=detect_leaks=0 "HEDDLE_HISTORY_LIBRARY=$PWD/build-$sanitizer/libheddle-history.so.1")
                expect "history module, $sanitizer" 0 "240 requests: HOLDS" "${sanitized[@]}" python3 examples/history/kv_server_test.py
                expect "history module, $sanitizer, broken" 1 "240 requests: VIOLATED" "${sanitized[@]}" python3 examples/history/kv_server_test.py --broken
            fi
        else
            echo "FAIL history library: $sanitizer: $(tail -n 3 "$work/log")"
        fi
    done
fi
