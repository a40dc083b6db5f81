# Main's rest, where it only joins threads, looks at atomic variables and ends, is not run in every execution
# (src/guest/explore/reduce/rest.h): what it would have met in one of them is found all the same, and executions are counted as
# if it were.
# builds: kept with oracle
[ -x build/heddle ] || { echo "skip rest: build/heddle is not there"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
answer() { build/heddle run --json --quiet --no-record --jobs=1 "$@" 2>&1 | awk -v keys="verdict violation executions" -f tests/json.awk; }
# WHAT, level, verdict, violation, executions of a search that ends: the second thread reads either value
while read -r what level expected; do
    got=$(answer "$level" -DWHAT="$what" tests/programs/rest/ends.c | tr '\t' ' ')
    case $got in
    "$expected"*) echo "ok rest $what" ;;
    *) echo "FAIL rest $what: $got instead of $expected" ;;
    esac
    # executions that are sampled: main's rest is known from the first one on, if it is silent there
    sampled=$(answer --schedules=300 "$level" -DWHAT="$what" tests/programs/rest/ends.c | tr '\t' ' ')
    read -ra words <<<"$expected"
    case $sampled in
    "${words[0]} ${words[1]}"*) echo "ok rest $what, sampled" ;;
    *) echo "FAIL rest $what, sampled: $sampled instead of $expected" ;;
    esac
done <<'ROWS'
0 -O1 holds - 2
1 -O1 holds - 2
2 -O1 violated misuse
3 -O1 violated misuse
4 -O1 violated assertion
5 -O1 violated exit-status
6 -O1 violated exit-status
7 -O1 violated deadlock
8 -O0 violated exit-status
9 -O0 violated exit-status
10 -O0 violated exit-status
11 -O1 violated deadlock
ROWS
# it may look at atomic variables before it ends. Answers: see the program. Counts: two increments have two orders;
# before main has joined the second thread it may read any of three values of z, and the first thread any of two of y.
while read -r what expected; do
    for extra in "" --no-reductions "--model=tso --no-reductions"; do
        # shellcheck disable=SC2086
        got=$(answer -O1 $extra -DWHAT="$what" tests/programs/rest/looks.c | tr '\t' ' ')
        case $got in
        "$expected"*) echo "ok rest looks $what $extra" ;;
        *) echo "FAIL rest looks $what $extra: $got instead of $expected" ;;
        esac
    done
done <<'ROWS'
0 holds - 2
1 violated assertion
2 violated assertion
3 violated assertion
4 violated assertion
5 violated assertion
6 violated assertion
7 violated use-after-free
8 violated assertion
9 holds - 2
10 holds - 6
ROWS
# random programs: as many executions, and the same verdict, as where somebody looks at complete graphs, for which
# main's rest is always run. HEDDLE_NIGHTLY=1: 2,000
models=(rc11 sc tso pso) seed=${HEDDLE_SEED:-1} count=20
[ -z "${HEDDLE_NIGHTLY:-}" ] || count=2000
keys="verdict violation executions blocked" differ=0
for ((i = seed; i < seed + count; i++)); do
    awk -v seed="$i" -f tests/helpers/rest_program.awk >"$work/program.c"
    options=(--json --quiet --no-record --jobs=1 --model="${models[i % 4]}")
    [ $((i / 4 % 2)) = 0 ] && options+=(--no-reductions)
    options+=("-O$((i / 8 % 2))" -w "$work/program.c")
    left=$(build/heddle run "${options[@]}" 2>&1 | awk -v keys="$keys" -f tests/json.awk)
    run=$(HEDDLE_DEBUG=dump-graphs=$work/graphs build/heddle run "${options[@]}" 2>&1 | awk -v keys="$keys" -f tests/json.awk)
    [ "$left" = "$run" ] && [[ $left = holds* || $left = violated* ]] && continue
    echo "FAIL rest, random program $i (${options[*]:4}): $left instead of $run; awk -v seed=$i -f tests/helpers/rest_program.awk"
    differ=$((differ + 1))
done
[ $differ = 0 ] && echo "ok rest: $count random programs from $seed on"
# with or without main's rest an execution is the same one: sb.c has four (tests/oracle/counts.csv)
got=$(build/heddle run --no-record --jobs=1 --schedules=1000 -O1 tests/oracle/sb.c)
case $got in
*" 4 of the sampled executions are different"*) echo "ok rest: different sampled executions" ;;
*) echo "FAIL rest: different sampled executions: $got" ;;
esac
# what main does alone is not run again (guest/explore/schedules/beginning.h): the executions are those in which it is,
# word for word but for times
sampled() { build/heddle run --no-record --jobs=1 --schedules=300 "$@" tests/programs/rest/begins.c | sed 's/, [0-9.]* s\b//'; }
while read -ra options; do
    kept=$(sampled "${options[@]}") anew=$(HEDDLE_DEBUG=validate sampled "${options[@]}")
    case ${options[*]}$kept in
    *WHAT=1*violated*"before != 5"* | *holds*"of the sampled executions are different"*) ;;
    *) kept="not as expected: $kept" ;;
    esac
    if [ "$kept" = "$anew" ]; then echo "ok begins ${options[*]}"; else echo "FAIL begins ${options[*]}: $kept instead of $anew"; fi
done <<'ROWS'
-O0
-O1
-O1 --model=tso --sampler=pct
-O1 -DWHAT=1
-O1 --seed=7 --model=sc -DWHAT=1
-O1 --rand=3 -DWHAT=2
ROWS
