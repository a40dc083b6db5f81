# heddle check --relax=auto: the promise that the authors of a structure claim, and less of its mutants
# (tests/relax/expected.csv). HD_MAY_FAIL in tests, by executions and by states. At night all rows and tests.
tool=build/heddle
if ! [ -x $tool ]; then echo "skip relax (not built)"; exit 0; fi
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
declare -A seen=()
while IFS= read -r row; do
    arguments=$(awk '{ if (substr($0, 1, 1) == "\"") { n = index(substr($0, 2), "\""); print substr($0, 2, n - 1) } else { print substr($0, 1, index($0, ",") - 1) } }' <<<"$row")
    case $arguments in *corpus/libraries/*) # at night, where Debian's package is installed
        [ -n "${HEDDLE_NIGHTLY:-}" ] || continue
        package=$(sed -n 's|^// package: ||p' "${arguments##* }")
        dpkg -s "$package" >/dev/null 2>&1 || { echo "skip relax $arguments: $package is not installed"; continue; } ;;
    esac
    rest=${row#*"$arguments"}; rest=${rest#\"}; rest=${rest#,}; promise=${rest%%,*}
    case $promise in linearizable | nothing | violated | set) # by day the first three of each
        seen[$promise]=$((${seen[$promise]:-0} + 1)); [ -n "${HEDDLE_NIGHTLY:-}" ] || [ "${seen[$promise]}" -le 3 ] || continue ;;
    esac
    (eval "timeout 120 $tool check -q --no-record --json --relax=auto $arguments") >"$dir/answer" 2>"$dir/errors"
    # the promise of the whole answer; a violation that is not about results has none
    got=$(python3 -c 'import json, sys; a = json.load(open(sys.argv[1])); print(a.get("promise") or a["verdict"])' "$dir/answer" 2>/dev/null)
    if [ "$got" = "$promise" ]; then echo "ok relax $arguments: $promise"
    else echo "FAIL relax $arguments: $got, wanted $promise: $(head -n 2 "$dir/errors")"; fi
done < <(tail -n +2 tests/relax/expected.csv)
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then # rows that were derived once more, without Heddle
    if derived=$(timeout 200 python3 tests/relax/derive.py); then while read -r line; do echo "ok relax, derived: $line"; done <<<"$derived"
    else echo "FAIL relax, derived: $derived"; fi
fi
# HD_MAY_FAIL: both ways to decide a test must agree
for mutant in "" -DM2 -DM3 -DM4; do
    tests=('enq(1) deq() | enq(2) deq()' 'enq(1) enq(2) | deq() enq(2)')
    [ -z "${HEDDLE_NIGHTLY:-}" ] || tests+=('enq(1) | enq(2) deq()' 'enq(1) deq() | deq()' 'enq(1) enq(2) enq(1) | deq()')
    for test in "${tests[@]}"; do
        verdicts=
        for states in never always; do
            # shellcheck disable=SC2086
            answer=$(HEDDLE_DEBUG=states=$states timeout 60 $tool check -q --no-record --json --model=sc --scenario="$test" -DPROMISE $mutant tests/unbounded/vyukov_ring.c 2>&1)
            verdicts="$verdicts $(sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' <<<"$answer")"
        done
        case $verdicts in
        " holds holds" | " violated violated") echo "ok may fail $mutant $test:$verdicts" ;;
        *) echo "FAIL may fail $mutant $test: by executions and by states:$verdicts" ;;
        esac
    done
done
# expect NAME STATUS TEXT COMMAND...
expect() {
    local name=$1 status=$2 text=$3 got output; shift 3
    output=$(timeout 60 "$@" 2>&1); got=$?
    if [ "$got" = "$status" ] && grep -q -e "$text" <<<"$output"; then echo "ok $name"
    else echo "FAIL $name: exit status $got, wanted $status and \"$text\"; got: $(head -n 5 <<<"$output")"; fi
}
ring="--model=sc --no-record tests/unbounded/vyukov_ring.c"
# shellcheck disable=SC2086
{
expect "may fail, by an option" 0 holds $tool check -q --may-fail=deq:none,enq:false --scenario='enq(1) deq() | enq(2) deq()' $ring
expect "may fail, one of them" 1 "no serial order" $tool check -q --may-fail=enq --scenario='enq(1) deq() | enq(2) deq()' $ring
expect "may fail, no such operation" 2 "which is no operation" $tool check -q --may-fail=got --scenario='enq(1) | deq()' $ring
expect "may fail, no such result" 2 "none, false, true or a number" $tool check -q --may-fail=deq:nothing --scenario='enq(1) | deq()' $ring
expect "consistency, no such word" 2 "linearizable, set, quiescent or sequential" $tool check -q --consistency=strict $ring
expect "consistency with quasi factors" 2 "does not go with" $tool check -q --consistency=sequential --quasi=deq:1 $ring
expect "relax, something else" 2 "relax is auto" $tool check -q --relax=bag $ring
expect "relax with quasi factors" 2 "leave out --quasi" $tool check -q --relax=auto --quasi=deq:1 $ring
expect "relax in words" 0 "it is linearizable, but a call may find nothing" $tool check --relax=auto --scenario='enq(1) deq() | enq(2) deq()' $ring
}
