#!/usr/bin/env bash
# The readers of every kind of file under libFuzzer, which is guided by what they do, with AddressSanitizer,
# LeakSanitizer and UndefinedBehaviorSanitizer, each of whose remarks is a failure: `libfuzzer.sh FOLDER [RUNS]`.
# FOLDER/KIND has the files to begin with (tests/attack/fuzz.sh makes it of tests/fuzz/corpus) and keeps what is found.
# KINDS="log hp" chooses some. The status is 1 if a reader failed.
set -u
corpus=$(realpath "$1"); runs=${2:-1000000}
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
echo 'int LLVMFuzzerTestOneInput(const unsigned char *a, unsigned long b); int LLVMFuzzerTestOneInput(const unsigned char *a, unsigned long b) { return a && b ? 0 : 0; }' >"$work/probe.c"
clang -fsanitize=fuzzer -o "$work/probe" "$work/probe.c" 2>/dev/null || { echo "skip libFuzzer (clang has none here)"; exit 0; }
sanitizers=address,undefined
bad=0
make -s -j"$(nproc)" variant=fuzz CC=clang FLAGS_fuzz="-O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,$sanitizers -fno-sanitize-recover=all" build-fuzz/tool.a >"$work/log" 2>&1 ||
    { echo "FAIL libFuzzer: the readers do not build: $(tail -n 3 "$work/log")"; exit 1; }
for kind in ${KINDS:-record toml hp hm log annotation ledger run}; do
    if ! clang -std=c17 -D_GNU_SOURCE -O1 -g -fsanitize=fuzzer,$sanitizers -fno-sanitize-recover=all "-DKIND=KIND_${kind^^}" -I. -Isrc -Iinclude -o "$work/$kind" \
        tests/fuzz/files.c tests/fuzz/read_history.c build-fuzz/tool.a -ljansson -lz -lm -lelf -ldw 2>"$work/log"; then
        echo "FAIL libFuzzer $kind: does not build: $(tail -n 3 "$work/log")"
        bad=1
        continue
    fi
    mkdir -p "$corpus/$kind"
    (cd "$work" && exec "./$kind" -runs="$runs" -max_len=4096 -timeout=20 -rss_limit_mb=2000 -seed="${SEED:-1}" "$corpus/$kind") >"$work/log" 2>&1
    status=$?
    if [ $status = 0 ] && grep -q "^Done [0-9]* runs" "$work/log"; then
        echo "ok libFuzzer $kind: $(grep -oE '^Done [0-9]+ runs in [0-9]+ second' "$work/log")s, $(find "$corpus/$kind" -type f | wc -l) inputs kept"
    else
        bad=1
        echo "FAIL libFuzzer $kind: status $status$([ $status -gt 128 ] && echo ", ended by signal $((status - 128))")"
        grep -E 'ERROR|SUMMARY|runtime error|    #[0-9] ' "$work/log" | head -n 12 | grep . || tail -n 3 "$work/log"
        cp "$work"/crash-* "$work"/timeout-* "$work"/leak-* "$work"/oom-* . 2>/dev/null && ls -- crash-* timeout-* leak-* oom-* 2>/dev/null
    fi
done
exit $bad
