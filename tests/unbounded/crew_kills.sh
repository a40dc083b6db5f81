#!/bin/bash
# Processes of a crew (src/guest/states/crew/crew.h) are killed at random moments: the search ends all the same, with the
# numbers of one process:  tests/unbounded/crew_kills.sh RUNS SEED. Each run has some kills, at least
# one if it lasts; there are more runs if nobody was killed in these.
runs=$1
RANDOM=$2
out=$(mktemp)
trap 'rm -f "$out"' EXIT
counts() { awk -v keys="verdict states histories steps" -f tests/json.awk "$1"; }
check() { # processes
    HEDDLE_DEBUG=symmetry=never timeout 120 build/heddle check --unbounded=3 --model=sc --jobs="$1" --elements=3 --json --quiet \
        --no-record tests/unbounded/treiber_stack.c >"$out" 2>&1
}
# The processes that PROCESS has forked, and theirs
below() {
    local child
    for child in $(pgrep -P "$1"); do
        echo "$child"
        below "$child"
    done
}
check 1
wanted=$(counts "$out") kills=0
for ((run = 0; run < runs || (kills == 0 && run < 20); run++)); do
    check 3 &
    search=$!
    while kill -0 $search 2>/dev/null; do
        sleep 0.$((RANDOM % 3 + 1))
        mapfile -t forked < <(below $search | while read -r pid; do # not the first process of the program: its parent is the tool
            [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = program ] &&
                [ "$(cat "/proc/$(awk '{ print $4 }' "/proc/$pid/stat" 2>/dev/null)/comm" 2>/dev/null)" = program ] && echo "$pid"
        done)
        [ ${#forked[@]} -gt 0 ] && kill -9 "${forked[RANDOM % ${#forked[@]}]}" 2>/dev/null && kills=$((kills + 1))
    done
    wait $search
    got=$(counts "$out")
    [ "$got" = "$wanted" ] || { echo "FAIL crew kills: $got instead of $wanted after $kills kills"; exit 1; }
done
[ "$kills" -gt 0 ] || { echo "FAIL crew kills: nobody was killed"; exit 1; }
echo "ok crew kills: $runs runs with $kills kills"
