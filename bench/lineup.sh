#!/usr/bin/env bash
# bench/lineup.sh [SAMPLES [SECONDS [OPTION...]]]: random 3x3 tests (100) of the classes of Line-Up's Table 1 that hold,
# each for at most SECONDS (300), on one core, beside what the paper needed for one such test. A test where
# nothing waits has 1680 serial runs. Without an option such as --preemptions=2 all executions are explored.
set -u
cd "$(dirname "$0")/../corpus/lineup" || exit 2
heddle=$PWD/../../build/heddle samples=${1:-100} seconds=${2:-300} extra=("${@:3}")
field() { sed -n "s/.*[ {]\"$1\": \"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$2"; }
run() { timeout $((seconds + 30)) "$heddle" check --model=sc --json --quiet --no-record --time="${seconds}s" "${extra[@]}" "$@"; }

printf '%-26s %-12s %5s %9s %11s %11s %8s %8s  %s\n' class verdict tests serial executions histories seconds cpu \
    'paper: one test, phase 1 + 2 [min]'
while IFS='|' read -r class file options phase1 phase2; do
    read -r -a words <<<"$options"
    json=$(run --shape=3x3 --samples="$samples" "${words[@]}" "$file")
    printf '%-26s %-12s %5s %9s %11s %11s %8.1f %8.1f  %s + %s\n' "$class" "$(field verdict "$json")" \
        "$(field tests "$json")" "$(field serial_runs "$json")" "$(field executions "$json")" \
        "$(field histories "$json")" "$(field seconds "$json")" "$(field cpu_seconds "$json")" "$phase1" "$phase2"
done <<'TABLE'
Lazy Initialization|lazy_check.c||0.07|9.7
ManualResetEvent|manual_reset_event_check.c||0.07|170.5
SemaphoreSlim|semaphore_slim_check.c||3.91|18.1
CountdownEvent|countdown_event_check.c||1.20|6.3
ConcurrentDictionary|concurrent_dictionary_check.c||7.02|6.8
ConcurrentQueue|concurrent_queue_check.c||6.37|33.7
ConcurrentStack|concurrent_stack_check.c||3.49|1.3
ConcurrentLinkedList|concurrent_linked_list_check.c||8.54|5.8
ConcurrentBag (one value)|concurrent_bag_check.c|-DONE_VALUE|4.05|0.6
TaskCompletionSource|task_completion_source_check.c||5.98|53.3
CancellationTokenSource|cancellation_token_source_check.c||4.49|9.6
Barrier (one participant)|barrier_check.c|-DWITHOUT_ADD|4.10|7.0
TABLE

echo
echo 'phase 1: the 1680 serial runs of one 3x3 test that has a single concurrent execution'
while IFS=' ' read -r file scenario; do
    all=$(run --scenario="$scenario" "$file")
    printf '%-34s %s serial runs, both phases %.1f ms of processor time\n' "$file" "$(field serial_runs "$all")" \
        "$(awk "BEGIN{print 1000 * $(field cpu_seconds "$all")}")"
done <<'TABLE'
concurrent_stack_check.c Count()Count()Count()|Count()Count()Count()|Count()Count()Count()
concurrent_queue_check.c IsEmpty()IsEmpty()IsEmpty()|IsEmpty()IsEmpty()IsEmpty()|IsEmpty()IsEmpty()IsEmpty()
TABLE
