# Accesses of several sizes to the same memory: random programs, with all sizes and operations, explored and compared with
# machines of bytes (sc, tso, pso) and with what the axioms allow (rc11). 150 programs a model with gcc, a third with clang;
# HEDDLE_NIGHTLY=1: 10,000 with gcc. HEDDLE_TWIN_COUNT and HEDDLE_TWIN_SEED choose others.
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
count=${HEDDLE_TWIN_COUNT:-$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 10000 || echo 150)}
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
    done
    while read -r model program; do
        if "$parts" check "$model" "$program" "build/twin/parts-$cc"; then echo "ok parts $cc $model $program"; else echo "FAIL parts $cc $model $program"; fi
    done < <(grep -v '^#' tests/twin/parts/regressions.txt)
done
