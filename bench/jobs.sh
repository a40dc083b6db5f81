#!/usr/bin/env bash
# What several processes cost a short search (1 to 100 ms): milliseconds of processor time and by the clock, of the
# search alone, with --jobs=1 and with the default, in alternating runs of a program that is built already. Processor time
# is the mean of HEDDLE_BENCH_RUNS (25) runs, since the system may count it in ticks; the clock's is the median. Only an
# idle machine tells much.
set -u
cd "$(dirname "$0")/.." || exit 2
runs=${HEDDLE_BENCH_RUNS:-25}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
median() { sort -n | awk '{ at[NR] = $1 } END { print at[int((NR + 1) / 2)] }'; }
mean() { awk '{ sum += $1 } END { print sum / NR }'; }
values() { sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p" "$2"; }
printf '%-22s %10s %10s %7s %10s %10s %7s\n' program 'CPU, one' default ratio 'clock, one' default ratio
while read -r program defines; do
    # shellcheck disable=SC2086
    build/heddle cc -O1 -w -o "$work/program" "tests/oracle/$program" ${defines//,/ } || exit 1
    rm -f "$work/one" "$work/all"
    for _ in $(seq "$runs"); do
        build/heddle run --json --quiet --no-record --no-reductions --jobs=1 "$work/program" >>"$work/one"
        build/heddle run --json --quiet --no-record --no-reductions "$work/program" >>"$work/all"
    done
    awk -v p="$program ${defines//,/ }" -v a="$(values cpu_seconds "$work/one" | mean)" \
        -v b="$(values cpu_seconds "$work/all" | mean)" -v c="$(values seconds "$work/one" | median)" \
        -v d="$(values seconds "$work/all" | median)" \
        'BEGIN { printf "%-22s %10.2f %10.2f %7.2f %10.2f %10.2f %7.2f\n", p, a * 1e3, b * 1e3, a ? b / a : 0, c * 1e3, d * 1e3, d / c }'
done <<'ROWS'
ainc.c -DN=6
ainc.c -DN=7
corr.c -DN=6
seqlock.c -DN=4
treiber.c -DP=3,-DQ=2
corr.c -DN=7
fib.c -DN=6
ainc.c -DN=8
ROWS
