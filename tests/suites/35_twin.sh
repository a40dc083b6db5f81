# The brute-force twin: first the enumerator against the oracle's counts (of its mixed programs every third by day), then the explorer against the
# enumerator on random programs, its race detector on programs with plain data, and (but for rc11) wide plain accesses that race
# (a quarter as many), blocks of the heap with frees (as many), where verdicts are compared and violations replayed: 150 a model with gcc, a tenth with clang; HEDDLE_NIGHTLY=1: 10,000 a
# model with each. HEDDLE_TWIN_COUNT, HEDDLE_TWIN_SEED and HEDDLE_TWIN_EVENTS choose others.
twin=build/twin/twin
mkdir -p build/twin
# shellcheck disable=SC2086
if ! ${CC:-cc} -std=c17 -D_GNU_SOURCE -Isrc -Iinclude -O2 -o "$twin" tests/twin/driver.c tests/twin/build.c tests/twin/enumerate.c tests/twin/machine.c \
    tests/twin/generate.c $(ls tests/twin/interleave.c 2>/dev/null) src/judge/graph/axioms.c src/judge/graph/relation.c build/tool.a \
    -ldw -lelf -lcapstone -lz; then
    echo "FAIL twin: it does not compile"
    exit 1
fi

while IFS='|' read -r want name program; do
    got=$(echo "$program" | "$twin" count)
    if [ "$got" = "${want% }" ]; then echo "ok enumerate$name"; else echo "FAIL enumerate$name: $got, oracle $want"; fi
done < <(grep -v '^#' tests/twin/litmus.txt)

every=3; [ -z "${HEDDLE_NIGHTLY:-}" ] || every=1
for program in tests/oracle/mixed/*.c; do awk -f tests/twin/from_c.awk "$program"; done |
    awk -v every=$every 'NR % every == 0' | "$twin" count >build/twin/mixed
grep '^mixed/' tests/oracle/counts.csv | grep -v -e --tso=x86 | awk -F, '{ printf "%s%s", $4, $3 == "rc11" ? "\n" : " " }' |
    awk -v every=$every 'NR % every == 0' >build/twin/oracle
if differ=$(diff build/twin/oracle build/twin/mixed) && [ -s build/twin/mixed ]; then
    echo "ok enumerate mixed ($(wc -l <build/twin/mixed) programs)"
else
    echo "FAIL enumerate mixed"; echo "$differ"
fi

# The enumerator's two shortcuts lose nothing.
"$twin" generate 1 500 5 >build/twin/small
if [ "$("$twin" count <build/twin/small)" = "$("$twin" --pure count <build/twin/small)" ]; then
    echo "ok enumerate shortcuts"
else
    echo "FAIL enumerate shortcuts"
fi

# The explored program is built once for each compiler; started alone it explores itself.
HEDDLE_RUNTIME=${HEDDLE_RUNTIME:-$PWD/build/lib/heddle_rt.o}
export HEDDLE_RUNTIME HEDDLE_DEBUG=no-reductions
[ -f "$HEDDLE_RUNTIME" ] || { echo "skip twin: $HEDDLE_RUNTIME is not there"; exit 0; }
count=${HEDDLE_TWIN_COUNT:-$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 10000 || echo 150)}
seed=${HEDDLE_TWIN_SEED:-1}

# compiler, model ("races": rc11 with plain data; "wide-MODEL": wide plain accesses; "lives-MODEL": a block of the heap
# and frees, every violation replayed; "ends-MODEL": one that is freed when its user has said so; "again-MODEL": the same where every execution is run from the start; "cxx20": races
# by C++20's release sequences), first seed, how many
compare() {
    local x86=
    local out="build/twin/$1.$2.$3" model=${2#*-}
    model=${model/races/rc11} model=${model/cxx20/rc11}
    [ "$2" = axioms-tso ] || [ "$model" != tso ] || x86=--x86-code
    if [ "$2" = races ]; then
        HEDDLE_DEBUG=no-reductions,model=rc11 "$twin" races "$3" "$4" -- "build/twin/interp-$1" >"$out" 2>&1
    elif [ "$2" = cxx20 ]; then
        HEDDLE_DEBUG=no-reductions,model=rc11,release-sequences=c++20 "$twin" --cxx20 races "$3" "$4" -- "build/twin/interp-$1" >"$out" 2>&1
    elif [ "$2" = axioms-tso ]; then
        HEDDLE_DEBUG=no-reductions,model=tso,tso-axioms "$twin" compare tso "$3" "$4" -- "build/twin/interp-$1" >"$out" 2>&1
    elif [[ $2 = lives-* ]]; then
        HEDDLE_DEBUG=no-reductions,model=$model,confirm "$twin" $x86 verdicts "$model" "$3" "$4" -- "build/twin/interp-$1" >"$out" 2>&1
    elif [[ $2 = ends-* ]]; then
        HEDDLE_DEBUG=no-reductions,model=$model,confirm "$twin" $x86 ends "$model" "$3" "$4" -- "build/twin/interp-$1" >"$out" 2>&1
    elif [[ $2 = again-* ]]; then
        HEDDLE_DEBUG=no-reductions,model=$model,confirm,re-execute "$twin" $x86 verdicts "$model" "$3" "$4" -- "build/twin/interp-$1" >"$out" 2>&1
    elif [[ $2 = wide-* ]]; then
        HEDDLE_DEBUG=no-reductions,model=${2#wide-} "$twin" $x86 wide "${2#wide-}" "$3" "$4" -- "build/twin/interp-$1" >"$out" 2>&1
    else
        # shellcheck disable=SC2086
        HEDDLE_DEBUG=no-reductions,model=$2 "$twin" $x86 compare "$2" "$3" "$4" ${HEDDLE_TWIN_EVENTS:-} -- "build/twin/interp-$1" >"$out" 2>&1
    fi
    if tail -n 1 "$out" | grep -q ' 0 differ'; then
        echo "ok twin $1 $(tail -n 1 "$out")"
    else
        echo "FAIL twin $1 $2: repeat with HEDDLE_DEBUG=no-reductions,model=$model $twin $x86 check $model PROGRAM -- build/twin/interp-$1"
        head -n 30 "$out"
    fi
}
export -f compare
export twin

for cc in gcc clang; do
    command -v "$cc" >/dev/null || { echo "skip twin $cc: it is not installed"; continue; }
    if ! "$twin" build "$cc" tests/twin/interp.c "build/twin/interp-$cc"; then
        echo "FAIL twin $cc: interp.c can't be built"
        continue
    fi
    while read -r program; do
        for model in sc tso pso rc11; do
            x86=; [ "$model" != tso ] || x86=--x86-code
            # shellcheck disable=SC2086
            if output=$(HEDDLE_DEBUG=no-reductions,model=$model "$twin" $x86 check "$model" "$program" -- "build/twin/interp-$cc"); then
                echo "ok twin $cc $model $program"
            else
                echo "FAIL twin $cc $model"; echo "$output"
            fi
        done
    done < <(grep -v '^#' tests/twin/regressions.txt)
    programs=$count
    [ "$cc" = gcc ] || [ -n "${HEDDLE_NIGHTLY:-}" ] || programs=$(((count + 9) / 10))
    half=$(((programs + 1) / 2))
    for model in sc tso pso rc11 races; do
        for first in "$seed" $((seed + half)); do echo "$cc $model $first $half"; done
        case $model in tso) echo "$cc axioms-tso $seed $(((programs + 3) / 4))" ;; esac
        case $model in sc | tso | pso) echo "$cc wide-$model $seed $(((programs + 3) / 4))" ;; esac
        case $model in races) echo "$cc cxx20 $seed $(((programs + 3) / 4))" ;; *) echo "$cc lives-$model $seed $(((programs + 3) / 4))"; echo "$cc ends-$model $seed $(((programs + 1) / 2))"; echo "$cc again-$model $((seed + 1)) $(((programs + 3) / 4))" ;; esac
    done | xargs -P "$(nproc)" -L 1 bash -c 'compare "$@"' _
done

# Verdicts on locks, destroyed ones too, loops that wait, choices, exits, blocks of the heap that threads allocate, use
# and free: by all interleavings, every violation being replayed. 75 programs a model here, 25,000 with HEDDLE_NIGHTLY=1.
# shellcheck disable=SC2086
if ! ${CC:-cc} -std=c17 -D_GNU_SOURCE -Isrc -Iinclude -O2 -o build/twin/verdicts tests/twin/verdicts_judge.c tests/twin/said.c build/tool.a -lz; then
    echo "FAIL twin: verdicts_judge.c does not compile"
    exit 1
fi
programs=${HEDDLE_TWIN_COUNT:-$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 25000 || echo 75)}
for cc in gcc clang; do
    command -v "$cc" >/dev/null || continue
    [ $cc = gcc ] || [ -n "${HEDDLE_NIGHTLY:-}" ] || continue
    "$twin" build "$cc" tests/twin/verdicts.c "build/twin/verdicts-$cc" || { echo "FAIL twin $cc: verdicts.c can't be built"; continue; }
    while read -r program; do
        for model in sc tso pso rc11; do
            if said=$(HEDDLE_DEBUG=model=$model,confirm build/twin/verdicts check $model "$program" -- "build/twin/verdicts-$cc"); then
                echo "ok twin $cc verdict $model $program"
            else
                echo "FAIL twin $cc verdict $model $program: $said"
            fi
        done
    done < <(grep -v '^#' tests/twin/verdict_regressions.txt)
    for model in sc tso pso rc11; do
        out=build/twin/$cc.locks-$model
        HEDDLE_DEBUG=model=$model,confirm build/twin/verdicts compare $model "$seed" "$programs" -- "build/twin/verdicts-$cc" >"$out" 2>&1
        HEDDLE_DEBUG=model=$model,confirm,re-execute build/twin/verdicts compare $model "$((seed + programs))" "$(((programs + 3) / 4))" -- "build/twin/verdicts-$cc" >"$out.again" 2>&1
        if tail -n 1 "$out.again" | grep -q ' 0 differ'; then echo "ok twin $cc re-executed: $(tail -n 1 "$out.again")"; else
            echo "FAIL twin $cc verdicts re-executed under $model"
            head -n 30 "$out.again"
        fi
        if tail -n 1 "$out" | grep -q ' 0 differ'; then echo "ok twin $cc $(tail -n 1 "$out")"; else
            echo "FAIL twin $cc verdicts under $model: repeat with HEDDLE_DEBUG=model=$model,confirm HEDDLE_TWIN_PROGRAM=... build/twin/verdicts-$cc"
            head -n 30 "$out"
        fi
    done
done

# The same programs decided by their states (guest/states) instead of their executions; those that failed once, too. 20
# random programs a model here.
by_states=${HEDDLE_TWIN_COUNT:-$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 10000 || echo 20)}
for model in sc tso; do
    [ -x build/twin/verdicts-gcc ] || continue
    out=build/twin/gcc.states-$model
    while read -r program; do
        said=$(HEDDLE_DEBUG=model=$model,states=always,confirm build/twin/verdicts check $model "$program" -- build/twin/verdicts-gcc) ||
            echo "FAIL twin by states, verdict $model $program: $said"
    done < <(grep -v '^#' tests/twin/verdict_regressions.txt)
    HEDDLE_DEBUG=model=$model,states=always,confirm build/twin/verdicts compare $model "$seed" "$by_states" -- build/twin/verdicts-gcc >"$out" 2>&1
    if tail -n 1 "$out" | grep -q ' 0 differ'; then echo "ok twin by states: $(tail -n 1 "$out")"; else
        echo "FAIL twin by states under $model: repeat with HEDDLE_DEBUG=model=$model,states=always,confirm HEDDLE_TWIN_PROGRAM=... build/twin/verdicts-gcc"
        head -n 30 "$out"
    fi
done

# Tests of heddle check, many in one program: the verdicts of brute force, and every violation shows again. 75 tests
# here, 10,000 with HEDDLE_NIGHTLY=1.
if ! ${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -o build/twin/calls tests/check_twin/twin.c; then
    echo "FAIL twin: tests/check_twin/twin.c does not compile"
    exit 1
fi
programs=${HEDDLE_TWIN_COUNT:-$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 10000 || echo 75)}
for cc in gcc clang; do
    command -v "$cc" >/dev/null || continue
    [ $cc = gcc ] || [ -n "${HEDDLE_NIGHTLY:-}" ] || continue
    "$twin" build "$cc" tests/check_twin/interp.c "build/twin/calls-$cc" || { echo "FAIL twin $cc: check_twin/interp.c can't be built"; continue; }
    if build/twin/calls compare "$seed" "$programs" "build/twin/calls-$cc" >"build/twin/$cc.calls"; then
        echo "ok twin $cc $(tail -n 1 "build/twin/$cc.calls")"
    else
        echo "FAIL twin $cc calls:"; tail -n 20 "build/twin/$cc.calls"
    fi
done
