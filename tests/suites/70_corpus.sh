# shellcheck shell=bash disable=SC2016
# The corpora: every row of corpus/*/expected.csv whose command is check or run must have the verdict
# and the violation (and the smallest failing shape, where there is such a column) that its source says.
# By day a file has one violated row of each kind (violation and memory model, smallest shape), and all that hold; with
# HEDDLE_NIGHTLY=1 or CORPUS all rows. CORPUS=REGEX chooses rows, LIMIT=SECONDS is the time of each (60), LIST=1 prints them instead.
# builds: kept with corpus
heddle=$PWD/build/heddle root=$PWD
"$heddle" check --help >/dev/null 2>&1 || { echo "skip corpus (the tool has no check)"; exit 0; }
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
export heddle root out

# Rows as: folder, arguments, verdict, violation, smallest; a tab between. Fields with commas stand in quotes.
rows() {
    for table in corpus/*/expected.csv; do
        awk -v folder="$(dirname "$table")" '
            function split_row(text, field,   n, value) {
                for (n = 0; text != ""; ) {
                    if (substr(text, 1, 1) == "\"") {
                        match(text, /^"([^"]|"")*"/); value = substr(text, 2, RLENGTH - 2); gsub(/""/, "\"", value)
                    } else {
                        match(text, /^[^,]*/); value = substr(text, 1, RLENGTH)
                    }
                    field[++n] = value; text = substr(text, RLENGTH + 2)
                }
                return n
            }
            NR == 1 { n = split_row($0, name); for (i = 1; i <= n; i++) column[name[i]] = i; next }
            { split("", row); split_row($0, row) }
            row[column["arguments"]] ~ /^(check|run) / {
                print folder "\t" row[column["arguments"]] "\t" row[column["verdict"]] "\t" \
                      row[column["violation"]] "\t" (("smallest" in column) ? row[column["smallest"]] : "")
            }' "$table"
    done
}

if [ -n "${LIST:-}" ]; then rows; exit; fi

by_kind() {
    if [ -n "${HEDDLE_NIGHTLY:-}${CORPUS:-}" ]; then cat; return; fi
    awk -F'\t' '{
        model = match($2, /--model=[a-z0-9]+/) ? substr($2, RSTART, RLENGTH) : ""
        file = match($2, /[a-zA-Z0-9_]+\.(c|cc|cpp)/) ? substr($2, RSTART, RLENGTH) : $2
        if ($3 != "violated" || !seen[$1, file, model, $4, $5]++) print
    }'
}

# One row; its words are quoted as for a shell.
run_row() {
    local folder arguments verdict violation smallest words=() json status got v kind shape
    IFS=$'\037' read -r folder arguments verdict violation smallest <<<"${1//$'\t'/$'\037'}"
    eval "words=($arguments)"
    [[ ${words[0]} != run && ${words[0]} != check ]] || words+=(--no-repair)
    json=$(cd "$folder" && timeout "${LIMIT:-60}" "$heddle" "${words[@]}" --json --quiet --no-record 2>"$out/err.$$"); status=$?
    IFS=$'\t' read -r v kind shape <<<"$(awk -v keys="verdict violation smallest" -f "$root/tests/json.awk" <<<"$json")"
    got="$v ${kind#-}${smallest:+ $shape}"
    if [ "$got" = "$verdict $violation${smallest:+ $smallest}" ]; then
        echo "ok corpus: $(basename "$folder"): $arguments"
    else
        echo "FAIL corpus: cd $folder && heddle $arguments: $got, expected $verdict $violation $smallest (exit status $status) $(head -n 2 "$out/err.$$" | tr '\n' ' ')"
    fi
}
export -f run_row
rows | by_kind | grep -E -e "${CORPUS:-.}" | tr '\n' '\0' | xargs -0 -P"${PARALLEL:-2}" -I{} bash -c 'run_row "$1"' _ {}
