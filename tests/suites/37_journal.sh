# Journals: an exploration (heddle run, check, refine) that is stopped or killed goes on to exactly the counts of one that was not. Journals
# of other explorations, damaged ones and those in use are refused. HEDDLE_NIGHTLY=1: hundreds of kills (tests/kills.sh).
# builds: kept with oracle
[ -x build/heddle ] || { echo "skip journal: build/heddle is not there"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
say() { if [ "$1" = 0 ]; then echo "ok $2"; else echo "FAIL $2: $3"; fi; }
field() { awk -v keys="$1" -f tests/json.awk; }
keys="verdict violation exhaustive executions blocked stuck cut histories revisits restarts promoted tests serial_runs coverage"
heddle() { build/heddle "$@" --quiet --no-record --json; }

# --- stopped every few leaves, until it is done
# $1: leaves; the rest: the command. least: how often it is stopped at least (1); all_stops adds up.
all_stops=0
stops() {
    local step=$1 one two got count=0 journal=$work/stops
    shift
    got=$(heddle "$@" 2>&1)
    one=$(field "$keys" <<<"$got")$(grep -o '[0-9]* of the sampled' <<<"$got")
    while [ $count -lt 1000 ]; do
        count=$((count + 1))
        got=$(HEDDLE_DEBUG=${HEDDLE_DEBUG:-},stop-after=$step heddle "$@" --journal="$journal" 2>&1)
        case $got in *"stopped before"*) ;; *) break ;; esac
    done
    two=$(field "$keys" <<<"$got")$(grep -o '[0-9]* of the sampled' <<<"$got")
    case $one in violated*) # the counts of making it small are no part of the search
        one=$(cut -f1,2 <<<"$one") two=$(cut -f1,2 <<<"$two") ;;
    esac
    rm -f "$journal"
    all_stops=$((all_stops + count - 1))
    [ $count -gt "${least:-1}" ] && [ "$one" = "$two" ]
    say $? "journal: $* stopped $((count - 1)) times" "$one without, $two with a journal"
}
oracle=tests/oracle
stops 31 run --no-reductions -DP=2 -DQ=2 $oracle/treiber.c
stops 3 run --model=tso -DN=2 $oracle/fib.c
stops 9 run --model=sc -DP=2 -DQ=2 $oracle/treiber.c
# confirming reads: what they learn is written down, too
HEDDLE_DEBUG=eager-confirm stops 30 run -DP=2 -DQ=2 $oracle/msqueue.c
stops 29 run --checkpoints=never -DP=2 -DQ=2 $oracle/treiber.c
stops 2 run --model=sc --no-reductions $oracle/mixed/m033.c
stops 4 run --model=sc tests/programs/correct/peterson_plain_sc.c
stops 4 run tests/programs/wrong/deadlock_philosophers.c
# more is learnt in a session that went on from a journal: what was counted before belongs to another tree
stops 3 run --races=ignore tests/programs/wrong/race_late.c
# what rounds look at that is used again (waiting/reused.h): otherwise it is learnt in each session, and none comes further
stops 3 run -O1 -DV=9 tests/found/variants/rounds_lead.c
# one session looks at what another one accesses atomically
stops 1 run -DV=30 tests/found/variants/rounds_lead.c
# random executions: the same ones are drawn, and of 10 different ones (as many as there are: see above) each is known again
stops 40 run --races=ignore --schedules=3000 tests/programs/wrong/race_late.c
stops 90 run --sampler=pct --schedules=4000 -DP=2 -DQ=2 $oracle/treiber.c
got=$(heddle run --races=ignore --schedules=3000 tests/programs/wrong/race_late.c)
grep -q '"10 of the sampled executions are different"' <<<"$got"; say $? "samples: of a program with 10 executions 10 are different" "$got"
# an exploration without any choice, stopped at its only leaf
echo 'int main(void) { return 0; }' >"$work/one.c"
HEDDLE_DEBUG=stop-after=1 heddle run --journal="$work/stops" "$work/one.c" >/dev/null 2>&1
got=$(heddle run --journal="$work/stops" "$work/one.c" | field "verdict executions"); rm -f "$work/stops"
[ "$got" = "holds	1" ]; say $? "journal: one execution is counted once" "$got"
HEDDLE_DEBUG=eager-workers stops 60 run --jobs=3 --no-reductions -DP=2 -DQ=2 $oracle/treiber.c
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    for model in rc11 sc tso; do
        for step in 1 7; do
            stops $step run --model=$model --no-reductions -DP=2 -DQ=2 $oracle/treiber.c
            stops $step run --model=$model -DP=2 -DQ=2 $oracle/treiber.c
            stops $step run --model=$model -DN=3 $oracle/fib.c
        done
        for program in "$oracle"/mixed/m0[0-4]?.c; do # stopped some ten times each
            executions=$(heddle run --model=$model --no-reductions "$program" | field executions)
            [ "$executions" -gt 1 ] && stops $((executions / 10 + 1)) run --model=$model --no-reductions "$program"
        done
    done
fi

# --- killed: the tool, the program under test, both at once
# $1: what is killed; $2: after how many seconds; the rest: the command
kills() {
    local what=$1 pause=$2 one two got count=0 journal=$work/kills tool program
    shift 2
    one=$(heddle "$@" 2>&1 | field "$keys")
    while [ $count -lt 40 ]; do
        touch "$work/started"
        HEDDLE_DEBUG=journal-ms=20 setsid build/heddle "$@" --quiet --no-record --json --journal="$journal" >"$work/got" 2>&1 &
        tool=$!
        until [ "$journal" -nt "$work/started" ] || ! kill -0 $tool 2>/dev/null; do sleep 0.02; done
        sleep "$(awk "BEGIN { print $pause * (1 + $count / 6) }")" # longer each time, so that it ends on a slow machine
        program=$(pgrep -P $tool | grep -v "$(pgrep -P $tool heddle-keeper || echo none)" | head -1)
        case $what in
        tool) kill -9 $tool ;;
        program) [ -z "$program" ] || kill -9 "$program" ;;
        all) kill -9 $tool ${program:+"$program"} ;;
        esac 2>/dev/null
        wait $tool 2>/dev/null
        count=$((count + 1))
        got=$(field verdict <"$work/got")
        [ "$got" = holds ] && break
    done
    two=$(field "$keys" <"$work/got")
    rm -f "$journal"
    [ "$one" = "$two" ]; say $? "journal: $what killed $((count - 1)) times: $*" "$one without, $two with a journal"
}
kills all 0.3 run --jobs=2 --no-reductions -DP=3 -DQ=3 $oracle/treiber.c
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    seed=${HEDDLE_SEED:-$RANDOM}
    while read -r count command; do
        # shellcheck disable=SC2086
        tests/kills.sh mixed "$count" $((seed += 1)) $command
    done <<END
60 run --no-reductions -DP=3 -DQ=2 $oracle/msqueue.c
40 run --jobs=2 --no-reductions -DP=3 -DQ=2 $oracle/msqueue.c
60 check --jobs=1 --shape=2x3 --samples=60 corpus/classics/treiber_stack.c
40 check --jobs=2 --model=sc --shape=2x3 --samples=120 corpus/classics/michael_scott_queue.c
60 refine --no-reductions corpus/refine/treiber_stack.hm
40 refine --jobs=2 -DFACTOR=2 -DSEGMENTS=3 corpus/refine/priority_queue.hm
40 weaken --jobs=1 --shape=2x2 corpus/classics/treiber_stack.c
20 refine -DFACTOR=4 -DSEGMENTS=3 -DBUG=2 corpus/refine/segmented_queue.hm
END
fi

# --- a check, stopped by its time limit
# $1: the limit of each session; the rest: the command
sessions() {
    local limit=$1 one two got count=0 journal=$work/sessions
    shift
    one=$(heddle "$@" 2>&1 | field "$check_keys")
    while [ $count -lt 200 ]; do
        count=$((count + 1))
        got=$(heddle "$@" --time="$limit" --journal="$journal" 2>&1)
        case $got in *"time limit"*) ;; *) break ;; esac
    done
    two=$(field "$check_keys" <<<"$got")
    [ "$(build/heddle status --json "$journal" | field complete)" = true ] && [ "$one" = "$two" ]
    say $? "journal: $* in sessions of $limit" "$one without, $two with a journal, after $count sessions"
    rm -f "$journal"
}
check_keys="verdict violation exhaustive executions blocked cut histories revisits tests serial_runs coverage"
# What a test counts depends on nothing but the test: neither on the plain reads that are looked at (spin.h), nor on the process that
# makes it, nor, where a look at its executions was given up for its states, on that look.
queue="--model=sc corpus/classics/michael_scott_queue.c"
alike() { # $1: what; the rest: words for HEDDLE_DEBUG and --jobs, joined by a colon, then "--" and the command
    local what=$1 one='' two way ways=()
    shift
    while [ "$1" != -- ]; do ways+=("$1"); shift; done
    shift
    for way in "${ways[@]}"; do
        two=$(HEDDLE_DEBUG=${way%:*} heddle check --jobs="${way#*:}" "$@" 2>&1 | field "$check_keys")
        [ "${one:=$two}" = "$two" ] || { say 1 "check: $what" "$one ${ways[0]}, $two $way"; return; }
    done
    case $one in holds*) say 0 "check: $what" ;; *) say 1 "check: $what" "$one" ;; esac
}
# shellcheck disable=SC2086
{
    alike "counts do not depend on looks" :1 spin-period=1:1 spin-period=64:2 -- --shape=2x3 --samples=50 $queue
    alike "given up looks do not count" states=always:1 patience=0:2 -- --shape=2x2 $queue
    alike "patience is counted" patience=200:1 patience=200:2 -- --shape=2x2 $queue
}
sessions 100ms check --shape=2x2 corpus/classics/treiber_stack.c
# inside its tests: of each, what is left of its executions goes on
keys=$check_keys
stops 500 check --jobs=1 --shape=2x3 --samples=2 corpus/classics/treiber_stack.c
# what a local variable held before it was written told rounds of a loop apart, and differed in whoever went on
HEDDLE_DEBUG=states=never stops 110 check --jobs=1 --model=sc --shape=2x2 --samples=4 --seed=1066 --races=ignore corpus/classics/seqlock_register.c
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    for program in treiber_stack michael_scott_queue harris_michael_list herlihy_wing_queue chase_lev_deque striped_map seqlock_register; do
        for model in rc11 sc tso pso; do
            for debug in states=never states=never,eager-confirm patience=200; do
                least=0 HEDDLE_DEBUG=$debug stops $((RANDOM % 150 + 20)) check --jobs=$((RANDOM % 2 + 1)) --model=$model --shape=2x2 --samples=4 \
                    --seed=$RANDOM --races=ignore corpus/classics/$program.c
            done
        done
    done
    [ $all_stops -gt 1000 ]; say $? "journal: stopped often" "$all_stops times"
fi
sessions 300ms check --jobs=2 --shape=2x3 --samples=12 corpus/classics/treiber_stack.c
# a test that is put off again and again, until its budget suffices
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    sessions 600ms check --jobs=1 --shape=3x2 --samples=3 corpus/classics/michael_scott_queue.c
    keys=$check_keys kills tool 0.4 check --jobs=2 --shape=2x3 --samples=40 corpus/classics/treiber_stack.c
else
    keys=$check_keys kills tool 0.4 check --jobs=2 --shape=2x3 --samples=12 corpus/classics/treiber_stack.c
fi
# a test that fails is no part that is done: whoever goes on finds it again
heddle check --shape=2x2 --journal="$work/failing" examples/queue_check.c >/dev/null 2>&1
got=$(heddle check --shape=2x2 --journal="$work/failing" examples/queue_check.c 2>&1 | field "verdict violation")
[ "$got" = "violated	linearizability" ]; say $? "journal: a failing test, again" "$got"

# --- refine: a limit on states stops it, and the next session has a larger one
refine_keys="verdict violation exhaustive states implementation_states specification_states transitions depth steps"
refines() {
    local one two count=0 limit=60 journal=$work/refine
    one=$(build/heddle refine --quiet --json "$@" 2>&1 | field "$refine_keys")
    while [ $count -lt 60 ]; do
        count=$((count + 1)) limit=$((limit * 7 / 4))
        build/heddle refine --quiet --json --states=$limit --journal="$journal" "$@" >"$work/got" 2>/dev/null
        [ $? = 3 ] || break
    done
    two=$(field "$refine_keys" <"$work/got")
    [ $count -gt 1 ] && [ "$one" = "$two" ]; say $? "journal: refine $* in $count sessions" "$one without, $two with a journal"
}
queue=corpus/refine/segmented_queue.hm
refines --jobs=3 $queue; rm -f "$work/refine"
refines --quasi=deq:auto -DFACTOR=2 -DSEGMENTS=1 $queue; rm -f "$work/refine"
refines -DBUG=2 -DFACTOR=2 -DSEGMENTS=2 $queue; rm -f "$work/refine"
refines $queue
one=$(build/heddle refine --quiet --json $queue | field "states transitions depth")
got=$(build/heddle status --json "$work/refine" | field "complete frontier states transitions depth"); [ "$got" = "true	0	$one" ]
say $? "journal: status of refine" "$got"
got=$(build/heddle refine --quiet --journal="$work/refine" -DBUG=1 $queue 2>&1); [ $? = 2 ] && grep -q "of another exploration: text of the model: " <<<"$got"
say $? "journal: refine of another model" "$got"
got=$(build/heddle refine --quiet --journal="$work/refine" --no-fusion $queue 2>&1); [ $? = 2 ] && grep -q "no_fusion: 0 there, 1 here" <<<"$got"
say $? "journal: refine with other options" "$got"
# what is not whole at the end does not count, wherever it was cut; a byte that has changed ends the search's part that counts
one=$(build/heddle refine --quiet --json $queue | field "$refine_keys") bytes=$(wc -c <"$work/refine") bad=0
cp "$work/refine" "$work/whole"
for cut in 3 11 17; do
    head -c $((bytes * cut / 18)) "$work/whole" >"$work/refine"
    [ "$(build/heddle refine --quiet --json --journal="$work/refine" $queue 2>&1 | field "$refine_keys")" = "$one" ] || bad=$((bad + 1))
    cp "$work/whole" "$work/refine"
    printf '\377\1' | dd of="$work/refine" bs=1 seek=$((bytes * cut / 18)) conv=notrunc 2>/dev/null
    [ "$(build/heddle refine --quiet --json --journal="$work/refine" $queue 2>&1 | field "$refine_keys")" = "$one" ] || bad=$((bad + 1))
done
[ $bad = 0 ]; say $? "journal: refine, cut or damaged" "$bad of 6 differ"
rm -f "$work/refine"

# --- weaken: each try is a unit
weakened() { build/heddle weaken --jobs=1 --quiet --json "$@" tests/weaken/cas.c | tr ',' '\n' | grep -v 'seconds"\|peak_rss'; }
one=$(weakened)
HEDDLE_DEBUG=journal-ms=0 weakened --journal="$work/weaken" --time=150ms >/dev/null 2>&1 # stopped, or not
two=$(weakened --journal="$work/weaken" 2>&1) again=$(weakened --journal="$work/weaken" 2>&1)
[ "$one" = "$two" ] && [ "$one" = "$again" ] && [ "$(build/heddle status --json "$work/weaken" | field complete)" = true ]
say $? "journal: weaken in sessions" "$one without, $two, $again with a journal"
got=$(weakened --journal="$work/weaken" --order=12 2>&1); grep -q "of another exploration: weakened: every order there, 12 here" <<<"$got"
say $? "journal: weaken at another place" "$got"

# --- refused
journal=$work/journal
HEDDLE_DEBUG=stop-after=20 heddle run --no-reductions -DP=2 -DQ=2 --journal="$journal" $oracle/treiber.c >/dev/null 2>&1
cp "$journal" "$work/good"
# $1: what the message says; the rest: the command
refuses() {
    local words=$1 got status
    shift
    got=$(build/heddle "$1" --quiet --no-record --journal="$journal" "${@:2}" 2>&1); status=$?
    [ $status = 2 ] && grep -q "$words" <<<"$got" && cmp -s "$journal" "$work/good"
    say $? "journal: refused: $words" "status $status: $got"
}
refuses "of another exploration: model: rc11 there, tso here" run --model=tso --no-reductions -DP=2 -DQ=2 $oracle/treiber.c
refuses "of another exploration: reductions: none there, all here" run -DP=2 -DQ=2 $oracle/treiber.c
refuses "of another exploration: program (its source, compiler or compiler options): " run --no-reductions -DP=2 -DQ=3 $oracle/treiber.c
refuses "of another exploration: arguments of the program: nothing there, 7 here" \
    run --no-reductions -DP=2 -DQ=2 $oracle/treiber.c -- 7
refuses "of another exploration: schedules: 0 there, 10 here" run --schedules=10 --no-reductions -DP=2 -DQ=2 $oracle/treiber.c
refuses "does not go with --preemptions" run --model=sc --preemptions=2 -DP=2 -DQ=2 $oracle/treiber.c
(flock -n 9; refuses "another process is at work" run --no-reductions -DP=2 -DQ=2 $oracle/treiber.c) 9<"$journal"
# two that begin the same journal: the second neither writes nor removes what the first is writing
echo half >"$work/begun.new"
got=$( (flock -n 9; heddle run --journal="$work/begun" $oracle/sb.c 2>&1) 9<"$work/begun.new")
[ $? = 2 ] && grep -q "another process is at work on $work/begun\$" <<<"$got" && [ "$(cat "$work/begun.new")" = half ] && [ ! -e "$work/begun" ]
say $? "journal: refused: it is being begun" "$got"
for i in 1 2 3 4; do (heddle run --no-reductions -DP=3 -DQ=2 --journal="$work/begun" $oracle/treiber.c >"$work/begun.$i" 2>&1; echo $?) & done >"$work/statuses"
wait
bad=$(grep -vc "^0$\|^2$" "$work/statuses") got=$(build/heddle status --json "$work/begun" | field "complete at_work executions")
[ "$bad" = 0 ] && grep -q "^0$" "$work/statuses" && [ "$got" = "true	false	12960" ]
say $? "journal: four begin it at once" "$(tr '\n' ' ' <"$work/statuses") $got"
got=$(build/heddle run --journal= $oracle/sb.c 2>&1); [ $? = 2 ] && grep -q "names no file" <<<"$got"; say $? "journal: refused: no name" "$got"
got=$(build/heddle run --journal="$work" $oracle/sb.c 2>&1); [ $? = 2 ] && grep -q "is a folder" <<<"$got"; say $? "journal: refused: a folder" "$got"
bytes=$(wc -c <"$journal") bad=0
for cut in 0 1 100 $((bytes / 2)) $((bytes - 18)) $((bytes - 1)); do
    head -c "$cut" "$work/good" >"$journal"
    build/heddle run --quiet --no-record --no-reductions -DP=2 -DQ=2 --journal="$journal" $oracle/treiber.c >/dev/null 2>&1
    [ $? = 2 ] || bad=$((bad + 1))
done
[ $bad = 0 ]; say $? "journal: cut short" "$bad of 6 were taken"
sed 's/"executions":20/"executions":21/' "$work/good" >"$journal"
build/heddle status "$journal" >/dev/null 2>&1; [ $? = 2 ]; say $? "journal: a changed count" "it was taken"
cp "$work/good" "$journal"

got=$(heddle check --scenario="enq(1) || deq()" --journal="$work/one" examples/queue_check.c 2>&1)
[ $? = 2 ] && grep -q "divide a check into its tests: they do not go with one given test" <<<"$got"
say $? "journal: refused: one given test" "$got"
# --- status
got=$(build/heddle status "$journal"); grep -q "done: 20 executions" <<<"$got" && grep -q "in 1 unit of work" <<<"$got"
say $? "status: text" "$got"
got=$(build/heddle status --json "$journal" | field "complete executions units"); [ "$got" = "false	20	1" ]
say $? "status: json" "$got"
got=$(build/heddle status "$journal"; (flock -n 9; build/heddle status "$journal") 9<"$journal")
grep -q "  no process is at work on it: the same command" <<<"$got" && grep -q "  a process is at work on it" <<<"$got"
say $? "status: a process at work" "$got"
# --- a full disk: the answer is right, the journal stays what it was, and says so
mkdir "$work/small"
# shellcheck disable=SC2016
full='mount -t tmpfs -o size=64k none "$1/small" && cp "$1/good" "$1/small/j" && head -c 90000 /dev/zero >"$1/small/fill" 2>/dev/null
build/heddle run --quiet --no-record --json --no-reductions -DP=2 -DQ=2 --journal="$1/small/j" tests/oracle/treiber.c
cmp "$1/good" "$1/small/j" >&2 || echo changed'
if got=$(unshare -m sh -c "$full" sh "$work" 2>/dev/null) && [ -n "$got" ]; then
    [ "$(field "verdict executions" <<<"$got")" = "holds	164" ] && grep -q "No space left" <<<"$got" && ! grep -q changed <<<"$got"
    say $? "journal: a full disk" "$got"
else
    echo "skip journal: a full disk: no small file system can be mounted"
fi
