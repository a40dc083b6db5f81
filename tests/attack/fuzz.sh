# Broken files of every kind (tests/fuzz/files.c): 2,000 each here, a million with HEDDLE_NIGHTLY=1 and another million
# by libFuzzer, which sees what the readers do, under sanitizers (tests/fuzz/libfuzzer.sh). Sourced by suite 52_attack.
(cd "$root" && cc -std=c17 -D_GNU_SOURCE -O1 -g -I. -Isrc -Iinclude -o "$work/files" tests/fuzz/files.c tests/fuzz/read_history.c build/tool.a -ljansson -lz -lm -lelf -ldw) || { echo "FAIL fuzz: does not build"; exit 1; }
# records and ledgers have versions: they are made here
mkdir -p corpus/record corpus/ledger; cp -r "$root"/tests/fuzz/corpus/* corpus
cp "$root/tests/programs/wrong/race_counter.c" .
printf '#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int x[9];\nstatic void *f(void *a) { for (int i = 0; i < 9; i++) atomic_fetch_add(&x[i], 1); return a; }\nint main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0); for (int i = 0; i < 3; i++) pthread_join(t[i], 0); return 0; }\n' >long.c
"$heddle" run -q --record=corpus/record/r.heddle race_counter.c >/dev/null 2>&1
"$heddle" run -q --time=300ms --journal=corpus/ledger/j long.c >/dev/null 2>&1
count=2000; [ -n "${HEDDLE_NIGHTLY:-}" ] && count=1000000
for kind in record toml hp hm log annotation ledger run; do
    output=$(timeout 3000 "$work/files" $kind "${COUNT:-$count}" "${SEED:-1}" corpus/$kind/* 2>&1) && grep -q "inputs, [1-9]" <<<"$output" && echo "ok fuzz $kind: ${output##*: }" || echo "FAIL fuzz $kind: $output"
done
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then "$root/tests/fuzz/libfuzzer.sh" "$PWD/corpus"; fi
