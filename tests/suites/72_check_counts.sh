# shellcheck shell=bash disable=SC2016
# heddle check --all and --keep-going: what they count, against brute force (tests/check_twin/twin.c runs all
# interleavings) and against the tests made one by one. HEDDLE_NIGHTLY=1 makes many more.
# builds: kept with corpus
heddle=$PWD/build/heddle here=$PWD
"$heddle" check --help 2>&1 | grep -q -e --all || { echo "skip check_counts (the tool has no check --all)"; exit 0; }
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
${CC:-gcc} -std=gnu17 -O2 -Wall -Wextra -o "$out/twin" tests/check_twin/twin.c || { echo "FAIL check_counts: twin.c does not compile"; exit 1; }
export heddle here out

number() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p"; }
export -f number

count_seed() { # SEED one|both [OPTION]
    local wanted answer got key
    wanted=$("$out/twin" "$1" "$out/$1$2$3.c" "$2")
    answer=$(cd "$out" && timeout 60 "$heddle" check --all --model=sc --json --quiet --no-record --jobs=1 ${3:+"$3"} "$1$2$3.c" 2>&1)
    got=$(sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' <<<"$answer")
    answer=${answer##*\"all\": }
    for key in histories rejected distinct distinct_rejected sequentializations not_conflict_serializable not_conflict_serializable_allowed; do
        got="$got $(number $key <<<"$answer")"
    done
    if [ "$got" = "$wanted" ]; then echo "ok check_counts seed $1 $2 $3: $wanted"
    else echo "FAIL check_counts seed $1 $2 $3: $got, expected $wanted: $(sed -n 's/HD_SCENARIO//p' "$out/$1$2$3.c")"; fi
    rm -f "$out/$1$2$3.c"
}
export -f count_seed
seeds=9; [ -z "${HEDDLE_NIGHTLY:-}" ] || seeds=1000
seq 1 $seeds | xargs -P2 -I{} bash -c 'count_seed "$1" one; count_seed "$1" both' _ {}
seq 5001 $((5000 + seeds / 5)) | xargs -P2 -I{} bash -c 'count_seed "$1" one --no-reductions' _ {}

# --keep-going on all tests of 2x1, and each of these tests by itself
keep_seed() {
    local tests=() failed=0 answer test a b
    "$out/twin" "$1" "$out/$1.c" one >"$out/$1.twin"
    sed -i '/HD_SCENARIO/d' "$out/$1.c"
    for a in 0 1 2; do for ((b = a; b < 3; b++)); do tests+=("op$a() | op$b()"); done; done
    for test in "${tests[@]}"; do
        (cd "$out" && timeout 60 "$heddle" check --model=sc -q --no-record --jobs=1 --scenario="$test" "$1.c" >"$1.log" 2>&1) ||
            failed=$((failed + 1))
    done
    for jobs in 1 2; do
        answer=$(cd "$out" && timeout 60 "$heddle" check --keep-going --model=sc -q --json --no-record --jobs=$jobs --shape=2x1 --exhaustive "$1.c" 2>&1)
        a=$(number tests_passed <<<"$answer") b=$(number tests_failed <<<"$answer")
        local sum
        sum=$(grep -o '"place": [^,]*, "tests": [0-9]*' <<<"$answer" | awk '{ sum += $NF } END { print sum + 0 }')
        if [ "$b" = $failed ] && [ "$a" = $((6 - failed)) ] && [ "$sum" = $failed ]; then echo "ok keep_going seed $1 jobs $jobs: $failed of 6 fail"
        else echo "FAIL keep_going seed $1 jobs $jobs: passed $a, failed $b, in causes $sum; one by one $failed of 6 fail"; fi
    done
    rm -f "$out/$1".*
}
export -f keep_seed
last=2; [ -z "${HEDDLE_NIGHTLY:-}" ] || last=60
seq 1 $last | xargs -P2 -I{} bash -c 'keep_seed "$1"' _ {}

# expect NAME STATUS TEXT COMMAND...
expect() {
    local name=$1 status=$2 text=$3 got output; shift 3
    output=$(cd "$here" && timeout 60 "$@" 2>&1); got=$?
    if [ "$got" = "$status" ] && grep -q -e "$text" <<<"$output"; then echo "ok $name"
    else echo "FAIL $name: exit status $got, wanted $status and \"$text\"; got: $(head -n 5 <<<"$output")"; fi
}
queue="--model=sc --no-record -q corpus/roundup/iqueue_check.c"
# shellcheck disable=SC2086
{
expect "keep-going in words" 1 "deq = none, at iqueue.h:" $heddle check --keep-going --scenario='enq(1) deq() | enq(2) deq()' $queue
expect "all in words" 1 "Of 10 executions of 1 tests 2 are rejected" $heddle check --all --scenario='enq(1) deq() | enq(2) deq()' $queue
expect "the smallest test fails otherwise" 1 "1 of 1 tests fail" $heddle check --keep-going --no-record -q --model=sc --quasi=deq:2 --scenario='enq(1) enq(2) enq(3) enq(4) enq(5) / enq(6) | enq(7) / deq() deq() deq() deq() deq() deq() deq()' corpus/scal/sl_queue_check.c
blocking="--model=sc --no-record -q --json corpus/lineup/blocking_collection_check.c" # Line-Up, Table 2
expect "root cause D" 1 '"operations": "TryTake = none", "place": "blocking_collection.h:' $heddle check --keep-going -DROOT_D --scenario='Add(200) TryTake() | Add(400) TryTake()' $blocking
expect "root cause I" 1 '"operations": "TryTake = none", "place": "semaphore_slim.h:' $heddle check --keep-going --preemptions=3 --scenario='Add(200) | Add(400) TryTake() | TryTake()' $blocking
expect "root cause H" 1 '"operations": "Count = a number", "place": "semaphore_slim.h:' $heddle check --keep-going --scenario='ToArray() | Count() | Add(200)' $blocking
expect "nothing fails" 0 "0 of 6 tests fail" $heddle check --keep-going --shape=2x1 --exhaustive $queue
expect "not with unbounded" 2 "leave out --unbounded" $heddle check --all --unbounded $queue
expect "not with quasi=auto" 2 "do not go with a search" $heddle check --keep-going --quasi=auto $queue
expect "not with a journal" 2 "journal" $heddle check --keep-going --journal="$out/j" $queue
expect "not for marked calls" 2 "not for marked calls" $heddle check --all --no-record -q --model=sc tests/marked/correct/blocking.c
expect "not for annotations" 2 "not for annotated programs" $heddle check --all --no-record -q corpus/cdsspec/mcs_lock.c
}
# A default check chooses larger tests by their size: the same ones whatever the number of processes.
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    chosen() { timeout 120 "$heddle" check --json --quiet --no-record --jobs="$1" corpus/classics/striped_map.c |
        awk -v keys="verdict tests executions histories coverage" -f tests/json.awk; }
    one=$(chosen 1)
    for jobs in 2 3; do
        got=$(chosen $jobs)
        if [ "$got" = "$one" ]; then echo "ok check_counts chosen tests --jobs=$jobs: ${one%%$'\t'*}"
        else echo "FAIL check_counts chosen tests --jobs=$jobs: $got, not $one"; fi
    done
fi
# The serial runs of a test are the orders of its calls that keep those of each thread, each counted once: (sum of n)! / product
# of n!. A search that begins again once it knows which plain variables race counted them again (7,108 of 1,680).
orders() { # COUNT SCENARIO FILE
    local got
    got=$(timeout 60 "$heddle" check --model=sc --keep-going --json --quiet --no-record --jobs=1 --scenario="$2" "$3" |
        sed -n 's/.*"most_serial_runs": \([0-9]*\).*/\1/p')
    if [ "$got" = "$1" ]; then echo "ok check_counts serial runs of $2: $1"
    else echo "FAIL check_counts serial runs of $2: $got, there are $1 orders"; fi
}
orders 6 'Clear() Clear() | Clear() Count()' corpus/lineup/concurrent_dictionary_check.c
orders 90 'TryAdd(10) TryRemove(20) | TryAdd(20) Clear() | Clear() set(10)' corpus/lineup/concurrent_dictionary_check.c
orders 1680 'TryAdd(10) TryAdd(20) Clear() | TryRemove(10) Clear() set(20) | Clear() Count() TryAdd(10)' corpus/lineup/concurrent_dictionary_check.c
orders 20 'push(1) pop() push(1) | pop() push(1) pop()' tests/check_twin/stack_nodes.c
# A check that fails counts the tests up to the one that fails, whatever its processes have done beyond that one.
counted() { timeout 60 "$heddle" check --json --quiet --no-record "$@" |
    awk -v keys="verdict violation executions blocked cut histories revisits tests serial_runs" -f tests/json.awk; }
failing=("examples/queue_check.c" "--model=sc --shape=2x2 --exhaustive -DNO_SWAP corpus/classics/herlihy_wing_queue.c")
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    while read -r row; do failing+=("$row"); done < <(sed -n 's/^"*check \([^,"]*\)"*,violated.*/\1/p' corpus/classics/expected.csv |
        awk '{ $NF = "corpus/classics/" $NF } 1')
fi
for row in "${failing[@]}"; do
    # shellcheck disable=SC2086
    one=$(counted $row --jobs=1)
    for jobs in 2 3; do
        # shellcheck disable=SC2086
        got=$(counted $row --jobs=$jobs)
        if [ "$got" = "$one" ] && [ "${one%%$'\t'*}" = violated ]; then echo "ok check_counts $row --jobs=$jobs"
        else echo "FAIL check_counts $row --jobs=$jobs: $got, not $one"; fi
    done
done
# What a test counts does not depend on the tests that its process made before it: as many histories (or pairs of states)
# and blocked graphs as the tests have one by one, whatever the number of processes. (Which plain locations race was once
# kept from test to test, reused_nodes.c: 286, 302 and 307 histories with 1, 2 and 3 processes; then which stacks others
# touch and which accesses overlap, stack_nodes.c: 325, 325 and 351, and 372 one by one.)
count_way() { HEDDLE_DEBUG=states=$1 timeout 60 "$heddle" check --json --quiet --no-record "${@:2}" |
    awk -v keys="verdict histories blocked" -f tests/json.awk; }
columns=("push(1) push(1)" "push(1) pop()" "pop() push(1)" "pop() pop()")
together_and_alone() { # MODEL never|always FILE [OPTION...]: by executions, or by states
    local name="$1 states=$2 ${*:3}" way=("$2" --model="$1" "${@:3}") i j jobs alone got
    alone=$(for ((i = 0; i < 4; i++)); do for ((j = i; j < 4; j++)); do
        count_way "${way[@]}" --jobs=1 --scenario="${columns[i]} | ${columns[j]}"
    done; done | awk '{ h += $2; b += $3; n += $1 == "holds" } END { print (n == 10 ? "holds" : "not all hold") "\t" h "\t" b }')
    for jobs in 1 2 3; do
        got=$(count_way "${way[@]}" --jobs=$jobs --shape=2x2)
        if [ "$got" = "$alone" ] && [ "${got%%$'\t'*}" = holds ]; then echo "ok check_counts together and alone $name --jobs=$jobs"
        else echo "FAIL check_counts together and alone $name --jobs=$jobs: $got; one by one $alone"; fi
    done
}
for model in sc tso; do together_and_alone $model never tests/check_twin/reused_nodes.c; done
for model in rc11 sc tso; do together_and_alone $model never tests/check_twin/stack_nodes.c; done
for kind in 1 3 4; do together_and_alone rc11 never tests/check_twin/kinds.c -DKIND=$kind; done
together_and_alone sc always tests/check_twin/kinds.c -DKIND=1
together_and_alone sc always tests/check_twin/reused_nodes.c
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    for kind in 1 2 3 4 5 6; do for model in sc tso rc11; do
        together_and_alone $model never tests/check_twin/kinds.c -DKIND=$kind
        [ $model = rc11 ] || together_and_alone $model always tests/check_twin/kinds.c -DKIND=$kind
    done; done
    for model in sc tso; do for file in stack_nodes reused_nodes; do together_and_alone $model always tests/check_twin/$file.c; done; done
fi
# Wrong variants are violated, each replay goes the same way, and the same is counted whatever the number of processes.
wrong=("sc 2 stack_nodes.c -DBROKEN=1" "rc11 3 stack_nodes.c -DBROKEN=2" "tso 1 kinds.c -DBROKEN -DKIND=1" "tso 2 kinds.c -DBROKEN -DKIND=3")
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    wrong=()
    for model in rc11 sc tso; do for jobs in 2 3; do
        for ((i = 1; i <= 2; i++)); do wrong+=("$model $jobs stack_nodes.c -DBROKEN=$i"); done
        for ((i = 1; i <= 6; i++)); do wrong+=("$model $jobs kinds.c -DBROKEN -DKIND=$i"); done
    done; done
fi
for row in "${wrong[@]}"; do
    read -r model jobs file options <<<"$row"
    # shellcheck disable=SC2086
    one=$(count_way never --jobs=1 --model="$model" --shape=2x2 "tests/check_twin/$file" $options)
    # shellcheck disable=SC2086
    got=$(count_way never --jobs="$jobs" --model="$model" --shape=2x2 "tests/check_twin/$file" $options)
    if [ "$got" = "$one" ] && [ "${got%%$'\t'*}" = violated ]; then echo "ok check_counts wrong $row"
    else echo "FAIL check_counts wrong $row: $got; with one process $one"; fi
done
# One given test, a program with marked calls and one with annotations are explored by several processes together: the
# same counts, and every process knows all serial runs. (They were once divided, too: "10 tests", histories that no serial
# run explained, and a violation that was not found again.)
together() { # JOBS ARGUMENTS...
    HEDDLE_DEBUG=eager-workers$states timeout 60 "$heddle" check --json --quiet --no-record --jobs="$1" "${@:2}" 2>&1 |
        awk -v keys="verdict reason tests executions histories serial_runs judged coverage" -f "$here/tests/json.awk" |
        sed 's/^violated.*/violated/' # what is counted until then depends on who finds it
}
divide() { # VERDICT ARGUMENTS...
    local one got jobs
    one=$(together 1 "${@:2}")
    [ "${one%%$'\t'*}" = "$1" ] || { echo "FAIL check_counts together ${*:2}: $one, not $1"; return; }
    for jobs in 2 3 4; do
        got=$(together $jobs "${@:2}")
        [ "$got" = "$one" ] || { echo "FAIL check_counts together ${*:2} --jobs=$jobs: $got, not $one"; return; }
    done
    echo "ok check_counts together ${*:2}: ${one%%$'\t'*}"
}
export -f together divide
export states=
stack=("push(1) pop() | push(2) pop()" "push(1) push(2) | pop() pop()" "push(1) | push(2) | pop() pop()" "push(1) pop() push(1) | push(2) pop()" "push(1) | pop() | push(2)")
for test in "${stack[@]}"; do
    queue=${test//push/enqueue} queue=${queue//pop/dequeue}
    for model in rc11 sc tso pso; do
        for way in "" ,states=never; do
            printf '%s\n' "$model" "$test" treiber_stack.c "$way" "$model" "$queue" michael_scott_queue.c "$way"
        done
    done
done >"$out/together"
[ -n "${HEDDLE_NIGHTLY:-}" ] || sed -i -n '1~20,+3p' "$out/together"
export SHELL=/bin/bash
xargs -d '\n' -n4 -P2 bash -c 'states=$4 divide holds --model="$1" --scenario="$2" "$here/corpus/classics/$3"' _ <"$out/together"
for file in blocking ms_queue nested register parallel_call two_locks; do divide holds --model=sc "tests/marked/correct/$file.c"; done
divide inconclusive tests/marked/correct/uncovered_register.c
for file in mcs_lock chase_lev_deque; do divide holds "corpus/cdsspec/$file.c"; done
# The tests of random structures
last=6; [ -z "${HEDDLE_NIGHTLY:-}" ] || last=300
for ((seed = 7001; seed < 7001 + last; seed++)); do
    for which in one both; do
        "$out/twin" $seed "$out/$seed.c" $which >"$out/$seed.twin"
        read -r verdict _ <"$out/$seed.twin"
        divide "$verdict" --model=sc "$out/$seed.c"
        one=$(together 1 --model=rc11 "$out/$seed.c")
        divide "${one%%$'\t'*}" --model=rc11 "$out/$seed.c"
    done
done
