#!/usr/bin/env bash
# Every built-in object of recorded histories, right and with one wrong result: how long is the check, from SIZES
# (default 1000 10000 100000 1000000) operations by CLIENTS (64) clients that are always busy? LIMIT (10): seconds a row (processor time, as all). MODEL:
# only that one. bench/history.md has a run; heddle-history(1) says why some are hard.
set -eu
cd "$(dirname "$0")/.."
make -s -j"$(nproc)" build/tool.a
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -Isrc -Iinclude -Wl,--wrap=clock_seconds -o "$work/objects" bench/history_objects.c build/tool.a -lz -lm
sizes=${SIZES:-1000 10000 100000 1000000}
for size in $sizes; do
    # shellcheck disable=SC2086
    "$work/objects" "$size" "${CLIENTS:-64}" "${LIMIT:-10}" ${MODEL:-} >"$work/$size"
done
# a table: the object, what it does, right or wrong; then the milliseconds for each size, - where it was not decided
for size in $sizes; do
    awk -v size="$size" '{
        name = substr($0, 1, 56); split(substr($0, 57), word, " ")
        print NR "\t" name "\t" size "\t" (word[1] == "inconclusive" ? "-" : word[2]) }' "$work/$size"
done | awk -F'\t' -v sizes="$sizes" '
    { name[$1] = $2; value[$1, $3] = $4; rows = $1 > rows ? $1 : rows }
    END {
        count = split(sizes, size, " ")
        printf "%-56s", "object"
        for (i = 1; i <= count; i++) printf " %12s", size[i]
        print ""
        for (r = 1; r <= rows; r++) {
            printf "%s", name[r]
            for (i = 1; i <= count; i++) printf " %12s", value[r, size[i]]
            print ""
        }
    }'
