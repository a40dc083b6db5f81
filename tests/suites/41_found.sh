# Programs and logs that were judged wrongly once: every row of tests/found/cases.csv gets the answer that it names.
# Variants of them stand in tests/found/variants: every eighth row is run, and all with HEDDLE_NIGHTLY=1 or FOUND.
# FOUND=REGEX chooses rows. clang compiles them, too, with HEDDLE_NIGHTLY=1 or if a row asks for it (--cc=clang).
[ -x build/heddle ] || { echo "skip found: build/heddle is not there"; exit 0; }
export heddle=$PWD/build/heddle json=$PWD/tests/json.awk

found() { # compiler, row
    local cc=$1 file command expected answer status verdict kind got
    IFS=, read -r file command expected _ <<<"$2"
    case $command in
    run* | check*)
        [[ $command == *--cc=* ]] || command="$command --cc=$cc"
        command="$command --quiet --no-record"
        ;;
    esac
    # shellcheck disable=SC2086
    answer=$(cd tests/found && timeout 90 "$heddle" $command --json "$file" 2>/dev/null </dev/null)
    status=$?
    IFS=$'\t' read -r verdict kind <<<"$(awk -v keys="verdict violation" -f "$json" <<<"$answer")"
    got=$verdict; [ "$kind" = - ] || got="$verdict $kind"
    [ "$verdict" != - ] || [ "$status" != 2 ] || got=error
    case $expected in
    "not holds") [ "$verdict" = violated ] || [ "$verdict" = inconclusive ] || [ "$got" = error ] ;;
    *" "* | error) [ "$got" = "$expected" ] ;;
    *) [ "$verdict" = "$expected" ] ;;
    esac && [ "$status" -lt 4 ] && { echo "ok $command $file"; return; }
    echo "FAIL $file: $got (exit status $status) instead of $expected: cd tests/found && $heddle $command $file"
}
export -f found

every=8; [ -z "${HEDDLE_NIGHTLY:-}${FOUND:-}" ] || every=1
rows=$({
    sed 1d tests/found/cases.csv
    sed '1d; s|^|variants/|' tests/found/variants/cases.csv | awk -v n="$every" 'NR % n == 0'
} | grep -E -e "${FOUND:-.}")
{
    while IFS= read -r row; do printf 'gcc\0%s\0' "$row"; done <<<"$rows"
    [ -z "${HEDDLE_NIGHTLY:-}" ] ||
        grep -E '^[^,]*,(run|check)' <<<"$rows" | grep -v -e --cc= | while IFS= read -r row; do printf 'clang\0%s\0' "$row"; done
} | xargs -0 -P "$(nproc)" -n 2 bash -c 'found "$1" "$2"' _
