# The brute-force twin: first the enumerator against the oracle's counts, then the explorer against the
# enumerator on random programs (HEDDLE_NIGHTLY=1: 10,000 a model; HEDDLE_TWIN_COUNT and HEDDLE_TWIN_SEED
# choose others). HEDDLE_TWIN_COMMAND replaces the command that explores one program.
twin=build/twin/twin
mkdir -p build/twin
if ! ${CC:-cc} -std=c17 -D_GNU_SOURCE -Isrc -O2 -o "$twin" tests/twin/driver.c tests/twin/enumerate.c \
    tests/twin/generate.c src/check/axioms.c src/check/relation.c src/base/*.c; then
    echo "FAIL twin: it does not compile"
    exit 1
fi

while IFS='|' read -r want name program; do
    got=$(echo "$program" | "$twin" count)
    if [ "$got" = "${want% }" ]; then echo "ok enumerate$name"; else echo "FAIL enumerate$name: $got, oracle $want"; fi
done < <(grep -v '^#' tests/twin/litmus.txt)

for program in tests/oracle/mixed/*.c; do awk -f tests/twin/from_c.awk "$program"; done | "$twin" count >build/twin/mixed
grep '^mixed/' tests/oracle/counts.csv | awk -F, '{ printf "%s%s", $4, $3 == "rc11" ? "\n" : " " }' >build/twin/oracle
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

if [ ! -x build/heddle ]; then
    echo "skip twin: build/heddle is not there"
    exit 0
fi
count=${HEDDLE_TWIN_COUNT:-$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 10000 || echo 25)}
seed=${HEDDLE_TWIN_SEED:-1}
for model in sc tso rc11; do
    # two halves at a time: the machine has at least two cores
    half=$(((count + 1) / 2))
    for first in "$seed" $((seed + half)); do
        # shellcheck disable=SC2086
        "$twin" ${HEDDLE_TWIN_OPTIONS:-} compare "$model" "$first" "$half" -- \
            ${HEDDLE_TWIN_COMMAND:-build/heddle run --no-reductions tests/twin/interp.c} "--model=$model" \
            >"build/twin/$model.$first" 2>&1 &
    done
    wait
    for first in "$seed" $((seed + half)); do
        if tail -n 1 "build/twin/$model.$first" | grep -q ' 0 differ'; then
            echo "ok twin $(tail -n 1 "build/twin/$model.$first")"
        else
            echo "FAIL twin $model"; head -n 40 "build/twin/$model.$first"
        fi
    done
done
