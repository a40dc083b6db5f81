#!/usr/bin/env bash
# C++ as it is written: a dozen programs of bench/cxx under rc11, with one process: executions, blocked graphs, processor time
# of the exploration and microseconds for each graph. With an argument, only rows that match it; HEDDLE names another build.
set -u
cd "$(dirname "$0")/.." || exit 2
only=${1:-.} heddle=${HEDDLE:-build/heddle}
value() { sed -n "s/.*\"$1\": \"\{0,1\}\([a-z0-9.e+-]*\).*/\1/p" <<<"$2"; }
printf '%-14s %-12s %10s %9s %9s %9s\n' program verdict complete blocked 'CPU s' 'us each'
for file in bench/cxx/*.cc; do
    name=$(basename "$file" .cc)
    [[ $name =~ $only ]] || continue
    answer=$("$heddle" run --json --no-record --quiet --jobs=1 --time="${HEDDLE_BENCH_TIME:-60s}" -std=c++20 "$file" 2>/dev/null)
    complete=$(value executions "$answer") blocked=$(value blocked "$answer") seconds=$(value cpu_seconds "$answer")
    printf '%-14s %-12s %10s %9s %9.3f %9.1f\n' "$name" "$(value verdict "$answer")" "$complete" "$blocked" "$seconds" \
        "$(awk "BEGIN { n = $complete + $blocked; print n ? $seconds * 1e6 / n : 0 }")"
done
