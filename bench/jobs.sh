#!/usr/bin/env bash
# What several processes cost a short run (1 to 100 ms): of the whole command with all its processes, with --jobs=1 and
# with the default, in alternating runs of a program that is built already. Counted are instructions of the user's part
# (where the machine counts them) and page faults, and the processor time is the least of HEDDLE_BENCH_RUNS (15) runs:
# that is what others who use the machine change least. The last columns are milliseconds by the clock, the median, which
# only an idle machine tells. Then `heddle check` of single tests, which it compiles each time.
set -u
cd "$(dirname "$0")/.." || exit 2
runs=${HEDDLE_BENCH_RUNS:-15}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
if ! command -v perf >/dev/null || ! perf stat -e task-clock,page-faults true 2>/dev/null; then
    echo "jobs.sh: not measured: there is no \`perf stat'" >&2
    exit 0
fi
counted() { # arguments of heddle; prints instructions (or -), faults, milliseconds of processor time, and by the clock
    local begun=$EPOCHREALTIME
    perf stat -x, -o "$work/counts" -e instructions:u,task-clock,page-faults build/heddle "$@" --json --quiet --no-record >/dev/null 2>&1
    awk -F, -v a="$begun" -v b="$EPOCHREALTIME" '
        $3 ~ /^instructions/ { i = $1 + 0 ? $1 : "-" } $3 ~ /^task-clock/ { c = $1 } $3 ~ /^page-faults/ { f = $1 }
        END { print i ? i : "-", f, c, (b - a) * 1e3 }' "$work/counts"
}
compare() { # name, arguments of heddle
    local name=$1
    shift
    for _ in $(seq "$runs"); do
        echo "one $(counted "$@" --jobs=1)"
        echo "all $(counted "$@")"
    done | sort -k1,1 -k5,5n | awk -v name="$name" '
        function ratio(x) { return x["one"] ? sprintf("%.3f", x["all"] / x["one"]) : "-" }
        { n[$1]++; clock[$1, n[$1]] = $5; faults[$1] += $3
          if ($2 != "-") { work[$1] = work[$1] == "" || $2 < work[$1] ? $2 : work[$1] }
          least[$1] = least[$1] == "" || $4 < least[$1] ? $4 : least[$1] }
        END { m = int((n["one"] + 1) / 2)
              printf "%-24s %13s %8.0f %8.0f %7.3f %8.1f %8.1f %7.3f %8.1f %8.1f\n", name,
                  work["one"] == "" ? "not measured" : ratio(work), faults["one"] / n["one"], faults["all"] / n["all"], ratio(faults),
                  least["one"], least["all"], ratio(least), clock["one", m], clock["all", m] }'
}
printf '%-24s %13s %8s %8s %7s %8s %8s %7s %8s %8s\n' program instructions 'faults 1' default ratio 'CPU ms 1' default ratio 'clock 1' default
while read -r program defines; do
    # shellcheck disable=SC2086
    build/heddle cc -O1 -w -o "$work/program" "tests/oracle/$program" ${defines//,/ } || exit 1
    compare "$program ${defines//,/ }" run --no-reductions "$work/program"
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
while IFS=';' read -r name scenario; do
    compare "check, $name" check --scenario="$scenario" "corpus/classics/$name.c"
done <<'ROWS'
treiber_stack;push(1) | pop()
mcs_lock;increment() | get()
spsc_ring;put(1) put(2) put(1) | get() get() get()
ROWS
