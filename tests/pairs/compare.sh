#!/usr/bin/env bash
# The outcomes of each model here equal those of the C program beside it; see README.md.
set -u
cd "$(dirname "$0")" || exit 2
heddle=$PWD/../../build/heddle
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
for model in *.hm; do
    name=${model%.hm}
    "$heddle" refine --quiet --outcomes "$model" | grep '^outcome ' | sort >"$out/model"
    if [ ! -s "$out/model" ]; then echo "FAIL pair $name: the model has no outcomes"; continue; fi
    "$heddle" refine --quiet --outcomes --no-reductions "$model" | grep '^outcome ' | sort >"$out/all"
    if cmp -s "$out/model" "$out/all"; then echo "ok pair $name without reductions"; else echo "FAIL pair $name without reductions"; fi
    if gcc -O1 -pthread -o "$out/program" "$name.c" 2>"$out/err"; then
        for _ in $(seq 30); do "$out/program"; done | sort -u >"$out/native"
        if [ -z "$(comm -23 "$out/native" "$out/model")" ]; then echo "ok pair $name native"
        else echo "FAIL pair $name native: $(comm -23 "$out/native" "$out/model" | head -n 3)"; fi
    else
        echo "FAIL pair $name: $(cat "$out/err")"
    fi
    if "$heddle" run --help >/dev/null 2>&1; then
        "$heddle" run --model=sc --no-reductions --show-output "$name.c" 2>&1 | grep -o 'outcome .*' | sort -u >"$out/run"
        if cmp -s "$out/model" "$out/run"; then echo "ok pair $name run"
        else echo "FAIL pair $name run: $(diff "$out/model" "$out/run" | head -n 4 | tr '\n' ' ')"; fi
    else
        echo "skip pair $name run (the tool has no run)"
    fi
done
