# shellcheck shell=bash
# heddle weaken. In tests/weaken every line with memory orders says what is to come of each:
#   // weaken: needed store release; weaker load seq_cst to acquire; needed compare-exchange failure acquire
# (after "// clang:" what clang makes of it instead). The expectations are derived in the comments there.
heddle=$PWD/build/heddle
"$heddle" weaken --help >/dev/null 2>&1 || { echo "skip weaken (the tool has none)"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export TMPDIR=$work/tmp; mkdir "$TMPDIR"
left_behind() {
    sleep 0.1
    [ -z "$(ls -A "$TMPDIR")" ] && ! pgrep -f "$TMPDIR" >/dev/null
}

# The comments of a file as "LINE answer operation order", sorted.
expected() { # file, compiler
    awk -v clang="$([ "$2" = clang ] && echo 1)" '
        /\/\/ weaken: / {
            text = $0; sub(/.*\/\/ weaken: /, "", text)
            other = text; if (!sub(/.*\/\/ clang: /, "", other)) other = ""
            sub(/ *\/\/ clang: .*/, "", text)
            n = split(clang && other != "" ? other : text, part, /; */)
            for (i = 1; i <= n; i++) print FNR " " part[i]
        }' "$1" | sort
}
# The same of a report.
found() {
    awk '
        function flush() { if (line != "") print line; line = "" }
        /^Needed as/ { flush(); answer = "needed" } /^Needed, but/ { flush(); answer = "weaker" }
        /^Not seen/ { flush(); answer = "unneeded" } /^Not decided/ { flush(); answer = "unknown" }
        /^Not reached/ { flush(); answer = "unreached" }
        /^  [^ ]+:[0-9]+.*  in / {
            flush(); split($1, place, ":"); sub(/#.*/, "", place[2])
            text = $0; sub(/^ *[^ ]+ +/, "", text); sub(/  +in .*/, "", text); sub(/ +in .*/, "", text)
            sub(/ that fails,/, " failure", text); sub(/ *$/, "", text)
            line = place[2] " " answer " " text
        }
        /^      enough: / { sub(/^ *enough: /, ""); line = line " to " $0 }
        END { flush() }' | sort
}

# check NAME COMPILER FILE OPTION...: every order of the file, exit status 0
check() {
    local name=$1 cc=$2 file=$3 output got; shift 3
    output=$(timeout 60 "$heddle" weaken --quiet --jobs=2 "--cc=$cc" "$@" "$file" 2>"$work/err"); got=$?
    if [ "$got" != 0 ]; then
        echo "FAIL $name: exit status $got: $(head -n 3 "$work/err") $(head -n 3 <<<"$output")"
    elif ! diff <(expected "$file" "$cc") <(found <<<"$output") >"$work/diff"; then
        echo "FAIL $name: $(tr '\n' ' ' <"$work/diff")"
    elif ! left_behind; then
        echo "FAIL $name: something is left behind"
    else
        echo "ok $name"
    fi
}
for cc in gcc clang; do
    command -v $cc >/dev/null || { echo "skip $cc is not there"; continue; }
    for file in mp.c sb.c fences.c cas.c hang.c forms.cc; do
        check "$file with $cc" $cc "tests/weaken/$file"
    done
done
# optimised: the same orders, except that two of one macro can't be told apart
for file in mp.c fences.c hang.c; do
    check "$file with gcc -O2" gcc "tests/weaken/$file" -O2
done
check "operations" gcc tests/weaken/ring_check.c --shape=2x2

# status NAME STATUS PATTERN ARGUMENT...
status() {
    local name=$1 status=$2 pattern=$3 output got; shift 3
    output=$(timeout 60 "$heddle" weaken --quiet "$@" 2>&1 </dev/null); got=$?
    if [ "$got" != "$status" ]; then
        echo "FAIL $name: exit status $got, not $status: $(head -n 5 <<<"$output")"
    elif ! grep -q -e "$pattern" <<<"$output"$'\n'"$(tr -s '\n ' ' ' <<<"$output")"; then
        echo "FAIL $name: no line matches '$pattern': $(head -n 5 <<<"$output")"
    elif ! left_behind; then
        echo "FAIL $name: something is left behind"
    else
        echo "ok $name"
    fi
}
status "strict: an order is too strong" 1 'stronger than these tests need' --strict tests/weaken/mp.c
status "strict: all are needed" 0 '6 needed' --strict tests/weaken/sb.c
status "the execution of one" 0 'With relaxed at mp.c:11:5:.*The execution:' --order=mp.c:11 tests/weaken/mp.c
status "one by its line" 0 '1 memory order of' --order=11 tests/weaken/mp.c
status "no order there" 2 'there is no memory order at mp.c:1' --order=mp.c:1 tests/weaken/mp.c
status "no orders under sc" 2 'make no difference' --model=sc tests/weaken/mp.c
status "tso: a store is a release anyway" 0 'mp.c:11:5 *store release' --model=tso --races=ignore tests/weaken/mp.c
status "no reports" 2 "unrecognized option '--sarif" "--sarif=$work/x.sarif" tests/weaken/mp.c
status "a page" 0 '1 needed' "--html=$work/x.html" tests/weaken/mp.c
page=$(tr '\n' ' ' <"$work/x.html")
[[ $page =~ 'Needed as they are'.*mp.c:11:5.*'store release'.*'data race on data'.*'weaker ones are enough'.*'enough: acquire'.*'Not seen to be needed'.*mp.c:12:11 ]] &&
    echo "ok weaken: what the page says" || echo "FAIL weaken: what the page says: $page"
status "a page that can't be written" 2 nonexistent --html=/nonexistent/x.html tests/weaken/mp.c
status "no file" 2 'no file is named'
status "a file that is not there" 2 'No such file' "$work/none.c"
status "json" 0 '"command": "weaken".*"verdict": "holds".*"needed": 1, "weaker": 1, "unneeded": 1.*"answer": "needed"' \
    --json tests/weaken/mp.c
status "a hang is told" 0 '2 of them lest it hang.*relaxed: livelock' tests/weaken/hang.c
printf '#include <assert.h>\nint main(void) { assert(0); }\n' >"$work/wrong.c"
status "wrong as it is" 1 'no memory order was weakened' "$work/wrong.c"
printf 'int main(void) { return 0; }\n' >"$work/none.c"
status "no orders" 3 'has no memory order' "$work/none.c"
printf 'int f(void) { return 0; }\n' >"$work/nothing.c"
status "neither main nor operations" 2 '' "$work/nothing.c"
gcc -g0 -fsanitize=thread -c tests/weaken/mp.c -o "$work/mp.o"
status "no debug information" 3 'without debug information' "$work/mp.o"
# the weakened program has far more executions than the program itself
cat >"$work/long.c" <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a[8], go;
static void *w(void *p) { atomic_store_explicit(&go, 1, memory_order_release);
    for (int i = 0; i < 8; i++) atomic_store_explicit(&a[i], 1, memory_order_release);
    return p; }
static void *s(void *p) { for (int k = 0; k < 2; k++) for (int i = 7; i >= 0; i--)
        atomic_load_explicit(&a[i], memory_order_acquire);
    return p; }
int main(void) { pthread_t t[3]; pthread_create(&t[0], 0, w, 0); pthread_create(&t[1], 0, s, 0);
    pthread_create(&t[2], 0, s, 0); for (int i = 0; i < 3; i++) pthread_join(t[i], 0); }
END
status "a limit" 3 'not finished: the time limit' --time=500ms "$work/long.c"
# a kill ends everything; an interrupt ends with what there is
for signal in TERM KILL; do
    "$heddle" weaken --quiet --jobs=2 "$work/long.c" >"$work/out" 2>&1 &
    pid=$!
    sleep 1.5
    kill -$signal $pid; wait $pid 2>/dev/null; got=$?
    for ((look = 0; look < 100; look++)); do left_behind && break; sleep 0.1; done # its helpers notice it
    if [ $signal = TERM ] && ! grep -q interrupted "$work/out"; then
        echo "FAIL $signal: $got $(head -n 3 "$work/out")"
    elif ! left_behind; then
        echo "FAIL $signal: left behind: $(ls -A "$TMPDIR") $(pgrep -af "$TMPDIR")"
    else
        echo "ok $signal"
    fi
done
# Figure 7 of CDSSpec: nothing is missed, and what makes no difference is known to
if figure=$(bash bench/weaken.sh 2>&1) && grep -q '^Total *65 .* 100%' <<<"$figure"; then
    echo "ok the injections of corpus/cdsspec"
else
    echo "FAIL the injections of corpus/cdsspec: $(tail -n 4 <<<"$figure")"
fi
# against an editor that weakens the source
subjects=(tests/weaken/fences.c tests/weaken/sb.c corpus/cdsspec/mcs_lock.c)
[ -z "${HEDDLE_NIGHTLY:-}" ] || subjects=(tests/weaken/{mp,sb,fences,cas,hang}.c corpus/cdsspec/*_more.c)
if twin=$(bash tests/weaken/twin.sh "${subjects[@]}" 2>&1); then
    echo "ok as if written so ($twin)"
else
    echo "FAIL as if written so: $twin"
fi
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then # and random ones
    mkdir "$work/litmus"
    awk -v seed="${HEDDLE_SEED:-1}" -v count=100 -v folder="$work/litmus" -f tests/weaken/litmus.awk
    if twin=$(bash tests/weaken/twin.sh "$work"/litmus/*.c 2>&1); then
        echo "ok as if written so, litmus tests ($twin)"
    else
        echo "FAIL as if written so, litmus tests of seed ${HEDDLE_SEED:-1}: $twin"
    fi
fi
# larger tests than the corpus's own, without a specification: the same orders are needed
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    status "Chase-Lev, all tests of 2x3" 0 ' 6 needed, 0 could be weaker, 4 not' --jobs=2 --shape=2x3 --exhaustive \
        corpus/cdsspec/chase_lev_deque_check.c
    status "MPMC, all tests of 2x2" 0 ' 4 needed, 0 could be weaker, 6 not' --jobs=2 --shape=2x2 --exhaustive \
        corpus/cdsspec/mpmc_queue_check.c
fi
