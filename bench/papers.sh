#!/usr/bin/env bash
# bench/papers.sh [--write] [classes|lineup|comparison|roundup|cdsspec|injections|refine|prove]...: the tables of the five
# papers in their own columns, Heddle's figure beside the paper's ("paper / ours"), as Markdown; --write puts them into
# doc/papers.md. The last column says "as printed" where a row is run as the paper has it, else what differs. One core;
# times are processor time of the exploration. SAMPLES (100): tests of a class of Line-Up; SECONDS_A_ROW (120);
# ONLY: a pattern of the classes of Line-Up.
# Answers are kept in build/papers by their command and the build of Heddle: a run that was stopped goes on where it was,
# and all tables of a run are of one build.
set -u
cd "$(dirname "$0")/.." || exit 2
root=$PWD heddle=$PWD/build/heddle samples=${SAMPLES:-100} seconds=${SECONDS_A_ROW:-120}
wrong=0 unanswered=0 rows=0
field() { grep -o "\"$1\": [^,}]*" <<<"$2" | head -n 1 | sed 's/^[^:]*: //; s/"//g'; } # the first: that of the whole answer
whole() { sed -n "s/.*\"all\": {\([^}]*\)}.*/\1/p" <<<"$1"; } # the object of --all
number() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" <<<"$2"; }
build=$(cat build/heddle build/lib/heddle_rt*.o | md5sum | cut -c1-12)
kept() { # COMMAND...: its answer, if it was given before by this build and is one
    local answer
    answer=$root/build/papers/$build-$(printf '%s\n' "$PWD" "$@" | md5sum | cut -c1-16)
    mkdir -p "$root/build/papers"
    [ -s "$answer" ] || { "$@" >"$answer.now" 2>/dev/null; mv "$answer.now" "$answer"; }
    cat "$answer"
}
check() { kept timeout $((3 * seconds + 120)) "$heddle" check --json --quiet --no-record --jobs=1 --time="${seconds}s" "$@"; }
timed() { # COMMAND...: its answer, and the processor time that it took
    local TIMEFORMAT='"processor": %U + %S'
    { time "$@" 2>/dev/null; } 2>&1
}
# An answer as the paper's word: only holds and violated are answers. A command that was refused, ran out of time or crashed
# has none, and agrees with nothing.
answer() { # JSON, the word for holds, the word for violated
    case $(field verdict "$1") in holds) echo "$2" ;; violated) echo "$3" ;; *) echo 'not answered' ;; esac
}
agrees() { # ours, the paper's: counts a row
    rows=$((rows + 1))
    case $1 in
    "$2") ;;
    *'not answered'*) unanswered=$((unanswered + 1)); echo "not answered; the paper: $2" >&2 ;;
    *) wrong=$((wrong + 1)); echo "differs from the paper: $1, not $2" >&2 ;;
    esac
}
heading() {
    printf '\n### %s\n\n| %s |\n' "$1" "${2//;/ | }"
    sed 's/[^|]//g; s/|/| --- /g; s/ --- $//' <<<"| ${2//;/ | } |"
}

each() { awk -v sum="${1:-0}" -v count="${2:-0}" 'BEGIN { if (count > 0) printf "%.1f ms", 1000 * sum / count; else printf "-" }'; }

# The paper's letters of root causes, each with the operations that are to blame where it is met ("H:Count TryTake:D"), and
# operations that none of them explains.
letters_of() { # MAP OPERATIONS
    local operation word letter
    for operation in $2; do
        letter=
        for word in $1; do [[ ",${word#*:}," != *",$operation,"* ]] || letter=${word%%:*}; done
        echo "${letter:-$operation}"
    done | sort -u | tr '\n' ' '
}
# class|file and options|root causes|smallest|serial runs avg|max|phase 1 avg [min]|max|pass|fail|phase 2 pass [min]|fail|bound|letters of operations|what differs
lineup() {
    heading "Line-Up, Table 2: $samples random tests of 3x3 a class, within the preemption bound PB" \
        "class;root causes;smallest failing test;phase 1: serial runs, avg;max;time, avg;max;phase 2: pass;fail;time, pass;fail;PB;row"
    while IFS='|' read -r class words causes smallest serial most one one_most pass fail passing failing bound letters differs; do
        [[ $class =~ ${ONLY:-.} ]] || continue
        read -r -a options <<<"$words"
        json=$(cd corpus/lineup && check --model=sc --keep-going --shape=3x3 --samples="$samples" --preemptions="$bound" "${options[@]}")
        tests=$(field tests "$json") failed=$(field tests_failed "$json")
        found=$(grep -o '"operations": "[^"]*\(\\"[^"]*\)*", "place"' <<<"$json" | sed 's/"operations": "//; s/", "place"//; s/\\"//g; s/ .*//; s/,$//' | sort -u | tr '\n' ' ')
        found=$(letters_of "$letters" "$found")
        shapes=$(grep -o '"smallest": "[^"]*", "confirmed"' <<<"$json" | sed 's/"smallest": "//; s/".*//' | sort -u | head -n 1)
        agrees "$(answer "$json" pass fail)" "$([ "$fail" = 0 ] && echo pass || echo fail)"
        phases=$(sed -n 's/.*"phases": {\([^}]*\)}.*/\1/p' <<<"$json") passed=$((${tests:-0} - ${failed:-0}))
        printf '| %s | %s / %s | %s / %s | %s / %s | %s / %s | %s min / %s | %s min / %s | %s / %s | %s / %s | %s min / %s | %s / %s | %s / %s | %s |\n' \
            "$class" "${causes:--}" "${found:--}" "${smallest:--}" "${shapes:--}" \
            "$serial" "$(awk "BEGIN { printf \"%.0f\", $(field serial_runs "$phases") / ${tests:-1} }")" "$most" "$(field most_serial_runs "$phases")" \
            "$one" "$(each "$(field serial_seconds "$phases")" "$tests")" "$one_most" "$(each "$(field most_serial_seconds "$phases")" 1)" \
            "$pass" "$passed" "$fail" "${failed:-?}" "$passing" "$(each "$(field pass_seconds "$phases")" "$passed")" \
            "$([ "$failing" ] && echo "$failing min" || echo -)" "$(each "$(field fail_seconds "$phases")" "${failed:-0}")" \
            "$bound" "$bound" "$differs$([ "${tests:-0}" = "$samples" ] || echo "; ${tests:-0} tests within the time, or all that there are")"
    done <<'TABLE'
Lazy Initialization|lazy_check.c|||60|68|0.07|0.07|100|0|9.7||2||written in C
ManualResetEvent(Pre)|-DROOT_A -DSPUN manual_reset_event_check.c|A|A:2x3|828|1680|3.31|8.36|93|7|12.9|19.9|2|A:Wait,WaitOne|written in C; Wait begins where its spinning has ended, with a yield at which CHESS counts no switch (corpus/lineup/manual_reset_event.h); of 1,000 tests 49 fail
ManualResetEvent|manual_reset_event_check.c|||76|133|0.07|0.07|100|0|170.5||2||written in C
SemaphoreSlim|semaphore_slim_check.c|||1511|1680|3.91|7.31|100|0|18.1||1||written in C
CountdownEvent|countdown_event_check.c|||410|1680|1.20|4.95|100|0|6.3||2||written in C
ConcurrentDictionary|concurrent_dictionary_check.c|||1678|1680|7.02|10.94|100|0|6.8||1||written in C
ConcurrentQueue(Pre)|-DROOT_B concurrent_queue_check.c|B|B:2x2|1680|1680|6.00|6.33|43|57|33.8|5.7|2|B:TryDequeue|written in C
ConcurrentQueue|concurrent_queue_check.c|||1680|1680|6.37|6.77|100|0|33.7||2||written in C
ConcurrentLinkedList(Pre)|-DROOT_C concurrent_linked_list_check.c|C|C:2x2|1674|1680|8.54|12.36|80|20|5.8|2.0|1|C:RemoveFirst,RemoveFirstOut,RemoveList,RemoveLastOut,Count|written in C; C: here a node is lost whenever two AddLast overlap; how wide that window is in their code is not printed
ConcurrentStack|concurrent_stack_check.c|||1680|1680|3.49|3.68|100|0|1.3||2||written in C
BlockingCollection(Pre)|-DROOT_D -DWITH_CANCEL blocking_collection_check.c|D K|D:2x2, K:2x2|850|1680|4.09|17.84|13|87|109.6|47.4|2|D:TryTake,TryTake1 H:Count,ToArray K:Take,TakeWithEnum|written in C; which of several causes a test has is told by the operation that is to blame
BlockingCollection|-DWITH_CANCEL blocking_collection_check.c|H I K|H:2x2, I:3x2|259|501|0.07|0.07|43|57|205.3|68.7|2|I:TryTake,TryTake1 H:Count,ToArray K:Take,TakeWithEnum|written in C; which of several causes a test has is told by the operation that is to blame
ConcurrentBag(Pre)|-DROOT_E concurrent_bag_check.c|E J|E:2x2|1680|1680|4.18|4.52|75|25|1.7|0.4|1|J:ToArray,TryPeek,TryTake E:Count,IsEmpty|written in C; J: shows wherever values that two threads have added meet, so how often depends on the way in which lists are walked, which is not printed
ConcurrentBag|concurrent_bag_check.c|J|J:2x2|1680|1680|4.05|4.43|87|13|0.6|3.2|2|J:ToArray,TryPeek,TryTake|written in C; J: as above
TaskCompletionSource(Pre)|-DROOT_F task_completion_source_check.c|F|F:2x2|1432|1680|7.30|20.26|65|35|32.9|9.4|2|F:Exception|written in C; F: an exception that is read before it is written also shows in one call beside two (3x1)
TaskCompletionSource|-DROOT_G task_completion_source_check.c|G|G:2x2|1209|1680|5.98|11.95|53|47|53.3|3.7|2|G:Exception,TryResult|written in C; G: here every completion that comes second returns at once
CancellationTokenSource|cancellation_token_source_check.c|||1680|1680|4.49|5.74|100|0|9.6||2||written in C
Barrier|barrier_check.c|L|L:2x2|1166|1680|4.10|7.02|22|78|7.0|1.5|2|L:SignalAndWait,ParticipantsRemaining|written in C; with one participant at the start, which the paper does not say: with two a test of 2x1 fails; there are 1,099 serial runs then, and 59 of 100 fail (with three 54, with none 14)
TABLE
}

comparison() {
    heading "Line-Up, section 5.6: executions that are not conflict serializable, though linearizable (paper: hundreds of warnings, the first ten of them false alarms)" \
        "class;tests of 2x2;executions;not conflict serializable;of these linearizable;row"
    while IFS='|' read -r class words differs; do
        read -r -a options <<<"$words"
        json=$(cd corpus/lineup && check --model=sc --all --shape=2x2 --samples=30 "${options[@]}")
        all=$(whole "$json")
        rows=$((rows + 1))
        printf '| %s | %s | %s | %s | %s | %s |\n' "$class" "$(number tests "$all")" "$(number histories "$all")" \
            "$(number not_conflict_serializable "$all")" "$(number not_conflict_serializable_allowed "$all")" "$differs"
    done <<'TABLE'
ConcurrentStack|--no-reductions concurrent_stack_check.c|30 random tests of 2x2; failed rounds of loops counted
ConcurrentQueue|concurrent_queue_check.c|30 random tests of 2x2
SemaphoreSlim|semaphore_slim_check.c|30 random tests of 2x2
CancellationTokenSource|cancellation_token_source_check.c|all 10 tests of 2x2 that there are
ConcurrentBag|-DONE_VALUE concurrent_bag_check.c|30 random tests of 2x2; equal values, without root cause J
TABLE
}

A='enq(1) enq(2) / enq(3) deq() | enq(4) deq() / deq() deq()'
B='enq(1) enq(2) / enq(3) deq() enq(4) | deq() enq(5) deq() / deq() deq()'
C='enq(1) / enq(2) deq() | enq(3) deq() enq(4) / deq() deq()'
D='enq(1) / enq(2) deq() enq(3) | deq() enq(4) deq() / deq()'
F='/ enq(1) enq(2) deq() | enq(3) enq(4) deq() deq() / deq()'
G='enq(1) enq(2) deq() deq() | enq(3) deq() enq(4) deq()'
P=${A//deq/deqmin}
ED='enq(1) enq(2) enq(3) enq(4) enq(5) enq(6) / enq(7) | deq() / deq() deq() deq() deq() deq() deq()'
EE='enq(1) enq(2) enq(3) enq(4) enq(5) / enq(6) | enq(7) / deq() deq() deq() deq() deq() deq() deq()'
DD='enq(1) enq(2) enq(3) enq(4) enq(5) enq(6) enq(7) / deq() | deq() / deq() deq() deq() deq() deq()'
K='push(1) push(2) push(3) push(4) push(5) push(6) pop() pop() / push(7) | pop() / pop() pop() pop() pop()'
stack() { local s=${1//enq/push}; echo "${s//deq/pop}"; }

roundup_row() { # class, calls, violation, phase 1 histories, its time, buggy, total, sequences, time, row, folder, scenario, words
    local class=$1 calls=$2 violation=$3 one=$4 first=$5 buggy=$6 total=$7 sequences=$8 second=$9 differs=${10} folder=${11} scenario=${12}
    shift 12
    local json all verdict
    json=$(cd "corpus/$folder" && check --model=sc --all --scenario="$scenario" "$@")
    all=$(whole "$json") verdict=$(field verdict "$json")
    agrees "$(answer "$json" no yes)" "$violation"
    printf '| %s | %s | %s / %s | %s / %s | %s s / %.3f s | %s of %s / %s | %s / %s | %s s / %.3f s | %s |\n' "$class" "$calls" "$violation" \
        "$(answer "$json" no yes)" "$one" "$(field serial_runs "$json")" "$first" "$(field serial_seconds "$json")" \
        "$buggy" "$total" "$(if [ -n "$all" ]; then echo "$(number rejected "$all") of $(number histories "$all")"; else field violation "$json"; fi)" \
        "$sequences" "$(number sequentializations "$all")" "$second" \
        "$(awk "BEGIN { print $(field cpu_seconds "$json") - $(field serial_seconds "$json") }")" \
        "$differs$([ -n "$all" ] || case $(field violation "$json") in crash) echo '; the execution that is wrong ends in a crash, and has no history to count' ;; *) echo '; not all executions were counted within the time' ;; esac)"
}
roundup() {
    local columns="class;calls;violation;phase 1: histories;time;phase 2: buggy of total;sequentializations;time;row"
    local same="calls as printed; their arguments and the code are ours" class calls rest
    heading "Round-Up, Table II: linearizability (the specification is built in here: no phase 1)" "$columns"
    roundup_row IQueue '2*2+0' yes 3 0.1 2 6 13 0.3 "$same" roundup 'enq(1) deq() | enq(2) deq()' iqueue_check.c
    roundup_row 'Herlihy/Wing queue' '2*2+0' no 3 0.1 0 4 9 0.2 "$same; deq waits" roundup 'enq(1) take() | enq(2) take()' herlihy_wing_queue_check.c
    roundup_row 'Quasi Queue' '2*2+4' yes 6 0.2 16 16 61 2.5 "$same" roundup "$A" segment_queue_check.c
    roundup_row 'Quasi Queue' '3*3+4' yes 20 1.1 64 64 505 43.7 "$same" roundup "$B" segment_queue_check.c
    roundup_row 'Quasi Queue' '2*3+3' yes 10 0.4 24 32 169 8.3 "$same" roundup "$C" segment_queue_check.c
    roundup_row 'Quasi Queue' '3*3+2' yes 20 0.8 108 118 1033 83 "$same" roundup "$D" segment_queue_check.c
    roundup_row 'Quasi Queue' '3*4+1' yes 35 1.6 149 198 2260 308 "$same" roundup "$F" segment_queue_check.c
    roundup_row 'Quasi Queue' '4*4+0' yes 70 2.6 274 476 8484 2254 "$same" roundup "$G" segment_queue_check.c
    roundup_row 'Quasi Queue b1' '2*2+4' yes 6 0.3 91 91 409 17.8 "$same" roundup "$A" -DFAR segment_queue_check.c
    roundup_row 'Quasi Queue b2' '2*2+4' yes 6 0.3 91 91 409 18.1 "$same" roundup "$A" -DTWICE segment_queue_check.c
    roundup_row 'Quasi Queue b3' '2*2+4' yes 6 0.3 141 141 653 26.9 "$same" roundup "$A" -DGIVES_UP segment_queue_check.c
    roundup_row 'Quasi Stack b1' '2*2+4' yes 6 0.3 9 9 34 1.6 "$same" roundup "$(stack "$A")" -DGIVES_UP marked_stack_check.c
    roundup_row 'Quasi Stack b2' '2*2+4' yes 6 0.3 16 16 61 2.5 "$same" roundup "$(stack "$A")" -DFAR marked_stack_check.c
    roundup_row 'Quasi Stack' '2*2+4' no 6 0.3 0 16 61 2.5 "$same" roundup "$(stack "$A")" marked_stack_check.c
    roundup_row 'Quasi Priority Queue' '2*2+4' yes 6 0.5 16 16 61 4.9 "$same" roundup "$P" priority_queue_check.c
    roundup_row 'Quasi Priority Queue b2' '2*2+4' yes 6 0.5 125 125 532 27.0 "$same" roundup "$P" -DFAR priority_queue_check.c
    columns=${columns/sequentializations/permutations \/ sequentializations}
    heading "Round-Up, Table III: quasi linearizability, factor 2 unless said" "$columns"
    same="$same; no permutations are made"
    roundup_row 'Quasi Queue' '2*2+4' no 6 0.2 0 16 1708 2.9 "$same" roundup "$A" --quasi=deq:2 segment_queue_check.c
    roundup_row 'Quasi Queue' '3*3+4' no 20 1.1 0 64 73730 333 "$same" roundup "$B" --quasi=deq:2 segment_queue_check.c
    roundup_row 'Quasi Queue' '2*3+3' no 10 0.4 0 32 4732 9.6 "$same" roundup "$C" --quasi=deq:2 segment_queue_check.c
    roundup_row 'Quasi Queue' '3*3+2' no 20 0.8 0 118 28924 94 "$same" roundup "$D" --quasi=deq:2 segment_queue_check.c
    roundup_row 'Quasi Queue' '3*4+1' no 35 1.6 0 198 63280 340 "$same" roundup "$F" --quasi=deq:2 segment_queue_check.c
    roundup_row 'Quasi Queue' '4*4+0' no 70 2.6 0 476 237552 2456 "$same" roundup "$G" --quasi=deq:2 segment_queue_check.c
    roundup_row 'Quasi Queue (qfactor=3)' '2*3+3' no 10 0.4 0 32 8112 14.9 "$same" roundup "$C" --quasi=deq:3 -DK=3 segment_queue_check.c
    roundup_row 'Quasi Queue (qfactor=3)' '3*3+2' no 20 0.8 0 118 49584 156 "$same" roundup "$D" --quasi=deq:3 -DK=3 segment_queue_check.c
    roundup_row 'Quasi Queue (qfactor=3)' '3*4+1' no 35 1.6 0 198 108480 615 "$same" roundup "$F" --quasi=deq:3 -DK=3 segment_queue_check.c
    roundup_row 'Quasi Queue (qfactor=3)' '4*4+0' no 70 2.6 0 476 407232 4172 "$same" roundup "$G" --quasi=deq:3 -DK=3 segment_queue_check.c
    roundup_row 'Quasi Queue b1' '2*2+4' yes 6 0.3 41 91 11452 20.1 "$same" roundup "$A" --quasi=deq:2 -DFAR segment_queue_check.c
    roundup_row 'Quasi Queue b2' '2*2+4' yes 6 0.3 91 91 11452 20.2 "$same" roundup "$A" --quasi=deq:2 -DTWICE segment_queue_check.c
    roundup_row 'Quasi Queue b3' '2*2+4' yes 6 0.3 73 141 18284 31.0 "$same" roundup "$A" --quasi=deq:2 -DGIVES_UP segment_queue_check.c
    roundup_row 'Quasi Stack b1' '2*2+4' yes 6 0.3 9 9 2108 3.5 "$same" roundup "$(stack "$A")" --quasi=pop:2 -DGIVES_UP marked_stack_check.c
    roundup_row 'Quasi Stack b2' '2*2+4' yes 6 0.3 6 16 1708 2.8 "$same" roundup "$(stack "$A")" --quasi=pop:2 -DFAR marked_stack_check.c
    roundup_row 'Quasi Stack b3' '2*2+4' no 6 0.3 0 16 1708 2.8 "$same" roundup "$(stack "$A")" --quasi=pop:2 marked_stack_check.c
    roundup_row 'Quasi Priority Queue' '2*2+4' no 6 0.5 0 16 1708 4.7 "$same" roundup "$P" --quasi=deqmin:2 priority_queue_check.c
    roundup_row 'Quasi Priority Queue b2' '2*2+4' yes 6 0.5 54 125 6384 20.0 "$same" roundup "$P" --quasi=deqmin:2 -DFAR priority_queue_check.c
    heading "Round-Up, Table V: quasi linearizability of the Scal structures" "$columns"
    while read -r class calls rest; do
        read -r violation one first buggy total sequences second file words <<<"$rest"
        scal_test "$class" "$calls"
        # shellcheck disable=SC2086
        roundup_row "$class ($calls)" '1*1+12' "$violation" "$one" "$first" "$buggy" "$total" "$sequences" "$second" \
            "$same$([[ " $words" != *--rand* ]] || echo '; rand() gives 0, and something else once a thread')$([[ " $words" != *--preemptions* ]] || echo '; counted within preemption bound 2: push and pop undo steps of each other, so executions are as long as one likes (it is violated without the bound, too)')" scal "$test" --quasi=$takes:2 $words "$file"
    done < <(scal_table)
    heading "Round-Up, Figures 8 and 9: the effect of leaving out what is equal (the paper's figures are points in a plot; its own numbers with it are those of Table V)" \
        "class;histories without reductions;different ones;time without;time with;row"
    while read -r class calls rest; do
        read -r _ _ _ _ _ _ _ file words <<<"$rest"
        scal_test "$class" "$calls"
        # shellcheck disable=SC2086
        effect_row "$class ($calls)" "$test" --quasi=$takes:2 $words "$file"
    done < <(scal_table)
}
effect_row() { # class, scenario, words
    local class=$1 scenario=$2 without with all
    shift 2
    without=$(cd corpus/scal && check --model=sc --all --no-reductions --scenario="$scenario" "$@")
    with=$(cd corpus/scal && check --model=sc --all --scenario="$scenario" "$@")
    all=$(whole "$without") rows=$((rows + 1))
    [ "$(field verdict "$with")" = "$(field verdict "$without")" ] || agrees "$(answer "$without" no yes)" "$(answer "$with" no yes)"
    printf '| %s | %s | %s | %.1f ms | %.1f ms | %s |\n' "$class" "$(number histories "$all")" "$(number distinct "$all")" \
        "$(awk "BEGIN { print 1000 * $(field cpu_seconds "$without") }")" "$(awk "BEGIN { print 1000 * $(field cpu_seconds "$with") }")" \
        "the tests of Table V"
}
scal_test() { # class, calls: sets test and takes
    case $2 in *+deq | *+pop) test=$ED ;; *) test=$EE ;; esac
    case $2 in deq+* | pop+*) test=$DD ;; esac
    takes=deq; case $1 in *stack) test=$(stack "$test") takes=pop ;; esac
    [ "$1 $2" != "k-stack push+pop" ] || test=$K
}
scal_table() { # class, calls, violation, histories of phase 1, its time, buggy, total, permutations, time, file and options
    cat <<'TABLE'
sl-queue enq+deq no 2 0.38 0 2 1032 1.61 sl_queue_check.c
sl-queue enq+enq yes 2 0.37 1 2 1032 1.78 sl_queue_check.c
sl-queue deq+deq yes 2 0.37 4 8 5160 7.21 sl_queue_check.c
t-stack push+pop no 2 0.58 0 8 5160 7.77 t_stack_check.c
t-stack push+push no 2 0.59 0 8 5160 7.78 t_stack_check.c
t-stack pop+pop no 2 0.56 0 8 5160 7.63 t_stack_check.c
ms-queue enq+deq no 2 0.76 0 3 1720 2.94 ms_queue_check.c
ms-queue enq+enq no 2 0.79 0 31 20984 32.47 ms_queue_check.c
ms-queue deq+deq no 2 0.76 0 12 7912 12.33 ms_queue_check.c
rd-queue enq+deq no 2 0.90 0 5 3096 5.97 rd_queue_check.c --rand=3:1
rd-queue enq+enq no 2 0.91 0 31 20984 37.83 rd_queue_check.c --rand=3:1
rd-queue deq+deq no 2 0.87 0 4 2408 7.31 rd_queue_check.c --rand=3:1
bk-queue enq+deq no 2 1.27 0 29 19608 34.45 bk_queue_check.c --rand=3:1
bk-queue enq+enq no 2 1.30 0 41 27864 50.98 bk_queue_check.c --rand=3:1
bk-queue deq+deq no 2 1.22 0 24 16168 28.11 bk_queue_check.c --rand=3:1
ubk-queue enq+deq no 2 2.42 0 21 14104 35.71 ubk_queue_check.c --rand=3:1
ubk-queue enq+enq no 2 1.86 0 41 27864 61.94 ubk_queue_check.c --rand=3:1
ubk-queue deq+deq no 2 1.84 0 52 35432 68.21 ubk_queue_check.c --rand=3:1
k-stack push+pop yes 2 1.55 11 69 47128 89 k_stack_check.c --rand=3:1 --preemptions=2 -DK=2
k-stack push+push no 2 1.69 0 12 7192 15.13 k_stack_check.c --rand=3:1 -DK=2
k-stack pop+pop no 2 1.62 0 8 5160 9.46 k_stack_check.c --rand=3:1 -DK=2
TABLE
}

lines() { cat "$@" | grep -vc '^[[:space:]]*$\|^[[:space:]]*//\|^[[:space:]]*/\*\|^[[:space:]]*\*'; } # of code

classes() {
    heading "Line-Up, Table 1: the classes" "class;lines of code;methods, as the paper has them;operations here;row"
    while IFS='|' read -r class file loc methods differs; do
        rows=$((rows + 1))
        printf '| %s | %s / %s | %s | %s | written in C%s |\n' "$class" "${loc:--}" "$(lines corpus/lineup/"$file".h "corpus/lineup/${file}_check.c")" "$methods" \
            "$(grep -o 'HD_OP[A-Z_]*([A-Za-z_0-9]*' "corpus/lineup/${file}_check.c" | sed 's/.*(//' | awk '!seen[$0]++' | tr '\n' ' ')" "$differs"
    done <<'TABLE'
Lazy Initialization|lazy|470|Value, ToString, IsValueCreated|
ManualResetEvent|manual_reset_event|868|Set, Wait, Reset, IsSet, WaitOne|
SemaphoreSlim|semaphore_slim|585|CurrentCount, Release, Release(2), Wait, Wait(0)|
CountdownEvent|countdown_event|571|IsSet, Wait, Wait(0), CurrentCount, WaitOne, Signal(x), AddCount(x), TryAddCount(x)|
ConcurrentDictionary|concurrent_dictionary|1833|Count, IsEmpty, Clear, TryAdd(x), TryRemove(x), TryGet(x), get[x], set[x], TryUpdate(x), ContainsKey(x)|; keys share a bucket, and a resize is reached
ConcurrentQueue|concurrent_queue|819|Count, IsEmpty, Enqueue, ToArray, TryDequeue, TryPeek|
ConcurrentStack|concurrent_stack|835|Clear, Count, Push, PushRangeTen, TryPop, TryPopRangeOne, TryPopRangeTwo, TryPopRangeFour, TryPeek, ToArray|
ConcurrentLinkedList|concurrent_linked_list||Count, AddFirst, AddLast, RemoveFirst, RemoveFirst(out), RemoveList, RemoveLast(out)|
BlockingCollection|blocking_collection|1808|Count, ToArray, TryAdd, TryAdd(1), IsCompleted, IsAddingCompleted, CompleteAdding, Add, Take, TakeWithEnum, TryTake, TryTake(1)|; Cancel, for root cause K, is no method of the paper's list
ConcurrentBag|concurrent_bag|1074|Count, Add(10), Add(20), TryTake, IsEmpty, TryPeek, ToArray|
TaskCompletionSource|task_completion_source|392|Exception, TrySetCanceled, TrySetException, TrySetResult, SetCanceled, SetException, SetResult, Wait, TryResult|
CancellationTokenSource|cancellation_token_source|946|Increment, Cancel|
Barrier|barrier|870|SignalAndWait, ParticipantsRemaining, RemoveParticipant, CancelToken, CurrentPhaseNumber, ParticipantCount, AddParticipant|
TABLE
    heading "Round-Up, Tables I and IV: the structures" "class;description;lines of code;linearizable;quasi linearizable (factor 2);row"
    while IFS='|' read -r class description loc exact quasi folder header words takes scenario; do
        read -r -a options <<<"$words"
        json=$(cd "corpus/$folder" && check --model=sc --scenario="$scenario" "${options[@]}")
        exactly=$(answer "$json" yes no)
        json=$(cd "corpus/$folder" && check --model=sc --scenario="$scenario" --quasi="$takes:2" "${options[@]}")
        relaxed=$(answer "$json" yes no)
        agrees "$exactly $relaxed" "$exact $quasi"
        printf '| %s | %s | %s / %s | %s / %s | %s / %s | code and test of ours |\n' "$class" "$description" "$loc" "$(lines "corpus/$folder/$header" "corpus/$folder/${options[-1]}")" \
            "$exact" "$exactly" "$quasi" "$relaxed"
    done <<TABLE
IQueue|buggy queue: deq may remove null even if not empty|154|no|no|roundup|iqueue.h|iqueue_check.c|deq|enq(1) enq(2) enq(1) / deq() | enq(2) enq(1) enq(2) deq() deq() deq() / deq() deq() deq()
Herlihy/Wing queue|correct normal queue|109|yes|yes|roundup|../classics/herlihy_wing_queue.c|herlihy_wing_queue_check.c|take|enq(1) take() | enq(2) take()
Quasi Queue|correct quasi queue|464|no|yes|roundup|segment_queue.h|segment_queue_check.c|deq|$A
Quasi Queue b1|deq removes value more than k away from head|704|no|no|roundup|segment_queue.h|-DFAR segment_queue_check.c|deq|$A
Quasi Queue b2|deq removes values that have been removed before|401|no|no|roundup|segment_queue.h|-DTWICE segment_queue_check.c|deq|$A
Quasi Queue b3|deq null even though the queue is not empty|427|no|no|roundup|segment_queue.h|-DGIVES_UP segment_queue_check.c|deq|$A
Quasi Stack b1|pop null even if the stack is not empty|487|no|no|roundup|marked_stack.h|-DGIVES_UP marked_stack_check.c|pop|$(stack "$A")
Quasi Stack b2|pop removes values more than k away from the tail|403|no|no|roundup|marked_stack.h|-DFAR marked_stack_check.c|pop|$(stack "$A")
Quasi Stack|linearizable, and hence quasi linearizable|403|yes|yes|roundup|marked_stack.h|marked_stack_check.c|pop|$(stack "$A")
Quasi Priority Queue|implementation of quasi priority queue|508|no|yes|roundup|priority_queue.h|priority_queue_check.c|deqmin|$P
Quasi Priority Queue b2|deqMin removes value more than k away from head|537|no|no|roundup|priority_queue.h|-DFAR priority_queue_check.c|deqmin|$P
sl-queue|singly-linked list based single-threaded queue|73|no|no|scal|sl_queue.h|sl_queue_check.c|deq|$DD
t-stack|Treiber's concurrent stack|109|yes|yes|scal|t_stack.h|t_stack_check.c|pop|$(stack "$ED")
ms-queue|Michael and Scott's concurrent queue|250|yes|yes|scal|ms_queue.h|ms_queue_check.c|deq|$ED
rd-queue|random dequeued queue (Afek, Korland, Yanovsky)|162|no|yes|scal|rd_queue.h|--rand=3:1 rd_queue_check.c|deq|$ED
bk-queue|bounded k-FIFO queue (Afek, Korland, Yanovsky)|263|no|yes|scal|bk_queue.h|--rand=3:1 bk_queue_check.c|deq|$ED
ubk-queue|unbounded k-FIFO queue (Kirsch, Lippautz, Payer)|259|no|yes|scal|ubk_queue.h|--rand=3:1 ubk_queue_check.c|deq|$ED
k-stack|k-stack (Henzinger, Kirsch, Payer, Sokolova), with its ABA bug|337|no|no|scal|k_stack.h|--rand=1 -DK=2 k_stack_check.c|pop|$K
TABLE
    heading "Quasi refinement (SPIN 2013), Table 3: the models" "class;description;linearizable;quasi linearizable (factor 2);row"
    while IFS='|' read -r class description exact quasi takes words; do
        read -r -a options <<<"$words"
        exactly=$(refines "$takes:0" "${options[@]}") relaxed=$(refines "$takes:2" "${options[@]}")
        agrees "$exactly $relaxed" "$exact $quasi"
        printf '| %s | %s | %s / %s | %s / %s | our model |\n' "$class" "$description" "$exact" "$exactly" "$quasi" "$relaxed"
    done <<'TABLE'
Quasi Queue (3)|segmented linked list, size 3|no|yes|deq|-DFACTOR=2 -DSEGMENTS=1 segmented_queue.hm
Quasi Queue (6)|segmented linked list, size 6|no|yes|deq|-DFACTOR=2 -DSEGMENTS=2 segmented_queue.hm
Quasi Queue (9)|segmented linked list, size 9|no|yes|deq|-DFACTOR=2 -DSEGMENTS=3 segmented_queue.hm
Queue buggy1|dequeue on the empty queue may change the current segment|no|no|deq|-DBUG=1 segmented_queue.hm
Queue buggy2|dequeue may get a value from a wrong segment|no|no|deq|-DBUG=2 segmented_queue.hm
Lin. Queue|linearizable, hence quasi|yes|yes|deq|michael_scott_queue.hm
Q. Priority Queue (6)|segmented linked list, size 6|no|yes|delete_min|-DSEGMENTS=2 priority_queue.hm
Q. Priority Queue (9)|segmented linked list, size 9|no|yes|delete_min|-DSEGMENTS=3 priority_queue.hm
Priority Queue buggy|dequeue on the empty priority queue may change the current segment|no|no|delete_min|-DBUG=1 priority_queue.hm
Lin. Stack|linearizable, hence quasi|yes|yes|pop|treiber_stack.hm
TABLE
    echo
    echo "Table 2 of that paper shows the steps of one example of its algorithm, which is not ours."
}

cdsspec() {
    local theirs="the test of section 6.1; code of ours, written from the algorithm's publication: the paper prints none"
    heading "CDSSpec, Figure 6: executions and time" "benchmark;executions;feasible (complete);time;row"
    while IFS='|' read -r name file executions feasible time differs; do
        json=$(cd corpus/cdsspec && check "$file")
        agrees "$(answer "$json" holds violated)" holds
        complete=$(field executions "$json")
        printf '| %s | %s / %s | %s / %s | %s s / %.3f s | %s |\n' "$name" "$executions" "$((complete + $(field blocked "$json")))" \
            "$feasible" "$complete" "$time" "$(field cpu_seconds "$json")" "${differs/\$theirs/$theirs}"
    done <<'TABLE'
Chase-Lev Deque|chase_lev_deque.c|1365|232|0.15|$theirs
SPSC Queue|spsc_queue.c|19|15|0.01|another queue: theirs sleeps on a condition variable
RCU|rcu.c|1269|756|0.11|$theirs
Lockfree Hashtable|lockfree_hashtable.c|30941|25731|11.39|$theirs
MCS Lock|mcs_lock.c|19501|13546|2.62|$theirs
MPMC Queue|mpmc_queue.c|170220|93224|45.63|$theirs
M&S Queue|ms_queue.c|168|114|0.05|$theirs
Linux RW Lock|linux_rwlock.c|148053|405|13.06|$theirs
TABLE
    echo
    echo "The paper counts traces, of which several are one execution graph; each graph is explored once here, and failed"
    echo "rounds of loops are merged (corpus/cdsspec/README.md)."
}

injections() {
    heading "CDSSpec, Figure 7: memory orders weakened to relaxed, by how that is noticed, with the paper's own tests" \
        "benchmark;injections;data races;uninitialised loads;correctness (with hangs);synchronisation;make no difference;missed;rate (of all);rate of those that make a difference;row"
    local row="the test of section 6.1; every order of our code that it reaches, where the paper has those of its code"
    kept bash bench/weaken.sh >build/papers_weaken
    while IFS='|' read -r name paper differs; do
        read -r -a theirs <<<"$paper"
        line=$(sed -n "/^The paper's own/,/^\$/p" build/papers_weaken | grep -F "$name " | head -n 1)
        read -r -a ours <<<"${line#"$name"}"
        rows=$((rows + 1))
        [ ${#ours[@]} -gt 8 ] || { unanswered=$((unanswered + 1)); echo "| $name | not answered | | | | | | | | | |"; continue; }
        # the paper's rate: what is noticed, of all that was injected
        noticed=$((ours[1] + ours[2] + ours[3] + ours[5] + ours[4]))
        printf '| %s | %s / %s | %s / %s | %s / %s | %s / %s | %s / %s | - / %s | %s / %s | %s%% / %s%% | - / %s | %s |\n' "$name" "${theirs[0]}" "${ours[0]}" \
            "${theirs[1]}" "${ours[1]}" "${theirs[2]}" "${ours[2]}" "${theirs[3]}" "$((ours[3] + ours[5]))" "${theirs[4]}" "${ours[4]}" "${ours[6]}" \
            "$((theirs[0] - theirs[1] - theirs[2] - theirs[3] - theirs[4]))" "${ours[7]}" "${theirs[5]}" "$((100 * noticed / ours[0]))" "${ours[8]}" "${differs/\$theirs/$row}"
    done <<'TABLE'
Chase-Lev Deque|10 0 2 3 2 70|$theirs; RC11 instead of C11
SPSC Queue|2 2 0 0 0 100|another queue: theirs sleeps on a condition variable
RCU|3 0 0 1 2 100|$theirs
Lockfree Hashtable|5 0 0 0 2 40|$theirs
MCS Lock|4 0 0 0 4 100|$theirs
MPMC Queue|6 0 0 0 2 33|$theirs
M&S Queue|11 0 6 3 0 82|$theirs; nodes are initialised before the threads run
Linux RW Lock|8 0 0 0 8 100|$theirs
Total|49 2 8 7 20 76|the paper injects orders that make a difference in its code; ten of ours make none (corpus/cdsspec/README.md)
TABLE
}

refines() { # factors, words: yes if the model refines its specification, no, or not answered
    local json
    json=$(cd corpus/refine && kept "$heddle" refine --quiet --json --jobs=1 --time="${seconds}s" --quasi="$1" "${@:2}" | tr -d '\n')
    case $(field verdict "$json") in holds) echo yes ;; violated) echo no ;; *) echo 'not answered' ;; esac
}
refine_row() { # class, factor, time, states, transitions, wanted, row, words
    local class=$1 factor=$2 time=$3 states=$4 transitions=$5 wanted=$6 differs=$7 json TIMEFORMAT=%U cpu
    shift 7
    cpu=$({ time (cd corpus/refine && "$heddle" refine --quiet --json --jobs=1 --time="${seconds}s" "$@" >"$root/build/papers_json" 2>/dev/null); } 2>&1)
    json=$(tr -d '\n' <build/papers_json)
    agrees "$(answer "$json" holds violated)" "$wanted"
    printf '| %s | %s | %s s / %s s | %s / %s | %s / %s | %s / %s | %s |\n' "$class" "$factor" "$time" "$cpu" "$states" "$(field states "$json")" \
        "$transitions" "$(field transitions "$json")" "$wanted" "$(field verdict "$json")" "$differs"
}
refine() {
    local line factor segments time states transitions
    heading "Quasi refinement (SPIN 2013), Table 1: refinement of the specification relaxed by hand" "segments;factor;time;states;transitions;verdict;row"
    for line in "1 1 0.1 423 778" "1 2 0.1 2310 4458" "1 3 0.1 8002 15213" "1 4 0.4 22327 41660" "1 5 0.9 55173 101443" "1 6 2.0 126547 230259" \
        "1 10 55.9 2488052 4421583" "1 15 MOut - -" "2 1 0.6 26605 58281" "2 2 12.6 456397 970960" "2 3 130.7 4484213 8742485" "2 4 MOut - -" \
        "3 1 8.8 284484 638684" "3 2 MOut - -" "4 1 124.4 3432702 7906856" "4 2 MOut - -"; do
        read -r factor segments time states transitions <<<"$line"
        refine_row "$segments" "$factor" "$time" "$states" "$transitions" holds "our model; symmetric states are one" \
            --spec=cluster --quasi=deq:0 -DFACTOR="$factor" -DSEGMENTS="$segments" segmented_queue.hm
    done
    heading "Quasi refinement (SPIN 2013), Table 4: quasi refinement, 2 threads" "class;factor;time;states;transitions;verdict;row"
    local model="our model; symmetric states are one"
    refine_row "Quasi Queue (3)" 2 7.2 126810 248122 holds "$model" -DFACTOR=2 -DSEGMENTS=1 segmented_queue.hm
    refine_row "Quasi Queue (6)" 2 21.2 237760 468461 holds "$model" -DFACTOR=2 -DSEGMENTS=2 segmented_queue.hm
    refine_row "Quasi Queue (9)" 2 114.5 1741921 3424280 holds "$model" -DFACTOR=2 -DSEGMENTS=3 segmented_queue.hm
    refine_row "Quasi Queue (4)" 3 131.6 442558 869129 holds "$model" -DFACTOR=3 -DSEGMENTS=1 segmented_queue.hm
    refine_row "Quasi Queue (8)" 3 1517.1 1986924 3754489 holds "$model" -DFACTOR=3 -DSEGMENTS=2 segmented_queue.hm
    refine_row "Queue buggy1" 2 0.4 1204 809 violated "$model" -DBUG=1 segmented_queue.hm
    refine_row "Queue buggy2" 2 0.1 345 345 violated "$model" -DBUG=2 segmented_queue.hm
    refine_row "Lin. Queue" 2 5.5 240583 121548 holds "$model" --quasi=deq:2 michael_scott_queue.hm
    local closed="$model; inserts before an open segment are refused, as they must be: no factor holds otherwise (priority_queue.hm, -DBUG=2)"
    refine_row "Q. Priority Queue (6)" 2 34.3 472981 918530 holds "$closed" -DSEGMENTS=2 priority_queue.hm
    refine_row "Q. Priority Queue (9)" 2 198.4 1478045 2905016 holds "$closed" -DSEGMENTS=3 priority_queue.hm
    refine_row "Q. Priority Queue (4)" 3 343.1 1408763 2566427 holds "$closed" -DFACTOR=3 -DSEGMENTS=1 priority_queue.hm
    refine_row "Priority Queue buggy" 2 5.4 894 894 violated "$closed" -DBUG=1 priority_queue.hm
    refine_row "Lin. Stack" 2 0.2 2690 6896 holds "$model" --quasi=pop:2 treiber_stack.hm
}

prove() {
    local json name file steps time passes differs verdict ours
    heading "Sub-operation proofs (ISSRE 2016), Table I" "structure;sub-operations;time, tables made by hand / derived;passes;row"
    while IFS='|' read -r name file steps time passes differs; do
        json=$(kept timed "$heddle" prove --json --no-search "corpus/prove/$file.hp")
        verdict=$(grep -o '"verdict": *"[a-z]*"' <<<"$json" | head -n 1 | sed 's/.*"verdict": *"//; s/"//')
        # a text that the paper's method does not prove is one that ours leaves open, too: inconclusive is its "no"
        case $verdict in holds) ours=yes ;; violated | inconclusive) ours=no ;; *) ours='not answered' ;; esac
        agrees "$ours" "$passes"
        printf '| %s | %s / %s | %s / %.0f ms | %s / %s | %s |\n' "$name" "$steps" "$(grep -o '"sub_operations": *[0-9]*' <<<"$json" | grep -o '[0-9]*$')" "$([ "$time" = - ] && echo - || echo "$time ms")" \
            "$(awk "BEGIN { print 1000 * ($(sed -n 's/^"processor": //p' <<<"$json")) }")" "$passes" \
            "$(grep -o '"verdict": *"[a-z]*"' <<<"$json" | head -n 1 | sed 's/.*"verdict": *"//; s/"//')" "$differs"
    done <<'TABLE'
MS non-blocking queue|ms_queue_paper|4|5|yes|Figure 4 without its free, which the paper's own table (Figure 5) leaves out; with it the next row
MS non-blocking queue, with free|figures/figure4|4|-|yes|Figure 4 as printed: its dequeue returns no value
MS non-blocking queue, with free and value|figures/figure4_value|4|-|yes|Figure 4, and the value that a dequeue returns
MS two-lock queue|twolock_queue|11|9|yes|our text: the paper prints none
DGLM non-blocking queue|dglm_queue|4|5|yes|our text: the paper prints none
Herlihy-Wing queue|herlihy_wing_queue|5|3|no|the paper's method gives up; ranks prove it here
Treiber's stack|treiber|5|3|yes|our text: the paper prints none
Elimination back-off stack|elimination|20|14|yes|our text: the paper prints none
Time-stamped stack|ts_stack|10|8|yes|our text: the paper prints none
HHLMSS lazy set|lazy_set|23|29|yes|our text: the paper prints none
VY CAS set|vy_cas_set|20|23|yes|our text: the paper prints none
VY DCAS set|vy_dcas_set|19|23|yes|our text: the paper prints none
ORVYY set|orvyy_set|15|19|yes|our text: Figure 12 is simplified
Pair snapshot|snapshot|5|3|yes|our text: the paper prints none
RDCSS|rdcss|5|4|yes|our text: the paper prints none
TABLE
}

# Puts the sections of build/papers.md, each from its heading on, in place of those that doc/papers.md has, and says there
# what was run.
write_tables() { # TABLES...
    python3 - build/papers.md doc/papers.md "$seconds" "$rows" "$wrong" "$unanswered" "$*" <<'SCRIPT'
import re, sys
def sections(text):
    pieces = re.split(r'(?m)^(?=##)', text)
    return pieces
def name(piece):
    return re.split(r'[:\n]', piece, 1)[0].rstrip() if piece.startswith('### ') else None
new = {name(p): p.rstrip() + '\n\n' for p in sections(open(sys.argv[1]).read()) if name(p)}
old = sections(open(sys.argv[2]).read())
missing = set(new) - {name(p) for p in old}
if missing:
    sys.exit('doc/papers.md has no section ' + ', '.join(sorted(missing)))
text = ''.join(new.get(name(p), p) if name(p) else p for p in old).rstrip() + '\n'
seconds, rows, wrong, unanswered, tables = sys.argv[3:]
run = r'The tables are of one run of all of it \(([^()]*)\)\.'
said = re.search(run, text)
if not said:
    sys.exit('doc/papers.md does not say what was run')
if tables == 'classes lineup comparison roundup cdsspec injections refine prove':
    said_now = f'`SECONDS_A_ROW={seconds} bench/papers.sh --write`, {rows} rows, {wrong} with another verdict than the paper\'s, {unanswered} not answered: their last column says why'
else:
    whole, _, again = said[1].partition('; made again since: ')
    said_now = whole + '; made again since: ' + ', '.join(sorted({*filter(None, again.split(', ')), *tables.split()}))
text = re.sub(run, lambda _: f'The tables are of one run of all of it ({said_now}).', text)
open(sys.argv[2], 'w').write(text)
SCRIPT
}

write=
[ "${1:-}" != --write ] || { write=1; shift; }
[ $# -gt 0 ] || set -- classes lineup comparison roundup cdsspec injections refine prove
for what in "$@"; do
    case $what in
    classes | lineup | comparison | roundup | cdsspec | injections | refine | prove) ;;
    *) sed -n 2,9p "$0"; exit 2 ;;
    esac
done
for what in "$@"; do $what; done >build/papers.md
cat build/papers.md
[ -z "$write" ] || write_tables "$@"
echo
echo "$rows rows; $wrong with another verdict than the paper's, $unanswered not answered."
