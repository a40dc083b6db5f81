#!/usr/bin/env bash
# Every row of tests/oracle/counts.csv: executions, blocked ones (where given) and verdict must be exactly
# those of the table. Prints the rows that differ, then a summary; exit status 1 if any does.
#
#   tests/oracle.sh [options of heddle run]       e.g. tests/oracle.sh --cc=clang --jobs=2
#   ROWS=REGEX tests/oracle.sh                    only rows that match
#   REDUCED=1 tests/oracle.sh                     with reductions: same verdicts, never more executions
#   COUNTS=FILE tests/oracle.sh                   another table, programs beside it
#   EVERY=10 tests/oracle.sh                      every tenth row
#   PARALLEL=1 tests/oracle.sh                    one row at a time (as many as there are processors)
set -u
cd "$(dirname "$0")/.." || exit 2
counts=${COUNTS:-tests/oracle/counts.csv}
export HEDDLE=${HEDDLE:-build/heddle} folder options="$*" REDUCED=${REDUCED:-}
folder=$(dirname "$counts")

# One row: silent when it agrees.
row() {
    IFS=, read -r program defines model executions blocked verdict <<<"$1"
    local reductions=--no-reductions want got answer status errors=$scratch/$BASHPID
    # without a count the program may spin: its executions are endless unless waiting is recognised
    [ -z "$REDUCED" ] && [ -n "$executions" ] || reductions=
    # shellcheck disable=SC2086
    answer=$("$HEDDLE" run $reductions --json --quiet --no-record --time=60s $options $defines "--model=$model" \
        "$folder/$program" 2>"$errors")
    status=$?
    IFS=$'\t' read -r v kind e b reason \
        <<<"$(awk -v keys="verdict violation executions blocked reason" -f tests/json.awk <<<"$answer")"
    case $verdict in ok) want=holds ;; *) want="violated $verdict" ;; esac
    got=$v; [ "$kind" = - ] || got="$v $kind"
    local differs=
    [ "$got" = "$want" ] || differs="$got instead of $want"
    if [ -n "$executions" ] && [ -n "$REDUCED" ]; then
        [ "$e" != - ] && [ "$e" -le "$executions" ] || differs="$differs; $e executions, more than $executions"
    elif [ -n "$executions" ]; then
        # a violation ends the exploration, so its counts need --keep-going
        if [ "$verdict" != ok ]; then
            # shellcheck disable=SC2086
            answer=$("$HEDDLE" run $reductions --json --quiet --no-record --time=60s --keep-going $options $defines \
                "--model=$model" "$folder/$program" 2>/dev/null)
            IFS=$'\t' read -r e b <<<"$(awk -v keys="executions blocked" -f tests/json.awk <<<"$answer")"
        fi
        [ "$e" = "$executions" ] || differs="$differs; $e executions instead of $executions"
        [ -z "$blocked" ] || [ "$b" = "$blocked" ] || differs="$differs; $b blocked instead of $blocked"
    fi
    [ -z "$differs" ] && return
    [ "$v" = - ] && differs="$differs; exit status $status: $(head -n 3 "$errors" | tr '\n' ' ')"
    [ "$v" = inconclusive ] && differs="$differs ($reason)"
    echo "$program $defines $model: ${differs#; }"
}
export -f row
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT; export scratch

rows=$(tail -n +2 "$counts" | grep -E -e "${ROWS:-.}" | awk -v every="${EVERY:-1}" 'NR % every == 0')
# shellcheck disable=SC2016 # the inner shell expands it
differing=$(xargs -d '\n' -P "${PARALLEL:-$(nproc)}" -I{} bash -c 'row "$1"' _ {} <<<"$rows" | sort)
[ -z "$differing" ] || echo "$differing"
echo "$(wc -l <<<"$rows") rows, $(grep -c . <<<"$differing") differ${options:+ ($options)}${REDUCED:+ (with reductions)}"
[ -z "$differing" ]
