# Main's rest, where it only joins threads and ends, is not run in every execution (src/guest/explore/rest.h): what it
# would have met in one of them is found all the same, and executions are counted as if it were.
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
