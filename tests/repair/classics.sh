#!/usr/bin/env bash
# tests/repair/classics.sh [PATTERN]: the rows of corpus/classics/expected.csv in which one order (a macro NAME_ORDER) is
# relaxed and rc11 finds something: is the author's order among what `heddle repair' says? A single change at a line
# that uses the macro, to the order of its definition or a weaker one. Prints each row that differs, then a count.
set -u
heddle=$PWD/build/heddle pattern=${1:-.}
cd corpus/classics || exit 2
report=$(mktemp); trap 'rm -f "$report"' EXIT
found=0 differ=0
while IFS= read -r row; do
    arguments=${row%%,violated,*}; arguments=${arguments#\"}
    [[ $arguments =~ -D([A-Z_0-9]+_ORDER)=memory_order_relaxed ]] || continue
    macro=${BASH_REMATCH[1]}
    [[ $arguments == *"--model=sc"* || $arguments == *"--model=tso"* ]] && continue
    header=${arguments##* }; header=${header%.c}.h
    order=$(sed -n "s/^ *# *define *$macro *memory_order_\([a-z_]*\).*/\1/p" "$header" | head -n 1)
    lines=" $(grep -n "\b$macro\b" "$header" | grep -v '# *\(define\|ifndef\)' | cut -d: -f1 | tr '\n' ' ')"
    # an order may be an argument of a function that uses it
    callers=" $(sed -n "/\b$macro\b/s/^ *#.*//p;/\b$macro\b/p" "$header" | grep -o '[a-z_]*(' | tr -d '(' | sort -u | tr '\n' ' ')"
    eval "timeout 120 \"$heddle\" repair --quiet --time=30s ${arguments#check }" >"$report" 2>&1
    if awk -v lines="$lines" -v author="$order" -v header="$(basename "$header")" -v callers="$callers" '
        function least(a, b) { return a == b || b == "seq_cst" || (b == "acq_rel" && a != "seq_cst") }
        function flush() { if (size == 1 && good) ok = 1; size = 0; good = 0 }
        /^(This change|These changes|Each of these|No three|These are)/ { on = 1; next }
        /^(The patch|No patch)/ { flush(); on = 0 }
        on && /^ +([0-9]+\. )? *[^ ]+:[0-9]+/ {
            if ($1 ~ /^[0-9]+\.$/) { flush(); $1 = ""; sub(/^ /, "") }
            split($1, p, ":"); size++; match($0, /-> [a-z_]+/)
            if (p[1] == header && (index(lines, " " p[2] " ") || index(callers, " " $NF " ")) && least(substr($0, RSTART + 3, RLENGTH - 3), author)) good = 1
        }
        END { exit !ok }' "$report"; then
        found=$((found + 1))
    else
        differ=$((differ + 1))
        echo "$arguments: $macro was $order in lines$lines, but: $(head -n 12 "$report" | tail -n 10)"
    fi
done < <(grep ',violated,' expected.csv | grep -e "$pattern")
echo "$found of $((found + differ)) classics: the author's order is among the answers"
[ "$differ" = 0 ] && [ "$found" -gt 0 ]
