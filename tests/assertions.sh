#!/usr/bin/env bash
# Invariants that are checked where they are relied on: ASSERT and DEBUG_ASSERT for each 1,000 lines of a room, and how many there
# are at least. The numbers below only grow; an assertion that no change of the code could make fail is none.
set -u
cd "$(dirname "$0")/.." || exit 2
status=0
while read -r room least; do
    lines=$(find "src/$room" -name '*.[ch]' -exec cat {} + | wc -l)
    count=$(grep -rhoE '\b(DEBUG_ASSERT|ASSERT)\(' --include='*.[ch]' "src/$room" | wc -l)
    awk -v room="$room" -v lines="$lines" -v count="$count" -v least="$least" 'BEGIN {
        few = count * 1000 / lines < least
        printf "%-16s %6d lines %4d assertions %5.1f for each 1,000%s\n", room, lines, count, count * 1000 / lines,
            few ? ", at least " least " are wanted" : ""
        exit few
    }' || status=1
done <<'ROOMS'
guest/explore 6
guest/states 5.8
guest/entry 3
tool/instrument 1.3
ROOMS
exit $status
