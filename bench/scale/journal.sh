#!/usr/bin/env bash
# What --journal costs: processor time of run, check and refine with and without, in turn, best of ROUNDS; and how large journals become.
#     bench/scale/journal.sh [ROUNDS]
# A journal of an exploration holds its counts and the units that are left, one for each process at work: 1 byte a frame of the search,
# however many executions are behind. So its size is measured along one exploration, and the largest is what any number of executions takes.
set -eu
cd "$(dirname "$0")/../.."
rounds=${1:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
oracle=tests/oracle
TIMEFORMAT='%U %S'
# hundredths of a percent are noise: seconds of user and system time of "$@", its children included
seconds() { { time build/heddle "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'; }
least() { awk -v a="${1:-}" -v b="$2" 'BEGIN { print a == "" || b < a ? b : a }'; }
printf '%-72s %9s %9s %9s\n' "processor time, best of $rounds" without with more
while read -r -a command; do
    one='' two=''
    for ((i = 0; i < rounds; i++)); do
        one=$(least "$one" "$(seconds "${command[@]}" --quiet)")
        rm -f "$work/journal"
        two=$(least "$two" "$(seconds "${command[@]}" --quiet --journal="$work/journal")")
    done
    printf '%-72s %7.2f s %7.2f s %7.2f %%\n' "${command[*]}" "$one" "$two" "$(awk -v a="$one" -v b="$two" 'BEGIN { print 100 * (b / a - 1) }')"
done <<END
run --jobs=1 --no-record --no-reductions -DN=20 $oracle/readers.c
run --jobs=2 --no-record --no-reductions -DP=3 -DQ=3 $oracle/treiber.c
check --jobs=1 --no-record --shape=2x3 --samples=60 corpus/classics/treiber_stack.c
refine --jobs=1 --no-reductions corpus/refine/treiber_stack.hm
refine --jobs=1 -DFACTOR=4 -DSEGMENTS=3 corpus/refine/segmented_queue.hm
END
echo
printf '%-54s %12s %8s %8s %14s\n' "journals of run --no-reductions --jobs=2" executions bytes units "bytes a unit"
while read -r file flags; do
    largest=0
    rm -f "$work/journal"
    for leaves in 100 1000 10000 100000; do
        # shellcheck disable=SC2086
        HEDDLE_DEBUG=stop-after=$leaves build/heddle run --quiet --no-record --jobs=2 --no-reductions $flags --journal="$work/journal" "$oracle/$file" >/dev/null 2>&1 || true
        bytes=$(wc -c <"$work/journal")
        read -r executions units < <(build/heddle status --json "$work/journal" | awk -v keys="executions units" -f tests/json.awk)
        [ "$units" -gt 0 ] || break
        each=$((bytes / units))
        [ $each -le $largest ] || largest=$each
        printf '%-54s %12s %8d %8d %14d\n' "$file $flags" "$executions" "$bytes" "$units" "$each"
    done
    # as many units as there can be processes: what any number of executions takes
    awk -v each=$largest -v name="$file $flags" 'BEGIN { printf "%-54s %12s %8.0f %8d %14d\n", name, "10^9", each * 64, 64, each }'
done <<'END'
readers.c -DN=20
treiber.c -DP=3 -DQ=3
msqueue.c -DP=3 -DQ=2
END
