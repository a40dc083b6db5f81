#!/usr/bin/env bash
# All random counts about states, on one build: the night of 37_unbounded.sh (structures against brute force, tests both
# ways, several processes, mutants of the key, models and C), programs of `heddle run` decided by states against brute
# force, every row of the oracle and the corpora both ways. Prints a line for each with what passed, failed and was left
# out; what failed is printed before. HEDDLE_SEED: the first seed (1); PROGRAMS: how many for each model (2,000).
# `counts.sh PART...` runs some of the parts night, programs, rows. Exit status 1 if anything failed.
set -u
cd "$(dirname "$0")/../.." || exit 2
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
wanted=" ${*:-night programs rows} " bad=0

if [[ $wanted == *" night "* ]]; then
    HEDDLE_NIGHTLY=1 bash tests/suites/37_unbounded.sh >"$out/night"
    grep '^FAIL' "$out/night" && bad=1
    awk '{ kind = "fixed structures, answers and bounds" }
         /unbounded structures, seed/ { kind = "random structures" }
         /unbounded stacks, seed/ { kind = "random structures with shared stacks" }
         /unbounded early, seed/ { kind = "random structures that begin before main" }
         /unbounded tests, seed/ { kind = "random tests by states against brute force" }
         /unbounded both ways/ { kind = "random structures, all tests of 2x2 both ways" }
         /unbounded features under/ { kind = "random structures of more features, all tests of 2x2 and 3x1 both ways" }
         /unbounded loops under/ { kind = "random programs that loop" }
         /unbounded under tso/ { kind = "random structures for ever under tso" }
         /unbounded with three processes/ { kind = "random structures, three processes" }
         /unbounded: [a-z]+, [0-9]+ threads, symmetry/ { kind = "models and C" }
         /^(ok|FAIL) key mutant/ { kind = "mutants of the key" }
         { count[kind, $1]++; seen[kind] = 1 }
         /^ok unbounded (both ways|features)/ { tests[kind] += $(NF - 1) }
         END {
             for (kind in seen)
                 printf "%s: %d passed, %d failed, %d left out%s\n", kind, count[kind, "ok"], count[kind, "FAIL"],
                        count[kind, "skip"], kind ~ /both ways/ ? ", " tests[kind] " tests" : ""
         }' "$out/night" | sort
fi

if [[ $wanted == *" programs "* ]]; then
    HEDDLE_TWIN_COUNT=1 bash tests/suites/35_twin.sh >"$out/twin" # builds the two programs
    for model in sc tso; do
        HEDDLE_DEBUG=model=$model,states=always,confirm build/twin/verdicts compare $model "${HEDDLE_SEED:-1}" \
            "${PROGRAMS:-2000}" -- build/twin/verdicts-gcc >"$out/programs" 2>&1
        said=$(tail -n 1 "$out/programs")
        [[ $said == *" 0 differ"* ]] || { bad=1; cat "$out/programs"; }
        echo "programs by states under $model: $said"
    done
fi

if [[ $wanted == *" rows "* ]]; then
    bash tests/both_ways.sh || bad=1
fi
exit $bad
