# Programs and logs that were judged wrongly once: every row of tests/found/cases.csv gets the answer that it names.
# Variants of them stand in tests/found/variants, with a table of what each must give as C and C++, compiled with -O0 to
# -O2 by either compiler, under each memory model: one of each kind (a program of the table and an answer) is run here,
# every seventh with HEDDLE_NIGHTLY=1, all with FOUND. FOUND=REGEX chooses rows. clang compiles the others, too, with HEDDLE_NIGHTLY=1.
# builds: kept
. tests/share.sh
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
    "not violated") [ "$verdict" = holds ] || [ "$verdict" = inconclusive ] ;;
    "not holds") [ "$verdict" = violated ] || [ "$verdict" = inconclusive ] || [ "$got" = error ] ;;
    *" "* | error) [ "$got" = "$expected" ] ;;
    *) [ "$verdict" = "$expected" ] ;;
    esac && [ "$status" -lt 4 ] && { echo "ok $command $file"; return; }
    echo "FAIL $file: $got (exit status $status) instead of $expected: cd tests/found && $heddle $command $file"
}
export -f found

# The table as rows like those of cases.csv. A program of C becomes one of C++ by a file that includes it.
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
expand() {
    sed 1d tests/found/variants/matrix.csv | awk -F, -v here="$PWD/tests/found/variants" -v work="$work" '
        function row(language, level, cc, model, v, expected,    file, more) {
            file = "variants/" $1
            if (language == "c++" && $1 !~ /\.cc$/) {
                file = work "/" $1 "c"
                print "#include \"" here "/" $1 "\"" >file
                close(file)
                more = " -I" here "/cxx"
            }
            if ($5 ~ /--cc=/ && index($5, "--cc=" cc) == 0) return
            print file ",run -DV=" v " -O" level more " --model=" model " --cc=" cc " " $5 "," expected "," $10
        }
        {
            split("sc tso pso rc11", models, " "); split("gcc clang", compilers, " ")
            languages = split($3, language, " "); levels = split($4, level, " "); count = split($2, ranges, " ")
            for (r = 1; r <= count; r++) {
                split(ranges[r], ends, "-")
                for (v = ends[1]; v <= (ends[2] ? ends[2] : ends[1]); v++)
                    for (l = 1; l <= languages; l++) for (o = 1; o <= levels; o++) for (c = 1; c <= 2; c++) for (m = 1; m <= 4; m++)
                        if ($(5 + m) != "-") row(language[l], level[o], compilers[c], models[m], v, $(5 + m))
            }
        }'
}
# 7 has no common factor with the 48 combinations of a variant: such a part has all languages, levels, compilers
# and models. Of a kind the row is another one each time, so that all of these occur.
every=0; [ -z "${HEDDLE_NIGHTLY:-}" ] || every=7; [ -z "${FOUND:-}" ] || every=1
choose() {
    if [ $every != 0 ]; then awk -v n=$every 'NR % n == 0'; return; fi
    awk -F, '{ kind = $1; sub(".*/", "", kind); sub(/\.cc$/, ".c", kind); kind = kind "," $3
            if (!(kind in count)) order[++kinds] = kind
            row[kind, ++count[kind]] = $0 }
        END { for (k = 1; k <= kinds; k++) print row[order[k], 1 + k * 131 % count[order[k]]] }'
}
rows=$({
    sed 1d tests/found/cases.csv
    expand | choose
} | grep -E -e "${FOUND:-.}" | share_of)
{
    while IFS= read -r row; do printf 'gcc\0%s\0' "$row"; done <<<"$rows"
    [ -z "${HEDDLE_NIGHTLY:-}" ] ||
        grep -E '^[^,]*,(run|check)' <<<"$rows" | grep -v -e --cc= | while IFS= read -r row; do printf 'clang\0%s\0' "$row"; done
} | xargs -0 -P "$(nproc)" -n 2 bash -c 'found "$1" "$2"' _
