#!/usr/bin/env bash
# tests/weaken/twin.sh FILE...: heddle weaken against an editor. Every order that it weakens is weakened in a copy of the
# source, too, and the copy is checked: verdict and violation must be the same. Orders that are not written out at their
# place (memory_order_...) are passed over. Prints what differs, then a summary.
set -u
heddle=$PWD/build/heddle
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
compared=0 differs=0

# The tries of a report, one a line: file, line, column, number of the order among those of the call, order to try, what
# came of it; a tab between.
tries() {
    awk '
        /^  [^ ]+:[0-9]+:[0-9]+ .*  in / { split($1, p, ":"); which = /that fails,/ ? 2 : 1 }
        /^      (relaxed|acquire|release|acq_rel): / {
            to = $1; sub(/:$/, "", to); result = $2; sub(/[:,]$/, "", result)
            print p[1] "\t" p[2] "\t" p[3] "\t" which "\t" to "\t" result
        }'
}
# Weakens the WHICHth memory_order_ word of the statement at LINE:COLUMN; false if it is written otherwise.
edit() { # file line column which to
    awk -v line="$2" -v column="$3" -v which="$4" -v to="$5" '
        NR < line || done { print; next }
        {
            head = NR == line ? substr($0, 1, column - 1) : ""
            rest = NR == line ? substr($0, column) : $0
            while (!done && match(rest, /memory_order_[a-z_]+|;/)) {
                if (substr(rest, RSTART, 1) == ";") exit 1 # a macro
                if (++seen == which) {
                    head = head substr(rest, 1, RSTART - 1) "memory_order_" to; done = 1
                } else {
                    head = head substr(rest, 1, RSTART + RLENGTH - 1)
                }
                rest = substr(rest, RSTART + RLENGTH)
            }
            print head rest
        }' "$1" >"$1.edited" && mv "$1.edited" "$1"
}
for subject in "$@"; do
    folder=$(dirname "$subject") name=$(basename "$subject")
    report=$("$heddle" weaken --quiet --jobs=2 "$subject" 2>/dev/null)
    while IFS=$'\t' read -r file line column which to result; do
        rm -rf "$work/copy"; cp -r "$folder" "$work/copy"
        edit "$work/copy/$file" "$line" "$column" "$which" "$to" || continue
        command=run
        grep -q '@Method' "$work/copy/$file" && command=check
        answer=$(cd "$work/copy" && "$heddle" $command --json --quiet --no-record -Wno-invalid-memory-model "$name" 2>/dev/null)
        IFS=$'\t' read -r verdict violation <<<"$(awk -v keys="verdict violation" -f tests/json.awk <<<"$answer")"
        [ "$verdict" = violated ] && verdict=$violation
        compared=$((compared + 1))
        if [ "$verdict" != "$result" ]; then
            differs=$((differs + 1))
            echo "$subject: $to at $file:$line:$column: $result, but $verdict when it is written so"
        fi
    done < <(tries <<<"$report")
done
echo "$compared compared, $differs differ"
[ "$differs" = 0 ] && [ "$compared" -gt 0 ]
