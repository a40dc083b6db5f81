# Accesses of several sizes to the same memory: random programs, with all sizes and operations, explored and compared with
# machines of bytes (sc, tso, pso) and with what the axioms allow (rc11); of a tenth an outcome is replayed as a violation. 60 programs a model with gcc, a third with clang;
# HEDDLE_NIGHTLY=1: 10,000 with gcc. HEDDLE_TWIN_COUNT and HEDDLE_TWIN_SEED choose others.
# builds: kept
parts=build/twin/parts
mkdir -p build/twin
if ! ${CC:-cc} -std=c17 -D_GNU_SOURCE -Isrc -Iinclude -Itests/twin -O2 -o "$parts" tests/twin/parts/*.c tests/twin/build.c \
    src/judge/graph/axioms.c src/judge/graph/relation.c build/tool.a -ldw -lelf -lcapstone -lz; then
    echo "FAIL parts: it does not compile"
    exit 1
fi
HEDDLE_RUNTIME=${HEDDLE_RUNTIME:-$PWD/build/lib/heddle_rt.o}
export HEDDLE_RUNTIME
[ -f "$HEDDLE_RUNTIME" ] || { echo "skip parts: $HEDDLE_RUNTIME is not there"; exit 0; }
count=${HEDDLE_TWIN_COUNT:-$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 10000 || echo 60)}
for cc in gcc clang; do
    command -v "$cc" >/dev/null || { echo "skip parts $cc: it is not installed"; continue; }
    if ! "$parts" build "$cc" tests/twin/parts_interp.c "build/twin/parts-$cc"; then
        echo "FAIL parts $cc: parts_interp.c can't be built"
        continue
    fi
    [ "$cc" = gcc ] || count=$(((count + 2) / 3))
    for model in sc tso pso rc11; do
        if "$parts" compare "$model" "${HEDDLE_TWIN_SEED:-1}" "$count" "build/twin/parts-$cc" >"build/twin/parts.$cc.$model"; then
            echo "ok parts $cc $(tail -n 1 "build/twin/parts.$cc.$model")"
        else
            echo "FAIL parts $cc $model: repeat with $parts check $model PROGRAM build/twin/parts-$cc"
            head -n 20 "build/twin/parts.$cc.$model"
        fi
        if "$parts" replay "$model" "${HEDDLE_TWIN_SEED:-1}" $((count / 10)) "build/twin/parts-$cc" >"build/twin/replays.$cc.$model"; then
            echo "ok parts $cc replays $(tail -n 1 "build/twin/replays.$cc.$model")"
        else
            echo "FAIL parts $cc replays $model"
            head -n 20 "build/twin/replays.$cc.$model"
        fi
    done
    while read -r model program; do
        if "$parts" check "$model" "$program" "build/twin/parts-$cc"; then echo "ok parts $cc $model $program"; else echo "FAIL parts $cc $model $program"; fi
    done < <(grep -v '^#' tests/twin/parts/regressions.txt)
done

# A ticket lock by halves: the same executions whichever way they are explored; and when parts are sampled.
run() { build/heddle run --quiet --no-record --json "$@" tests/programs/correct/sizes_ticket.c | awk -v keys="verdict executions blocked" -f tests/json.awk; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
if [ -x build/heddle ]; then
    one=$(run)
    for way in --jobs=3 --checkpoints=never "--journal=$work/journal"; do
        got=$(HEDDLE_DEBUG=eager-workers run "$way")
        if [ "$got" = "$one" ]; then echo "ok parts ${way%/*}"; else echo "FAIL parts $way: $got instead of $one"; fi
    done
    for i in 1 2; do run "--shard=$i/2" "--journal=$work/share$i" >/dev/null; done
    got=$(build/heddle merge --json "$work/share1" "$work/share2" | awk -v keys="verdict executions blocked" -f tests/json.awk)
    if [ "$got" = "$one" ]; then echo "ok parts shares"; else echo "FAIL parts shares: $got instead of $one"; fi
    got=$(run --schedules=20 --model=tso | cut -f 1)
    if [ "$got" = holds ]; then echo "ok parts sampled"; else echo "FAIL parts sampled: $got"; fi
fi
