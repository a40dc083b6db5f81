#!/usr/bin/env bash
# The rows of Tables II, III and V of the Round-Up paper: its verdict and seconds (phases 1 and 2), ours with executions
# and CPU seconds of exploration (all executions, for the random choices that --rand allows), the seconds with compiling, and the seconds that
# the paper's method needs for the checks alone when written in C (bench/roundup_twin.c), for as many histories as the
# paper had. One core. Then histories on which the paper's method takes more than a second, if there were such tests.
set -eu
cd "$(dirname "$0")/.."
make -s -j"$(nproc)" unit
twin=build/roundup_twin
${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -Isrc -Iinclude -Itests/unit -o $twin bench/roundup_twin.c \
    build/tool.a -lz

A='enq(1) enq(2) / enq(3) deq() | enq(4) deq() / deq() deq()'
B='enq(1) enq(2) / enq(3) deq() enq(4) | deq() enq(5) deq() / deq() deq()'
C='enq(1) / enq(2) deq() | enq(3) deq() enq(4) / deq() deq()'
D='enq(1) / enq(2) deq() enq(3) | deq() enq(4) deq() / deq()'
E='/ enq(1) enq(2) deq() | enq(3) enq(4) deq() deq() / deq()'
F='enq(1) enq(2) deq() deq() | enq(3) deq() enq(4) deq()'
P=${A//deq/deqmin}
S=${A//enq/push}; S=${S//deq/pop}
ED='enq(1) enq(2) enq(3) enq(4) enq(5) enq(6) / enq(7) | deq() / deq() deq() deq() deq() deq() deq()'
EE='enq(1) enq(2) enq(3) enq(4) enq(5) / enq(6) | enq(7) / deq() deq() deq() deq() deq() deq() deq()'
DD='enq(1) enq(2) enq(3) enq(4) enq(5) enq(6) enq(7) / deq() | deq() / deq() deq() deq() deq() deq()'
stack() { local s=${1//enq/push}; echo "${s//deq/pop}"; }
K='push(1) push(2) push(3) push(4) push(5) push(6) pop() pop() / push(7) | pop() / pop() pop() pop() pop()'

total=0; wall=0; twins=0; wrong=0; rows=0
row() { # table, name, test, paper's verdict, its histories, its seconds, twin's model and factor, folder, scenario, arguments
    local table=$1 name=$2 test=$3 paper=$4 histories=$5 paper_seconds=$6 model=$7 factor=$8 folder=$9 scenario=${10}; shift 10
    local start json verdict executions seconds shape slow
    start=$(date +%s.%N)
    json=$(cd "corpus/$folder" && timeout 120 ../../build/heddle check --model=sc --json --quiet --no-record --scenario="$scenario" "$@") || true # 1: violated
    local elapsed; elapsed=$(awk "BEGIN { print $(date +%s.%N) - $start }")
    verdict=$(sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' <<<"$json")
    executions=$(sed -n 's/.*"executions": \([0-9]*\).*/\1/p' <<<"$json")
    seconds=$(sed -n 's/.*"seconds": \([0-9.e-]*\), "cpu_seconds.*/\1/p' <<<"$json")
    local cpu; cpu=$(sed -n 's/.*"cpu_seconds": \([0-9.e-]*\).*/\1/p' <<<"$json") # the clock is of no use on a busy machine
    seconds=$(awk "BEGIN { print ($cpu > 0) ? $cpu : $seconds }")
    shape=$(sed -E 's/(enq|push)\([0-9]\)/p/g; s/(deq|pop|deqmin|take)\(\)/t/g; s/ //g' <<<"$scenario")
    case $shape in */*) ;; *) shape="/$shape/" ;; esac
    slow=$($twin "$model" "$factor" "$histories" "$shape" | cut -d' ' -f4)
    local mark=""; [ "$verdict" = "$paper" ] || { mark="  <-- differs"; wrong=$((wrong + 1)); }
    printf '%-4s %-24s %-8s %-9s %8s s   %-9s %7s executions %8.4f s  %6.2f s with compiling  %8.4f s by its method%s\n' \
        "$table" "$name" "$test" "$paper" "$paper_seconds" "$verdict" "$executions" "$seconds" "$elapsed" "$slow" "$mark"
    total=$(awk "BEGIN { print $total + $seconds }"); wall=$(awk "BEGIN { print $wall + $elapsed }")
    twins=$(awk "BEGIN { print $twins + $slow }"); rows=$((rows + 1))
}
queue=segment_queue_check.c
row II IQueue '2*2+0' violated 6 0.4 fifo 0 roundup 'enq(1) deq() | enq(2) deq()' iqueue_check.c
row II 'Herlihy/Wing queue' '2*2+0' holds 4 0.3 fifo 0 roundup 'enq(1) take() | enq(2) take()' herlihy_wing_queue_check.c
row II 'Quasi Queue' '2*2+4' violated 16 2.7 fifo 0 roundup "$A" $queue
row II 'Quasi Queue' '3*3+4' violated 64 44.8 fifo 0 roundup "$B" $queue
row II 'Quasi Queue' '2*3+3' violated 32 8.7 fifo 0 roundup "$C" $queue
row II 'Quasi Queue' '3*3+2' violated 118 83.8 fifo 0 roundup "$D" $queue
row II 'Quasi Queue' '3*4+1' violated 198 309.6 fifo 0 roundup "$E" $queue
row II 'Quasi Queue' '4*4+0' violated 476 2256.6 fifo 0 roundup "$F" $queue
row II 'Quasi Queue b1' '2*2+4' violated 91 18.1 fifo 0 roundup "$A" -DFAR $queue
row II 'Quasi Queue b2' '2*2+4' violated 91 18.4 fifo 0 roundup "$A" -DTWICE $queue
row II 'Quasi Queue b3' '2*2+4' violated 141 27.2 fifo 0 roundup "$A" -DGIVES_UP $queue
row II 'Quasi Stack b1' '2*2+4' violated 9 1.9 lifo 0 roundup "$S" -DGIVES_UP marked_stack_check.c
row II 'Quasi Stack b2' '2*2+4' violated 16 2.8 lifo 0 roundup "$S" -DFAR marked_stack_check.c
row II 'Quasi Stack' '2*2+4' holds 16 2.8 lifo 0 roundup "$S" marked_stack_check.c
row II 'Quasi Priority Queue' '2*2+4' violated 16 5.4 priority-queue 0 roundup "$P" priority_queue_check.c
row II 'Quasi Priority Queue b2' '2*2+4' violated 125 27.5 priority-queue 0 roundup "$P" -DFAR priority_queue_check.c

row III 'Quasi Queue' '2*2+4' holds 16 3.1 fifo 2 roundup "$A" --quasi=deq:2 $queue
row III 'Quasi Queue' '3*3+4' holds 64 334.1 fifo 2 roundup "$B" --quasi=deq:2 $queue
row III 'Quasi Queue' '2*3+3' holds 32 10 fifo 2 roundup "$C" --quasi=deq:2 $queue
row III 'Quasi Queue' '3*3+2' holds 118 94.8 fifo 2 roundup "$D" --quasi=deq:2 $queue
row III 'Quasi Queue' '3*4+1' holds 198 341.6 fifo 2 roundup "$E" --quasi=deq:2 $queue
row III 'Quasi Queue' '4*4+0' holds 476 2458.6 fifo 2 roundup "$F" --quasi=deq:2 $queue
row III 'Quasi Queue (qfactor=3)' '2*3+3' holds 32 15.3 fifo 3 roundup "$C" --quasi=deq:3 -DK=3 $queue
row III 'Quasi Queue (qfactor=3)' '3*3+2' holds 118 156.8 fifo 3 roundup "$D" --quasi=deq:3 -DK=3 $queue
row III 'Quasi Queue (qfactor=3)' '3*4+1' holds 198 616.6 fifo 3 roundup "$E" --quasi=deq:3 -DK=3 $queue
row III 'Quasi Queue (qfactor=3)' '4*4+0' holds 476 4174.6 fifo 3 roundup "$F" --quasi=deq:3 -DK=3 $queue
row III 'Quasi Queue b1' '2*2+4' violated 91 20.4 fifo 2 roundup "$A" --quasi=deq:2 -DFAR $queue
row III 'Quasi Queue b2' '2*2+4' violated 91 20.5 fifo 2 roundup "$A" --quasi=deq:2 -DTWICE $queue
row III 'Quasi Queue b3' '2*2+4' violated 141 31.3 fifo 2 roundup "$A" --quasi=deq:2 -DGIVES_UP $queue
row III 'Quasi Stack b1' '2*2+4' violated 9 3.8 lifo 2 roundup "$S" --quasi=pop:2 -DGIVES_UP marked_stack_check.c
row III 'Quasi Stack b2' '2*2+4' violated 16 3.1 lifo 2 roundup "$S" --quasi=pop:2 -DFAR marked_stack_check.c
row III 'Quasi Stack b3' '2*2+4' holds 16 3.1 lifo 2 roundup "$S" --quasi=pop:2 marked_stack_check.c
row III 'Quasi Priority Queue' '2*2+4' holds 16 5.2 priority-queue 2 roundup "$P" --quasi=deqmin:2 priority_queue_check.c
row III 'Quasi Priority Queue b2' '2*2+4' violated 125 20.5 priority-queue 2 roundup "$P" --quasi=deqmin:2 -DFAR priority_queue_check.c

row V 'sl-queue (enq+deq)' '1*1+12' holds 2 1.99 fifo 2 scal "$ED" --quasi=deq:2 sl_queue_check.c
row V 'sl-queue (enq+enq)' '1*1+12' violated 2 2.15 fifo 2 scal "$EE" --quasi=deq:2 sl_queue_check.c
row V 'sl-queue (deq+deq)' '1*1+12' violated 8 7.58 fifo 2 scal "$DD" --quasi=deq:2 sl_queue_check.c
row V 't-stack (push+pop)' '1*1+12' holds 8 8.35 lifo 2 scal "$(stack "$ED")" --quasi=pop:2 t_stack_check.c
row V 't-stack (push+push)' '1*1+12' holds 8 8.37 lifo 2 scal "$(stack "$EE")" --quasi=pop:2 t_stack_check.c
row V 't-stack (pop+pop)' '1*1+12' holds 8 8.19 lifo 2 scal "$(stack "$DD")" --quasi=pop:2 t_stack_check.c
row V 'ms-queue (enq+deq)' '1*1+12' holds 3 3.7 fifo 2 scal "$ED" --quasi=deq:2 ms_queue_check.c
row V 'ms-queue (enq+enq)' '1*1+12' holds 31 33.26 fifo 2 scal "$EE" --quasi=deq:2 ms_queue_check.c
row V 'ms-queue (deq+deq)' '1*1+12' holds 12 13.09 fifo 2 scal "$DD" --quasi=deq:2 ms_queue_check.c
row V 'rd-queue (enq+deq)' '1*1+12' holds 5 6.87 fifo 2 scal "$ED" --quasi=deq:2 --rand=3:1 rd_queue_check.c
row V 'rd-queue (enq+enq)' '1*1+12' holds 31 38.74 fifo 2 scal "$EE" --quasi=deq:2 --rand=3:1 rd_queue_check.c
row V 'rd-queue (deq+deq)' '1*1+12' holds 4 8.18 fifo 2 scal "$DD" --quasi=deq:2 --rand=3:1 rd_queue_check.c
row V 'bk-queue (enq+deq)' '1*1+12' holds 29 35.72 fifo 2 scal "$ED" --quasi=deq:2 --rand=3:1 bk_queue_check.c
row V 'bk-queue (enq+enq)' '1*1+12' holds 41 52.28 fifo 2 scal "$EE" --quasi=deq:2 --rand=3:1 bk_queue_check.c
row V 'bk-queue (deq+deq)' '1*1+12' holds 24 29.33 fifo 2 scal "$DD" --quasi=deq:2 --rand=3:1 bk_queue_check.c
row V 'ubk-queue (enq+deq)' '1*1+12' holds 21 38.13 fifo 2 scal "$ED" --quasi=deq:2 --rand=3:1 ubk_queue_check.c
row V 'ubk-queue (enq+enq)' '1*1+12' holds 41 63.8 fifo 2 scal "$EE" --quasi=deq:2 --rand=3:1 ubk_queue_check.c
row V 'ubk-queue (deq+deq)' '1*1+12' holds 52 70.05 fifo 2 scal "$DD" --quasi=deq:2 --rand=3:1 ubk_queue_check.c
row V 'k-stack (push+pop)' '1*1+12' violated 69 90.55 lifo 2 scal "$K" --quasi=pop:2 --rand=3:1 -DK=2 k_stack_check.c
row V 'k-stack (push+push)' '1*1+12' holds 12 16.82 lifo 2 scal "$(stack "$EE")" --quasi=pop:2 --rand=3:1 -DK=2 k_stack_check.c
row V 'k-stack (pop+pop)' '1*1+12' holds 8 11.08 lifo 2 scal "$(stack "$DD")" --quasi=pop:2 --rand=3:1 -DK=2 k_stack_check.c
echo "$rows rows, $wrong differ from the paper; together $total s (target 5 s), $wall s with compiling; the paper's method in C, checks alone: $twins s"
times >build/roundup_times
echo "user and system time of all that, compilers included: $(tail -n 1 build/roundup_times)"
[ $wrong = 0 ]

echo
echo "One history on which the paper's method takes longer:   sequentializations permutations hold  its seconds  ours"
for case in '3 1 pppppppppp/ttttt|ttttt/' '3 1 pppppppppppp/tttttt|tttttt/' '2 1 pppppppppppp/tttttt|tttttt/'; do
    # shellcheck disable=SC2086
    printf '  factor, histories, test: %-34s %s\n' "$case" "$($twin fifo $case)"
done
