#!/usr/bin/env bash
# The default check of correct structures: `heddle check FILE` and nothing else should end by itself with `holds`
# within 30 s on two cores, all tests of 2x2 and 3x1 explored completely, 100 (or all, if there are fewer) of 2x3
# and of 3x2, and 20 of 3x3. Structures that are violated under rc11 as published are checked in the variant that
# holds; those of libraries under the models that their files name. Needs an idle machine.
# Usage: bench/default_check.sh [WORD...]: the rows whose text contains one of the words; all without words.
set -u
cd "$(dirname "$0")/.." || exit 2
limit=30
value() { awk -v keys="$1" -f tests/json.awk <<<"$2"; }
# Prints the number of tests that are explored completely, with "all" if these are all: shape, coverage
complete() {
    tr ',' '\n' <<<"$2" | awk -v shape="$1" '$NF == shape {
        print ($1 == "all" || $1 == "the") ? "all " $2 : $1; found = 1 } END { if (!found) print "none" }'
}
enough() { [[ $1 == all* || $1 == none ]] || [ "$1" -ge "$2" ]; }
printf '%-44s %-12s %7s %9s %9s %9s %9s %9s  %s\n' structure verdict seconds 2x2 3x1 2x3 3x2 3x3 ''
short=0
check() { # folder, file, options
    local row="$2 ${*:3}" out status=ok number
    row=${row/ -include*/ ...} # of a library that wants many
    out=$(cd "$1" && timeout 60 ../../build/heddle check --json --quiet --no-record "${@:3}" "$2" 2>&1)
    local coverage verdict seconds
    coverage=$(value coverage "$out") verdict=$(value verdict "$out") seconds=$(value seconds "$out")
    local -a cells=()
    for shape in 2x2:all 3x1:all 2x3:100 3x2:100 3x3:20; do
        number=$(complete "${shape%:*}" "$coverage")
        cells+=("$number")
        enough "$number" "${shape#*:}" 2>/dev/null || status=short
    done
    awk -v s="${seconds:-99}" -v l=$limit 'BEGIN { exit !(s <= l) }' || status=short
    [ "$verdict" = holds ] || status=short
    [ $status = ok ] || short=$((short + 1))
    printf '%-44s %-12s %7.1f %9s %9s %9s %9s %9s  %s\n' "$row" "$verdict" "${seconds:-0}" "${cells[@]}" $status
}
wanted() { # text of a row
    local word
    [ ${#words[@]} -gt 0 ] || return 0
    for word in "${words[@]}"; do [[ $1 == *"$word"* ]] && return 0; done
    return 1
}
words=("$@")
while read -ra row; do
    wanted "${row[*]}" && check corpus/classics "${row[@]}"
done <<'ROWS'
treiber_stack.c
michael_scott_queue.c
mcs_lock.c
seqlock_register.c
striped_map.c
lazy_skiplist.c
hazard_list.c
spsc_ring.c -DSEQ_CST
harris_michael_list.c -DSEQ_CST
chase_lev_deque.c -DWRITTEN_SLOTS
herlihy_wing_queue.c -DSWAP_ORDER=memory_order_acq_rel
ROWS
for file in corpus/libraries/*.c corpus/libraries/*.cpp; do
    package=$(sed -n 's|^// package: ||p' "$file")
    dpkg -s "$package" >/dev/null 2>&1 || continue
    grep -q '^// command:' "$file" && continue
    [ "${file##*/}" = dpdk_ring.c ] && continue # full for a put and empty for a get at once: a larger test fails, rightly
    read -ra options < <(sed -n 's|^// options: ||p' "$file" | sed -E 's/--shape=[0-9x+]+//')
    for model in $(sed -nE 's|^// expect( [0-9x+]+)?: (.*)|\2|p' "$file" | tr ';' '\n' | awk '$2 == "holds" { print $1 }'); do
        wanted "${file##*/} $model" && check corpus/libraries "${file##*/}" "--model=$model" "${options[@]}"
    done
done
echo "$short short"
