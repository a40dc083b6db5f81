#!/usr/bin/env bash
# tests/notions.sh [COUNT [PATTERN]]: every notion of correctness against its brute-force twin on COUNT (100,000) random
# histories, executions or models each (a tenth of it for models), and a table of what was compared. PATTERN chooses rows
# by their text. About twenty minutes for 100,000 on one processor; SEED=N chooses others. doc/papers.md tells what the twins are.
set -u
cd "$(dirname "$0")/.." || exit 2
count=${1:-100000} pattern=${2:-.} bad=0
make -s -j"$(nproc)" unit || exit 2
[ -z "${SEED:-}" ] || export HEDDLE_SEED=$SEED
printf '%-42s %-55s %8s %8s  %s\n' notion twin compared seconds result
while IFS='|' read -r notion twin test divisor; do
    [[ "$notion $twin $test" =~ $pattern ]] || continue
    start=$SECONDS
    if output=$(HEDDLE_COUNT=$((count / ${divisor:-1})) "build/unit/$twin" "$test" 2>&1) && grep -q '\[       OK' <<<"$output"; then result=agree
    else result=DIFFER bad=1; fi
    printf '%-42s %-55s %8d %8d  %s\n' "$notion" "$twin $test" $((count / ${divisor:-1})) $((SECONDS - start)) "$result"
    [ $result = agree ] || printf '%s\n' "$output" | tail -n 30
done <<'ROWS'
linearizable, executions|graph_realtime|test_against_all_extensions
linearizable, executions, many histories|graph_sweep|test_against_all_extensions
linearizable, executions, weak models|graph_realtime|test_weak_against_all_sets
linearizable, histories|linear_linearize|test_all_models
linearizable, histories, distinct values|linear_linearize|test_distinct_values
linearizable, histories, partial orders|linear_linearize|test_partial_orders
may fail, executions|graph_realtime|test_failures_against_all_extensions
may fail and quiescent, weak models|graph_realtime|test_weak_notions
may fail, histories|linear_consistency|test_failures
quasi slot, specification|quasi_relax|test_slot
quasi kooo, specification|quasi_relax|test_kooo
quasi def4, specification|quasi_relax|test_def4
quasi slot, histories|quasi_quasi|test_slot
quasi kooo, histories|quasi_quasi|test_kooo
quasi def4, histories|quasi_quasi|test_def4
quasi slot, both groups of a queue|quasi_quasi|test_short_ranks_slot
quasi kooo, both groups of a queue|quasi_quasi|test_short_ranks_kooo
quasi def4, both groups of a queue|quasi_quasi|test_short_ranks_def4
quasi slot, both groups, stack or priority|quasi_quasi|test_pairs_slot
quasi kooo, both groups, stack or priority|quasi_quasi|test_pairs_kooo
quasi def4, both groups, stack or priority|quasi_quasi|test_pairs_def4
quasi, both groups, longer histories|quasi_quasi|test_ranks
quasi slot, as Round-Up computes it|quasi_roundup|test_random
quasi def4, executions|graph_realtime|test_def4_against_all_extensions
quasi, models|refine_random|definition_agrees|10
bag, executions|graph_realtime|test_bag_against_all_extensions
set linearizable, executions|graph_together|test_against_all_extensions
set linearizable, weak models|graph_together|test_weak_against_all_sets
sequential, executions|graph_realtime|test_sequential_against_all_orders
sequential, histories|linear_consistency|test_sequential
quiescent, executions|graph_realtime|test_quiescence_against_all_extensions
session guarantees, histories|linear_consistency|test_sessions
ROWS
exit $bad
