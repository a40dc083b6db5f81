# shellcheck shell=bash disable=SC2016
# heddle check under rc11 and tso: which real-time orders a client could add, decided in the fast way and, for every
# question (HEDDLE_CHECK_EDGES), by the axioms; on random tests with random memory orders and fences, and on a few
# structures. HEDDLE_NIGHTLY=1 makes many more.
heddle=$PWD/build/heddle
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
cp tests/check_twin/litmus.awk "$out"
export heddle out HEDDLE_CHECK_EDGES=1

agree() { # NAME ARGUMENTS...: a disagreement is an internal error, status 4
    local name=$1 model output status; shift
    for model in rc11 tso; do
        output=$(timeout 100 "$heddle" check --quiet --no-record --model=$model "$@" 2>&1); status=$?
        case $status in 0 | 1) echo "ok check_edges $name under $model: ${output%%:*}" ;;
        *) echo "FAIL check_edges $name under $model: exit status $status: $output" ;; esac
    done
}
run_seed() {
    awk -v seed="$1" -f "$out/litmus.awk" >"$out/$1.c"
    agree "seed $1" "$out/$1.c"
    rm -f "$out/$1.c"
}
export -f agree run_seed
seq 1 "$([ -z "${HEDDLE_NIGHTLY:-}" ] && echo 25 || echo 1000)" | xargs -P2 -I{} bash -c 'run_seed "$1"' _ {}
agree "Treiber's stack" --shape=2x2 --samples=8 corpus/classics/treiber_stack.c
agree "Chase and Lev's deque" --shape=2x2 --samples=8 corpus/classics/chase_lev_deque.c
agree "seqlock" --shape=2x2 --samples=8 corpus/classics/seqlock_register.c
