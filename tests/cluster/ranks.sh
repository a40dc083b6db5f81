#!/usr/bin/env bash
# Ranks of an MPI job explore together: the counts and answers of one process, also after ranks were killed.
# usage: tests/cluster/ranks.sh LAUNCHER...   each a command that takes `-n RANKS PROGRAM', such as
#   "mpirun.mpich" "mpirun.openmpi --allow-run-as-root --oversubscribe" "srun --mpi=pmix -N2" "srun --mpi=pmi2 -N2"
# A launcher is killed in the end: Open MPI's, with PMIx 4, may wait for its own thread for ever when the job is over.
# HEDDLE_NIGHTLY=1: more programs, 2, 4 and 8 ranks, and more kills.
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
say() { if [ "$1" = 0 ]; then echo "ok $2"; else echo "FAIL $2: $3"; fi; }
field() { awk -v keys="$1" -f tests/json.awk; }
keys="verdict violation exhaustive executions blocked stuck cut histories revisits promoted tests serial_runs coverage"
oracle=tests/oracle
numbers="2 4"
programs=("run --no-reductions -DP=3 -DQ=2 $oracle/treiber.c" "run --no-reductions -DP=2 -DQ=2 --model=tso $oracle/treiber.c"
    "run --model=sc tests/programs/correct/peterson_plain_sc.c" "run tests/programs/correct/stack_shared.c"
    "run --model=sc --no-reductions $oracle/mixed/m033.c" "check --shape=2x2 corpus/classics/treiber_stack.c")
kills=2
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    numbers="2 4 8" kills=12
    programs+=("run --no-reductions -DP=3 -DQ=3 $oracle/treiber.c" "run --no-reductions -DP=2 -DQ=2 $oracle/msqueue.c"
        "run -DN=2 --loop-bound=8 --no-reductions $oracle/ticket.c"
        "check --shape=2x3 --samples=30 corpus/classics/treiber_stack.c" "check --model=sc --shape=2x2 corpus/classics/michael_scott_queue.c"
        "check --shape=3x1 corpus/classics/striped_map.c")
fi

# a rank is killed, again and again: the job ends, the journal goes on, with another number of ranks; ${long[@]} is explored
kill_ranks() {
    one=$(build/heddle "${long[@]}" --quiet --json 2>/dev/null | field "$keys")
    journal=$work/journal count=0 killed=0 n=2
    while [ $count -lt $((3 * kills + 6)) ]; do
        count=$((count + 1)) n=$((count % 3 + 2))
        # shellcheck disable=SC2086
        HEDDLE_DEBUG=journal-ms=20 timeout -k 2 120 $launcher -n $n build/heddle "${long[@]}" \
            --journal="$journal" --quiet --json >"$work/out" 2>/dev/null </dev/null &
        job=$!
        if [ $killed -lt $kills ]; then
            # once it explores; the journal of an earlier job is older than this one
            for _ in $(seq 500); do
                [ "$journal" -nt "$work/out" ] && break
                sleep 0.01
            done
            sleep "0.0$((RANDOM % 9))"
            # a rank, not the launcher, which has the same words in its command line, nor a keeper
            victim=$(for pid in $(pgrep -f "heddle (run|check) .*--journal=$journal"); do
                [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = heddle ] && echo "$pid"
            done | shuf -n1)
            [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null && killed=$((killed + 1))
        fi
        wait $job 2>/dev/null
        if [ "$(field verdict <"$work/out" 2>/dev/null)" = holds ]; then
            [ $killed -gt 0 ] && break
            rm -f "$journal" # it was done before anybody was killed: once more
        fi
    done
    two=$(field "$keys" <"$work/out")
    [ "$one" = "$two" ] && [ $killed -gt 0 ]; say $? "ranks: $name: $killed ranks killed in $count jobs" "$one alone, $two"
    rm -f "$journal"
}

# the launcher is killed with all that it has started but the ranks: these end by themselves, whatever they are at
kill_launcher() { # $1: after so many seconds
    local ranks parents left=some
    # shellcheck disable=SC2086
    $launcher -n 3 build/heddle run --no-reductions -DP=3 -DQ=2 --quiet --journal="$work/left" "$oracle/msqueue.c" >/dev/null 2>&1 </dev/null &
    sleep "$1"
    for _ in $(seq 100); do
        ranks=$(pgrep -f "^build/heddle run .*--journal=$work/left" | tr '\n' ' ')
        [ "$(wc -w <<<"$ranks")" -ge 3 ] && break
        sleep 0.05
    done
    # shellcheck disable=SC2086
    parents=$(ps -o ppid= -p "$(tr ' ' ',' <<<"${ranks% }")" | sort -u)
    # shellcheck disable=SC2086
    kill -9 $! $parents
    for _ in $(seq 100); do
        left=$(pgrep -f "^build/heddle run .*--journal=$work/left")
        [ -z "$left" ] && break
        sleep 0.05
    done
    [ -n "${ranks// /}" ] && [ -z "$left" ]; say $? "ranks: $name: the launcher was killed after $1 s" "of $ranks, $left go on"
    # shellcheck disable=SC2086
    [ -z "$left" ] || kill -9 $left
    rm -f "$work/left"
}

for launcher in "$@"; do
    name=${launcher%% *}
    case $launcher in mpirun*) kill_launcher 0; kill_launcher 0.7 ;; esac 2>/dev/null
    for program in "${programs[@]}"; do
        # shellcheck disable=SC2086
        one=$(build/heddle $program --quiet --no-record --json 2>/dev/null | field "$keys")
        for n in $numbers; do
            # shellcheck disable=SC2086
            two=$(timeout -k 2 120 $launcher -n "$n" build/heddle $program --quiet --no-record --json 2>"$work/errors" </dev/null | field "$keys")
            [ "$one" = "$two" ]; say $? "ranks: $name -n $n: $program" "$one alone, $two together: $(head -c 500 "$work/errors")"
        done
    done
    # a violation anywhere ends all, and is confirmed
    # shellcheck disable=SC2086
    got=$(timeout -k 2 20 $launcher -n 3 build/heddle run --quiet --no-record --json tests/programs/wrong/deadlock_philosophers.c 2>/dev/null </dev/null |
        field "verdict violation")
    [ "$got" = "violated	deadlock" ]; say $? "ranks: $name: a violation" "$got"
    # the program has the environment of rank 0 everywhere: N increments of two threads, (2N)! / N!^2 orders
    # shellcheck disable=SC2086,SC2016
    got=$(timeout -k 2 60 $launcher -n 3 bash -c '
        ROUNDS=$((9 - ${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${PMIX_RANK:-$SLURM_PROCID}}})) exec build/heddle run --no-reductions --quiet --no-record --json "$0"' \
        tests/programs/correct/environment.c 2>/dev/null </dev/null | field "verdict executions")
    [ "$got" = "holds	48620" ]; say $? "ranks: $name: the environment of rank 0" "$got"
    # an option that does not exist is named once
    # shellcheck disable=SC2086
    got=$(timeout -k 2 20 $launcher -n 3 build/heddle run --nonsense x.c 2>&1 </dev/null | grep -c "unrecognized option")
    [ "$got" = 1 ]; say $? "ranks: $name: a wrong option" "it is named $got times"
    # shellcheck disable=SC2086
    got=$(timeout -k 2 20 $launcher -n 3 build/heddle check --shape=2x2 --quiet --no-record --json examples/queue_check.c 2>/dev/null </dev/null |
        field "verdict violation")
    [ "$got" = "violated	linearizability" ]; say $? "ranks: $name: a violation of a check" "$got"
    long=(run --no-reductions -DP=3 -DQ=3 "$oracle/treiber.c")
    [ -n "${HEDDLE_NIGHTLY:-}" ] && long=(run --no-reductions -DP=3 -DQ=2 "$oracle/msqueue.c")
    kill_ranks
    # confirming reads: the search is divided early, and by chance (learning), and not at all if something new comes up
    one=$(HEDDLE_DEBUG=learning=700 build/heddle run -DP=4 -DQ=3 "$oracle/treiber.c" --quiet --no-record --json 2>/dev/null | field "$keys")
    # shellcheck disable=SC2086
    two=$(HEDDLE_DEBUG=learning=700 timeout -k 2 120 $launcher -n 3 build/heddle run -DP=4 -DQ=3 "$oracle/treiber.c" --quiet --no-record --json \
        2>"$work/errors" </dev/null | field "$keys")
    [[ $one == holds* ]] && [ "$one" = "$two" ]; say $? "ranks: $name: confirming reads" "$one alone, $two together: $(head -c 500 "$work/errors")"
    [ -z "${HEDDLE_NIGHTLY:-}" ] && continue
    # many small units, some cut between the read and the write of an RMW
    for program in "run -DP=4 -DQ=3 $oracle/treiber.c" "run -DP=3 -DQ=3 $oracle/msqueue.c"; do
        # shellcheck disable=SC2086
        one=$(build/heddle $program --quiet --no-record --json 2>/dev/null | field "$keys")
        for n in 2 4 8 8 8; do
            # shellcheck disable=SC2086
            two=$(timeout -k 2 120 $launcher -n $n build/heddle $program --quiet --no-record --json 2>"$work/errors" </dev/null | field "$keys")
            [ "$one" = "$two" ]; say $? "ranks: $name -n $n: $program" "$one alone, $two together: $(head -c 500 "$work/errors")"
        done
    done
    long=(check --shape=2x3 --samples=100 corpus/classics/treiber_stack.c)
    kill_ranks
    got=$(HEDDLE=tests/divided.sh LAUNCHER=$launcher HEDDLE_SEED=${HEDDLE_SEED:-$RANDOM} tests/oracle.sh); say $? "ranks: $name: every row of the oracle" "$got"
done
