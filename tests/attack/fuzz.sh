# Broken files of every kind (tests/fuzz/files.c): 5,000 each here, a million with HEDDLE_NIGHTLY=1. Sourced by
# suite 52_attack. Logs are tests/fuzz/readers.c in suite 40_history.
(cd "$root" && cc -std=c17 -D_GNU_SOURCE -O1 -g -Isrc -Iinclude -o "$work/files" tests/fuzz/files.c build/tool.a -ljansson -lz -lm -lelf -ldw) || { echo "FAIL fuzz: does not build"; exit 1; }
cp "$root/tests/programs/wrong/race_counter.c" .; "$heddle" run -q --record=r.heddle race_counter.c >/dev/null 2>&1
printf '[defaults]\nmodel = ["sc", "rc11"]\n[[test]]\nname = "q"\nfile = "a.c"\nflags = ["-O1"]\nshape = "2x2"\ntime = 5\n' >t.toml
count=5000; [ -n "${HEDDLE_NIGHTLY:-}" ] && count=1000000
fuzz() {
    local kind=$1; shift
    output=$(timeout 3000 "$work/files" "$kind" $count "${SEED:-1}" "$@" 2>&1) && grep -q "$count inputs, [1-9]" <<<"$output" && echo "ok fuzz $kind: ${output##*: }" || echo "FAIL fuzz $kind: $output"
}
fuzz record r.heddle
fuzz toml t.toml
fuzz hp "$root"/corpus/prove/treiber.hp "$root"/corpus/prove/lazy_set.hp "$root"/corpus/prove/elimination.hp
fuzz hm "$root"/corpus/refine/treiber_stack.hm "$root"/corpus/refine/locks.hm
