# shellcheck shell=bash
# Library functions: each line of tests/unseen/functions.txt calls one while another thread touches the same memory, or
# the same hidden state. A race must be found, or the function be refused with its name (heddle-library(7) lists those);
# "holds" is wrong. HEDDLE_NIGHTLY=1 runs all lines, else some are taken. FUNCTIONS=pattern chooses.
heddle=$PWD/build/heddle program=$PWD/tests/unseen/function.c
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export heddle program work
is_named() { grep -q "${1%%[ ,]*}\|talks to\|file descriptor" <<<"$2"; } # FUNCTION ANSWER
line() { # NUMBER NAME INITIAL CALL OTHER
    local answer verdict kind reason library=()
    [ "$2" != crypt ] || library=(-lcrypt)
    answer=$(cd "$work" && timeout 100 "$heddle" run --quiet --no-record --json --time=20s -w -fno-builtin "-DINITIAL=\"$3\"" "-DCALL=$4" \
        "-DOTHER=$5" "$program" "${library[@]}" 2>&1)
    verdict=$(sed -n 's/.*"verdict": *"\([a-z]*\)".*/\1/p' <<<"$answer")
    kind=$(sed -n 's/.*"violation": *"\([a-z-]*\)".*/\1/p' <<<"$answer")
    reason=$(sed -n 's/.*"reason": *"\([^"]*\)".*/\1/p' <<<"$answer")
    case $verdict-$kind in
    violated-race) echo "ok functions $2" ;;
    # a shared library's: it is watched, and machine code does not tell plain accesses from atomic ones
    inconclusive-race) if grep -q "object that heddle did not compile, and may be atomic" <<<"$reason"; then echo "ok functions $2"
        elif is_named "$2" "$reason ${answer#*remarks}"; then echo "ok functions $2 (refused)"
        else echo "FAIL functions $2: inconclusive without its name: $reason"; fi ;;
    inconclusive-*) if is_named "$2" "$reason ${answer#*remarks}"; then echo "ok functions $2 (refused)"
        else echo "FAIL functions $2: inconclusive without its name: $reason"; fi ;;
    *) echo "FAIL functions $2: ${verdict:-no answer} $kind ${answer:0:200}" ;;
    esac
}
export -f line is_named
awk -F'|' -v all="${HEDDLE_NIGHTLY:-}${FUNCTIONS:-}" -v pattern="${FUNCTIONS:-.}" \
    '!/^#/ && NF == 4 && $1 ~ pattern && (all || ++n % 25 == 1) { printf "%d%c%s%c%s%c%s%c%s%c", NR, 0, $1, 0, $2, 0, $3, 0, $4, 0 }' \
    tests/unseen/functions.txt | xargs -0 -n5 -P2 bash -c 'line "$@"' _ | tee "$work/answers"
# The manual names those that are refused, and if all lines were run, no others.
sed -n 's/^ok functions \([a-z_0-9]*\).* (refused)$/\1/p' "$work/answers" | LC_ALL=C sort -u >"$work/refused"
sed -n '/^.SH UNKNOWN/,/^.SH/p' man/heddle-library.7 | sed -n 's/^\([a-z_0-9]*\)\( ([^)]*)\)*,$/\1/p' | LC_ALL=C sort -u >"$work/unknown"
different=$(LC_ALL=C comm -23 "$work/refused" "$work/unknown")
[ -z "${HEDDLE_NIGHTLY:-}" ] || different+=$(LC_ALL=C comm -13 "$work/refused" "$work/unknown")
if [ -z "$different" ]; then echo "ok functions in the manual"
else echo "FAIL functions: UNKNOWN of heddle-library(7) and what is refused differ: $(tr '\n' ' ' <<<"$different")"; fi
