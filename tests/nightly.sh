#!/usr/bin/env bash
# Everything that takes too long for every change, in parts of at most forty minutes on two cores: the suites with their large
# counts (HEDDLE_NIGHTLY=1), the oracle with a debug runtime and with the runtime compiled by clang, mutants of the
# explorer, notions against their twins, tests with their threads in any order, bad input under sanitizers, a fresh root
# from git clone and with the packages, the benchmarks. Parts are independent of each other and of their order.
#   tests/nightly.sh [PART...]          these parts, or all
#   tests/nightly.sh --shard=I/N        every Nth part, from the Ith on: for N machines
#   tests/nightly.sh --list             the parts, and when each passed last
#   tests/nightly.sh --stale[=DAYS]     the parts that did not pass within the last DAYS (7) days
# What passed when, on which commit and with which counts is written to tests/nightly.md; what a part printed is in
# build/nightly/. A part that takes more than HEDDLE_PART_MINUTES (40) has failed.
set -u
cd "$(dirname "$0")/.." || exit 2
export HEDDLE_NIGHTLY=1
table=tests/nightly.md minutes=${HEDDLE_PART_MINUTES:-40}
mkdir -p build/nightly

# Suites that need parts of their own, and into how many shares their counts are divided (they source tests/share.sh). All
# other suites are dealt out to rest-1 to rest-8 in the order of their names.
own='37_unbounded:8 37_waiting:6 40_programs:2 41_found:4 72_check_twin:1 52_attack:1 36_search:1 35_twin:1 36_symmetry:1 47_unseen:1 48_functions:1 73_marked_twin:1 70_corpus:1 71_libraries:1 37_journal:1 80_prove:1 40_history:1 75_html:1 64_examples:1 71_programs:1 12_lint:1 15_sanitizers:1'
rests=8
# Commands of the parts that are no suites; NAME SHARES COMMAND
others() {
    cat <<'PARTS'
debug 2 debug_oracle
clang 1 clang_build
mutants 8 mutants
sanitized 3 sanitized
clone 1 tests/fresh_root.sh clone
packages 1 tests/fresh_root.sh packages
systems 4 systems
aarch64 1 tests/aarch64.sh
recipes 1 tests/recipes.sh
notions 2 notions
orders 1 tests/both_ways.sh orders
every 2 tests/every_program.sh
second 4 tests/second_opinion.sh
bench 1 bench/run.sh
PARTS
}
. tests/share.sh
debug_oracle() { # one compiler a share
    local words=()
    make -s -j"$(nproc)" variant=debug || return 1
    [ "${HEDDLE_SHARE:-1/1}" = 1/2 ] || words=(--cc=clang)
    HEDDLE=build-debug/heddle tests/oracle.sh "${words[@]}"
}
clang_build() {
    make -s -j"$(nproc)" variant=clang CC=clang FLAGS_clang=-O2 all unit || return 1
    HEDDLE=build-clang/heddle tests/oracle.sh
}
systems() { # one a share
    local names=(debian-12 debian-13 ubuntu-24.04 fedora) share=${HEDDLE_SHARE:-1/4}
    tests/systems.sh "${names[@]:${share%/*}-1:1}"
}
mutants() {
    # shellcheck disable=SC2046
    tests/mutants.sh $(tests/mutants.sh --names | share_of)
}
sanitized() {
    # shellcheck disable=SC2046
    tests/sanitized.sh $(tests/sanitized.sh --names | share_of)
}
notions() {
    SEED=$(share_seed "${SEED:-1}") tests/notions.sh "$(share_count 100000)"
}

# NAME SHARE COMMAND: all parts, each on a line
parts() {
    local entry suite name shares command i n=0
    for entry in $own; do
        name=${entry%:*} shares=${entry#*:}
        [ -f "tests/suites/$name.sh" ] || { echo "tests/nightly.sh: there is no suite $name" >&2; exit 2; }
        for ((i = 1; i <= shares; i++)); do
            echo "$name$([ "$shares" = 1 ] || echo "-$i") $i/$shares tests/run.sh $name"
        done
    done
    for suite in tests/suites/*.sh; do
        name=$(basename "$suite" .sh)
        case " $own" in *" $name:"*) continue ;; esac
        echo "$((n++ % rests + 1)) $name"
    done | sort -n | awk '{ words[$1] = words[$1] " " $2 } END { for (i in words) print "rest-" i " 1/1 tests/run.sh" words[i] }' | sort
    others | while read -r name shares command; do
        for ((i = 1; i <= shares; i++)); do
            echo "$name$([ "$shares" = 1 ] || echo "-$i") $i/$shares $command"
        done
    done
}

# Writes the row of a part that passed.
note_pass() { # NAME SECONDS COUNTS
    local commit row
    commit=$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
    [ -z "$(git status --porcelain -- . ':!tests/nightly.md' 2>/dev/null)" ] || commit="$commit, changed"
    row="| $1 | $(date -u +%Y-%m-%d) | $commit | $((($2 + 59) / 60)) | ${3//|/,} |"
    (
        flock 9
        { sed '/^| --- /q' "$table"; { sed '1,/^| --- /d' "$table" | grep -v -F "| $1 |"; echo "$row"; } | sort -V; } >build/nightly/table
        cp build/nightly/table "$table"
    ) 9>build/nightly/lock
}
head_of_table() {
    cat <<'HEAD'
# What the nightly has passed

Written by tests/nightly.sh: for each part the last time that it passed, on which commit (`changed`: with changes that were not
committed), in how many minutes, with which counts. A part that is missing has not passed since it came up. `tests/nightly.sh --list` tells of all.
No part may be older than a week at a release (`./dev release`).

| part | passed on | commit | minutes | counts |
| --- | --- | --- | --- | --- |
HEAD
}
[ -f "$table" ] || head_of_table >"$table"
passed_on() { # NAME: the day, or nothing
    sed -nE "s/^\\| $1 \\| ([0-9-]+) \\|.*/\\1/p" "$table"
}
run_part() { # NAME SHARE COMMAND...
    local name=$1 share=$2 start=$SECONDS status counts
    shift 2
    rm -f "build/nightly/$name.txt"
    if [ "$(type -t "$1")" = function ]; then
        HEDDLE_SHARE=$share timeout -k 30 "${minutes}m" bash tests/nightly.sh --function "$1" >"build/nightly/$name.txt" 2>&1
    else
        HEDDLE_SHARE=$share timeout -k 30 "${minutes}m" "$@" >"build/nightly/$name.txt" 2>&1
    fi
    status=$?
    counts=$(tail -n 1 "build/nightly/$name.txt" | cut -c1-70)
    [ $status != 124 ] || counts="it took more than $minutes minutes"
    printf '%-16s %-6s %6d s  %s\n' "$name" "$([ $status = 0 ] && echo ok || echo FAIL)" $((SECONDS - start)) "$counts"
    [ $status = 0 ] || return 1
    note_pass "$name" $((SECONDS - start)) "$counts"
}

wanted=() shard=1/1 stale=
for word in "$@"; do
    case $word in
    --function) shift; "$@"; exit ;;
    --list)
        parts | while read -r name share command; do
            day=$(passed_on "$name")
            printf '%-16s %-12s %s%s\n' "$name" "${day:-never}" "$command" "$([ "$share" = "1/${share#*/}" ] && [ "${share#*/}" = 1 ] || echo ", share $share")"
        done
        exit ;;
    --shard=*) shard=${word#*=} ;;
    --stale) stale=7 ;;
    --stale=*) stale=${word#*=} ;;
    -*) echo "tests/nightly.sh: there is no option $word" >&2; exit 2 ;;
    *) wanted+=("$word") ;;
    esac
done
for name in "${wanted[@]}"; do
    parts | grep -q "^$name " || { echo "tests/nightly.sh: there is no part $name" >&2; exit 2; }
done
bad=0
while read -r name share command; do
    [ ${#wanted[@]} = 0 ] || [[ " ${wanted[*]} " == *" $name "* ]] || continue
    if [ -n "$stale" ]; then
        day=$(passed_on "$name")
        [ -z "$day" ] || [ $(($(date -u +%s) - $(date -u -d "$day" +%s))) -gt $((stale * 86400)) ] || continue
    fi
    # shellcheck disable=SC2086
    run_part "$name" "$share" $command </dev/null || bad=1
done < <(parts | HEDDLE_SHARE=$shard share_of)
exit $bad
