# The oracle's exact counts: with both compilers, with two processes, and with reductions (verdicts only).
# A row that differs is one failure. HEDDLE_NIGHTLY=1 runs all rows in every way; else gcc gets the
# hand-written programs, half of the mixed ones under rc11, which uses all of the engine, and a fifth under other models;
# reductions the hand-written programs, two processes those under rc11, clang one size of each of these with all its memory
# orders, and a tenth of the mixed ones under rc11.
# builds: kept with oracle
[ -x build/heddle ] || { echo "skip oracle: build/heddle is not there"; exit 0; }
hand='^([^m]|m[^i])'
few="$hand.*,rc11," # 36_search has other rows with several processes
most="$hand|^mixed/m[0-9]*[02468][.]c,.*,rc11,|^mixed/m[0-9]*[17][.]c,"
clang=$(tail -n +2 tests/oracle/counts.csv | grep -E -e "$few" |
    awk -F, '/MO=/ || !seen[$1]++ { row = $1 "," $2 "," $3 ","; gsub(/[+.]/, "[&]", row); printf "^%s|", row }')
clang="$clang^mixed/m[0-9]*5[.]c,.*,rc11,"
[ -z "${HEDDLE_NIGHTLY:-}" ] || hand=. few=. most=. clang=.
check() { # name, rows, options...
    local name=$1 rows=$2 output summary
    shift 2
    output=$(ROWS=$rows tests/oracle.sh "$@")
    summary=$(tail -n 1 <<<"$output")
    head -n -1 <<<"$output" | sed "s/^/FAIL oracle $name: /" | grep -v ': $'
    local total=${summary%% *} differ
    differ=$(sed 's/.* rows, \([0-9]*\) differ.*/\1/' <<<"$summary")
    for ((i = 0; i < total - differ; i++)); do echo "ok oracle $name"; done
    [ "$total" -gt 0 ] || echo "FAIL oracle $name: no rows"
}
check gcc "$most" --cc=gcc
check clang "$clang" --cc=clang
check jobs "$few" --jobs=2
REDUCED=1 check reductions "$hand"
# by states instead of executions (guest/states): verdicts only
states='^(sb|dekker|deadlock)[.]c,[^,]*,(sc|tso),'
[ -z "${HEDDLE_NIGHTLY:-}" ] || states='^[^,]*,[^,]*,(sc|tso),'
HEDDLE_DEBUG=states=always REDUCED=1 check states "$states"
