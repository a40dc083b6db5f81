#!/usr/bin/env bash
# Two independent ways to decide the same must have the same answer. Exit status 1 if any answer differs.
#
# `both_ways.sh` (or `rows`): every row under sc and tso of tests/oracle/counts.csv and of corpus/*/expected.csv, decided by
# states and by executions: each has the verdict that its table says, both ways. Prints the rows that differ, then a line
# for each table and way. PARALLEL=1: one row at a time; LIMIT=SECONDS for each row of a corpus.
#
# `both_ways.sh orders`: tests with their threads in any order, drawn for every structure and mutant of the corpora and of
# tests/unbounded. An answer depends neither on the order in which a test names its threads, nor on whether confirming reads
# are merged from the beginning (eager-confirm), nor, under sc and tso, on whether states or executions decide. Prints the
# tests that differ with their commands, then a line with the counts. HEDDLE_SEED: the first seed (1); TESTS: for each
# structure and model (2); ROWS=REGEX chooses structures; LIMIT=SECONDS for each answer (5), what takes longer is left out.
set -u
cd "$(dirname "$0")/.." || exit 2
bad=0

rows() {
    export LIMIT=${LIMIT:-120} CORPUS='--model=(sc|tso) ' HEDDLE_DEBUG
    for way in always never; do
        HEDDLE_DEBUG=states=$way
        said=$(REDUCED=1 ROWS='^[^,]*,[^,]*,(sc|tso),' tests/oracle.sh) || bad=1
        echo "oracle, states=$way: $said"
        said=$(bash tests/suites/70_corpus.sh)
        grep '^FAIL' <<<"$said" && bad=1
        echo "corpora, states=$way: $(grep -c . <<<"$said") rows, $(grep -c '^FAIL' <<<"$said") differ"
    done
}

# Prints each structure once: its folder, and the words for `heddle check` but for those that choose tests and models.
structures() {
    {
        LIST=1 bash tests/suites/70_corpus.sh | awk -F'\t' 'sub(/^check /, "", $2) { print $1, $2 }'
        for file in tests/unbounded/*.{c,cpp}; do
            sed -n "s|^// run: \(.*\)=> .*|tests/unbounded \1 ${file##*/}|; s|--scenario=[^ ]*||; s|^tests/|&|p" "$file"
        done
    } | while read -r line; do
        eval "words=($line)"
        kept=()
        for word in "${words[@]}"; do
            [[ $word =~ ^(HEDDLE_DEBUG=|--(scenario|shape|samples|exhaustive|model|unbounded|elements|lag|time|jobs|preemptions|all|keep-going)(=|$)) ]] || kept+=("$word")
        done
        echo "${kept[*]@Q}"
    done | sort -u | grep -E -e "${ROWS:-.}"
}

verdict() { # HEDDLE_DEBUG, model, test, words: holds, violated, or nothing if there is no such answer in time
    HEDDLE_DEBUG=$1 timeout "${LIMIT:-5}" "$heddle" check --json --quiet --no-record --jobs=1 --model="$2" --scenario="$3" "${@:4}" 2>/dev/null |
        awk -v keys=verdict -f "$root/tests/json.awk" | grep -xE 'holds|violated'
}
compare() { # structure, seed
    local folder words model test expected got ways order reversed
    eval "words=($1)"
    folder=${words[0]} words=("${words[@]:1}")
    cd "$folder" || return
    for model in rc11 sc tso; do
        while read -r test; do
            expected=$(verdict states=never "$model" "$test" "${words[@]}") || { echo "left out"; continue; }
            order=${test#* | }" | "${test%% | *} # the first column last
            reversed=$(awk -F' [|] ' '{ line = $NF; for (i = NF - 1; i > 0; i--) line = line " | " $i; print line }' <<<"$test")
            ways=("states=never,eager-confirm;$test" "states=never;$order" "states=never,eager-confirm;$order" "states=never;$reversed"
                "states=never,eager-confirm;$reversed")
            [ "$model" = rc11 ] || ways+=("states=always;$test" "states=always;$reversed")
            for way in "${ways[@]}"; do
                got=$(verdict "${way%%;*}" "$model" "${way#*;}" "${words[@]}") || { echo "left out"; continue; }
                if [ "$got" = "$expected" ]; then echo "same $got"
                else echo "DIFFERS: cd $folder && HEDDLE_DEBUG=${way%%;*} heddle check --model=$model --scenario='${way#*;}' ${words[*]}: $got, but with states=never and '$test' $expected"; fi
            done
        done < <(awk -v seed="$2" -v count="${TESTS:-2}" -f "$root/tests/helpers/draw_tests.awk" "${words[@]: -1}")
    done
}
orders() {
    export heddle=$PWD/build/heddle root=$PWD seed=${HEDDLE_SEED:-1} HEDDLE_BUILDS said
    HEDDLE_BUILDS=$(mktemp -d); trap 'rm -rf "$HEDDLE_BUILDS"' EXIT
    export -f verdict compare
    said=$(structures | tr '\n' '\0' | xargs -0 -P"${PARALLEL:-2}" -I{} bash -c 'compare "$1" "$seed"' _ {})
    grep '^DIFFERS' <<<"$said" && bad=1
    echo "threads in any order, seed $seed: $(grep -c '^same holds' <<<"$said") answers hold, $(grep -c '^same violated' <<<"$said") are violated," \
        "$(grep -c '^DIFFERS' <<<"$said") differ, $(grep -c '^left out' <<<"$said") left out"
    grep -q '^same violated' <<<"$said" || bad=1 # nothing was compared
}

case ${1:-rows} in
rows | orders) "${1:-rows}" ;;
*) echo "usage: tests/both_ways.sh [rows|orders]" >&2; exit 2 ;;
esac
exit $bad
