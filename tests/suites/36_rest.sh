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
