# shellcheck shell=bash disable=SC2016
# heddle check of programs that mark their calls: under sc against brute force on random programs
# (tests/marked_twin/twin.c); under tso and rc11, with relaxed accesses, the tests of tests/check_twin in both
# forms, declared and marked, must get the same answer. HEDDLE_NIGHTLY=1 makes many more.
heddle=$PWD/build/heddle
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
for twin in marked check; do
    ${CC:-gcc} -std=c17 -O2 -Wall -Wextra -o "$out/${twin}_twin" tests/${twin}_twin/twin.c ||
        { echo "FAIL marked_twin: ${twin}_twin/twin.c does not compile"; exit 1; }
done
cp tests/marked_twin/marked.awk "$out"
export heddle out

answer() { # ARGUMENTS...: the verdict, or the kind of violation if the calls themselves are right
    cd "$out" && timeout 60 "$heddle" check --quiet --no-record "$@" 2>&1 |
        sed -n '1{s/^holds.*/holds/;s/.*main marks no calls.*/unmarked/;s/^inconclusive: .*have calls that are not made.*/inconclusive/;s/^violated: \([a-z]*\) .*/\1/;s/^linearizability$\|^stuck$/violated/;p}'
}
run_seed() {
    local wanted got
    wanted=$("$out/marked_twin" "$1" "$out/$1.c")
    got=$(answer --model=sc "$1.c")
    # a program may be wrong in several ways: the first that is found is told
    if [ -n "$got" ] && [[ " $wanted " == *" $got "* ]]; then echo "ok marked_twin seed $1: $got"
    else echo "FAIL marked_twin seed $1: ${got:-nothing}, expected $wanted"; fi
    rm -f "$out/$1.c"
}
run_pair() {
    local model wanted got
    "$out/check_twin" "$1" "$out/p$1.c" >/dev/null
    sed -i -E 's/atomic_(load|store|fetch_add|exchange)\((.*)\);/atomic_\1_explicit(\2, memory_order_relaxed);/
        s/(atomic_compare_exchange_strong)\(([^)]*)\)/\1_explicit(\2, memory_order_relaxed, memory_order_relaxed)/' "$out/p$1.c"
    awk -f "$out/marked.awk" "$out/p$1.c" >"$out/q$1.c"
    for model in tso rc11; do
        wanted=$(answer --model=$model "p$1.c")
        got=$(answer --model=$model "q$1.c")
        if [ -n "$got" ] && [ "$got" = "$wanted" ]; then echo "ok marked_twin pair $1 under $model: $got"
        else echo "FAIL marked_twin pair $1 under $model: marked $got, declared $wanted"; fi
    done
    rm -f "$out/p$1.c" "$out/q$1.c"
}
export -f run_seed run_pair answer
seeds=${SEEDS:-$(seq 1 "$([ -z "${HEDDLE_NIGHTLY:-}" ] && echo 30 || echo 3000)")}
pairs=${PAIRS:-$(seq 1 "$([ -z "${HEDDLE_NIGHTLY:-}" ] && echo 6 || echo 500)")}
{
    for seed in $seeds; do echo "run_seed $seed"; done
    for seed in $pairs; do echo "run_pair $seed"; done
} | xargs -P2 -L1 bash -c '"$1" "$2"' _
