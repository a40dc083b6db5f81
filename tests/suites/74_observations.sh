# heddle check --observations: serial runs that are kept in the form of Line-Up's Figure 7.
heddle=$PWD/build/heddle
"$heddle" check --help 2>/dev/null | grep -q observations || { echo "skip observations (no such option)"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
pass() { echo "ok observations: $1"; }
fail() { echo "FAIL observations: $1: $2"; }
expect() { # NAME STATUS PATTERN ARGUMENTS...
    local name=$1 status=$2 pattern=$3 output got; shift 3
    output=$(timeout 120 "$heddle" check --quiet --no-record --model=sc "$@" 2>&1 </dev/null); got=$?
    if [ "$got" != "$status" ]; then fail "$name" "exit status $got, not $status: $output"
    elif ! grep -q -e "$pattern" <<<"$(tr -s '\n ' ' ' <<<"$output")"; then fail "$name" "nothing matches '$pattern': $output"
    else pass "$name"; fi
}

# The queue of the figure: Add adds, Take waits while there is nothing, TryTake fails then.
cat >queue.c <<'C'
#include <heddle.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int items[16], first, end;
HD_INIT { first = end = 0; }
HD_OP(Add, int, v, 200, 400) { pthread_mutex_lock(&m); items[end++] = v; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return HD_VOID; }
HD_OP(Take)
{
    pthread_mutex_lock(&m);
    while (first == end)
        pthread_cond_wait(&c, &m);
#ifdef STACK
    int v = items[--end];
#else
    int v = items[first++];
#endif
    pthread_mutex_unlock(&m);
    return HD_INT(v);
}
HD_OP(TryTake)
{
    HdValue result = HD_STR("Fail");
    pthread_mutex_lock(&m);
    if (first < end)
        result = HD_INT(items[first++]);
    pthread_mutex_unlock(&m);
    return result;
}
C
test='Add(200) Add(400) | Take() TryTake()'
# The figure, as it is printed: all serial runs of this test and no other.
cat >figure.xml <<'X'
<observationset>
  <observation>
    <thread id="A">1 2</thread>
    <thread id="B">3 4</thread>
    <op id="1" name="Add">value="200"</op>
    <op id="2" name="Add">value="400"</op>
    <op id="3" name="Take">result="200"</op>
    <op id="4" name="TryTake">result="Fail"</op>
    <history>1[ ]1 3[ ]3 4[ ]4 2[ ]2</history>
  </observation>
  <observation>
    <thread id="A">1 2</thread>
    <thread id="B">3 4</thread>
    <op id="1" name="Add">value="200"</op>
    <op id="2" name="Add">value="400"</op>
    <op id="3" name="Take">result="200"</op>
    <op id="4" name="TryTake">result="400"</op>
    <history>1[ ]1 2[ ]2 3[ ]3 4[ ]4</history>
    <history>1[ ]1 3[ ]3 2[ ]2 4[ ]4</history>
  </observation>
  <observation>
    <thread id="A"></thread>
    <thread id="B">1B</thread>
    <op id="1" name="Take" />
    <history>1[ #</history>
  </observation>
</observationset>
X
expect "written" 0 'the serial runs of 1 tests are now kept in mine.xml' --observations=mine.xml --scenario="$test" queue.c
expect "read again" 0 '^holds' --observations=mine.xml --scenario="$test" queue.c
expect "the figure of the paper" 0 '^holds' --observations=figure.xml --scenario="$test" queue.c
# ours has the histories of the figure, in sections in another order; strings stand in quotes
normal() { sed 's/^ *//; s/&apos;//g' "$1" | tr -d "'" | sed 's| />|></op>|; /<thread id="A"><\/thread>/d' |
    awk '/<observation>/{section = ""; next} /<.observation>/{next} /<history>/{print section $0; next} {section = section $0}' | sort; }
if [ "$(normal mine.xml)" = "$(normal figure.xml)" ]; then pass "the same histories as in the figure"
else fail "the same histories as in the figure" "$(diff <(normal mine.xml) <(normal figure.xml))"; fi
if cp mine.xml before.xml && "$heddle" check --quiet --no-record --model=sc --observations=mine.xml --scenario="$test" queue.c >/dev/null 2>&1 && cmp -s mine.xml before.xml
then pass "reading leaves the file alone"; else fail "reading leaves the file alone" "it differs"; fi

# Another version: what it does serially is compared.
expect "a stack instead" 1 'violated: specification.*after Add(200), Add(400), Take(): the last call now gives 400 in a serial run; figure.xml has 200' --observations=figure.xml --scenario="$test" -DSTACK queue.c
sed 's/result="400"/result="300"/' figure.xml >other.xml
expect "another result" 1 'TryTake(): the last call now gives 400 in a serial run; other.xml has 300' --observations=other.xml --scenario="$test" queue.c
sed 's/<history>1\[ #/<history>1[ ]1/' figure.xml >waits.xml
expect "it waits now" 1 'after Take(): the last call now gives no result: it waits in a serial run; waits.xml has no result' --observations=waits.xml --scenario="$test" queue.c
# Of the ten tests of 2x1 only "Add(200) | Take()" has all its runs there.
expect "tests that are not in the file" 0 'holds.*9 of 10 tests are not in figure.xml: they are judged by today' --observations=figure.xml --shape=2x1 queue.c
"$heddle" check --quiet --model=sc --observations=figure.xml --scenario="$test" -DSTACK queue.c >/dev/null 2>&1
output=$("$heddle" replay queue.heddle 2>&1); status=$?
if [ $status = 1 ] && grep -q 'violated: specification' <<<"$output"; then pass "a difference is replayed"
else fail "a difference is replayed" "$status: $output"; fi

# Values of every kind come back as they were.
cat >kinds.c <<'C'
#include <heddle.h>
static int n;
HD_INIT { n = 0; }
HD_OP(number) { return HD_INT(n++ - 1); }
HD_OP(truth) { return HD_BOOL(n > 0); }
HD_OP(text, const char *, t, "a,b", "<&\">'") { return HD_STR(t); }
HD_OP(list) { int v[] = {1, -2, 3}; return HD_ARRAY(v, 3); }
HD_OP(none) { return HD_NONE; }
HD_OP(empty) { return HD_STR(""); }
C
expect "values: written" 0 'are now kept' --observations=kinds.xml --shape=1x2 kinds.c
output=$("$heddle" check --quiet --no-record --model=sc --observations=kinds.xml --shape=1x2 kinds.c 2>&1); status=$?
if [ $status = 0 ] && ! grep -q 'not in' <<<"$output"; then pass "values: read again"; else fail "values: read again" "$status: $output"; fi

# Bad input.
sed 's/3\[ \]3 4\[ \]4 2/3[ 4[ ]3 ]4 2/; s/<thread id="B">3 4/<thread id="B">3<\/thread><thread id="C">4/' figure.xml >overlap.xml
expect "not serial" 2 'overlap.xml:9: history 1 is not serial: operation 2 overlaps with the next one' --observations=overlap.xml --scenario="$test" queue.c
{ sed '/<.observationset>/d' figure.xml; sed 's/"400"<\/op>/"401"<\/op>/2; /<observationset>/d' figure.xml | sed 's/result="400"/result="401"/'; } >both.xml
expect "contradicts itself" 2 'both.xml contradicts itself: call 4 (TryTake)' --observations=both.xml --scenario="$test" queue.c
echo '<observationset>' >empty.xml
expect "empty" 2 'empty.xml: no <history> was found' --observations=empty.xml queue.c
expect "a folder" 2 '' --observations=. queue.c
expect "no such folder" 2 'no/such/folder' --observations=no/such/folder --shape=1x1 queue.c
expect "with a built-in specification" 2 'leave one of them out' --observations=mine.xml --spec=fifo queue.c
expect "with --quasi" 2 'not with --quasi' --observations=mine.xml --quasi=Take:1 queue.c
