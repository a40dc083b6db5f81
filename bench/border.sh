#!/usr/bin/env bash
# What it costs to see code that the compiler does not announce: microseconds of CPU time a call, in one execution of
# one thread, for a watched instruction (a structure given by value; a load and an addition in an object that heddle did
# not compile), a library function with known effects, one with hidden state, and an announced access for comparison. The runs differ in the number of calls only, so that what a run
# costs anyway is subtracted. usage: bench/border.sh [CALLS]
set -eu
cd "$(dirname "$0")/.."
calls=${1:-1000}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cat >"$work/border.c" <<'END'
#include <stdlib.h>
#include <time.h>
#include <wchar.h>
struct large { long a[4]; };
struct large shared;
wchar_t text[] = L"12";
struct tm when;
time_t now;
volatile long sum;
long foreign_look(const long *at);
void foreign_add(long *at, long i);
long take(struct large value) { return value.a[1]; }
long look(struct large *value) { return value->a[1]; }
int main(void)
{
    for (int i = 0; i < CALLS; i++)
        CALL;
    return 0;
}
END
printf 'long foreign_look(const long *at) { return at[1]; }\nvoid foreign_add(long *at, long i) { at[i] += 1; }\n' >"$work/foreign.c"
gcc -O1 -c -o "$work/foreign.o" "$work/foreign.c"
seconds() { # CALLS CALL
    build/heddle run --quiet --no-record --json --checkpoints=never -DCALLS="$1" "-DCALL=$2" "$work/border.c" "$work/foreign.o" |
        sed 's/.*"cpu_seconds": *\([0-9.e-]*\).*/\1/'
}
row() { # NAME CALL
    local none many
    none=$(seconds 0 "$2") many=$(seconds "$calls" "$2")
    awk -v name="$1" -v none="$none" -v many="$many" -v calls="$calls" \
        'BEGIN { printf "%-44s %8.2f us\n", name, (many - none) * 1e6 / calls }'
}
row "announced: look(&shared)" 'sum += look(&shared)'
row "watched, 2 or 4 loads: take(shared)" 'sum += take(shared)'
row "watched object, 1 load: foreign_look" 'sum += foreign_look(shared.a)'
row "watched object, load and store: foreign_add" 'foreign_add(shared.a, 2)'
row "known effects: wcslen(text)" 'sum += (long)wcslen(text)'
row "known effects: localtime_r(&now, &when)" 'sum += localtime_r(&now, &when) != 0'
row "hidden state: setenv(\"A\", \"b\", 1)" 'sum += setenv("A", "b", 1)'
