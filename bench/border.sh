#!/usr/bin/env bash
# What it costs to see code that the compiler does not announce: microseconds of CPU time a call, in one execution of
# one thread, for a watched instruction (structures given by value, in memory and in registers; a load, an addition and
# a locked one in an object that heddle did not compile, a load in a shared library, a gather of eight lanes), library
# functions that run in a copy of the library's code, one with known effects, one with hidden state, and an announced
# access for comparison. The runs differ in the number of calls only, so that what a run costs anyway is subtracted.
# usage: bench/border.sh [CALLS]
set -eu
cd "$(dirname "$0")/.."
calls=${1:-2000}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cat >"$work/border.c" <<'END'
#include <stdlib.h>
#include <time.h>
#include <wchar.h>
struct large { long a[4]; };
struct large shared;
#include <search.h>
wchar_t text[] = L"12";
int keys[64] = {1, 2, 3};
size_t count = 64;
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
struct small { long a[2]; } little;
long take_small(struct small value) { return value.a[1]; }
struct tm when;
wchar_t *rest;
time_t now;
volatile long sum;
long foreign_look(const long *at);
void foreign_add(long *at, long i);
void foreign_locked(long *at);
long shared_look(const long *at);
#ifdef __AVX2__
#include <immintrin.h>
int table[8];
static inline int gather(void) { return _mm256_extract_epi32(_mm256_i32gather_epi32(table, _mm256_set1_epi32(3), 4), 0); }
#endif
long take(struct large value) { return value.a[1]; }
long look(struct large *value) { return value->a[1]; }
int main(void)
{
    for (int i = 0; i < CALLS; i++)
        CALL;
    return 0;
}
END
printf 'long foreign_look(const long *at) { return at[1]; }\nvoid foreign_add(long *at, long i) { at[i] += 1; }\nvoid foreign_locked(long *at) { __atomic_fetch_add(at, 1, 5); }\n' >"$work/foreign.c"
gcc -O1 -c -o "$work/foreign.o" "$work/foreign.c"
echo 'long shared_look(const long *at) { return at[1]; }' | gcc -x c -O1 -fPIC -shared -o "$work/libshared.so" -
seconds() { # CALLS CALL [FLAG]
    build/heddle run --quiet --no-record --json --checkpoints=never -DCALLS="$1" "-DCALL=$2" ${3:+"$3"} "$work/border.c" "$work/foreign.o" \
        "-L$work" "-Wl,-rpath,$work" -lshared |
        sed 's/.*"cpu_seconds": *\([0-9.e-]*\).*/\1/'
}
least() { # ARGUMENTS OF seconds
    for _ in 1 2 3; do seconds "$@"; done | sort -g | head -n 1
}
row() { # NAME CALL [FLAG]
    local none many
    none=$(least 0 "$2" "${3:-}") many=$(least "$calls" "$2" "${3:-}")
    awk -v name="$1" -v none="$none" -v many="$many" -v calls="$calls" \
        'BEGIN { printf "%-44s %8.2f us\n", name, (many - none) * 1e6 / calls }'
}
row "announced: look(&shared)" 'sum += look(&shared)'
row "watched, 2 or 4 loads: take(shared)" 'sum += take(shared)'
row "watched, 2 loads in registers: take_small" 'sum += take_small(little)'
row "watched object, 1 load: foreign_look" 'sum += foreign_look(shared.a)'
row "watched object, load and store: foreign_add" 'foreign_add(shared.a, 2)'
row "watched object, locked: foreign_locked" 'foreign_locked(shared.a)'
row "watched library, 1 load: shared_look" 'sum += shared_look(shared.a)'
row "library, in a copy, 1 load: insque(p, 0)" 'insque(shared.a, 0)'
row "library, in a copy: wcstok of 2 characters" 'text[1] = 0, sum += wcstok(text, L" ", &rest) != 0'
row "library, in a copy, calls back: lfind" 'sum += lfind(keys, keys, &count, sizeof(int), compare) != 0'
! grep -qw avx2 /proc/cpuinfo || row "performed, 8 lanes: _mm256_i32gather_epi32" 'sum += gather()' -mavx2
row "known effects: wcslen(text)" 'sum += (long)wcslen(text)'
row "known effects: localtime_r(&now, &when)" 'sum += localtime_r(&now, &when) != 0'
row "hidden state: setenv(\"A\", \"b\", 1)" 'sum += setenv("A", "b", 1)'
