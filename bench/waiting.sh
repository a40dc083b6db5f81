#!/usr/bin/env bash
# Waiting and retry loops: executions, blocked graphs and processor time of the exploration at several
# optimisation levels. The counts should not depend on the compiler (dead stack bytes are masked); with
# an empty table (second line of each) they do.
set -u
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
printf '2evildeh\0\0\0\0\0\0\0\0' >"$work/empty" # the magic number and no entries
# shellcheck disable=SC2317 # called by name
run() {
    build/heddle run "$@" --json 2>/dev/null |
        sed 's/.*"executions": \([0-9]*\), "blocked": \([0-9]*\).*"cpu_seconds": \([0-9.]*\).*/\1 \2 \3/'
}
printf '%-34s %10s %10s %9s\n' program complete blocked 'cpu s'
row() {
    local name=$1 executions blocked seconds
    shift
    read -r executions blocked seconds < <("$@")
    printf '%-34s %10s %10s %9s\n' "$name" "$executions" "$blocked" "$seconds"
}
for setting in "gcc -O0" "gcc -O1" "clang -O0" "clang -O1"; do
    for program in "treiber.c -DP=3 -DQ=2" "treiber.c -DP=4 -DQ=3" "msqueue.c -DP=3 -DQ=2" "msqueue.c -DP=3 -DQ=3"; do
        # shellcheck disable=SC2086
        set -- tests/oracle/$program --cc=${setting% *} ${setting#* }
        row "$program $setting" run "$@"
        [ -n "${FULL:-}" ] && HEDDLE_DEBUG=liveness=$work/empty row "  without table" run "$@"
    done
done
exit 0
