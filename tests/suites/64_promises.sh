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
