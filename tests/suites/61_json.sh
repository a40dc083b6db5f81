# Every command's --json begins with the same head of the same types (heddle-json(5), doc/answer.schema.json).
# jq is not assumed: tests/json.awk reads the members; 75_html checks the same files against the schema itself.
tool=$PWD/build/heddle; here=$PWD
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
bash tests/helpers/json_answers.sh "$work" || { echo "FAIL json: no answers"; exit 1; }
head='"command": "[a-z]*", "subject": "[^"]*", "verdict": "(holds|violated|inconclusive)", "violation": (null|"[a-z-]+"), "message": (null|"([^"\\]|\\.)*"), "reason": (null|"([^"\\]|\\.)*"), "exhaustive": (true|false), "bounds": (null|"([^"\\]|\\.)*"), "model": (null|"[a-z0-9]+"), "seconds": [0-9.e-]+, "peak_rss_kb": [0-9]+, "record": (null|"([^"\\]|\\.)*"), "remarks": \['
for file in "$work"/*.json; do
    name=$(basename "$file" .json)
    if [ "$(wc -l <"$file")" = 1 ] && grep -qE "^\{$head" "$file"; then echo "ok json head: $name"
    else echo "FAIL json head: $name: $(head -c 400 "$file")"; fi
    verdict=$(awk -v keys=verdict -f "$here/tests/json.awk" "$file")
    if [ "$verdict" = "${name##*-}" ]; then echo "ok json verdict: $name"; else echo "FAIL json verdict: $name: $verdict"; fi
done
# every kind of violation is in the manual page
sed -n 's/^ *X([A-Z_0-9]*, "\([a-z-][a-z-]*\)".*/\1/p' src/record/kinds.h | while read -r word; do
    if grep -q "$(sed 's/-/\\\\-/g' <<<"$word")" man/heddle-json.5; then echo "ok json manual: $word"; else echo "FAIL json manual: $word is missing in heddle-json(5)"; fi
done
# the schema names the same kinds, and no others
sed -n 's/^ *X([A-Z_0-9]*, "\([a-z-][a-z-]*\)".*/\1/p' src/record/kinds.h | sort >"$work/kinds"
sed -n '/^    "violation": {/,/^    }/s/^        "\([a-z-]*\)",\{0,1\}$/\1/p' doc/answer.schema.json | sort >"$work/schema"
if [ -s "$work/kinds" ] && diff "$work/kinds" "$work/schema" >"$work/out"; then echo "ok json schema: kinds of violation"
else echo "FAIL json schema: kinds of violation: $(head -n 3 "$work/out")"; fi
# one spelling of times, sizes and shapes in all commands
for words in "refine --time=500ms --memory=512MB -q corpus/refine/treiber_stack.hm" "prove --time=5min corpus/prove/treiber.hp" \
    "refine --time=1.5h --memory=1g -j 2 --quiet corpus/refine/treiber_stack.hm"; do
    # shellcheck disable=SC2086
    if "$tool" $words >"$work/out" 2>&1; then echo "ok $words"; else echo "FAIL $words: $(head -n 1 "$work/out")"; fi
done
for words in "refine --time=5parsecs x.hm" "prove --time=0 x.hp" "refine --memory=-1 x.hm" "refine --jobs=0 x.hm" "refine --states=many x.hm"; do
    # shellcheck disable=SC2086
    "$tool" $words >"$work/out" 2>&1; status=$?
    if [ $status = 2 ] && grep -q 'wants a' "$work/out"; then echo "ok refused: $words"; else echo "FAIL refused: $words: status $status, $(head -n 1 "$work/out")"; fi
done
