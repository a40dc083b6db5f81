# check --unbounded: structures and their mutants in tests/unbounded, each with the answers that its
# `// run: ARGUMENTS => VERDICT [VIOLATION]` lines expect. Every violation has been run again by the ordinary
# engine and judged by the slow checker before it is shown. UNBOUNDED=REGEX chooses files.
[ -x build/heddle ] || { echo "skip unbounded: build/heddle is not there"; exit 0; }

unbounded() { # file, arguments, expected verdict
    local file=$1 args=$2 expect=$3 answer v kind reason got
    [[ $args == *--unbounded* ]] || args="--unbounded $args"
    # shellcheck disable=SC2086
    answer=$(timeout 60 build/heddle check --json --quiet --no-record --time=30s $args "$file" 2>&1)
    IFS=$'\t' read -r v kind reason <<<"$(awk -v keys="verdict violation reason" -f tests/json.awk <<<"$answer")"
    got=$v; [ "$kind" = - ] || got="$v $kind"
    if [[ "$got " == "$expect "* ]]; then
        echo "ok $file $args"
    else
        echo "FAIL $file $args: $got instead of $expect ($reason): build/heddle check $args $file"
    fi
}
export -f unbounded

for file in tests/unbounded/*.c; do
    [[ $file =~ ${UNBOUNDED:-.} ]] || continue
    grep -q '^// run: ' "$file" || echo "FAIL $file: no line says what to run"
    sed -n "s|^// run: \(.*\)=> \(.*\)|$file\n\1\n\2|p" "$file"
done | tr '\n' '\0' | xargs -0 -P 2 -n 3 bash -c 'unbounded "$1" "${2% }" "$3"' _
