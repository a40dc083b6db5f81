# shellcheck shell=bash
# The invariants of the search (src/guest/explore/search/validate.h) at every step: of random programs under every model,
# of random programs with locks, with reductions, and of rows of the oracle. Debug builds do this everywhere.
# builds: kept with oracle
[ -x build/heddle ] || { echo "skip validate: build/heddle is not there"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export HEDDLE_DEBUG=validate HEDDLE_RUNTIME=${HEDDLE_RUNTIME:-$PWD/build/lib/heddle_rt.o}
many=$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 20 || echo 1)
say() { if [ "$1" = 0 ]; then echo "ok validate $2"; else echo "FAIL validate $2: $3"; fi; }
if ! ${CC:-cc} -std=c17 -D_GNU_SOURCE -Isrc -Iinclude -O2 -o "$work/twin" tests/twin/{build,driver,enumerate,generate,interleave,machine}.c build/tool.a -ldw -lelf -lcapstone -lz -lm \
    2>"$work/errors"; then
    echo "FAIL validate: the twin does not compile: $(head -n 3 "$work/errors")"
    exit 1
fi
for program in interp locks; do
    "$work/twin" build gcc "tests/twin/$program.c" "$work/$program" || { echo "FAIL validate: $program.c can't be built"; exit 1; }
done
for model in sc tso pso rc11; do
    x86=; [ "$model" != tso ] || x86=--x86-code
    # shellcheck disable=SC2086
    HEDDLE_DEBUG=validate,no-reductions,model=$model "$work/twin" $x86 compare $model 20001 $((many * 60)) -- "$work/interp" >"$work/out" 2>&1
    say $? "$(tail -n 1 "$work/out")" "$(head -n 5 "$work/out")"
    broken=$(awk -v seed=3 -v count=$((many * 20)) -v waits=1 -f tests/twin/locks.awk | while read -r text; do
        HEDDLE_TWIN_PROGRAM=$text HEDDLE_DEBUG=validate,keep-going,model=$model timeout 20 "$work/locks" 2>&1 | grep -i 'internal error' &&
            echo "$text"
    done)
    [ -z "$broken" ]; say $? "locks under $model" "$broken"
done
output=$(ROWS='^(fib.c,-DN=3|treiber.c,-DP=2 -DQ=2|mutex.c,-DN=3|corr.c,-DN=4),(sc|rc11)' tests/oracle.sh); say $? "oracle: $(tail -n 1 <<<"$output")" "$output"
output=$(ROWS='^ttas.c,-DN=2,rc11' REDUCED=1 tests/oracle.sh); say $? "oracle, reduced: $(tail -n 1 <<<"$output")" "$output"
output=$(ROWS='^(treiber.c,-DP=2 -DQ=1|mutex.c,-DN=3|ttas.c,-DN=2),rc11' REDUCED=1 tests/oracle.sh --checkpoints=never); say $? "oracle, re-executed: $(tail -n 1 <<<"$output")" "$output"
# what threads would do with other answers is remembered with what it rests on (confirm/supposed.h): here it is worked out
# each time, and compared
export HEDDLE_DEBUG=validate,eager-confirm
for program in "oracle/treiber.c -DP=3 -DQ=2" "oracle/msqueue.c -DP=2 -DQ=2" programs/waiting/marked_node.c programs/waiting/own_node.c; do
    # shellcheck disable=SC2086
    got=$(build/heddle run --quiet --no-record --jobs=1 tests/$program 2>&1); say $? "$program" "$got"
done
"$work/twin" build gcc tests/twin/confirms.c "$work/confirms" || { echo "FAIL validate: confirms.c can't be built"; exit 1; }
for model in sc rc11; do
    broken=$({ awk -v contents=1 -v seed=4 -v count=$((many * 15)) -f tests/twin/confirms.awk
        awk -v seed=4 -v count=$((many * 15)) -f tests/twin/confirms.awk; } | while read -r text; do
        HEDDLE_TWIN_PROGRAM=$text HEDDLE_DEBUG=validate,eager-confirm,keep-going,model=$model timeout 20 "$work/confirms" 2>&1 |
            grep -i 'internal error' && echo "$text"
    done)
    [ -z "$broken" ]; say $? "loops that confirm under $model" "$broken"
done
