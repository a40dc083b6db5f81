# Locks that are taken together, as std::lock does, in random programs of three threads (tests/together), against all states of a
# machine: verdicts, and each outcome by itself. 8 programs; HEDDLE_NIGHTLY=1: 1,000 a model. HEDDLE_TWIN_COUNT and
# HEDDLE_TWIN_SEED choose others.
# builds: kept
command -v python3 >/dev/null || { echo "skip together: python3 is not there"; exit 0; }
many=${HEDDLE_TWIN_COUNT:-${HEDDLE_NIGHTLY:+1000}}; many=${many:-8}
out=$(mktemp); trap 'rm -f "$out"' EXIT
for model in ${HEDDLE_NIGHTLY:+sc} rc11; do
    if python3 tests/together/twin.py "${HEDDLE_TWIN_SEED:-1}" "$many" build/heddle --model=$model >"$out"; then
        echo "ok together $model: $(tail -n 1 "$out")"
    else
        echo "FAIL together $model: $(cat "$out")"
    fi
done
