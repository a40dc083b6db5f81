# Shares (--shard=I/N) and `heddle merge`: any division gives the counts of the whole; parts that do not fit
# together are refused. HEDDLE_NIGHTLY=1: every row of the oracle, 2 to 16 shares.
# builds: kept with oracle
[ -x build/heddle ] || { echo "skip shards: build/heddle is not there"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
say() { if [ "$1" = 0 ]; then echo "ok $2"; else echo "FAIL $2: $3"; fi; }
field() { awk -v keys="$1" -f tests/json.awk; }
keys="verdict violation exhaustive executions blocked stuck cut histories revisits restarts promoted tests serial_runs coverage"
heddle() { build/heddle "$@" --quiet --no-record --json; }
parts() { # $1: how many; the rest: the command
    local shares=$1 i
    shift
    rm -f "$work"/p.*
    for ((i = 1; i <= shares; i++)); do heddle "$@" --shard=$i/"$shares" --journal="$work/p.$i" >"$work/out" 2>&1; done
}
shares() {
    local count=$1 one two
    shift
    one=$(heddle "$@" 2>&1 | field "$keys")
    parts "$count" "$@"
    two=$(build/heddle merge --json "$work"/p.* 2>&1)
    [ "$one" = "$(field "$keys" <<<"$two")" ]; say $? "shards: $count of $*" "$one as a whole, merged $two"
}
oracle=tests/oracle
shares 2 run --no-reductions -DP=2 -DQ=2 $oracle/treiber.c
shares 7 run --model=sc -DP=2 -DQ=2 $oracle/treiber.c
shares 3 run -DWRITES -DN=4 tests/programs/waiting/barrier.c # shares know who arrives (explore/reduce/waiting/arrivals.h)
# confirming reads: treiber is divided, msqueue turns out not to be divisible
export HEDDLE_DEBUG=eager-confirm,learning=100
shares 3 run -DP=4 -DQ=3 $oracle/treiber.c
shares 2 run --model=tso -DP=2 -DQ=3 $oracle/msqueue.c
unset HEDDLE_DEBUG
shares 3 run --model=sc --no-reductions $oracle/mixed/m033.c
shares 3 run -DN=2 --loop-bound=8 --no-reductions $oracle/ticket.c # executions that are given up
shares 2 run --jobs=2 --no-reductions -DP=3 -DQ=2 $oracle/treiber.c
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    got=$(HEDDLE=tests/divided.sh HEDDLE_SEED=${HEDDLE_SEED:-$RANDOM} tests/oracle.sh); say $? "shards: every row of the oracle" "$got"
fi

# --- a check: tests are shared out
keys=${keys/ restarts/}
shares 3 check --shape=2x2 corpus/classics/treiber_stack.c
shares 4 check --jobs=2 --shape=2x3 --samples=12 corpus/classics/treiber_stack.c
parts 3 check --shape=2x2 examples/queue_check.c
got=$(build/heddle merge --json "$work"/p.* | field "verdict violation"); [ "$got" = "violated	linearizability" ]
say $? "merge: a violation of a check" "$got"

# --- refused: missing, twice, of another exploration, not done
parts 3 run --no-reductions -DP=2 -DQ=2 $oracle/treiber.c
got=$(build/heddle merge "$work"/p.[13] 2>&1); [ $? = 2 ] && grep -q "share 2 of 3 is missing" <<<"$got"
say $? "merge: a missing part" "$got"
got=$(build/heddle merge "$work"/p.[123] "$work/p.2" 2>&1); [ $? = 2 ] && grep -q "are both share 2 of 3" <<<"$got"
say $? "merge: a part twice" "$got"
rm "$work/p.2"
heddle run --no-reductions -DP=2 -DQ=2 --model=sc --shard=2/3 --journal="$work/p.2" $oracle/treiber.c >/dev/null 2>&1
got=$(build/heddle merge "$work"/p.* 2>&1); [ $? = 2 ] && grep -q "different explorations: model" <<<"$got"
say $? "merge: a part of another exploration" "$got"
rm "$work/p.2"
HEDDLE_DEBUG=stop-after=300 heddle run --no-reductions -DP=2 -DQ=2 --shard=2/3 --journal="$work/p.2" $oracle/treiber.c >/dev/null 2>&1
got=$(HEDDLE_DEBUG=stop-after=3 heddle run --no-reductions -DP=2 -DQ=2 --shard=2/3 --journal="$work/p.2" $oracle/treiber.c 2>&1)
merged=$(build/heddle merge --json "$work"/p.* | field "verdict executions")
[ "$merged" = "holds	164" ]; say $? "merge: a share that was done in two sessions" "$merged: $got"
rm "$work/p.2"
HEDDLE_DEBUG=stop-after=3 heddle run --no-reductions -DP=2 -DQ=2 --shard=2/3 --journal="$work/p.2" $oracle/treiber.c >/dev/null 2>&1
got=$(build/heddle merge "$work"/p.* 2>&1); [ $? = 3 ] && grep -q "share 2 .* is not done" <<<"$got"
say $? "merge: a part that is not done" "$got"
# a share that was written on its way, and others that were over before the first time
parts 3 run --no-reductions -DN=6 $oracle/ainc.c
rm "$work/p.2"
HEDDLE_DEBUG=journal-ms=0 heddle run --no-reductions -DN=6 --shard=2/3 --journal="$work/p.2" $oracle/ainc.c >/dev/null
got=$(build/heddle merge --json "$work"/p.* 2>&1); [ "$(field "verdict executions" <<<"$got")" = "holds	720" ]
say $? "merge: quick shares and a slow one" "$got"
# the environment, as far as the program names it
# two threads with N increments each: their interleavings, (2N)! / N!^2
environment=tests/programs/correct/environment.c
rm -f "$work"/p.*
ROUNDS=4 heddle run --no-reductions --shard=1/2 --journal="$work/p.1" $environment >/dev/null
ROUNDS=3 heddle run --no-reductions --shard=2/2 --journal="$work/p.2" $environment >/dev/null
got=$(build/heddle merge "$work"/p.* 2>&1); [ $? = 2 ] && grep -q "different explorations: environment variable ROUNDS: " <<<"$got"
say $? "merge: another environment" "$got"
ROUNDS=4 HEDDLE_DEBUG=stop-after=10 heddle run --no-reductions --journal="$work/j" $environment >/dev/null
got=$(ROUNDS=3 heddle run --no-reductions --journal="$work/j" $environment 2>&1); [ $? = 2 ] && grep -q "another exploration: environment variable ROUNDS: " <<<"$got"
say $? "journal: another environment" "$got"
got=$(heddle run --no-reductions --journal="$work/j" $environment 2>&1); [ $? = 2 ] && grep -q "environment variable ROUNDS: it is set only there" <<<"$got"
say $? "journal: a variable that is not set any more" "$got"
got=$(OTHERS=x ROUNDS=4 heddle run --no-reductions --journal="$work/j" $environment | field "verdict executions"); [ "$got" = "holds	70" ]
say $? "journal: a variable that the program does not name" "$got"

# --- a violation in one share is one of the whole
parts 3 run -DN=2 tests/programs/wrong/deadlock_philosophers.c
got=$(build/heddle merge --json "$work"/p.* | field "verdict violation"); [ "$got" = "violated	deadlock" ]
say $? "merge: a violation" "$got"

# --- history: logs are shared out, and parts of them are written down
logs=$work/logs
mkdir "$logs"
call() { echo "{\"process\":$1,\"type\":\"call\",\"op\":\"$2\",\"args\":[$3]}"; }
ret() { echo "{\"process\":$1,\"type\":\"return\",\"result\":$2}"; }
for i in $(seq 40); do # right, whatever I is: two elements are put in beside each other, and one is taken
    { call 0 enq "$i"; call 1 enq $((i + 1)); ret 1 null; ret 0 null; call 0 deq ""; ret 0 $((i + i % 2)); } >"$logs/$i.jsonl"
done
history() { build/heddle history --spec=fifo --quiet --json "$@" "$logs"/*.jsonl | tr ',' '\n' | grep -v 'seconds"\|peak_rss'; }
histories() { # how many shares
    local i
    rm -f "$work"/p.*
    for ((i = 1; i <= $1; i++)); do history --shard=$i/"$1" --journal="$work/p.$i" >/dev/null; done
    build/heddle merge --json "$work"/p.* 2>&1 | field "verdict violation histories"
}
got="$(histories 3) $(histories 16)"; [ "$got" = "holds	-	40 holds	-	40" ]; say $? "shards: history of 40 logs" "$got"
one=$(history)
history --journal="$work/h" --time=1ms >/dev/null 2>&1 # stopped, or not
history --journal="$work/h" >/dev/null
two=$(history --journal="$work/h")
[ "$one" = "$two" ] && [ "$(grep -c '"holds"' <<<"$two")" = 41 ]; say $? "journal: history of 40 logs" "$one without, $two with a journal"
{ call 0 enq 1; ret 0 null; call 0 deq ""; ret 0 2; } >"$logs/7.jsonl"
got=$(history --journal="$work/h" 2>&1); grep -q "another exploration: the logs have changed" <<<"$got"; say $? "journal: history, a log has changed" "$got"
got=$(histories 5); [ "$got" = "violated	linearizability	40" ]; say $? "shards: history, one log is wrong" "$got"
