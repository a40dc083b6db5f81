#!/usr/bin/env bash
# bench/lineup.sh [SAMPLES [SECONDS [OPTION...]]]: random 3x3 tests (100) of the classes of Line-Up's Table 1 that hold,
# each class for at most SECONDS (300), on one core, at preemption bound 2 as in the paper, beside what the paper needed
# for one such test. Other options may be given instead of --preemptions=2: "" explores all executions.
#
# phase 1, phase 2: processor seconds of the serial runs (1680 a test where nothing waits) and of the rest.
# executions: those that were explored and judged, each different from the others. schedules: how many a plain search
# within the same bound would run for each of them, counted exactly on the first COUNTED (3) tests: threads are
# preempted before every atomic access, and no two interleavings are taken to be the same (HEDDLE_DEBUG=count-schedules).
set -u
cd "$(dirname "$0")/../corpus/lineup" || exit 2
heddle=$PWD/../../build/heddle samples=${1:-100} seconds=${2:-300} extra=("${@:3}")
[ $# -gt 2 ] || extra=(--preemptions=2)
[ "${extra[0]}" ] || extra=()
field() { sed -n "s/.*[ {]\"$1\": \"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$2"; }
run() { timeout $((seconds + 30)) "$heddle" check --model=sc --json --quiet --no-record --time="${seconds}s" "$@"; }

printf '%-26s %-12s %5s %9s %9s %9s %11s %10s  %s\n' class verdict tests serial 'phase 1' 'phase 2' executions schedules \
    'paper: one test, phase 1 + 2 [min]'
while IFS='|' read -r class file options phase1 phase2; do
    read -r -a words <<<"$options"
    json=$(run --shape=3x3 --samples="$samples" "${extra[@]}" "${words[@]}" "$file")
    schedules=-
    if [[ " ${extra[*]}" == *" --preemptions="* ]]; then
        plain=$(HEDDLE_DEBUG=count-schedules run --shape=3x3 --samples="${COUNTED:-3}" "${extra[@]}" "${words[@]}" "$file")
        count=$(sed -n 's/.*tells no two interleavings alike: \([0-9.e+]*\).*/\1/p' <<<"$plain")
        [ "$(field verdict "$plain")" = inconclusive ] ||
            schedules=$(awk "BEGIN{printf \"%.0f\", $count / $(field histories "$plain")}")
    fi
    serial=$(field serial_seconds "$json")
    printf '%-26s %-12s %5s %9s %9.2f %9.2f %11s %10s  %s + %s\n' "$class" "$(field verdict "$json")" "$(field tests "$json")" \
        "$(field serial_runs "$json")" "$serial" "$(awk "BEGIN{print $(field cpu_seconds "$json") - $serial}")" \
        "$(field histories "$json")" "$schedules" "$phase1" "$phase2"
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
echo 'phase 1 of one 3x3 test, milliseconds (the first test is run serially twice: see heddle-check(1))'
while IFS=' ' read -r file scenario; do
    all=$(run --preemptions=0 --scenario="$scenario" "$file")
    printf '%-34s %s serial runs, %.1f ms: %.1f ms for 1680\n' "$file" "$(field serial_runs "$all")" \
        "$(awk "BEGIN{print 1000 * $(field serial_seconds "$all")}")" \
        "$(awk "BEGIN{print 1680 * 1000 * $(field serial_seconds "$all") / $(field serial_runs "$all")}")"
done <<'TABLE'
concurrent_stack_check.c Push(11)TryPop()Count()|Push(12)TryPop()TryPeek()|TryPop()Push(11)ToArray()
concurrent_queue_check.c Enqueue(10)TryDequeue()Enqueue(20)|TryDequeue()Enqueue(10)Count()|TryDequeue()IsEmpty()TryPeek()
concurrent_linked_list_check.c AddFirst(10)RemoveFirst()Count()|AddLast(20)RemoveLastOut()Count()|RemoveFirst()AddFirst(10)RemoveList()
TABLE
