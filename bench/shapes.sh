#!/usr/bin/env bash
# Programs of the shapes in which a search by executions explores too many: executions, blocked graphs and processor time under
# rc11, with one process, and how many executions there have to be, where that has been derived (-: it has not).
set -u
cd "$(dirname "$0")/.." || exit 2
heddle=${HEDDLE:-build/heddle}
value() { sed -n "s/.*\"$1\": \"\{0,1\}\([a-z0-9.e+-]*\).*/\1/p" <<<"$2"; }
printf '%-28s %-12s %9s %9s %9s %9s\n' program verdict complete blocked 'CPU s' least
while read -r least arguments; do
    # shellcheck disable=SC2086
    answer=$("$heddle" run --json --no-record --quiet --jobs=1 --time="${HEDDLE_BENCH_TIME:-60s}" bench/shapes/$arguments 2>/dev/null)
    printf '%-28s %-12s %9s %9s %9.3f %9s\n' "$arguments" "$(value verdict "$answer")" "$(value executions "$answer")" \
        "$(value blocked "$answer")" "$(value cpu_seconds "$answer")" "$least"
done <<'END'
1 barrier.c -DN=3
1 barrier.c -DN=5
- confirm.c -DW=2 -DR=1
- confirm.c -DW=3 -DR=1
- confirm.c -DW=2 -DR=2
2 rwlock.c -DW=1 -DR=1
1 rwlock.c -DW=2 -DR=0
3 rwlock.c -DW=1 -DR=2
- rwlock.c -DW=2 -DR=1
1 ttas.c -DN=3
1 ttas.c -DN=3 -DTEST
1 ttas.c -DN=4 -DTEST
1 spin_fai.c -DN=2
1 spin_fai.c -DN=3
1 zero_effect.c -DN=2
1 zero_effect.c -DN=3
6 tree.c -DN=3
24 tree.c -DN=4
8 files.c -DN=16
32 files.c -DN=18
END
