# heddle.toml and `heddle check' without files; --cache; lines for GitHub; progress.
heddle=$PWD/build/heddle; root=$PWD
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cp examples/queue.c examples/queue_check.c tests/golden/reports/{flags_check,message,accounts}.c "$work"
cd "$work" || exit 2
unset GITHUB_ACTIONS COLUMNS
check() { if [ "$2" = "$3" ]; then echo "ok project $1"; else echo "FAIL project $1: '$2', expected '$3'"; fi; }
says() { if grep -qE -- "$2" out; then echo "ok project $1"; else echo "FAIL project $1: nothing like '$2'"; cat out; fi; }

"$heddle" check >out 2>&1; check "no list of tests: status" $? 2
says "no list of tests" 'no file is named, and there is no heddle.toml here'

cat >heddle.toml <<'TEXT'
[defaults]
time = "60s"

[[test]]
name = "queue"
file = "queue_check.c"
flags = ["-Dpthread_mutex_trylock=pthread_mutex_lock"]
shape = "2x1"
model = ["sc", "rc11"]

[[test]]
name = "broken queue"
files = ["queue_check.c"]
expect = "violated linearizability"

[[test]]
command = "run"
file = "message.c"
expect = "violated race"
TEXT
"$heddle" check --quiet >out 2>&1; check "all as expected: status" $? 0
says "a model each" '^queue \(sc\) +holds '
says "the other model" '^queue \(rc11\) +holds '
says "an expected violation" '^broken queue +violated: linearizability .* as expected'
says "heddle run" '^message.c +violated: race .* as expected'
says "the sum" '^4 tests, 4 as expected, 0 not'
# a list is shared out by whole tests; each has a journal of its own
"$heddle" check --quiet --test=queue --shard=2/2 --journal="$work/list" >out 2>&1; check "a share: status" $? 0
says "a share of the list" '^share 2 of 2: 1 test, 1 as expected, 0 not'
one=$(grep rc11 out | awk '{ print $1, $2, $3, $4 }')
check "a journal of each test" "$("$heddle" status "$work"/list.queue-rc11 | grep -c 'left: nothing')" 1
"$heddle" check --quiet --test=queue --shard=2/2 --journal="$work/list" >out 2>&1
check "the journal of a test is gone on with" "$(grep rc11 out | awk '{ print $1, $2, $3, $4 }')" "$one"
"$heddle" check --shard-from="$work/list.queue-rc11" >out 2>&1; check "a list begins with no share: status" $? 2
says "a list begins with no share" 'does not go with a list of tests'
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    "$heddle" check --quiet >out 2>&1; grep -E ' (holds|violated)' out | sed 's/ *[0-9.]* s .*//; s/ *[0-9.]* s$//' | sort >whole
    for i in 1 2 3; do "$heddle" check --quiet --shard=$i/3 >out 2>&1; grep -E ' (holds|violated)' out; done | sed 's/ *[0-9.]* s .*//; s/ *[0-9.]* s$//' | sort >shares
    check "three shares of the list" "$(tr -s ' ' <shares)" "$(tr -s ' ' <whole)"
fi
# every key that is an option is one of the tool's
printf '[[test]]\nfile = "queue_check.c"\nflags = ["-Dpthread_mutex_trylock=pthread_mutex_lock"]\nshape = "2x1"\nrand = "2:1"\nsampler = "pct"\nspurious-wakeups = 1\nweak-cas = true\nraces = "error"\nloop-bound = 100\nseed = 3\nhang = 5\nmemory = "500M"\njobs = 1\n' >keys.toml
"$heddle" check --quiet --config=keys.toml >out 2>&1; check "keys that are options: status" $? 0
says "keys that are options" '^1 tests?, 1 as expected'
check "an expected violation leaves no record" "$(ls ./*.heddle 2>/dev/null)" ""
check "the widest line" "$([ "$(wc -L <out)" -le 100 ] && echo fine)" fine
"$heddle" check --quiet --test=queue >out 2>&1; check "one of them: status" $? 0
says "one of them" '^2 tests, 2 as expected'
"$heddle" check --quiet --test=nothing >out 2>&1; check "none of them: status" $? 2
says "none of them" 'heddle.toml has no test called nothing; it has: queue \(sc\), queue \(rc11\), broken queue, message.c'
"$heddle" check --quiet --test=message.c --test=nothing >out 2>&1; check "one of two names is none: status" $? 2
"$heddle" check --quiet --test=broken >out 2>&1; check "the beginning of a name is none: status" $? 2
"$heddle" check --quiet --model=sc --test=message.c >out 2>&1; check "the command line wins: status" $? 1
says "the command line wins" '^message.c +(holds|violated: assertion) .* not as expected'
(cd / && "$heddle" check --quiet --config="$work/heddle.toml" --test=queue) >out 2>&1
check "from another folder" $? 0
"$heddle" check --quiet --json >out 2>&1; check "JSON: an object a test" "$(grep -c '^{"command": ' out)" 4

# the worst counts: 3 < 1 < 2
cat >worst.toml <<'TEXT'
[[test]]
name = "holds"
file = "queue_check.c"
shape = "1x1"
[[test]]
name = "inconclusive"
command = "run"
file = "loop.c"
TEXT
cat >loop.c <<'TEXT'
#include <stdatomic.h>
#include <pthread.h>
static atomic_int x;
static void *work(void *u) { for (int i = 1; atomic_load(&x) < i; i++) ; return u; }
int main(void) { pthread_t a; pthread_create(&a, 0, work, 0); pthread_join(a, 0); }
TEXT
"$heddle" check --quiet --config=worst.toml >out 2>&1; check "the worst is inconclusive" $? 3
printf '[[test]]\nname = "wrong"\nfile = "flags_check.c"\n' >>worst.toml
"$heddle" check --quiet --config=worst.toml >out 2>&1; check "the worst is a violation" $? 1
check "an unexpected violation is saved" "$(ls ./*.heddle)" ./wrong.heddle
printf '[[test]]\nname = "gone"\nfile = "gone.c"\n' >>worst.toml
"$heddle" check --quiet --config=worst.toml >out 2>&1; check "the worst is a mistake" $? 2
says "the others are made all the same" '^wrong +violated: linearizability'

"$heddle" check --quiet --no-record --config=worst.toml --junit=all.xml >out 2>&1
check "JUnit: a suite a test" "$(grep -c '<testsuite ' all.xml)" 4
check "JUnit: failures and errors" "$(grep -c '<failure ' all.xml) $(grep -c '<error ' all.xml)" "1 2"
if command -v python3 >/dev/null; then
    check "JUnit is XML" "$(python3 -c 'import sys, xml.dom.minidom as m; print(len(m.parse(sys.argv[1]).getElementsByTagName("testcase")))' all.xml 2>&1)" 4
fi

# mistakes, with their places
mistake() { # NAME LINE:COLUMN PATTERN TEXT
    printf '%b' "$4" >bad.toml
    "$heddle" check --config=bad.toml >out 2>&1; status=$?
    if [ $status = 2 ] && grep -qE "^heddle: bad.toml:$2: .*$3" out; then echo "ok project mistake: $1"
    else echo "FAIL project mistake: $1: status $status: $(cat out)"; fi
}
mistake "no TOML" 1:1 'a name is missing' '= 1\n'
mistake "unknown key" 3:1 'there is no key called modle' '[[test]]\nfile = "a.c"\nmodle = "sc"\n'
mistake "unknown model" 3:9 'unknown memory model "rmo"' '[[test]]\nfile = "a.c"\nmodel = "rmo"\n'
mistake "one of several models" 3:16 'unknown memory model "x"' '[[test]]\nfile = "a.c"\nmodel = ["sc", "x"]\n'
mistake "a time" 3:8 'time wants a time such as' '[[test]]\nfile = "a.c"\ntime = "long"\n'
mistake "a shape" 3:9 'shape is threads x calls' '[[test]]\nfile = "a.c"\nshape = "big"\n'
mistake "a number" 3:11 'samples wants an integer, not a string' '[[test]]\nfile = "a.c"\nsamples = "100"\n'
mistake "a negative number" 3:8 "jobs can't be negative" '[[test]]\nfile = "a.c"\njobs = -1\n'
mistake "what to expect" 3:10 'no kind of violation called "rcae"' '[[test]]\nfile = "a.c"\nexpect = "violated rcae"\n'
mistake "no file" 1:1 'this test names no file' '[[test]]\nname = "x"\n'
mistake "two of a name" 3:1 'another test called a.c, in line 1' '[[test]]\nfile = "a.c"\n[[test]]\nfile = "a.c"\n'
mistake "another table" 1:1 'no \[tests\]' '[tests]\n'
mistake "a file in the defaults" 1:1 'name and file belong to a test' '[defaults]\nfile = "a.c"\n[[test]]\nfile = "b.c"\n'
mistake "no option" 3:12 '"weak" is no option' '[[test]]\nfile = "a.c"\noptions = ["weak"]\n'
printf '[[test]]\nname = "x"\nfile = "a.c"\noptions = ["--nonsense"]\n' >bad.toml
"$heddle" check --config=bad.toml >out 2>&1; check "an option that is not there: status" $? 2
says "an option that is not there: place" 'bad.toml:1: test x: .*nonsense'

# --cache: what failed comes first
"$heddle" check --quiet --no-record --cache flags_check.c >out 2>&1
check "the failing test is kept" "$(cat .heddle-cache/flags_check-*.tests)" 'go_left() | go_right()'
"$heddle" check --quiet --no-record --cache flags_check.c --json >out 2>&1
check "it is made first" "$(sed -n 's/.*"tests": \([0-9]*\).*/\1/p' out | awk '{print ($1 < 8) ? "yes" : $1}')" yes
sed -i 's/go_left/go_west/' flags_check.c
"$heddle" check --quiet --no-record --cache --model=sc --shape=1x1 flags_check.c >out 2>&1
check "a kept test whose calls are gone: status" $? 0
says "a kept test whose calls are gone" '1 tests that failed before have calls that are not declared'
printf 'go_west()\n\001\n%02000d\n' 7 >"$(echo .heddle-cache/flags_check-*.tests)"
"$heddle" check --quiet --no-record --cache --model=sc --shape=1x1 flags_check.c >out 2>&1
check "a damaged list is no harm" $? 0
says "a kept test counts as covered" '1 tests that failed before, all 2 tests of 1x1'
"$heddle" check --quiet --config=worst.toml --cache --no-record >out 2>&1
check "failed tests of a project" "$(tr '\n' ' ' <.heddle-cache/failed)" "inconclusive wrong gone "
"$heddle" check --quiet --config=worst.toml --cache --no-record 2>&1 | sed -n '/^test /,$p' >out
check "run first next time" "$(sed -n '2s/ .*//p' out)" inconclusive

# GitHub
GITHUB_ACTIONS=true "$heddle" run --quiet --no-record message.c >/dev/null 2>out
says "GitHub: an error at its line" '^::error file=message.c,line=19,title=heddle race::data race on text: T1 writes it at message.c:11'
GITHUB_ACTIONS=true "$heddle" run --quiet --no-record accounts.c >/dev/null 2>out
says "GitHub: a deadlock at its wait" '^::error file=accounts.c,line=17,title=heddle deadlock::'
GITHUB_ACTIONS=true "$heddle" run --quiet loop.c >/dev/null 2>out
says "GitHub: a warning" '^::warning file=loop.c,line=1,title=heddle inconclusive::'
mv message.c 'a,b:c%.c'
GITHUB_ACTIONS=true "$heddle" run --quiet --no-record 'a,b:c%.c' >/dev/null 2>out
says "GitHub: escaped" '^::error file=a%2Cb%3Ac%25.c,line=19,'

# progress: a line in a pipe after some seconds, and on a terminal much earlier
cat >big.c <<'TEXT'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static void *work(void *u) { for (int i = 0; i < 9; i++) { atomic_store(&x, i); atomic_load(&y); atomic_fetch_add(&y, 1); } return u; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0); pthread_join(a, 0); pthread_join(b, 0); }
TEXT
"$heddle" run --time=6s big.c 2>out >/dev/null
says "progress in a pipe" '^heddle: big: [0-9.]+[kM]? executions, .*/s, [0-9]+ MB, [56] s, '
"$heddle" run --time=1s --quiet big.c 2>out >/dev/null
check "--quiet" "$(cat out)" ""
if script -qc true /dev/null </dev/null >/dev/null 2>&1; then # there are terminals
    TERM=xterm script -qc "$heddle run --time=2s big.c" /dev/null </dev/null | tr '\r' '\n' >out
    says "progress on a terminal" '^big: [0-9.]+[kM]? executions, .*left'
else
    echo "skip project progress on a terminal (no script)"
fi
cd "$root" || exit 2
