# Waits that time out, in loops: of condition variables, semaphores, mutexes, joins and sleeps, in random programs of two threads
# (tests/timed), against all states of a machine that knows no clock: verdicts, and each outcome by itself. 10 programs a model;
# HEDDLE_NIGHTLY=1: 1,000. HEDDLE_TWIN_COUNT and HEDDLE_TWIN_SEED choose others.
# builds: kept
command -v python3 >/dev/null || { echo "skip timed: python3 is not there"; exit 0; }
many=${HEDDLE_TWIN_COUNT:-${HEDDLE_NIGHTLY:+1000}}; many=${many:-10}
out=$(mktemp); trap 'rm -f "$out"' EXIT
for model in sc rc11; do
    if python3 tests/timed/twin.py "${HEDDLE_TWIN_SEED:-1}" "$many" build/heddle --model=$model >"$out"; then
        echo "ok timed $model: $(tail -n 1 "$out")"
    else
        echo "FAIL timed $model: $(cat "$out")"
    fi
done
# What a mutant of each condition of doc/proofs/timed.md answers otherwise.
program() { # NAME VERDICT WORDS...
    local got name=$1 want=$2
    shift 2
    got=$(build/heddle run --json --no-record --quiet --jobs=1 --time=20s tests/timed/timed.c -- "$@" not 9 |
        sed -n 's/.*"verdict": "\([a-z]*\)".*"violation": \("[a-z-]*"\|null\).*/\1 \2/p')
    if [ "$got" = "$want" ]; then echo "ok timed: $name"; else echo "FAIL timed: $name: $got, want $want ($*)"; fi
}
program "a sleeper with a deadline is not stuck" "holds null" W q j
program "others have written since" "holds null" F bA j
program "a loop of time-outs is stuck" 'violated "livelock"' W b j
program "the clock stands" "holds null" L A j
program "who looks at a clock that stands is given up" "inconclusive null" L b j
# Clocks whose readings come in any order: what can be read, and how many executions there are (tests/timed/clock.c has the formula).
clock() { # NAME ANSWER ARGUMENTS...: the answer begins so
    local got name=$1 want=$2
    shift 2
    got=$(build/heddle run --no-record --no-repair --quiet --no-reductions tests/timed/clock.c "$@" 2>&1 | head -n 2 | tr -s ' \n' ' ')
    if [[ $got == *$want* ]]; then echo "ok clock: $name"; else echo "FAIL clock: $name: $got, want $want ($*)"; fi
}
clock "earlier" "violated: assertion" --clock=choose -DCASE=1
clock "later" "violated: assertion" --clock=choose -DCASE=2 --model=sc
clock "equal" "violated: assertion" --clock=choose -DCASE=3
clock "2! * 2^3" "all 16 executions" --clock=choose -DCASE=4
clock "4! / (2! 2!) * 2^5" "all 192 executions" --clock=choose -DCASE=5
clock "4! / (2! 2!) * 3 * 3 * 2" "all 108 executions" --clock=choose:1 -DCASE=5 --model=tso
clock "2 * (2 + 2^2)" "all 12 executions" --clock=choose -DCASE=6
clock "the same after a synchronisation" "violated: assertion" --clock=choose -DCASE=7
clock "2 * 2! * 2" "all 8 executions" --clock=choose -DCASE=8
clock "a deadline" "all 32 executions" --clock=choose -DCASE=9
clock "bad" "--clock is virtual, choose" --clock=often -DCASE=1
