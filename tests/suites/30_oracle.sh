# The oracle's exact counts: with both compilers, with two processes, and with reductions (verdicts only).
# A row that differs is one failure. HEDDLE_NIGHTLY=1 runs all rows in every way; else clang
# and reductions get the hand-written programs and a sixth of the mixed ones, two processes the former.
[ -x build/heddle ] || { echo "skip oracle: build/heddle is not there"; exit 0; }
some='^[^m]|^m[^i]|^mixed/m[0-9][0-9][05]'
few='^[^m]|^m[^i]' # 36_search has other rows with several processes
[ -z "${HEDDLE_NIGHTLY:-}" ] || some=. few=.
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
check gcc . --cc=gcc
check clang "$some" --cc=clang
check jobs "$few" --jobs=2
REDUCED=1 check reductions "$some"
# by states instead of executions (guest/states): verdicts only
states='^(sb|dekker|deadlock)[.]c,[^,]*,(sc|tso),'
[ -z "${HEDDLE_NIGHTLY:-}" ] || states='^[^,]*,[^,]*,(sc|tso),'
HEDDLE_DEBUG=states=always REDUCED=1 check states "$states"
