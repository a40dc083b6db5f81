# Every violation of tests/programs/wrong is saved, and shows again when it is replayed in another folder
# and another environment. A fifth of them here, all with HEDDLE_NIGHTLY=1.
heddle=$PWD/build/heddle; programs=$PWD/tests/programs/wrong
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir "$work/here" "$work/there"
number=0
for program in "$programs"/*; do
    number=$((number + 1))
    [ -n "${HEDDLE_NIGHTLY:-}" ] || [ $((number % 5)) = 0 ] || continue
    file=$(basename "$program"); record=${file%.*}.heddle
    read -ra arguments <<<"$(sed -n 's|^// args: ||p' "$program")"
    cp "$program" "$work/here/"
    cd "$work/here" || exit 2
    timeout 60 "$heddle" run -q --ascii --time=20s "${arguments[@]}" "$file" >run.txt 2>&1 || true
    if [ ! -f "$record" ]; then
        echo "skip $file: no violation"
        continue
    fi
    wide=$(awk 'length($0) > 100' run.txt | head -n 1)
    [ -z "$wide" ] || echo "FAIL $file: a line of the report is too wide: $wide"
    mv "$file" "$record" "$work/there/"
    cd "$work/there" || exit 2
    first=$(HEDDLE_TEST_PADDING=$(printf '%2000s' x) timeout 60 "$heddle" replay --ascii "$record" 2>&1 | head -n 1)
    if [ "$first" = "$(head -n 1 "$work/here/run.txt")" ]; then
        echo "ok $file"
    else
        echo "FAIL $file: run says '$(head -n 1 "$work/here/run.txt")', replay '$first'"
    fi
done
