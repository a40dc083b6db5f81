# shellcheck shell=bash
# heddle repair: which memory orders are missing? The search itself is a unit test (tests/unit/repair_search.c); here
# programs: brute force on copies of the source, patches that apply, repairs that weaken can't weaken, and the forms.
heddle=$PWD/build/heddle
"$heddle" repair --help >/dev/null 2>&1 || { echo "skip repair (the tool has none)"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export TMPDIR=$work/tmp; mkdir "$TMPDIR"
wrong=$PWD/tests/programs/wrong

# brute force: what holds, and what of it is minimal
subjects=("2 $wrong/mp_fence_missing.c" "2 $wrong/release_sequence_broken.c")
[ -z "${HEDDLE_NIGHTLY:-}" ] || subjects=("3 $wrong/mp_fence_missing.c" "3 $wrong/mp_relaxed.c" "3 $wrong/sb_relaxed.c"
    "3 $wrong/release_sequence_broken.c" "3 $wrong/ticket_relaxed.c" "3 $wrong/spsc_ring_relaxed.c"
    "3 $wrong/cas_failure_order.c" "3 $wrong/peterson_release.c" "2 $wrong/seqlock_no_fence.c" "2 $wrong/ttas_relaxed.c"
    "3 $wrong/dekker_acq_rel_fences.c" "3 $wrong/mcs_handover_relaxed.c" "3 $wrong/refcount_relaxed.c")
for subject in "${subjects[@]}"; do
    # shellcheck disable=SC2086
    if said=$(bash tests/repair/brute.sh $subject 2>&1); then echo "ok brute force: $said"; else echo "FAIL brute force: $said"; fi
done

# status NAME STATUS PATTERN ARGUMENT...
status() {
    local name=$1 status=$2 pattern=$3 output got; shift 3
    output=$(timeout 60 "$heddle" repair --quiet "$@" 2>&1 </dev/null); got=$?
    if [ "$got" != "$status" ]; then
        echo "FAIL $name: exit status $got, not $status: $(head -n 5 <<<"$output")"
    elif ! grep -q -e "$pattern" <<<"$(tr -s '\n ' ' ' <<<"$output")"; then
        echo "FAIL $name: nothing matches '$pattern': $(head -n 9 <<<"$output")"
    elif sleep 0.1; [ -n "$(ls -A "$TMPDIR")" ]; then
        echo "FAIL $name: something is left behind"
    else
        echo "ok $name"
    fi
}
status "holds as it is" 0 'holds: .*nothing to repair' tests/weaken/mp.c
status "violated under sc" 1 'since it goes wrong under sc, too: assertion failed' "$wrong/lost_update.c"
status "a race that no order mends" 1 'no atomic operation whose memory order could be stronger: make the variable' "$wrong/race_counter.c"
status "races beside atomics" 1 'with all atomic operations seq_cst it is still violated: data race' "$wrong/race_in_retry.c"
status "store buffering: four accesses, or a fence in each thread" 0 \
    'No three accesses are enough; 4 accesses.*5. sb_relaxed.c:11:9 a seq_cst fence before this load in left' "$wrong/sb_relaxed.c"
cat >"$work/lines.c" <<'TEXT'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
#define SET(x) atomic_store_explicit(&(x), 1, memory_order_relaxed)
#define GET(x) atomic_load_explicit(&(x), memory_order_relaxed)
static int a, b;
static void *left(void *arg) { SET(x); a = GET(y); return arg; }
static void *right(void *arg) { SET(y); b = GET(x); return arg; }
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, left, 0);
    pthread_create(&t[1], 0, right, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    assert(a || b);
}
TEXT
if timeout 60 "$heddle" repair --quiet "$work/lines.c" 2>/dev/null | grep -q '^+ *atomic_thread_fence'; then echo "FAIL a fence is put before a function"; else echo "ok no fence before a function"; fi
cat >"$work/cas.c" <<'TEXT'
#include <pthread.h>
#include <stdatomic.h>
#define PUT memory_order_relaxed
static int data;
static atomic_int flag;
static void *put(void *arg)
{
    int none = 0;
    data = 1;
    atomic_compare_exchange_strong_explicit(&flag, &none, 1, PUT, memory_order_relaxed);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, put, 0);
    int seen = atomic_load_explicit(&flag, memory_order_acquire) ? data : 1;
    pthread_join(t, 0);
    return seen - 1;
}
TEXT
status "the order of failure is not taken for that of success, a macro" 0 'compare-exchange relaxed -> release.*+ *atomic_compare_exchange_strong_explicit(&flag, &none, 1, memory_order_release, memory_order_relaxed);' "$work/cas.c"
status "pso: the first store is a release" 0 'mp_pso.c:12:.* store relaxed -> release' --model=pso "$wrong/mp_pso.c"
status "tso: stores drain the buffer" 0 'store release -> seq_cst.*store release -> seq_cst' --model=tso "$wrong/sizes_store_buffer.c"
status "no orders under sc" 2 'make no difference' --model=sc "$wrong/mp_relaxed.c"
status "no sample" 2 'a sample decides nothing' --schedules=100 "$wrong/mp_relaxed.c"
status "no journal" 2 'neither --journal' --journal=x "$wrong/mp_relaxed.c"
status "no file" 2 'no file'
sed -e '/define SET/s/.*/static void give(atomic_int *to, int ORDER) { atomic_store_explicit(to, 1, ORDER); }/' \
    -e '/^static void/s/SET(\([xy]\))/give(\&\1, memory_order_relaxed)/' "$work/lines.c" >"$work/parameter.c"
status "a parameter is no macro" 0 'No patch' "$work/parameter.c"
cat >"$work/between.c" <<'TEXT'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int a, b;
#define GET(p) atomic_load_explicit(p, memory_order_relaxed)
#define SET(p, v) atomic_store_explicit(p, v, memory_order_relaxed)
static void *left(void *arg) { a = (SET(&x, 1), GET(&y)); return arg; }
static void *right(void *arg) { b = (SET(&y, 1), GET(&x)); return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, left, 0); pthread_create(&u, 0, right, 0);
    pthread_join(t, 0); pthread_join(u, 0);
    assert(a || b);
}
TEXT
status "no fence beside a statement for one inside it" 0 'a seq_cst fence.*No patch' "$work/between.c"

# what it says is what holds, and can't be weakened: the patch is applied, and the copy asked
meet() { # NAME FILE OPTION...
    local name=$1 file=$2; shift 2
    rm -rf "$work/copy"; mkdir "$work/copy"; cp "$file" "$work/copy/"
    local base; base=$(basename "$file")
    if ! (cd "$work/copy" && timeout 60 "$heddle" repair --quiet "$@" "$base" >../report 2>&1 && patch -p0 -s <../report >../patched 2>&1); then
        echo "FAIL $name: $(head -n 3 "$work/report") $(cat "$work/patched")"; return
    fi
    local places; places=$(sed -n '/^\(This\|These\|Each\)/,/^The patch/s/^ *\([0-9]*\. \)\{0,1\} *\('"$base"':[0-9]*:\).* -> .*/\2/p' "$work/report" | sort -u)
    [ -n "$places" ] || { echo "FAIL $name: no places: $(head -n 9 "$work/report")"; return; }
    (cd "$work/copy" && timeout 60 "$heddle" weaken --quiet "$@" "$base" >../weakened 2>&1) || { echo "FAIL $name: weaken: $(head -n 3 "$work/weakened")"; return; }
    for place in $places; do
        awk -v place="$place" '/^Needed as they are/ { on = 1; next } /^(Needed, but|Not )/ { on = 0 }
            on && index($1, place) == 1 { found = 1 } END { exit !found }' "$work/weakened" || {
            echo "FAIL $name: $place is not needed as it is: $(grep -A3 "$place" "$work/weakened")"; return
        }
    done
    echo "ok $name"
}
meet "meets weaken: message passing" "$wrong/mp_relaxed.c"
meet "meets weaken: release sequence" "$wrong/release_sequence_broken.c"
meet "meets weaken: the failure order of a compare-exchange" "$wrong/cas_failure_order.c"
meet "meets weaken: C++" "$wrong/cxx_atomic_relaxed_publish.cpp"
cat >"$work/forms.cc" <<'END'
#include <atomic>
#include <thread>
static int data, seen;
static std::atomic<int> flag{0}, done{0};
static int give(int v) { return v; }
int main()
{
    std::thread a([] {
        data = 1; flag.store(give(1), std::memory_order_relaxed);
    });
    std::thread b([] {
        int zero = 0;
        if (flag.load(std::memory_order::relaxed) == 1 && done.load(std::memory_order_relaxed) == 0) seen = data;
        else if (!flag.compare_exchange_strong(zero, 2, std::memory_order_relaxed)) seen = data;
    });
    a.join();
    b.join();
}
END
meet "meets weaken: forms of C++" "$work/forms.cc" -std=c++20
# a fence that becomes a line
cat >"$work/fence.c" <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int a, b;
#define SET(p) atomic_store_explicit(p, 1, memory_order_relaxed)
#define GET(p) atomic_load_explicit(p, memory_order_relaxed)
static void *left(void *p)
{
    SET(&x);
    a = GET(&y);
    return p;
}
static void *right(void *p)
{
    SET(&y);
    b = GET(&x);
    return p;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, left, 0); pthread_create(&u, 0, right, 0);
    pthread_join(t, 0); pthread_join(u, 0);
    assert(a || b);
}
END
(cd "$work" && timeout 60 "$heddle" repair --quiet fence.c >report 2>&1; patch -p0 -s <report >patched 2>&1)
if grep -q '^ *atomic_thread_fence(memory_order_seq_cst);' "$work/fence.c" && timeout 60 "$heddle" run --quiet --no-record "$work/fence.c" >"$work/out" 2>&1; then
    echo "ok a fence as a line"
else
    echo "FAIL a fence as a line: $(head -n 20 "$work/report") $(cat "$work/patched") $(head -n 3 "$work/out")"
fi

# operations; and beside a violation
(cd "$work" && timeout 60 "$heddle" check --quiet --model=rc11 --shape=2x1 --exhaustive -DPUSH_ORDER=memory_order_relaxed "$OLDPWD/corpus/classics/treiber_stack.c" >out 2>&1)
if tr -s '\n ' ' ' <"$work/out" | grep -q 'To repair it: it holds under sc and under tso; this change is enough: treiber_stack.h:[0-9:]* compare-exchange relaxed -> release in .*of the tests, only the one that fails'; then
    echo "ok beside a violation of check"
else
    echo "FAIL beside a violation of check: $(head -n 20 "$work/out")"
fi
if (cd "$work" && ! timeout 60 "$heddle" run --quiet --no-record --no-repair "$wrong/mp_relaxed.c" | grep -q 'To repair it'); then echo "ok --no-repair"; else echo "FAIL --no-repair"; fi
# every violation of tests and corpora: the patch is applied to a copy, which must hold, and weaken is asked about it
all=$(bash tests/repair/all.sh "$([ -n "${HEDDLE_NIGHTLY:-}" ] || echo 'sizes_ticket|2\+2w_relaxed')" 2>&1); status=$?
echo "$all" | sed -n 's/^COUNT /# repair: /p'
if [ $status = 0 ] && grep -q 'patched: holds' <<<"$all" && { [ -n "${HEDDLE_NIGHTLY:-}" ] || ! grep -q 'no patch' <<<"$all"; }; then echo "ok patches of all violations hold"; else echo "FAIL patches of all violations: $(grep -v '^COUNT' <<<"$all")"; fi
if said=$(bash tests/repair/classics.sh "$([ -n "${HEDDLE_NIGHTLY:-}" ] || echo 'spsc_ring')" 2>&1); then echo "ok $said"; else echo "FAIL $said"; fi

# the forms: JSON, SARIF, the page
(cd "$work" && cp "$wrong/mp_relaxed.c" . && timeout 60 "$heddle" repair --quiet --json --sarif=s.sarif --html=p.html mp_relaxed.c >answer.json 2>&1)
if grep -q '"end": "repaired".*"models": {"sc": "holds", "tso": "holds"}.*"kind": "order", "file": "[^"]*mp_relaxed.c", "line": 10, .*"order": "relaxed", "needed": "release", "edit": {"line": 10, "column": 37, "length": 20, "text": "memory_order_release"}.*"minimal": true' "$work/answer.json"; then echo "ok json"; else echo "FAIL json: $(cat "$work/answer.json")"; fi
if tr -s '\n ' ' ' <"$work/s.sarif" | grep -q '"fixes": \[ { "description": { "text": "mp_relaxed.c:10: store relaxed -> release" }, "artifactChanges": \[ { "artifactLocation": { "uri": "mp_relaxed.c", "uriBaseId": "SRCROOT" }, "replacements": \[ { "deletedRegion": { "startLine": 10, "startColumn": 37, "endColumn": 57 }, "insertedContent": { "text": "memory_order_release" } }'; then echo "ok sarif"; else echo "FAIL sarif: $(grep -A30 fixes "$work/s.sarif")"; fi
if grep -q '"repair":.*store relaxed -' "$work/p.html"; then echo "ok page"; else echo "FAIL page"; fi
