#!/usr/bin/env bash
# Growth: complete executions, blocked graphs and CPU seconds of the exploration against the number of threads,
# beside the optimum: the number of different outcomes of the program's orders. The orders of N equal atomic
# increments or critical sections differ only in which thread is which: one. N - 1 pushes of different values have
# (N - 1)! orders, and the one pop N places among them: N!. Of N equal readers 0 to N see the one write. A row ends where the search takes longer than HEDDLE_BENCH_TIME.
set -u
cd "$(dirname "$0")/.." || exit 2
limit=${HEDDLE_BENCH_TIME:-60s}
value() { sed -n "s/.*\"$1\": \"\{0,1\}\([0-9a-z.e+-]*\).*/\1/p" <<<"$2"; }
printf '%-12s %3s %10s %10s %10s %8s %9s\n' program N optimum complete blocked waste 'CPU s'
while read -r program first optimum; do
    for n in 2 3 4 5 6 7 8; do
        defines=-DN=$n
        [ "$program" = treiber ] && defines="-DP=$((n - 1)) -DQ=1"
        # shellcheck disable=SC2086
        out=$(build/heddle run --json --quiet --no-record --jobs=1 --time="$limit" "$first" $defines \
            "tests/oracle/$program.c")
        [ "$(value verdict "$out")" = holds ] || { echo "$program $n: not finished within $limit"; break; }
        awk -v p="$program" -v n="$n" -v how="$optimum" -v e="$(value executions "$out")" \
            -v b="$(value blocked "$out")" -v c="$(value cpu_seconds "$out")" 'BEGIN {
                best = how == "readers" ? n + 1 : 1
                for (i = 1; i <= n && how == "factorial"; i++) best *= i
                printf "%-12s %3d %10d %10d %10d %8.2f %9.3f\n", p, n, best, e, b, b / e, c }'
    done
done <<'ROWS'
ainc -O1 one
mutex -O1 one
ticket -O1 one
treiber -O1 factorial
readers -O1 readers
ROWS
