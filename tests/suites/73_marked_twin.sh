# shellcheck shell=bash disable=SC2016
# heddle check of programs that mark their calls, under sc, against brute force on random programs
# (tests/marked_twin/twin.c). HEDDLE_NIGHTLY=1 makes many more.
heddle=$PWD/build/heddle
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
${CC:-gcc} -std=c17 -O2 -Wall -Wextra -o "$out/twin" tests/marked_twin/twin.c || { echo "FAIL marked_twin: twin.c does not compile"; exit 1; }
export heddle out

run_seed() {
    local wanted got
    wanted=$("$out/twin" "$1" "$out/$1.c")
    got=$(cd "$out" && timeout 60 "$heddle" check --model=sc --quiet --no-record "$1.c" 2>&1 |
        sed -n '1{s/^holds.*/holds/;s/.*main marks no calls.*/unmarked/;s/^inconclusive: .*have calls that are not made.*/inconclusive/;s/^violated: \([a-z]*\) .*/\1/;s/^linearizability$\|^stuck$/violated/;p}')
    # a program may be wrong in several ways: the first that is found is told
    if [ -n "$got" ] && [[ " $wanted " == *" $got "* ]]; then echo "ok marked_twin seed $1: $got"
    else echo "FAIL marked_twin seed $1: ${got:-nothing}, expected $wanted"; fi
    rm -f "$out/$1.c"
}
export -f run_seed
seeds=${SEEDS:-$(seq 1 "$([ -z "${HEDDLE_NIGHTLY:-}" ] && echo 60 || echo 3000)")}
for seed in $seeds; do echo "$seed"; done | xargs -P2 -I{} bash -c 'run_seed "$1"' _ {}
