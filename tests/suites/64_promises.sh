# doc/promises.md is complete: every line of doc/ and of the manual pages that says always, never, exactly or at most is in
# it, by words that stand there, with a test that is there and holds its words. And the limits that no other suite tests.
heddle=${HEDDLE:-$PWD/build/heddle} table=doc/promises.md
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
sed '1,/^| --- /d' $table | awk -F' [|] ' '{ sub(/^[|] /, "", $1); sub(/ [|]$/, "", $4); print $1 "\t" $2 "\t" $3 "\t" $4 }' >"$work/rows"
page() { case $1 in *.md) echo "doc/$1" ;; *) echo "man/$1" ;; esac; }
# every line has a row (YAML's words are none of ours)
bad=$(grep -nwiE 'always|never|exactly|at most' doc/*.md man/* | grep -vE '^doc/promises\.md:|always\(\)|when: always' | while IFS=: read -r file line text; do
    found=
    while IFS= read -r words; do [[ "$text" != *"$words"* ]] || found=1; done < <(awk -F'\t' -v name="$(basename "$file")" '$1 == name { print $2 }' "$work/rows")
    [ -n "$found" ] || echo "$file:$line: ${text:0:120}"
done)
[ -z "$bad" ] && echo "ok promises: complete" || echo "FAIL promises: doc/promises.md lacks: $bad"
# every row stands in its page, and names a test
bad=$(while IFS=$'\t' read -r name words test evidence; do
    grep -qF -- "$words" "$(page "$name")" || echo "$name does not say '$words'"
    if [ "$test" = - ]; then [ -n "$evidence" ] || echo "$name, $words: no reason"
    elif [ ! -e "$test" ]; then echo "there is no $test"
    elif ! grep -rqF -- "$evidence" "$test"; then echo "$test does not say '$evidence'"; fi
done <"$work/rows")
[ -z "$bad" ] && [ "$(wc -l <"$work/rows")" -gt 60 ] && echo "ok promises: each has its test" || echo "FAIL promises: $bad"
cd "$work" || exit 2
printf 'int main(void) { return 0; }\n' >p.c
printf '#include <stdlib.h>\nint main(void) { return malloc(3) == 0; }\n' >leak.c
printf '#include <heddle.h>\nstatic int n;\nHD_INIT { n = 0; }\nHD_OP(a) { return HD_INT(n); }\n' >c.c
printf '#include <pthread.h>\nint x;\nstatic void *f(void *a) { x++; return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x++; pthread_join(t, 0); return 0; }\n' >race.c
printf '#include <pthread.h>\nstatic void *f(void *a) { return a; }\nint main(void) { pthread_t t[7]; for (int i = 0; i < 7; i++) pthread_create(&t[i], 0, f, 0); for (int i = 0; i < 7; i++) pthread_join(t[i], 0); return 0; }\n' >seven.c
printf 'int x;\noperation void put() { x = 1; }\nthreads 9: put;\n' >t9.hm
says() { # NAME STATUS PATTERN WORDS...
    local name=$1 status=$2 pattern=$3 got; shift 3
    timeout 60 "$heddle" "$@" >out 2>&1; got=$?
    [ $got = "$status" ] && tr -s '\n ' ' ' <out | grep -qE -- "$pattern" && echo "ok promise: $name" || echo "FAIL promise: $name: $got: $(head -c 300 out)"
}
says 'threads for ever' 2 '1 to 6' check --unbounded=7 c.c
says 'seven threads' 3 'inconclusive' run -q --unbounded --model=sc seven.c
says 'threads of a shape' 2 'at most 8x16' check --shape=9x1 c.c
says 'calls of a shape' 2 'at most 8x16' check --shape=8x17 c.c
says 'events of a thread' 2 '1 to 500000' run --event-bound=500001 p.c
says 'no limit for silence' 0 '^holds' run -q --hang=0 p.c
says 'threads 9 in a model' 2 '1 to 8 threads' refine -q --explore t9.hm
says 'a leak is a note' 0 '^holds.*note: a leak: 1 object' run -q leak.c
for words in --schedules=5 '--preemptions=1 --model=sc'; do
    # shellcheck disable=SC2086
    says "never exhaustive: $words" 0 '"exhaustive": false' run -q --json $words p.c
done
# stores that wait under tso: four of them do before a fence, three at most are followed; a call ends with each of them
fence='atomic_thread_fence(memory_order_seq_cst)'
for stores in 3 4; do
    printf '#include <heddle.h>\n#include <stdatomic.h>\nstatic atomic_int a[4];\nHD_OP(put) { for (int i = 0; i < %s; i++) atomic_store_explicit(&a[i], 1, memory_order_relaxed); %s; return HD_VOID; }\nHD_OP(get) { return HD_INT(atomic_load(&a[0])); }\n' $stores "$fence" >s$stores.c
done
says 'three stores in a buffer' 0 'for ever, under tso: all' check -q --no-record --unbounded=2 --model=tso s3.c
says 'four stores in a buffer' 0 'at most 3 stores and the ends of 2 calls in a store buffer, under tso' check -q --no-record --unbounded=2 --model=tso s4.c
# logs: results that mean nothing, and limits of size (twice as many operations as pairs)
pairs() { awk -v n="$1" -v put="$2" -v get="$3" 'BEGIN { for (i = 0; i < n; i++) printf "{\"process\":0,\"type\":\"call\",\"op\":\"%s\",\"args\":[%d]}\n{\"process\":0,\"type\":\"return\"}\n{\"process\":1,\"type\":\"call\",\"op\":\"%s\"}\n{\"process\":1,\"type\":\"return\",\"result\":%d}\n", put, i, get, i }'; }
result() { printf '{"process":0,"type":"call","op":"%s"}\n{"process":0,"type":"return","result":"zzz"}\n' "$1" >z.jsonl; }
result deq; says 'a text that nobody put' 2 'the result is not understood' history --spec=fifo z.jsonl
result get; says 'a text as a count' 2 'the result is not understood' history --spec=counter z.jsonl
result read; says 'a text that nobody wrote' 1 'NOT linearizable' history --spec=register z.jsonl
pairs 10001 write read >s.jsonl; says 'sequential consistency of 20,002 operations' 2 'at most 20000 operations' history --spec=register --consistency=sequential s.jsonl
pairs 100 write read >s.jsonl; says 'sequential consistency of 200 operations' 0 ': sequentially consistent' history --spec=register --consistency=sequential s.jsonl
swapped() { awk -v n="$1" 'function call(p, o, a) { print "{\"process\":" p ",\"type\":\"call\",\"op\":\"" o "\",\"args\":[" a "]}" } function ret(p, v) { print "{\"process\":" p ",\"type\":\"return\",\"result\":" v "}" }
    BEGIN { for (i = 0; i < n; i += 2) { for (j = 0; j < 2; j++) { call(0, "enq", i + j); ret(0, "null") } for (j = 1; j >= 0; j--) { call(1, "deq", ""); ret(1, i + j) } } }'; }
swapped 256 >s.jsonl; says 'definition 4 of 512 operations' 0 'quasi linearizable' history --spec=fifo --quasi=deq:1 --semantics=def4 s.jsonl
swapped 258 >s.jsonl; says 'definition 4 of 516 operations' 3 'the size limit was reached' history --spec=fifo --quasi=deq:1 --semantics=def4 s.jsonl
# bounds of time: a repair among 8 accesses, and how old a journal gets
cat >many.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y, z, w;
static int r[4];
#define S(a) atomic_store_explicit(&a, 1, memory_order_relaxed)
#define L(a) atomic_load_explicit(&a, memory_order_relaxed)
static void *f(void *a) { S(x); S(y); r[0] = L(z); r[1] = L(w); return a; }
static void *g(void *a) { S(z); S(w); r[2] = L(x); r[3] = L(y); return a; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, f, 0), pthread_create(&u, 0, g, 0);
    pthread_join(t, 0), pthread_join(u, 0);
    assert(r[0] | r[1] | r[2] | r[3]);
}
C
"$heddle" run -q --no-record many.c >out 2>&1
took=$(tr -s '\n ' ' ' <out | sed -n 's/.*programs tried in \([0-9.]*\) s.*/\1/p')
awk "BEGIN { exit !(${took:-9} <= 2.5) }" && echo "ok promise: two seconds for a repair" || echo "FAIL promise: two seconds for a repair: $took s"
"$heddle" run -q --no-record --model=sc --time=3s --journal=j.journal "$OLDPWD/tests/oracle/fib.c" -DN=9 >out 2>&1 & pid=$!
oldest=0
while kill -0 $pid 2>/dev/null; do
    sleep 0.1
    written=$(stat -c %.9Y j.journal 2>/dev/null) || continue # not yet, or at the moment when a new one takes its place
    oldest=$(awk "BEGIN { age = $(date +%s.%N) - $written; print (age > $oldest ? age : $oldest) }")
done
awk "BEGIN { exit !($oldest > 0.2 && $oldest <= 3) }" && echo "ok promise: a journal is a second old" || echo "FAIL promise: a journal is a second old: $oldest s"
# what the libraries lock by themselves: both orders, no race; what they do not
printf '#include <pthread.h>\n#include <stdio.h>\nstatic void *f(void *a) { fputs(a, stdout); fputc(10, stdout); return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, "a"); f("b"); pthread_join(t, 0); return 0; }\n' >puts.c
printf '#include <iostream>\n#include <thread>\nstatic void f(int n) { std::cout << HEX n << "x"; }\nint main() { std::thread t(f, 1); f(2); t.join(); }\n' >cout.cc
says 'two threads on one stream' 0 '^holds' run -q puts.c
says 'two threads on std::cout' 0 '^holds' run -q -DHEX= cout.cc
says 'two threads that change std::cout' 1 '^violated: race' run -q --no-record --no-repair '-DHEX=std::hex<<' cout.cc
"$heddle" run -q --record=r.heddle race.c >/dev/null 2>&1; "$heddle" replay -q --ascii --steps=2 r.heddle >out 2>&1
few=$(grep -cE '^ *>? *[0-9]+  ' out); "$heddle" replay -q --ascii r.heddle >out 2>&1; many=$(grep -cE '^ *>? *[0-9]+  ' out)
[ "$few" = 2 ] && [ "$many" -gt 2 ] && echo "ok promise: steps that are printed" || echo "FAIL promise: steps that are printed: $few of $many with --steps=2"
# tests that states could decide, and what makes each one for executions (HEDDLE_DEBUG=states=always asks for states)
cat >s.c <<'C'
#include <heddle.h>
#include <stdatomic.h>
static atomic_int n;
#ifdef OBJECT
HD_OP_OF(b, look) { return HD_INT(atomic_load(&n)); }
HD_OP_OF(a, inc) { atomic_fetch_add(&n, 0); return HD_VOID; }
#else
HD_OP(inc) { atomic_fetch_add(&n, 1); return HD_VOID; }
HD_OP(get) { return HD_INT(atomic_load(&n)); }
#endif
#ifdef INVARIANT
HD_INVARIANT { return atomic_load(&n) >= 0; }
#endif
#ifdef AFTER
HD_AFTER { atomic_store(&n, 0); }
#endif
C
for words in '' -DINVARIANT -DAFTER -DOBJECT --no-reductions --quasi=get:1 '--scenario=inc()/get()|inc()/'; do
    shape=--shape=2x2; [[ $words != --scenario* ]] || shape=
    # shellcheck disable=SC2086
    got=$(HEDDLE_DEBUG=states=always timeout 60 "$heddle" check --model=sc -q --json --no-record --jobs=1 $shape $words s.c 2>&1 | tr ',' '\n' | sed -n 's/.*"tests_by_states": *//p' | head -n 1)
    if [ -z "$words" ]; then [ "${got:-0}" -gt 0 ]; else [ "${got:-0}" = 0 ]; fi && echo "ok promise: decided by executions: ${words:-by states without any of these}" ||
        echo "FAIL promise: decided by executions: $words: $got tests by states"
done
# the page draws up to 150 states: 65 are drawn, 649 are not
for elements in 1 2; do
    "$heddle" check --unbounded=2 --model=sc --elements=$elements -q --no-record --html=states.html "$OLDPWD/tests/unbounded/treiber_stack.c" >out 2>&1
    drawn=$(grep -c '"states":\[' states.html) count=$(sed -n 's/.*all \([0-9]*\) states.*/\1/p' out | head -n 1)
    [ "$drawn" = $((2 - elements)) ] && [ $((count <= 150)) = "$drawn" ] && echo "ok promise: a page of $count states" || echo "FAIL promise: a page of $count states: $drawn"
done
"$heddle" cc -c -o p.o p.c && note=$(readelf -SW p.o | grep ' \.heddle') && ! awk '{ print $(NF - 3) }' <<<"$note" | grep -q A && echo "ok promise: no object of heddle cc is loaded with its note" || echo "FAIL promise: no object of heddle cc is loaded with its note: $note"
# doc/glossary.md: what is not to be said stands in no manual page, document or message
cd "$OLDPWD" || exit 2
bad=$(sed '1,/^## Say/d' doc/glossary.md | awk -F' [|] ' '/^\| / && !/^\| (say|---)/ { sub(/ \|$/, "", $2); print $2 }' | sed 's/, /\n/g' | grep -v '^and ' | while IFS= read -r words; do
    grep -nF -- "$words" man/* README.md $(ls doc/*.md | grep -v glossary.md) | cut -c1-100
    git ls-files 'src/tool/*.c' 'src/refine/*.c' 'src/prove/*.c' 'src/model/*.c' 'src/record/*.c' | xargs grep -nE "\"[^\"]*$words" | cut -c1-100
done)
count=$(sed '1,/^## Say/d' doc/glossary.md | grep -c '^| ')
[ -z "$bad" ] && [ "$count" -gt 8 ] && echo "ok words of the glossary" || echo "FAIL words of the glossary: $bad"
