# Dead stack bytes (tool/instrument/liveness/liveness.c): a table that does not depend on whether the runtime's part of it was stored, counts that do not depend on compiler or optimisation level,
# dead bytes overwritten at every request without effect, re-execution (HEDDLE_DEBUG=re-execute) with the same counts, and the same outcomes with and without the
# reductions on random programs with retry loops. HEDDLE_NIGHTLY=1: smaller and larger counts, more programs.
# builds: kept with oracle
set -u
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
wraps=-Wl,--wrap=main,--wrap=memcpy,--wrap=memmove,--wrap=memset
[ -f build/lib/wrap.args ] && wraps=@build/lib/wrap.args
nightly=${HEDDLE_NIGHTLY:-}
export HEDDLE_DEBUG=graph-symmetry=never,eager-confirm # small explorations, too, are reduced as large ones are (guest/explore/reduce/confirm/confirm.h), all orders of equal threads counted
[ -f build/lib/heddle_rt.o ] || { echo "FAIL liveness: build/lib/heddle_rt.o is missing"; exit 1; }
gcc -O1 -D_GNU_SOURCE -Isrc -o "$work/table" tests/helpers/liveness_table.c build/tool.a \
    -ldw -lelf -lcapstone || { echo "FAIL liveness: no table maker"; exit 1; }
gcc -O1 -Isrc -o "$work/retry" tests/helpers/retry_program.c || { echo "FAIL liveness: no generator"; exit 1; }

# make OUT SOURCE DEFINES COMPILER LEVEL: an instrumented program and its table
make_program() {
    local extra="--param tsan-distinguish-volatile=1"
    [ "$4" = clang ] && extra="-gdwarf-aranges -grecord-command-line -mllvm -tsan-instrument-read-before-write=1 -mllvm -tsan-distinguish-volatile=1"
    # shellcheck disable=SC2086
    $4 "$5" -g -w -fno-omit-frame-pointer -fsanitize=thread $extra $3 -c -o "$1.o" "$2" &&
        gcc -no-pie -o "$1" "$1.o" build/lib/heddle_rt.o -Wl,-z,now,--build-id=none $wraps -ldl -lpthread &&
        "$work/table" "$1" "$1.table"
}
# Prints nothing if the table of program $1 was made from what is stored of the runtime and is, byte by byte, the one
# that is computed without; else what is wrong.
stored_fits() {
    local log
    log=$(HEDDLE_LOG=liveness:info "$work/table" "$1" "$1.stored" 2>&1) && objcopy -R heddle_liveness "$1" "$1.without" &&
        HEDDLE_LOG=liveness:info "$work/table" "$1.without" "$1.computed" >"$1.log" 2>&1 || { echo "no table"; return; }
    [[ $log != *"all is computed"* ]] || echo "what is stored is not used"
    grep -q 'all is computed' "$1.log" || echo "without what is stored it is used"
    cmp -s "$1.stored" "$1.computed" || echo "the table is another one if all is computed"
}
# "complete blocked" of a run
counts() { timeout 300 "$@" | sed -n 's/^holds *\([0-9]*\) executions \([0-9]*\) blocked.*/\1 \2/p'; }

# Complete: the table of the best peer, but for mcs, where a failed try to unlock is merged with none
# (N! orders, and each handing over either sees the successor or finds the queue empty: N! 2^(N-1)).
# Of the stack: the orders of its operations, with consecutive pops of an empty stack not ordered (a load and
# the compare-exchange that confirms it are one decision, so they read the same write). Of ttas, for the same
# reason, the orders of its threads. Blocked: no more than complete, of mcs the peer's, which is not to be exceeded.
cases='
tests/oracle/ticket.c|-DN=4|24 24
tests/oracle/ttas.c|-DN=4|24 24
tests/programs/waiting/mcs.c|-DN=3|24 60
tests/programs/waiting/seqlock_retry.c|-DN=3|8 8
tests/oracle/treiber.c|-DP=3 -DQ=2|114 114
tests/oracle/msqueue.c|-DP=2 -DQ=2|158 158
tests/oracle/msqueue.c|-DP=3 -DQ=2|4638 4638'
[ -n "$nightly" ] && cases="$cases
tests/oracle/ticket.c|-DN=3|6 6
tests/oracle/ttas.c|-DN=3|6 6
tests/programs/waiting/mcs.c|-DN=2|4 3
tests/programs/waiting/seqlock_retry.c|-DN=1|2 2
tests/programs/waiting/seqlock_retry.c|-DN=2|4 4
tests/programs/waiting/mcs.c|-DN=4|192 1057
tests/oracle/treiber.c|-DP=4 -DQ=2|696 696
tests/oracle/msqueue.c|-DP=2 -DQ=3|1104 1104
tests/oracle/msqueue.c|-DP=3 -DQ=3|43434 43434"
for compiler in gcc clang; do
    for level in -O0 -O1 -O2; do
        while IFS='|' read -r source defines expected; do
            [ -n "$source" ] || continue
            name="$(basename "$source" .c) $defines $compiler $level"
            p=$work/p
            make_program "$p" "$source" "$defines" "$compiler" "$level" || { echo "FAIL $name: build"; continue; }
            got=$(HEDDLE_DEBUG=graph-symmetry=never,eager-confirm,liveness=$p.table counts "$p")
            frames=$("$work/table" "$p" "$p.table" check) || { echo "FAIL $name: frames: $(tail -n 3 <<<"$frames")"; continue; }
            spoilt=$(HEDDLE_DEBUG=graph-symmetry=never,eager-confirm,torture=random,liveness=$p.table counts "$p")
            stored=$(stored_fits "$p")
            if [ -n "$stored" ]; then echo "FAIL $name: $stored"; continue; fi
            if [ "${got% *}" != "${expected% *}" ] || [ "${got#* }" -gt "${expected#* }" ]; then echo "FAIL $name: $got, not $expected"
            elif [ "$spoilt" != "$got" ]; then echo "FAIL $name: with dead bytes overwritten $spoilt, not $got"
            elif [ "$level" = -O1 ] && again=$(HEDDLE_DEBUG=graph-symmetry=never,eager-confirm,re-execute,liveness=$p.table counts "$p") &&
                plain=$(HEDDLE_DEBUG=graph-symmetry=never,eager-confirm,plain-search,liveness=$p.table counts "$p") && [ "$again" != "$plain" ]; then
                echo "FAIL $name: in re-execution, where nothing is tried out, $again, not $plain"
            else echo "ok $name"; fi
        done <<<"$cases"
    done
done

# What is stored of the runtime is not used if it may not fit: the program performs inline assembly, defines a function
# of the runtime or one that the runtime takes from a shared library, or it was stored by another analysis.
refuses() { # NAME PROGRAM: all is computed, and the table is the one that is computed without
    local got
    got=$(stored_fits "$2")
    if [ "$got" = "what is stored is not used" ]; then echo "ok $1"; else echo "FAIL $1: ${got:-what is stored is used}"; fi
}
own() { # NAME TEXT: a program with a function of its own
    printf '#include <stddef.h>\n%s\nint main(void) { return 0; }\n' "$2" >"$work/own.c"
    if make_program "$work/own" "$work/own.c" "" gcc -O0; then refuses "stored: $1" "$work/own"; else echo "FAIL stored: $1: build"; fi
}
if make_program "$work/own" tests/oracle/ticket.c -DN=2 gcc -O0; then
    readelf -SW "$work/own" | sed -nE 's/.* heddle_liveness +PROGBITS +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) .*/\1 \2/p' >"$work/place"
    read -r place _ <"$work/place"
    for byte in 0 8 16 24 32 36 40; do # magic, bytes, bytes of text, signature, version, functions, frames
        cp "$work/own" "$work/other"
        is=$(od -An -tu1 -j $((0x$place + byte)) -N 1 "$work/own")
        # shellcheck disable=SC2059
        printf "\\x$(printf %02x $((is ^ 90)))" | dd of="$work/other" bs=1 seek=$((0x$place + byte)) conv=notrunc status=none
        refuses "stored: byte $byte of it changed" "$work/other"
    done
else echo "FAIL stored: build"; fi
if [ ! -x build/heddle ]; then echo "skip stored: inline assembly: no tool"
elif HEDDLE_LOG=liveness:info build/heddle run --model=sc --no-record tests/programs/waiting/assembly_registers.c 2>&1 | grep -q 'all is computed'; then
    echo "ok stored: inline assembly"
else echo "FAIL stored: inline assembly: what is stored is used"; fi
own "a function of the runtime" 'void *calloc(size_t n, size_t size) { (void)n; (void)size; return NULL; }'
own "a function that the runtime calls" 'long lseek(int fd, long to, int how) { (void)how; return fd + to; }'

# Inline assembly: the same answer with dead registers overwritten while its instructions are performed.
for setting in "gcc -O0 sc" "gcc -O1 sc" "gcc -O2 tso" "clang -O0 tso" "clang -O1 tso" "clang -O2 sc"; do
    name="inline assembly $setting"
    [ -x build/heddle ] || { echo "skip $name: no tool"; continue; }
    read -r compiler level model <<<"$setting"
    run() {
        build/heddle run --cc="$compiler" "$level" --model="$model" --no-record tests/programs/waiting/assembly_registers.c 2>&1 |
            sed -n '1s/:.*//p; 2s/,.*//p'
    }
    plain=$(run); spoilt=$(HEDDLE_DEBUG=torture=random run)
    if [[ $plain != holds* ]]; then echo "FAIL $name: $plain"
    elif [ "$plain" != "$spoilt" ]; then echo "FAIL $name: $plain, with dead registers overwritten $spoilt"
    else echo "ok $name"; fi
done

# Exceptions: the same answer with dead bytes overwritten.
for setting in "gcc -O0" "gcc -O2" "clang -O0" "clang -O2"; do
    name="exceptions $setting"
    [ -x build/heddle ] || { echo "skip $name: no tool"; continue; }
    run() { build/heddle run --cc="${setting% *}" "${setting#* }" tests/programs/waiting/exceptions.cpp 2>&1 | sed -n '1s/:.*//p; 2s/,.*//p'; }
    plain=$(run); spoilt=$(HEDDLE_DEBUG=graph-symmetry=never,eager-confirm,torture=random run)
    if [[ $plain != holds* ]]; then echo "FAIL $name: $plain"
    elif [ "$plain" != "$spoilt" ]; then echo "FAIL $name: $plain, with dead bytes overwritten $spoilt"
    else echo "ok $name"; fi
done

# Torture: every graph of the oracle's programs, with all dead bytes overwritten at every request. (Rows with
# options of heddle run are left out: these programs are started without it.)
step=23; [ -n "$nightly" ] && step=1
tail -n +2 tests/oracle/counts.csv | awk -F, -v step=$step '$2 !~ /--/ && $5 == "0" && $6 == "ok" && $4 + 0 < 100000 && n++ % step == 0' |
    while IFS=, read -r program defines model executions _; do
        for setting in "gcc -O0" "gcc -O1" "clang -O0"; do
            name="torture $program $defines $model $setting"
            # shellcheck disable=SC2086
            make_program "$work/p" "tests/oracle/$program" "$defines" $setting || { echo "FAIL $name: build"; continue; }
            got=$(HEDDLE_DEBUG=graph-symmetry=never,eager-confirm,model=$model,no-reductions,torture=random,liveness=$work/p.table counts "$work/p")
            if [ "${got% *}" = "$executions" ]; then echo "ok $name"; else echo "FAIL $name: $got, not $executions"; fi
        done
    done

# Random programs: the set of outcomes, every graph against reduced, reduced and tortured.
programs=24; [ -n "$nightly" ] && programs=600
settings=("gcc -O0" "gcc -O1" "gcc -O2" "clang -O0" "clang -O1" "clang -O2")
models=(rc11 rc11 sc tso)
for ((seed = 1; seed <= programs; seed++)); do
    setting=${settings[$((seed % 6))]}; model=${models[$((seed / 6 % 4))]}
    name="outcomes of retry program $seed, $setting $model"
    "$work/retry" "$seed" >"$work/r.c"
    # shellcheck disable=SC2086
    make_program "$work/r" "$work/r.c" "" $setting || { echo "FAIL $name: build"; continue; }
    if ! all=$(HEDDLE_DEBUG=graph-symmetry=never,eager-confirm,model=$model,no-reductions,outcomes=$work/all timeout 20 "$work/r") ||
        [[ $all != holds* ]]; then echo "skip $name: too large"; continue; fi
    export HEDDLE_DEBUG=graph-symmetry=never,eager-confirm,model=$model,liveness=$work/r.table
    HEDDLE_DEBUG=$HEDDLE_DEBUG,outcomes=$work/few timeout 20 "$work/r" >"$work/out"
    HEDDLE_DEBUG=$HEDDLE_DEBUG,torture=random,outcomes=$work/spoilt timeout 20 "$work/r" >"$work/out2"
    HEDDLE_DEBUG=$HEDDLE_DEBUG,plain-search timeout 20 "$work/r" >"$work/out4"
    HEDDLE_DEBUG=$HEDDLE_DEBUG,re-execute timeout 60 "$work/r" >"$work/out3"
    export HEDDLE_DEBUG=graph-symmetry=never,eager-confirm
    sort -u "$work/all" -o "$work/all"; sort -u "$work/few" -o "$work/few"; sort -u "$work/spoilt" -o "$work/spoilt"
    if ! cmp -s "$work/all" "$work/few"; then echo "FAIL $name: $(wc -l <"$work/all") outcomes, reduced $(wc -l <"$work/few")"
    elif ! cmp -s "$work/all" "$work/spoilt"; then echo "FAIL $name: other outcomes with dead bytes overwritten"
    elif [ "$(sed 's/ dead ends.*//' "$work/out4")" != "$(sed 's/ dead ends.*//' "$work/out3")" ]; then
        echo "FAIL $name: in re-execution $(cat "$work/out3"), not $(cat "$work/out4")"
    elif [ ! -s "$work/all" ]; then echo "FAIL $name: no outcome"
    else echo "ok $name"; fi
done
