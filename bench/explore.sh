#!/usr/bin/env bash
# Exploration: executions a second and microseconds an execution, by CPU time of the exploration alone
# (compiler and linker apart), race detection on, best of several runs, beside GenMC 0.11 on the same
# kind of machine. First every consistent graph (--no-reductions), then with waiting loops merged; bench/waste.sh has
# more rows of these.
set -u
cd "$(dirname "$0")/.." || exit 2
runs=${HEDDLE_BENCH_RUNS:-5}
value() { sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p" <<<"$2"; }
best() { # arguments of heddle run; prints executions, blocked, least CPU seconds, peak kB, estimate
    local least="" out cpu estimate error
    for _ in $(seq "$runs"); do
        out=$(build/heddle run --json --no-record --jobs=1 "$@") || return 1
        cpu=$(value cpu_seconds "$out")
        if [ -z "$least" ] || awk "BEGIN{exit !($cpu < $least)}"; then least=$cpu; fi
    done
    echo -n "$(value executions "$out") $(value blocked "$out") $least $(value peak_rss_kb "$out") "
    if [ -z "$(value estimate "$out")" ]; then
        out=$(HEDDLE_DEBUG=looks=always build/heddle run --json --no-record --jobs=1 "$@") || return 1
    fi
    estimate=$(value estimate "$out") error=$(value estimate_error "$out")
    [ -n "$estimate" ] && printf '%.0f+-%.0f\n' "$estimate" "$error" || echo -
}
# waste: blocked graphs for each complete one; estimate: of the number of executions, with its standard error,
# for searches that are over before the first look by looks from the first leaf on
printf '%-26s %10s %18s %7s %12s %9s %8s %8s %8s\n' program executions estimate waste 'a second' 'us each' target peer 'peak MB'
while read -r program defines target peer; do
    # shellcheck disable=SC2086
    read -r n b cpu kb estimate < <(best --no-reductions -O1 "tests/oracle/$program" ${defines//,/ })
    awk -v p="$program ${defines//,/ }" -v n="$n" -v c="$cpu" -v t="$target" -v g="$peer" -v k="$kb" \
        -v e="$estimate" -v b="$b" 'BEGIN{printf "%-26s %10d %18s %7.2f %12.0f %9.3f %8s %8s %8.1f\n",
            p, n, e, b / n, n / c, c * 1e6 / n, t, g, k / 1024}'
done <<'ROWS'
readers.c -DN=18 0.5 54
ainc.c -DN=8 2.3 125
fib.c -DN=6 0.8 111
treiber.c -DP=3,-DQ=2 0.8 69
treiber.c -DP=4,-DQ=2 0.8 -
msqueue.c -DP=2,-DQ=2 1.0 104
msqueue.c -DP=2,-DQ=3 1.0 -
seqlock.c -DN=4 0.25 23
corr.c -DN=7 0.2 18
ROWS
echo
printf '%-32s %5s %10s %18s %10s %7s %9s %8s %8s\n' 'with reductions' level complete estimate blocked waste 'CPU s' target 'peer s'
while read -r program defines level target peer; do
    # shellcheck disable=SC2086
    read -r n b cpu _ estimate < <(runs=2 best "$level" "tests/$program" ${defines//,/ })
    printf '%-32s %5s %10s %18s %10s %7.2f %9.3f %8s %8s\n' "${program##*/} ${defines//,/ }" "$level" "$n" "$estimate" "$b" \
        "$(awk "BEGIN{print $b / $n}")" "$cpu" "$target" "$peer"
done <<'ROWS'
oracle/treiber.c -DP=4,-DQ=3 -O0 0.02 12
oracle/treiber.c -DP=4,-DQ=3 -O1 0.02 12
oracle/msqueue.c -DP=3,-DQ=3 -O0 0.15 37
oracle/msqueue.c -DP=3,-DQ=3 -O1 0.15 37
oracle/msqueue.c -DP=2,-DQ=3 -O0 - -
oracle/ticket.c -DN=6 -O0 - -
oracle/ttas.c -DN=4 -O0 - -
programs/waiting/mcs.c -DN=3 -O0 - -
programs/waiting/drepper.c -DN=3 -O0 - -
programs/waiting/seqlock_retry.c -DN=4 -O0 - -
oracle/mutex.c -DN=6 -O0 - -
ROWS
echo
# the least of alternating runs, since others may use the machine. `at most': the factor that the machine has for two
# searches at a time that have nothing to do with each other
both() { # arguments of heddle; prints seconds by the clock with one process, with two, and of two commands with one each
    local pair
    for _ in $(seq "$runs"); do
        for jobs in 1 2; do echo "$jobs $(value seconds "$(build/heddle "$@" --jobs=$jobs)")"; done
        pair=$(value seconds "$(build/heddle "$@" --jobs=1)" & value seconds "$(build/heddle "$@" --jobs=1)"; wait)
        echo "3 $(sort -g <<<"$pair" | tail -n 1)"
    done | sort -k1,1n -k2,2g | awk '!seen[$1]++ { printf "%s ", $2 } END { print "" }'
}
printf '%-26s %12s %12s %8s %8s %8s\n' 'processes, wall clock' one two factor target 'at most'
while read -r program defines target; do
    # shellcheck disable=SC2086
    read -r one two apart < <(both run --json --no-record --quiet --no-reductions -O1 "tests/oracle/$program" ${defines//,/ })
    printf '%-26s %10.2f s %10.2f s %8.2f %8s %8.2f\n' "$program ${defines//,/ }" "$one" "$two" \
        "$(awk "BEGIN{print $one / $two}")" "$target" "$(awk "BEGIN{print 2 * $one / $apart}")"
done <<'ROWS'
ainc.c -DN=10 1.9
corr.c -DN=9 1.9
readers.c -DN=24 1.9
fib.c -DN=8 1.9
msqueue.c -DP=2,-DQ=3 1.9
ROWS
echo
# random schedules of a small program, with the checks that an exploration makes
out=$(build/heddle run --json --no-record --quiet --jobs=1 --schedules=1000000 -O1 tests/oracle/sb.c)
printf '%s sampled schedules of sb.c: %.2f s of CPU (target 1.0)\n' "$(value executions "$out")" "$(value cpu_seconds "$out")"
echo
# linearizability: Herlihy and Wing's queue as GenMC's tests of Relinche have it, N threads that enqueue and N that
# dequeue; threads of a kind are interchangeable for both (the peer's count for 4x4 is 56,160, in 14.9 s)
printf '%-26s %10s %10s %8s %8s %8s\n' 'hw-queue, check' histories blocked 's, one' 's, two' target
for n in 2 3 4; do
    test=$(for ((i = 0; i < n; i++)); do printf 'enqueue(1) | '; done; for ((i = 1; i < n; i++)); do printf 'dequeue() | '; done)'dequeue()'
    set -- --json --no-record --quiet -O1 -DLOOK_FIRST -DSWAP_ORDER=memory_order_acq_rel --scenario="$test" corpus/classics/herlihy_wing_queue.c
    out=$(build/heddle check --jobs=1 "$@")
    read -r one two _ < <(both check "$@")
    printf '%-26s %10d %10d %8.2f %8.2f %8s\n' "${n}x$n" "$(value histories "$out")" "$(value blocked "$out")" "$one" "$two" \
        "$([ $n = 4 ] && echo 1.0 || echo -)"
done
