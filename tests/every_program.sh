#!/usr/bin/env bash
# `heddle run` and `heddle check` on every program of the tests, the corpora and the examples, whether it is made for
# the command or not, with a short limit: whatever the answer is, it is no internal error (status 4), no signal and no
# hang. `tests/every_program.sh [REGEX]`; TIME=1s is the limit of each, MODEL a memory model. ./dev nightly runs it.
set -u
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=tests/share.sh
. tests/share.sh
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export work heddle=${HEDDLE:-$PWD/build/heddle} time=${TIME:-300ms} model=${MODEL:-rc11}
one() {
    local command=$1 file=$2 status
    (cd "$(dirname "$file")" && timeout 60 "$heddle" "$command" --quiet --no-record --time="$time" --model="$model" "$(basename "$file")") >"$work/out.$$" 2>&1 </dev/null
    status=$?
    echo "$status" >>"$work/statuses"
    case $status in
    0 | 1 | 2 | 3) ;;
    *) echo "FAIL heddle $command --time=$time --model=$model $file: status $status: $(tail -n 2 "$work/out.$$" | tr '\n' ' ')" ;;
    esac
    rm -f "$work/out.$$"
}
export -f one
# shellcheck disable=SC2016
git ls-files 'tests/*.c' 'tests/*.cc' 'tests/*.cpp' 'corpus/*.c' 'corpus/*.cc' 'corpus/*.cpp' 'examples/*.c' 'examples/*.cc' |
    grep -vE '^tests/(unit|helpers|fixtures|attack|fuzz)/' | grep -E -e "${1:-.}" | share_of |
    while read -r file; do printf 'run\0%s\0check\0%s\0' "$file" "$file"; done |
    xargs -0 -r -P "$(nproc)" -n 2 bash -c 'one "$1" "$2"' _ | tee "$work/said"
counts=$(sort "$work/statuses" | uniq -c | awk '{ printf "%s%d with status %s", n++ ? ", " : "", $1, $2 }')
[ -s "$work/said" ] && { echo "FAIL every program: $counts"; exit 1; }
echo "ok every program: $counts"
