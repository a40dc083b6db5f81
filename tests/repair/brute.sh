#!/usr/bin/env bash
# tests/repair/brute.sh MOST FILE [OPTION...]: heddle repair against brute force. Every memory_order_ word of the file is
# one order (one a line at most, or told apart by their place in the line). All assignments that change up to MOST of
# them are written into copies of the source and checked by `heddle run'; the minimal ones among those that hold must be
# what `heddle repair' says. Nothing is taken from the search, the table of orders or the debug information.
set -u
heddle=${HEDDLE:-$PWD/build/heddle} most=$1 file=$2; shift 2
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
base=$(basename "$file") ending=${file##*.}

# the words: number, line, operation, order; a tab between
awk '{
    rest = $0; before = ""
    sub(/\/\/.*/, "", rest)
    while (match(rest, /memory_order_[a-z_]+/)) {
        before = before substr(rest, 1, RSTART - 1)
        word = substr(rest, RSTART + 13, RLENGTH - 13)
        n = split(before, call, /[^a-z_]/); kind = ""
        for (i = n; i > 0 && kind == ""; i--) {
            name = call[i]
            if (name ~ /thread_fence/) kind = "fence"
            else if (name ~ /compare_exchange/) kind = (before ~ /memory_order_[a-z_]+, *$/) ? "failure" : "cas"
            else if (name ~ /exchange|fetch_/) kind = "rmw"
            else if (name ~ /load/) kind = "load"
            else if (name ~ /store/) kind = "store"
        }
        if (kind == "" && last ~ /cas|failure/) kind = "failure" # the second line of a call
        else begun = NR
        last = kind
        print ++number "\t" begun "\t" kind "\t" word
        before = before substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
    }
}' "$file" >"$work/words"

# all assignments with 1 to MOST changes: "1=release 4=acquire"
awk -F'\t' -v most="$most" '
    function strength(o) { return o == "relaxed" ? 0 : o ~ /^(acquire|release)$/ ? 1 : o == "acq_rel" ? 2 : 3 }
    function levels(kind) { return kind ~ /^(load|failure)$/ ? "acquire seq_cst" : kind == "store" ? "release seq_cst" : "acquire release acq_rel seq_cst" }
    function choose(from, text, count,    i, k, n, level) {
        if (count) print text
        if (count == most) return
        for (i = from; i <= words; i++) {
            n = split(levels(kind[i]), level, " ")
            for (k = 1; k <= n; k++)
                if (strength(level[k]) > strength(order[i]))
                    choose(i + 1, text (text == "" ? "" : " ") i "=" level[k], count + 1)
        }
    }
    { kind[NR] = $3; order[NR] = $4; words = NR }
    END { choose(1, "", 0) }' "$work/words" >"$work/assignments"

# which of them hold
tried=0
while read -r assignment; do
    awk -v assignment="$assignment" '
        BEGIN { n = split(assignment, part, " "); for (i = 1; i <= n; i++) { split(part[i], p, "="); to[p[1]] = p[2] } }
        {
            comment = ""; rest = $0
            if (match(rest, /\/\/.*/)) { comment = substr(rest, RSTART); rest = substr(rest, 1, RSTART - 1) }
            out = ""
            while (match(rest, /memory_order_[a-z_]+/)) {
                number++
                word = (number in to) ? "memory_order_" to[number] : substr(rest, RSTART, RLENGTH)
                out = out substr(rest, 1, RSTART - 1) word; rest = substr(rest, RSTART + RLENGTH)
            }
            print out rest comment
        }' "$file" >"$work/copy.$ending"
    timeout 60 "$heddle" run --json --quiet --no-record --no-repair --time=20s --jobs=1 "$@" "$work/copy.$ending" >"$work/answer" 2>/dev/null
    [ "$(awk -v keys=verdict -f tests/json.awk "$work/answer")" = holds ] && echo "$assignment"
    tried=$((tried + 1))
done <"$work/assignments" >"$work/holding"
tried=$(wc -l <"$work/assignments")

# the minimal ones, with lines instead of numbers
awk -F'\t' '
    function least(a, b) { return a == b || a == "" || b == "seq_cst" || (b == "acq_rel" && a != "seq_cst") }
    FNR == NR { line[$1] = $2; next }
    { n = split($0, part, " "); all[++count] = $0
      for (i = 1; i <= n; i++) { split(part[i], p, "="); at[count, p[1]] = p[2] } size[count] = n }
    function below(a, b,    i) { for (i in line) if (!least(at[a, i], at[b, i])) return 0; return 1 }
    END {
        for (c = 1; c <= count; c++) {
            minimal = 1
            for (d = 1; d <= count && minimal; d++) if (d != c && below(d, c)) minimal = 0
            if (!minimal) continue
            n = split(all[c], part, " "); text = ""
            for (i = 1; i <= n; i++) { split(part[i], p, "="); text = text (i > 1 ? " " : "") line[p[1]] "=" p[2] }
            print text
        }
    }' "$work/words" "$work/holding" | sort >"$work/wanted"

"$heddle" repair --quiet --time=100s --jobs=1 "$@" "$file" >"$work/report" 2>/dev/null
awk -v base="$base" '
    function flush() { if (text != "" && !fence) print text; text = ""; fence = 0 }
    /^(This change|These changes|Each of these)/ { on = 1; next }
    /^The patch/ { on = 0 }
    on && /^ +([0-9]+\. )? *[^ ]+:[0-9]+/ {
        if ($1 ~ /^[0-9]+\.$/) { flush(); $1 = ""; sub(/^ /, "") }
        split($1, p, ":"); sub(/#.*/, "", p[2])
        if (/ fence (before|after) /) fence = 1
        match($0, /-> [a-z_]+/); text = text (text == "" ? "" : " ") p[2] "=" substr($0, RSTART + 3, RLENGTH - 3)
    }
    END { flush() }' "$work/report" | awk -v most="$most" 'split($0, p, " ") <= most' | sort >"$work/found"
if diff "$work/wanted" "$work/found" >"$work/diff"; then
    echo "$base: $tried programs by brute force, $(wc -l <"$work/wanted") minimal sets, all found"
else
    echo "$base: differs (< by brute force, > by repair): $(grep '^[<>]' "$work/diff" | tr '\n' ';')"
    exit 1
fi
