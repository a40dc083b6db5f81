# shellcheck shell=bash
# Functions of the C++ library, virtual ones among them: each line of tests/unseen/functions_cxx.txt calls one while another
# thread does something else. Where the line says race, it must be found, or the function be refused with its name; never
# "holds". Where it says none, or with a lock around both, nothing may be found. HEDDLE_NIGHTLY=1 runs all lines in both
# forms, else one is taken. FUNCTIONS=pattern chooses.
heddle=$PWD/build/heddle program=$PWD/tests/unseen/function.cc
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export heddle program work
line() { # NAME EXPECTED SHARED CALL OTHER LOCKED [HEADER]
    local answer verdict kind reason name="$1${6:+ with a lock}"
    answer=$(cd "$work" && timeout 100 "$heddle" run --quiet --no-record --json --time=20s -std=c++20 -w ${6:+-DLOCKED} ${7:+"-DHEADER=$7"} \
        "-DSHARED=static $3" "-DCALL=$4" "-DOTHER=$5" "$program" 2>&1 </dev/null)
    verdict=$(sed -n 's/.*"verdict": *"\([a-z]*\)".*/\1/p' <<<"$answer" | head -1)
    kind=$(sed -n 's/.*"violation": *"\([a-z-]*\)".*/\1/p' <<<"$answer" | head -1)
    reason=$(sed -n 's/.*"reason": *"\([^"]*\)".*/\1/p' <<<"$answer" | head -1)
    case ${6:+none}$2-$verdict-$kind in
    race-violated-race|race-violated-use-after-free|freed-violated-race|*freed-violated-use-after-free) echo "ok functions $name" ;;
    nonerace-holds-|nonenone-holds-|none-holds-) echo "ok functions $name" ;;
    *-inconclusive-*) # whatever was found in an execution through code that is not seen
        if grep -q "does not know which memory\|heddle can't see" <<<"$reason ${answer#*remarks}"; then echo "ok functions $name (refused)"
        else echo "FAIL functions $name: inconclusive without a name: $reason"; fi ;;
    *) echo "FAIL functions $name: ${verdict:-no answer} $kind ${answer:0:300}" ;;
    esac
}
export -f line
if [ -n "${HEDDLE_NIGHTLY:-}${FUNCTIONS:-}" ]; then
    awk -F'|' -v pattern="${FUNCTIONS:-.}" '!/^#/ && NF == 5 && $1 ~ pattern {
        for (i = 0; i < 2; i++) printf "%s%c%s%c%s%c%s%c%s%c%s%c", $1, 0, $2, 0, $3, 0, $4, 0, $5, 0, i ? "locked" : "", 0 }' \
        tests/unseen/functions_cxx.txt | xargs -0 -n6 -P2 bash -c 'line "$@"' _
else
    IFS='|' read -r name expected shared call other < <(grep '^collate|' tests/unseen/functions_cxx.txt)
    line "$name" "$expected" "$shared" "$call" "$other" "" "<locale>"
fi
