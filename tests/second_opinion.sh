#!/usr/bin/env bash
# Every program that the other suites explore, with a second opinion under every model: how many answers were decided both
# ways, and which differ (exit status 4; none may).
#   tests/second_opinion.sh [SET...]    of programs, oracle, unbounded, corpus; all, if none is named
# MODELS="sc tso rc11" chooses models, ROWS=REGEX what is explored, LIMIT=SECONDS its time (10). HEDDLE_SHARE=I/N: a share.
# shellcheck disable=SC2016
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/share.sh
heddle=${HEDDLE:-$PWD/build/heddle} root=$PWD
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export heddle root work
export LIMIT=${LIMIT:-10}

# FOLDER, then what follows `heddle': a tab between
list() {
    local file
    case $1 in
    programs)
        for file in tests/programs/{correct,wrong,waiting}/*.c*; do
            printf '.\trun %s %s\n' "$(sed -n 's|^// args: ||p' "$file" | tr '\n' ' ')" "$file"
        done ;;
    oracle) awk -F, 'NR > 1 { print ".\trun " $2 " tests/oracle/" $1 }' tests/oracle/counts.csv | sort -u ;;
    unbounded)
        for file in tests/unbounded/*.c; do
            grep -q HD_OP "$file" && printf '.\tcheck --shape=2x2 %s\n' "$file"
        done ;;
    corpus) LIST=1 bash tests/suites/70_corpus.sh | cut -f1,2 ;;
    *) echo "second_opinion.sh: there is no set $1" >&2; exit 2 ;;
    esac
}
decide() { # MODEL FOLDER ARGUMENTS: a line "MODEL CONFIRMED OF", or one with what is wrong
    local out status
    # shellcheck disable=SC2086
    out=$(cd "$root/$2" && eval "timeout $((6 * LIMIT)) '$heddle' $3 --second-opinion --model=$1 --time=${LIMIT}s --json --quiet --no-record --no-repair" 2>&1)
    status=$?
    if [ $status = 4 ] || [[ $out == *"internal error"* ]]; then
        echo "DIFFERS $1: (cd $2; heddle $3): $(tr '\n' ' ' <<<"$out" | head -c 700)"
    fi
    sed -n "s/.*\"second_opinion\": {\"confirmed\": \([0-9]*\), \"of\": \([0-9]*\)}.*/$1 \1 \2/p" <<<"$out" | tail -n 1
}
export -f decide
[ $# -gt 0 ] || set -- programs oracle unbounded corpus
for set in "$@"; do list "$set"; done | grep -v -e '--schedules' -e '--preemptions' -e '--keep-going' -e '--unbounded' -e '--all' -e '--journal' |
    sed -E 's/--(model|time)=[^ ]*//g' | grep -E -e "${ROWS:-.}" | sort -u | share_of >"$work/rows"
for model in ${MODELS:-sc tso rc11}; do
    while IFS=$'\t' read -r folder arguments; do printf '%s\0%s\0%s\0' "$model" "$folder" "$arguments"; done <"$work/rows"
done | xargs -0 -r -P"${JOBS:-2}" -n3 bash -c 'decide "$1" "$2" "$3"' _ >"$work/out"
grep '^DIFFERS' "$work/out"
awk '!/^DIFFERS/ { answers[$1]++; confirmed[$1] += $2 > 0; tests[$1] += $3; decided[$1] += $2 }
    END { for (m in answers) print m ": " answers[m] " answers, " confirmed[m] " with a second opinion; " decided[m] " of " tests[m] " tests and programs decided both ways" }' "$work/out" | sort
differ=$(grep -c '^DIFFERS' "$work/out")
echo "$(wc -l <"$work/rows") rows, $differ differ"
[ "$differ" = 0 ]
