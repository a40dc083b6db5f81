# Loops that wait or retry: what looking for them costs, and what is not explored because of them. HEDDLE_NIGHTLY=1 makes
# many more random programs.
# builds: kept
. tests/share.sh
[ -x build/heddle ] || { echo "skip waiting: build/heddle is not there"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
say() { if [ "$1" = 0 ]; then echo "ok $2"; else echo "FAIL $2: $3"; fi; }
run() { build/heddle run --quiet --no-record --jobs=1 "$@" 2>&1; }
field() { awk -v keys="$1" -f tests/json.awk; }
export HEDDLE_DEBUG=graph-symmetry=never,eager-confirm # small explorations, too, are reduced as large ones are (guest/explore/reduce/confirm/confirm.h)

# --- a loop that counts costs the same in each round: four times the rounds, four times the time (16 if it
# were quadratic); a reader of n rounds beside one store has n + 1 executions
cat >"$work/rounds.c" <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static int sum;
static void *write_once(void *a) { atomic_store_explicit(&x, 1, memory_order_relaxed); return a; }
static void *read_often(void *a)
{
    int s = 0;
    for (int i = 0; i < N; i++)
        s += atomic_load_explicit(&x, memory_order_relaxed);
    sum = s;
    return a;
}
int main(void)
{
    pthread_t w, r;
    if (WRITERS)
        pthread_create(&w, 0, write_once, 0);
    pthread_create(&r, 0, read_often, 0);
    if (WRITERS)
        pthread_join(w, 0);
    pthread_join(r, 0);
    return 0;
}
C
alone() { run --json --loop-bound=10000 -DWRITERS=0 -DN="$1" "$work/rounds.c" | field "executions cpu_seconds"; }
few=$(alone 1900); many=$(alone 7600)
awk -v few="${few#*$'\t'}" -v many="${many#*$'\t'}" 'BEGIN { exit !(many < 10 * few + 0.05) }'
say $? "a loop that counts: time" "1900 rounds $few, 7600 rounds $many (executions, seconds)"
got=$(run --json --loop-bound=10000 -DWRITERS=1 -DN=150 "$work/rounds.c" | field "verdict executions blocked")
[ "$got" = holds$'\t'151$'\t'0 ]; say $? "a loop that counts: executions" "$got"

# --- programs of every kind of waiting: outcomes, and whether a thread can be stuck, are those of the search in
# which reads that confirm are reads like others; complete executions are never more
nightly=${HEDDLE_NIGHTLY:-}
gcc -O1 -D_GNU_SOURCE -Isrc -o "$work/table" tests/helpers/liveness_table.c build/tool.a -ldw -lelf -lcapstone ||
    { echo "FAIL waits: no table maker"; exit 1; }
wraps=-Wl,--wrap=main,--wrap=memcpy,--wrap=memmove,--wrap=memset
[ -f build/lib/wrap.args ] && wraps=@build/lib/wrap.args
make_twin() { # OUT SOURCE LEVEL [FLAG]: each is built once
    local built="$1.${3#-}${4:-}"
    if [ ! -e "$built" ]; then build_twin "$built" "$2" "$3" "${4:-}" || return 1; fi
    ln -f "$built" "$1" && ln -f "$built.table" "$1.table"
}
build_twin() {
    gcc "$3" ${4:+"$4"} -g -w -fno-omit-frame-pointer -fsanitize=thread --param tsan-distinguish-volatile=1 -c -o "$1.o" "$2" &&
        gcc -no-pie -o "$1" "$1.o" build/lib/heddle_rt.o -Wl,-z,now,--build-id=none "$wraps" -ldl -lpthread &&
        "$work/table" "$1" "$1.table"
}
gcc -O1 -w -o "$work/compare" tests/helpers/compare_twins.c || { echo "FAIL waits: no comparison"; exit 1; }
unset HEDDLE_DEBUG
compare() { # NAME SOURCE LEVEL MODEL [FLAG]: the texts of standard input
    make_twin "$work/$2" "tests/twin/$2.c" "$3" "${5:-}" || { echo "FAIL $1: build"; return; }
    local said
    said=$(share_of | "$work/compare" "$work/$2" "$work/$2.table" "$4" "$work"); say $? "$1: ${said%% *}" "$said"
}
some() { if [ -n "$nightly" ]; then echo "$1"; else echo "$2"; fi; }
for setting in "rc11 -O0 7" "sc -O2 8" "tso -O1 9"; do
    read -r model level seed <<<"$setting"
    awk -v seed="$seed" -v count="$(some 20000 8)" -f tests/twin/waits.awk |
        compare "random programs that wait, $setting" waits "$level" "$model"
done
# what is learnt late is taken for all of its kind, and after several such passes the search is plain (values.h)
for setting in "rc11 -O1 17" "sc -O2 18" "tso -O1 19" "pso -O1 20"; do
    read -r model level seed <<<"$setting"
    awk -v seed="$seed" -v count="$(some 20000 6)" -f tests/twin/waits.awk |
        compare "facts that come late, $setting" waits "$level" "$model,late-graphs=$((seed % 3))"
    awk -v contents=1 -v seed="$seed" -v count="$(some 20000 3)" -f tests/twin/confirms.awk |
        compare "facts that come late, loops that confirm, $setting" confirms "$level" "$model,late-graphs=$((seed % 3))"
done
# locks taken by an exchange that is a load and a compare-exchange; and relaxed accesses that are volatile ones
for setting in "rc11 -O0 7" "sc -O2 8" "tso -O1 9" "pso -O2 10"; do
    read -r model level seed <<<"$setting"
    # the first four are lost if somebody looks at the count of readers, or uses what it was (waiting/counters.h)
    { printf '%s\n' "U0A1u0 O0R1o0 e0e0R1" "U0A1u0 O0R1o0 e0e0e0R1" "U0A1u0 O0R1o0 r2j0o0j0R1o0" "U0A1u0 O0R1o0 r2j0o0j0o0R1"
        printf '%s\n' "U0A1u0 O0r1o0 O0R1o0" "U0A1u0 O0R1o0 h0w2R1" "U0A1u0 O0R1o0 r2g0R1" "O0A1o0 O0R1o0U0r1u0"
        awk -v seed="$seed" -v exchanges=1 -v count="$(some 20000 5)" -f tests/twin/waits.awk; } |
        compare "exchanges by parts, $setting" waits "$level" "$model" -DVOLATILE
    { awk -v seed="$seed" -v count="$(some 20000 3)" -f tests/twin/confirms.awk
        awk -v taken=1 -v seed="$seed" -v count="$(some 20000 5)" -f tests/twin/confirms.awk; } |
        compare "volatile loops that confirm, $setting" confirms "$level" "$model" -DVOLATILE
done
# loops near what confirm.h decides; the first four were lost once: t leaves without confirming, before or after what
# it has read was taken; a write that does not pass on another one. Then attempts to leave a lock (confirm/doomed.h):
# two threads are stuck only if they have looked too early, and one if what it expects does not come back
for model in rc11 sc tso pso; do
    { printf '%s\n' "L01a2c-- A0V1" "W1 L01a2a-- W0R1V1" "L01a-b2- w1A0v1" "L01m2c2a l01b-c0- L01m-b1w"
        printf '%s\n' "M01a1wo- M02a1wo-W1" "M01b1go- A0W2 W1Z1" "m01a1g1- V0W0 W1Z1"
        printf '%s\n' "L01g-a--w2 w1Z0 R2r1" "l01q-r-- V1A0" "L01k-c-- A0V0"
        printf '%s\n' "l01r-b1- a0w1" "l01m2b1- a0A0w1" # lost if a load counts as a compare-exchange in N2 of confirm.h
        # lost where a failing compare-exchange was taken for a success, as that which confirms would be with its value
        printf '%s\n' "L01m2c-- A0v1 K0a0" "S01m2c-- A0v1A0 K0a0" "l01m2c-- A0v1A0 A0A0"
        # lost if a weak race goes unnoticed (confirm/ordered.h), or a value that comes again (VALUES_AGAIN)
        printf '%s\n' "S01r-b2- B0v1" "S01a-b2- B0v1" "I0J0I0 S01d-c-w J1B0 S01p-c--"
        # lost if plain memory is taken to hold what it holds now, or one of what it has held (facts/contents.h), if a
        # state is compared for one answer only; and if writes are left out after which a value comes back, or where a
        # thread leaves without confirming (confirm/returning.h)
        printf '%s\n' "P0L01i-a-- Q0T0 L01i-c-a" "L01i-z1- P0S01u-b1- V0Q0Z1" "L01i-3-w Q0L01j2a-- Q0Q0P0"
        printf '%s\n' "S01d-a1w J0t2B1 w2J1v2v2B1U0" "S01h2a-- I0J0I0 S01n-c1w U1N0"
        awk -v contents=1 -v seed="${#model}" -v count="$(some 20000 3)" -f tests/twin/confirms.awk
        awk -v ordered=1 -v seed="${#model}" -v count="$(some 20000 3)" -f tests/twin/confirms.awk
        # lost if a thread is run on after a compare-exchange that fails with what plain memory holds now (guest/explore/
        # ghost.h): 7 of 100 random ones
        printf '%s\n' "H01o1z-- r1P0 K0 V0" "A0 H01o2c-- R1Q0 V0" "A0 H01i2z-- R1Q0Q0 W0"
        awk -v retries=1 -v seed="${#model}" -v count="$(some 20000 3)" -f tests/twin/confirms.awk
        if [ -n "$nightly" ]; then awk -v all=1 -f tests/twin/confirms.awk; awk -v all=2 -f tests/twin/confirms.awk
            awk -v all=3 -f tests/twin/confirms.awk; awk -v taken=1 -v seed=71 -v count=20000 -f tests/twin/confirms.awk; fi
        awk -v seed="${#model}" -v count="$(some 20000 5)" -f tests/twin/confirms.awk; } |
        compare "loops that confirm, $model" confirms -O0 "$model"
done
# a constant, of which a ghost supposes the content that it has, can't be written
printf '%s\n' "A2S01a1c1- l02q-30-W2 A1w0Z2" "Z0L01q030a W2A1 L01q-e1-w1" "S10a-b2- R1L01b2e0w L01d-a0a" |
    compare "loops that confirm by constants, sc -O1" confirms -O1 sc
# rounds that look into plain memory: what they look at may be written again, or freed, by a thread that was faster. The
# race is in no execution without the round, or only where threads go on that wait for nothing; under sc and tso values
# are lost that only then are read (guest/explore/reduce/waiting/waiting.h)
for setting in "rc11 -O1 63" "sc -O2 61" "tso -O0 61"; do
    read -r model level seed <<<"$setting"
    { # waits: the graph was left before the write; or not looked at, since the value is outdated
        printf '%s\n' "Q2r0 W2X0" "W3 Q3r0 X0" "Q2r0 K2X0" "T2r0 m0u0X0"
        # what follows a round that was kept seemed to confirm it, so that nothing followed (confirm.h)
        printf '%s\n' "H2a0-ar-- Q2r0 H2n0waa--X0" "A2 Q2r0 H2n0waa--X0" "A2 Q2r0 L2n0waa--X0" "L2a0-ar-- Q2r0 L2n0waa--X0"
        printf '%s\n' "H2n0-ar-- Q2r0 H2n0waa--X0" "W2 Q2r0 L2n0waa--X0" "A2 q2r0 L2n0waa--X0" "A2 Q2r1 L2n0waq--X1" "A3 Q3r0 L3n0waa--X0" "K2 Q2r0 H2n0waa--X0"
        printf '%s\n' "W2 P2r0w3 !3X0" "W2 p2r0w3 !3X0" "W2 !3X0 P2r0w3" # or made it a part of a round (sections.c)
        # retries: the node that was looked at is written, or pushed again, after another thread has taken it
        printf '%s\n' "H0N0-aa-- L0n0-za--L0n0-ha--" "H0R0-za-- L0n0-za--e0" "L0N0wza-- L0n0-za--L0n0-ha--" "l0R0wza-- L0n0wzq--e0"
        printf '%s\n' "H1R0wna-- L1n0-na--f0" "l1N0wza--A3 L1n0wzq-- L1n0wza--%3f0" # or freed
        # what follows the round leads to the write
        printf '%s\n' "L0n0-za--?3e0 L0R0-za--w3" "l1R0-za--A3 L1n0wna--!3e0" "G2r0w3 G2n0!3X0" "T2r0w3 m0u0!3X0"
        awk -v small=1 -v seed="$seed" -v count="$(some 10000 2)" -f tests/twin/looks.awk
        awk -v rare=1 -v seed="$seed" -v count="$(some 5000 1)" -f tests/twin/looks.awk
        if [ -n "$nightly" ]; then awk -v seed="$seed" -v count=2000 -f tests/twin/looks.awk; fi; } >"$work/texts"
    make_twin "$work/looks" tests/twin/looks.c "$level" || { echo "FAIL rounds that look: build"; continue; }
    said=$("$work/compare" "$work/looks" "$work/looks.table" "$model" "$work" \
        "$(nm "$work/looks" | awk '$3 == "returned" { print $1 }')" < <(share_of <"$work/texts"))
    say $? "rounds that look, $setting: ${said%% *}" "$said"
done
export HEDDLE_DEBUG=graph-symmetry=never,eager-confirm
unset HEDDLE_TWIN_PROGRAM
# the same before a compare-exchange without which its thread only waits (confirm/doomed.h)
for setting in "-O0 0" "-O1 1" "-O2 0"; do
    got=$(run --json "${setting% *}" -DORDER="${setting#* }" tests/programs/waiting/doomed_look.c | field "verdict violation")
    [ "$got" = violated$'\t'race ]; say $? "rounds that look, doomed: $setting" "$got"
done

# --- futex calls: outcomes, and whether a thread can be stuck, are those of all interleavings, in which a call is one
# step as in the kernel (a wake-up once counted a waiter that had found another value); assertions midway fail in an
# exploration, by schedules and in states just as they do there (a wake-up once found a waiter that then did not wait)
if make_twin "$work/futexes" tests/twin/futexes.c -O0 && gcc -O1 -w -o "$work/futex_twin" tests/helpers/futex_twin.c; then
    address() { nm "$work/futexes" | awk -v name="$1" '$3 == name { print $1 }'; }
    for setting in "sc 1" "rc11 2"; do
        read -r model seed <<<"$setting"
        said=$({ printf '%s\n' "D0U0 D0U0 D0U0" "Z0K1 t1 R1" "K0 L1s0k0 D0V1U0" "W0k0k0 s0" "j0j0 s0 s0"
            printf '%s\n' "p0 q0 i0I0" "o0 m0m1m0m1" "o0s0 M0 y1" "n0 s0 x0" "i1I0p0 q0k0o0 y0"
            awk -v seed="${HEDDLE_SEED:-$seed}" -v more=1 -v count="$(some 1000 4)" -f tests/twin/futexes.awk
            awk -v seed="${HEDDLE_SEED:-$seed}" -v count="$(some 1000 5)" -f tests/twin/futexes.awk; } | share_of |
            "$work/futex_twin" "$work/futexes" "$(address cells)" "$(address returned)" "$work" "$model" \
                "$(some 8 2)" "$seed")
        say $? "futex calls, $model: ${said##*$'\n'}" "$said"
    done
    # rounds that end with an RMW which writes what it has read (guest/explore/reduce/waiting/waiting.h, waiting_block): the first five
    # would be stuck unnoticed if a read that is outdated later made the graph a dead end, too; the others would lose
    # outcomes if one of another RMW than the last did
    for setting in "rc11 3" "sc 4" "tso 5" "pso 6"; do
        read -r model seed <<<"$setting"
        said=$({ printf '%s\n' "B1X0A2Z0 B0 B0 A0V2" "R0 T2 T2 B0" "T0 T0E0 N0 N1" "B0E1 Z1 B0A0W1 F0W0f0" "R2s0 N1 N1F1W2f1 X2A0Z2"
            printf '%s\n' "X2W0Z2 T2T2 A1 X2" "A2W1 Z1 T0F2R1f2 X2A2Z2A2V0" "X2R1Z2 A2W0 T2B2 F2V1f2"
            awk -v seed="${HEDDLE_SEED:-$seed}" -v loops=1 -v count="$(some 5000 20)" -f tests/twin/futexes.awk; } | share_of |
            "$work/futex_twin" "$work/futexes" "$(address cells)" "$(address returned)" "$work" "$model" \
                "$(some 4 0)" "$seed")
        say $? "rounds that end with an exchange, $model: ${said##*$'\n'}" "$said"
    done
else
    echo "FAIL futex calls: build"
fi

# --- counters that only stretch a wait (tool/instrument/liveness/idle.h): the executions are the orders in which three
# threads get the lock; a thread that does not take it is found. Counters that show are followed: going round twice is
# found in each of 20 ways, and does not happen where the flag is set before
# by states such a counter stays what it was: one that was made zero let the delay go on for ever
got=$(HEDDLE_DEBUG=states=always run --json -w --model=sc -O2 -DHOW=7 -DN=3 tests/programs/waiting/backoff.c | field verdict)
[ "$got" = holds ]; say $? "backs off, by states" "$got"
compilers=gcc; [ -n "$nightly" ] && compilers='gcc clang'
for cc in $compilers; do
    for how in 1 2 3 4 5 6; do
        levels="-O$((how % 3))"; [ -n "$nightly" ] && levels='-O0 -O1 -O2'
        for level in $levels; do
            [ "$cc" = clang ] && [ "$level$how" != -O01 ] && continue # it makes a round of its own of the first attempt
            got=$(run --json -w --cc="$cc" "$level" -DN=3 -DHOW="$how" tests/programs/waiting/backoff.c | field "verdict executions")
            [ "$got" = holds$'\t'6 ]; say $? "backs off $how $cc $level" "$got, not 6 executions"
            got=$(run --json -w --cc="$cc" "$level" -DWRONG -DHOW="$how" tests/programs/waiting/backoff.c | field "verdict")
            [ "$got" = violated ]; say $? "backs off $how $cc $level, wrong" "$got"
        done
    done
    for way in $(seq 20); do
        levels="-O$((way % 3))"; [ -n "$nightly" ] && levels='-O0 -O1 -O2'
        for level in $levels; do
            got=$(for few in "" -DFEW; do HEDDLE_DEBUG=$HEDDLE_DEBUG,looks=never run --json -w --cc="$cc" "$level" -DCASE="$way" $few tests/programs/waiting/counts.c | field verdict; done)
            [ "$got" = violated$'\n'holds ]; say $? "counts $way $cc $level" "$got"
        done
    done
done

# --- the programs that break a naive in-place revisit of a lock: T1 waits for T2, whose read inside is revisited
# by T3; three threads that wait for one another (3! orders)
for row in "L0U0 L0R0U0 W0=4" "L0U0 L0U0 L0U0=6" "A1 w1 F1F1=6"; do
    got=$(HEDDLE_TWIN_PROGRAM=${row%=*} run --json tests/twin/locks.c | field "verdict executions")
    [ "$got" = holds$'\t'"${row#*=}" ]; say $? "kept: ${row%=*}" "$got, not ${row#*=} executions"
done
# a thread that can't make its compare-exchange may still revisit the winner's read with it (guest/explore/reduce/lost.c):
# as many executions as the plain search has
for text in "A1 W0D1 v0" "i1 c1W0D1 v0" "D1 D1z2 W0" "D1A0 b1D1z2 A0"; do
    case $text in *z2*) model=rc11;; *) model=tso;; esac # and a value that comes back beside what is confirmed
    new=$(HEDDLE_TWIN_PROGRAM=$text run --json --model="$model" tests/twin/waits.c | field executions)
    old=$(HEDDLE_TWIN_PROGRAM=$text HEDDLE_DEBUG=plain-search,graph-symmetry=never run --json --model="$model" tests/twin/waits.c | field executions)
    [ -n "$new" ] && [ "$new" = "$old" ]; say $? "kept: $text" "$new executions, not $old"
done

# --- a read and what confirms it are one decision: the stack's executions are the orders of its operations
# (consecutive pops of the empty stack are not ordered), those of a lock the orders of its threads, those of the queue
# and of the sequence lock the ones of the plain search; no more graphs are blocked than there are executions
while IFS='|' read -r program complete most; do
    # shellcheck disable=SC2086
    got=$(run --json tests/$program | field "executions blocked")
    [ "${got%%$'\t'*}" = "$complete" ] && [ "${got##*$'\t'}" -le "$most" ]
    say $? "$program" "$got, not $complete and at most $most blocked"
done <<'EOF'
oracle/treiber.c -DP=3 -DQ=2|114|0
oracle/treiber.c -DP=3 -DQ=3|618|618
oracle/treiber.c -DP=4 -DQ=2|696|696
oracle/msqueue.c -DP=2 -DQ=1|26|26
oracle/msqueue.c -DP=2 -DQ=3|1104|1104
oracle/msqueue.c -DP=3 -DQ=3|43434|43434
oracle/ticket.c -DN=6|720|720
oracle/ttas.c -DN=4|24|24
oracle/mutex.c -DN=6|720|720
programs/waiting/seqlock_retry.c -DN=4|16|16
programs/waiting/mcs.c -DN=3|24|24
programs/waiting/marked_node.c -DORDER=0|5|5
programs/waiting/marked_node.c -DORDER=1|5|5
EOF
# a lock taken by an exchange that is made of a load and a compare-exchange: the orders of its threads; as many graphs
# are blocked if the load is volatile as if it is relaxed
for setting in "rc11 -O0" "sc -O1" "tso -O2" "pso -O1"; do
    for fences in "" -DFENCES; do
        # shellcheck disable=SC2086
        relaxed=$(run --json --model=${setting% *} ${setting#* } $fences -DN=4 tests/programs/waiting/exchange_parts.c | field "verdict executions blocked")
        # shellcheck disable=SC2086
        got=$(run --json --model=${setting% *} ${setting#* } $fences -DN=4 -DVOLATILE tests/programs/waiting/exchange_parts.c | field "verdict executions blocked")
        [ "$got" = "$relaxed" ] && [ "${got%$'\t'*}" = holds$'\t'24 ]
        say $? "an exchange by parts, $setting $fences" "$got, relaxed $relaxed, not 24 executions"
    done
done
got=$(run --json -DN=3 tests/programs/waiting/drepper.c | field "verdict executions blocked")
awk -v FS='\t' '{ exit !($1 == "holds" && $3 <= $2) }' <<<"$got"; say $? "a futex mutex with three threads" "$got"
# a result that a dequeue leaves behind through a pointer, from plain memory, tells no rounds apart (facts/contents.h)
for level in -O0 -O1; do
    HEDDLE_DEBUG=states=never,graph-symmetry=never,eager-confirm build/heddle check --json --quiet --no-record --jobs=1 $level \
        --scenario="enqueue(1) dequeue() | enqueue(2) dequeue() | enqueue(1) dequeue()" corpus/classics/michael_scott_queue.c |
        field "verdict executions blocked" >"$work/queue$level"
done
[ -s "$work/queue-O1" ] && cmp -s "$work/queue-O0" "$work/queue-O1"
say $? "a result that stays behind: as without it" "$(cat "$work/queue-O0" "$work/queue-O1")"
# the decision is the same for several processes
got=$(HEDDLE_DEBUG=graph-symmetry=never,eager-confirm,eager-workers run --json --jobs=3 -DP=3 -DQ=3 tests/oracle/treiber.c | field "verdict executions")
[ "$got" = holds$'\t'618 ]; say $? "several processes decide alike" "$got"
got=$(HEDDLE_DEBUG=graph-symmetry=never run --json -DP=4 -DQ=2 tests/oracle/treiber.c | field "executions restarts")
[ "${got%%$'\t'*}" = 696 ] && [ "${got##*$'\t'}" -gt 0 ]; say $? "many blocked graphs make the exploration begin again" "$got"

# --- barriers: the order of arrivals is not explored (guest/explore/reduce/waiting/arrivals.h). A round without reductions has
# N! orders; reduced it has one, or N if a thread looks at what the call returns. Stores before it keep their N! orders
barrier=tests/programs/waiting/barrier.c
factorial=(1 1 2 6 24 120)
for setting in "2 1" "3 1" "4 1" "5 1" "3 2"; do
    read -r n rounds <<<"$setting"
    for level in -O0 -O2; do
        got=$(run --json "$level" -DN="$n" -DROUNDS="$rounds" $barrier | field "verdict executions blocked")
        [ "$got" = holds$'\t'1$'\t'0 ]; say $? "barrier: $setting $level" "$got"
    done
    got=$(run --json --model=sc -DLOOKS -DN="$n" -DROUNDS="$rounds" $barrier | field "verdict executions")
    # two calls a round, of which one is looked at: the barrier is one whose results are
    [ "$got" = holds$'\t'$((n ** (2 * rounds))) ]; say $? "barrier: $setting, last ones" "$got"
    [ "$n" -gt 3 ] && continue
    got=$(run --json --no-reductions -DN="$n" -DROUNDS="$rounds" $barrier | field "verdict executions")
    [ "$got" = holds$'\t'$((factorial[n] ** (2 * rounds))) ]; say $? "barrier: $setting, every order" "$got"
    got=$(run --json --cc=clang -DWRITES -DN="$n" -DROUNDS="$rounds" $barrier | field "verdict executions")
    [ "$got" = holds$'\t'"${factorial[n]}" ]; say $? "barrier: $setting, stores" "$got"
done
got=$(HEDDLE_DEBUG=eager-workers run --json --jobs=3 -DWRITES -DN=5 $barrier | field "verdict executions")
[ "$got" = holds$'\t'120 ]; say $? "barrier: several processes" "$got"
# whether anybody looks at the result is read off the machine code
for setting in "gcc -O0" "gcc -O1" "gcc -O2" "clang -O0" "clang -O1" "clang -O2"; do
    got=$(run --json --cc="${setting% *}" "${setting#* }" tests/programs/wrong/barrier_serial.c | field "verdict violation")
    [ "$got" = violated$'\t'assertion ]; say $? "barrier: any thread may come last, $setting" "$got"
done
for model in rc11 sc tso; do
    awk -v seed="1${#model}" -v count="$(some 20000 25)" -v barriers=1 -f tests/twin/waits.awk |
        HEDDLE_DEBUG='' compare "random programs with barriers, $model" waits -O1 "$model"
done

# --- a lock that is taken only to look is a loop that waits (guest/explore/reduce/waiting/sections.c): the search ends; without
# reductions it does not.
for lock in 0 1 2 3 4 5; do
    for setting in "gcc -O0" "gcc -O2" "clang -O1"; do
        got=$(run --json --cc="${setting% *}" "${setting#* }" -DLOCK=$lock tests/programs/waiting/poll.c | field verdict)
        [ "$got" = holds ]; say $? "looking under a lock: $lock $setting" "$got"
    done
    got=$(run --json --model=sc -DLOCK=$lock -DN=2 tests/programs/waiting/poll.c | field verdict)
    [ "$got" = holds ]; say $? "looking under a lock: $lock, two threads" "$got"
done
for setting in "rc11 -O1 3" "sc -O0 4" "tso -O2 5"; do
    read -r model level seed <<<"$setting"
    awk -v seed="$seed" -v count="$(some 10000 20)" -f tests/twin/polls.awk |
        HEDDLE_DEBUG='' compare "random programs that look under locks, $setting" polls "$level" "$model"
done
for setting in "rc11 -O0 11" "sc -O2 12" "tso -O1 13" "pso -O1 14"; do
    read -r model level seed <<<"$setting"
    { # once two threads seemed to be stuck: what the second has read by a failed try was given back since
        printf '%s\n' "z0c0 y1C0 y1" "z0c1 C0m1x1 m1C1" "z0X0x1 C0 x0m1" "z0X0 y1x0C0 x0" "z0x0y1 C0 m1X0"
        awk -v atomics=1 -v seed="$seed" -v count="$(some 5000 12)" -f tests/twin/polls.awk; } |
        HEDDLE_DEBUG='' compare "random programs that look under locks made of atomics, $setting" polls "$level" "$model"
done
# nobody sees what else a thread does in its rounds (sections.c, counters.h)
for setting in "1 gcc -O0 5" "1 clang -O2 5" "2 gcc -O1 6" "2 clang -O0 6" "3 gcc -O1 2" "3 gcc -O2 2"; do
    read -r case cc level count <<<"$setting"
    for model in rc11 sc tso; do
        got=$(run --json -w --cc="$cc" --model=$model "$level" -DCASE="$case" tests/programs/waiting/beside.c | field "verdict executions")
        [ "$got" = holds$'\t'"$count" ]; say $? "rounds beside: $setting $model" "$got"
    done
done
got=$(run --json -w -O1 -DCASE=3 -DWRONG tests/programs/waiting/beside.c | field verdict)
[ "$got" = violated ]; say $? "rounds beside: without the lock" "$got"
# a round that another thread looks at is not left out, so this search does not end. Random schedules, which are drawn
# as soon as an execution was given up for its length, find what goes wrong
got=$(HEDDLE_DEBUG=looks=never run --json --time=1s tests/programs/wrong/poll_looked_at.c | field verdict)
[ "$got" = inconclusive ]; say $? "looking under a lock that another thread tries" "$got"
# found only if who looks and then waits for ever counts (looks.h, b), and if a thread that counts up twice in a row
# makes a counter none (counters.h, K2)
for program in looks_and_waits counter_twice; do
    for setting in "rc11 -O0" "sc -O1" "tso -O2"; do
        got=$(HEDDLE_DEBUG=looks=never run --json --model="${setting% *}" "${setting#* }" tests/programs/waiting/$program.c | field "verdict violation")
        [ "$got" = violated$'\t'assertion ]; say $? "$program, $setting" "$got"
    done
done

# --- a test that takes long is put off, and made in the end, whatever the number of processes
check() { build/heddle check --quiet --no-record --json "$@" corpus/classics/michael_scott_queue.c 2>&1; }
one=$(check --jobs=1 --shape=3x2 --samples=3 | field "verdict tests")
two=$(check --jobs=2 --shape=3x2 --samples=3 | field "verdict tests")
[ "${one%%$'\t'*}" = holds ] && [ "$one" = "$two" ]; say $? "put off: the same answer" "$one with one process, $two with two"
[ "${one##*$'\t'}" = 3 ]; say $? "put off: every test is made" "$one"
if [ -n "$nightly" ]; then
    text=$(build/heddle check --no-record --quiet corpus/classics/treiber_stack.c 2>&1 | tr -s '\n ' ' ')
    grep -Eq '^holds.*all 45 tests of 2x2, all 10 tests of 3x1, all 27 tests of 1x3.* [0-9]+ of 100 random tests of 3x3 note: tests of 2x3, 3x2 and 3x3 that had not ended' <<<"$text"
    say $? "a check that is not told how long ends by itself" "$text"
fi
