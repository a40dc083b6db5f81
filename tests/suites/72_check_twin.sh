# shellcheck shell=bash disable=SC2016
# heddle check under sc against brute force on random operations: tests/check_twin/twin.c runs all interleavings
# and all serial orders. HEDDLE_NIGHTLY=1 makes many more.
heddle=$PWD/build/heddle
"$heddle" check --help >/dev/null 2>&1 || { echo "skip check_twin (the tool has no check)"; exit 0; }
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
${CC:-gcc} -std=c17 -O2 -Wall -Wextra -o "$out/twin" tests/check_twin/twin.c || { echo "FAIL check_twin: twin.c does not compile"; exit 1; }
export heddle out

run_seed() {
    local wanted got
    local more=(); [ "$1" -le "$half" ] || more=(more)
    wanted=$("$out/twin" "$1" "$out/$1.c" "${more[@]}")
    got=$(cd "$out" && timeout 60 "$heddle" check --model=sc --quiet --no-record "$1.c" 2>&1 | sed -n '1s/:.*//p')
    if [ "$got" = "$wanted" ]; then echo "ok check_twin seed $1: $wanted"
    else echo "FAIL check_twin seed $1: $got, expected $wanted: $(sed -n 's/HD_SCENARIO//p' "$out/$1.c")"; fi
    rm -f "$out/$1.c"
}
export -f run_seed
half=50; [ -z "${HEDDLE_NIGHTLY:-}" ] || half=2000
export half
seq 1 $((half * 8 / 5)) | xargs -P2 -I{} bash -c 'run_seed "$1"' _ {}
