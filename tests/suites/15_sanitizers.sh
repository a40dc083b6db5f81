# The tool under AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer: its readers, searches and
# pages on good and bad input. The guest is not sanitized: it is not allowed to meet a sanitizer's runtime. But
# explorations check the search at every step here: HEDDLE_DEBUG=validate.
# By day with clang's sanitizers, whose build takes two thirds of the time; HEDDLE_NIGHTLY=1 has gcc's, adds every unit
# test, and has the runtime of the debug build (so has `./dev nightly debug`, with the whole oracle).
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cc=gcc build=build-asan
if [ -z "${HEDDLE_NIGHTLY:-}" ] && command -v clang >/dev/null; then cc=clang build=build-asan-clang; fi
if ! make -s variant=asan CC=$cc $build/heddle $build/unit/history_log $build/unit/record_disk $build/unit/project_toml $build/unit/record_outcome \
    $build/include/heddle.h \
    >"$work/log" 2>&1; then
    echo "FAIL sanitizers: the build fails"; tail -n 5 "$work/log"; exit 1
fi
tool=$PWD/$build/heddle
export ASAN_OPTIONS=exitcode=99 LSAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=print_stacktrace=1
# NAME STATUS COMMAND...: ends with STATUS, and no sanitizer speaks
try() {
    local name=$1 want=$2 got
    shift 2
    timeout 120 "$@" >"$work/out" 2>"$work/err"
    got=$?
    if [ "$got" = "$want" ] && ! grep -q 'Sanitizer\|runtime error' "$work/err"; then
        echo "ok sanitized $name"
    else
        echo "FAIL sanitized $name: status $got, not $want"
        grep -A12 'Sanitizer\|runtime error' "$work/err" | head -n 20
    fi
}
units="history_log record_disk record_outcome project_toml"
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    make -s variant=asan CC=$cc unit >"$work/log" 2>&1 || echo "FAIL sanitizers: unit tests do not build"
    units=$(cd tests/unit && printf '%s\n' *.c | sed 's/\.c$//')
fi
for unit in $units; do try "unit test $unit" 0 "$build/unit/$unit"; done
call() { echo '{"process":'"$1"',"type":"call","op":"'"$2"'","args":['"$3"']}'; }
ret() { echo '{"process":'"$1"',"type":"return","result":'"$2"'}'; }
{ call 0 enq 1; ret 0 null; call 1 deq ''; ret 1 1; } >"$work/good.jsonl"
{ call 0 enq 1; ret 0 null; call 1 deq ''; ret 1 2; } >"$work/bad.jsonl"
echo '{"process":0,"type":"call"' >"$work/broken.jsonl"
try "history, linearizable" 0 "$tool" history --spec=fifo "$work/good.jsonl"
try "history, not linearizable" 1 "$tool" history --spec=fifo --html="$work/page.html" "$work/bad.jsonl"
try "history, broken" 2 "$tool" history --spec=fifo "$work/broken.jsonl"
try "history, json" 1 "$tool" history --json --spec=fifo "$work/bad.jsonl"
try "refine, a syntax error" 2 "$tool" refine tests/golden/refine/arrow.hm
# the proof's modules live until the process ends
try "prove, treiber" 0 env ASAN_OPTIONS=exitcode=99:detect_leaks=0 "$tool" prove corpus/prove/treiber.hp
try "prove, treiber wrong" 1 env ASAN_OPTIONS=exitcode=99:detect_leaks=0 "$tool" prove --json corpus/prove/treiber_bad1.hp
# explorations: the debug runtime, and the tool's way from an outcome to a report
export HEDDLE_RUNTIME=$PWD/build/lib/heddle_rt.o
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    make -s variant=debug build-debug/lib/heddle_rt.o >"$work/log" 2>&1 || { echo "FAIL debug: the build fails"; tail -n 5 "$work/log"; }
    export HEDDLE_RUNTIME=$PWD/build-debug/lib/heddle_rt.o
fi
export HEDDLE_DEBUG=validate
try "run, a race" 1 "$tool" run --no-record tests/programs/wrong/race_counter.c
try "check, violated" 1 "$tool" check --no-record --html="$work/page.html" --model=sc --shape=2x2 --exhaustive -DNO_RETRY corpus/classics/treiber_stack.c
rows='^(fib.c,-DN=3|treiber.c,-DP=2 -DQ=1|mutex.c,-DN=3|corr.c,-DN=4|ttas.c,-DN=2),'
output=$(HEDDLE=$tool ROWS=$rows tests/oracle.sh)
if [ $? = 0 ]; then echo "ok debug: oracle, $output"; else echo "FAIL debug: oracle: $output"; fi
unset HEDDLE_RUNTIME HEDDLE_DEBUG
try "help" 0 "$tool" --help
try "an unknown command" 2 "$tool" frobnicate
try "no record" 2 "$tool" replay "$work/good.jsonl"
