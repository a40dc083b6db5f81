# Every example of the manual pages, of --help and of README's list of commands is run, nightly: with files of the
# names that it uses, it must come to an answer (exit status 0, 1 or 3). Code that a page shows is compiled, and where
# it shows what a command prints, the command prints that. What is skipped says which program is missing here.
[ -n "${HEDDLE_NIGHTLY:-}" ] || { echo "skip examples: HEDDLE_NIGHTLY=1 runs them"; exit 0; }
root=$PWD; export PATH=$root/build:$PATH
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
mkdir programs checks models logs top
ln -s "$root/corpus" "$root/examples" top/
# programs with a main
cat >programs/queue.c <<'TEXT'
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 1
#endif
static atomic_int n;
static void *f(void *a) { for (int i = 0; i < N; i++) atomic_fetch_add_explicit(&n, 1, memory_order_relaxed); return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); return n - 2 * N; }
TEXT
for name in test.c big.c mp.c program.c; do cp programs/queue.c programs/$name; done
sed 's/<stdatomic.h>/<atomic>/; s/atomic_int n/std::atomic<int> n/; s/atomic_fetch_add_explicit(&n, 1, memory_order_relaxed)/n.fetch_add(1, std::memory_order_relaxed)/' programs/queue.c >programs/lock.cc
cp "$root/examples/cell.c" programs/
sed -i 's/static void \*f/static int put_count; static void *f/' programs/test.c
echo 'int unused_number = 3;' >q.c; gcc -fsanitize=thread -O0 -g -c q.c -o programs/queue.o; rm q.c
cat >programs/program_with_marked_calls.c <<'TEXT'
#include <heddle.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[8], first, end;
static void put(int v) { HD_BEGIN("jobs", "put", HD_INT(v)); pthread_mutex_lock(&lock); items[end++] = v; pthread_mutex_unlock(&lock); HD_END(HD_VOID); }
static void get(void) { HD_BEGIN("jobs", "get"); pthread_mutex_lock(&lock); int any = first < end, v = any ? items[first++] : 0; pthread_mutex_unlock(&lock); HD_END(any ? HD_INT(v) : HD_NONE); }
static void *f(void *a) { put(1); get(); return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); get(); pthread_join(t, 0); return 0; }
TEXT
mkdir marked; cp programs/program_with_marked_calls.c marked/program.c; cp programs/program_with_marked_calls.c marked/
# operations
printf 'void queue_put(int);\nint queue_get(int *);\n' >checks/queue.h
printf '#include <pthread.h>\n#include "queue.h"\nstatic pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstatic int items[32], first, end;\nvoid queue_put(int v) { pthread_mutex_lock(&lock); items[end++] = v; pthread_mutex_unlock(&lock); }\nint queue_get(int *v) { pthread_mutex_lock(&lock); int any = first < end; if (any) *v = items[first++]; pthread_mutex_unlock(&lock); return any; }\n' >checks/queue.c
printf '#include <heddle.h>\n#ifndef QUEUE_H\n#define QUEUE_H\n#include "queue.h"\n#endif\n#ifdef ALONE\n#include "queue.c"\n#endif\nHD_OP(put, int, v, 1, 2) { queue_put(v); return HD_VOID; }\nHD_OP(get) { int v; return queue_get(&v) ? HD_INT(v) : HD_NONE; }\n' >checks/queue_check.c
printf '#include <heddle.h>\n#include <stdatomic.h>\nstatic atomic_int top;\nHD_OP(push, int, v, 1, 2) { int none = 0; atomic_compare_exchange_strong(&top, &none, v); return HD_VOID; }\nHD_OP(pop) { int v = atomic_exchange(&top, 0); return v ? HD_INT(v) : HD_NONE; }\n' >checks/stack_check.c
sed 's/<stdatomic.h>/<atomic>/; s/atomic_int/std::atomic<int>/' checks/stack_check.c | sed 's/atomic_compare_exchange_strong(&top, &none, v)/top.compare_exchange_strong(none, v)/; s/atomic_exchange(&top, 0)/top.exchange(0)/' >checks/stack_check.cc
cp checks/stack_check.c checks/event_check.c; cp checks/stack_check.c checks/kfifo_check.c
mkdir alone; sed 's/#ifdef ALONE/#if 1/' checks/queue_check.c >alone/queue_check.c; cp checks/queue.[ch] alone/; cp checks/*stack_check.c* checks/event_check.c checks/kfifo_check.c alone/
printf '[[test]]\nfile = "queue_check.c"\nshape = "2x1"\n' >alone/heddle.toml
cp "$root"/corpus/refine/*.hm models/; cp "$root"/corpus/prove/*.hp models/; cp "$root/corpus/refine/michael_scott_queue.hm" models/queue.hm; cp "$root/corpus/prove/ms_queue.hp" models/msqueue.hp
# builds, one folder each
mkdir make && printf '%s\n' 'program: program.c' '\t$(CC) -pthread -o program program.c' | sed 's/^\\t/\t/' >make/Makefile; cp programs/program.c make/
for name in cmake meson autotools; do cp -r "$root/examples/projects/$name" $name; done
sed -i "s/'cpp'/'c', 'cpp'/" meson/meson.build
if command -v automake >/dev/null; then (cd autotools && autoreconf -i) >/dev/null 2>&1; fi
# logs
printf 'INFO  jepsen.util - 0\t:invoke\t:write\t4\nINFO  jepsen.util - 0\t:ok\t:write\t4\nINFO  jepsen.util - 1\t:invoke\t:read\tnil\nINFO  jepsen.util - 1\t:ok\t:read\t4\n' >logs/etcd_000.log
cp logs/etcd_000.log logs/etcd.log
printf '{:process 0 :type :invoke :f :add :value 1}\n{:process 0 :type :ok :f :add :value 1}\n' | gzip >logs/run.edn.gz
printf '{"process":0,"type":"call","op":"enq","args":[1]}\n{"process":0,"type":"return"}\n{"process":1,"type":"call","op":"deq","args":[]}\n{"process":1,"type":"return","result":1}\n' >logs/queue.jsonl
cp logs/queue.jsonl logs/history.jsonl
printf '%s\n' '#include <heddle_spec.h>' 'typedef struct { int count; long items[64]; } Pile;' 'HEDDLE_SPEC_STATE(Pile);' 'HEDDLE_SPEC_INIT(s) { s->count = 0; }' \
    'HEDDLE_SPEC_OP(enq, s, c) { s->items[s->count++] = heddle_int(c, 0); return HEDDLE_DONE; }' \
    'HEDDLE_SPEC_OP(deq, s, c) { if (!s->count) return HEDDLE_NONE; long v = s->items[--s->count]; s->items[s->count] = 0; return HEDDLE_INT(v); }' >logs/my_model.c
# headers: init writes files that must not be there yet
mkdir headers listed deq; cp checks/queue.[ch] headers/; cp alone/queue* listed/
sed 's/HD_OP(put/HD_OP(enq/; s/HD_OP(get/HD_OP(deq/' alone/queue_check.c >deq/queue_check.c; cp checks/queue.[ch] deq/
export HOME=$work/home; mkdir -p home/.zfunc home/.config/fish/completions etc/bash_completion.d
# example PLACE COMMAND: tried in each folder until it comes to an answer
example() {
    local place=$1 command=$2 got='' text='' folder folders='programs alone checks marked models logs top'
    case $command in
    *'init --toml'*) folders=listed ;;
    *'heddle init'*) folders=headers ;;
    *'check --quasi=deq'*) folders=deq ;;
    *queue.heddle*) folders=recorded ;;
    *configure*) folders=autotools ;;
    *cmake*) folders=cmake ;;
    *meson*) folders=meson ;;
    *'make CC'*) folders='make' ;;
    esac
    for folder in $folders; do
        rm -rf "$work/try"; cp -r "$work/$folder" "$work/try"
        (cd "$work/try" && timeout 60 bash -c "$command") >"$work/out" 2>&1 </dev/null; got=$?
        case $got in 0 | 1 | 3) echo "ok example of $place: $command"; return ;; esac
        text="$text$folder: status $got: $(grep -v '^$' "$work/out" | head -n 1 | head -c 150); "
    done
    echo "FAIL example of $place: $command: $text"
}
# examples PLACE [END]: reads commands. One that ends with & runs beside the next one.
examples() {
    local place=$1 end=${2:-} line beside='' program
    while IFS= read -r line; do
        line=${line%%  *# *}
        case $line in *' &') beside="$line sleep 1; "; continue ;; esac
        program=$(grep -oE '(^|[ =])(parallel|cmake|meson|configure|clang)' <<<"$line" | head -n 1 | tr -d ' =' | sed 's/configure/automake/')
        case $line in
        *'$(pkg-config'*glib*) [ -d /usr/include/glib-2.0 ] || program=libglib2.0-dev ;;
        *ck_*) [ -e /usr/include/ck_fifo.h ] || program=libck-dev ;;
        *atomic_queue*) [ -d /usr/include/atomic_queue ] || program=libatomic-queue-dev ;;
        esac
        if [ -n "$program" ] && ! command -v "$program" >/dev/null; then echo "skip example of $place: $line (no $program here)"; continue; fi
        line=${line//\/etc\/bash_completion.d/$work\/etc\/bash_completion.d}
        case $line in *configure*) line="$line && make" ;; *parallel*) line="$line && heddle merge queue.part-*-of-16" ;; esac
        case $line in 'heddle run '* | 'heddle check '* | 'heddle weaken '* | 'heddle refine '* | 'heddle prove '*) [[ $line == *' -- '* ]] || line="$line$end" ;; esac
        example "$place" "$beside$line"
        beside=
    done
}
plain() { sed 's/\\-/-/g; s/\\&//g; s/\\(aq/'"'"'/g; s/\\(dq/"/g; s/\\e/\\/g'; }
# What SHOWN (a file) has must be in build/out in this order; "0.04 s" and the like may differ, as may line breaks.
prints() { # NAME SHOWN
    tr -s '\n ' ' ' <"$2" | sed -E 's/[0-9.]+ s\b/S/g' >"$work/want"
    tr -s '\n ' ' ' <"$work/out" | sed -E 's/[0-9.]+ s\b/S/g' >"$work/have"
    if grep -qF -- "$(sed 's/^ //; s/ $//' "$work/want")" "$work/have"; then echo "ok example of $1"; else echo "FAIL example of $1: it prints $(head -c 400 "$work/have")"; fi
}
for page in "$root"/man/*.[1357]; do
    name=$(basename "$page")
    { awk '/^\.S[hH] *"?EXAMPLE/ { p = 1; next } /^\.S[hH]/ { p = 0 } p' "$page"
      awk '/^\.S[hH] *"?SYNOPSIS/ { p = 1; next } /^\.S[hH]/ { p = 0 } p' "$page" | grep '^heddle'; } | plain | sed 's/^\.Dl //' |
        grep -E '^([A-Z]+=[^ ]+ )*(\./)?(heddle|parallel|make|configure|cmake|meson|zcat) ' | grep -v '^heddle merge' |
        examples "$name" ' --time=10s'
done
for command in run check weaken refine prove init cc completion; do
    heddle $command --help | sed -n '/^Examples/,$p' | sed -n 's/^  \([a-zA-Z.].*\)/\1/p' | grep -E 'heddle' | examples "$command --help"
done
mkdir recorded; cp "$root"/examples/queue.c "$root"/examples/queue_check.c recorded/
(cd recorded && heddle check --record=queue.heddle queue_check.c) >/dev/null 2>&1
(cd make && make -s CC=heddle-cc) && cp make/program programs/
sed -n 's/^build\/\(heddle .*\)/\1/p' "$root/README.md" | grep -v YOUR | examples README
# heddle-weaken(1): what it prints
cd "$work" || exit 2
cp "$root/tests/weaken/mp.c" . && heddle weaken mp.c >out 2>&1
awk '/^\.SH EXAMPLE/ { p = 1 } /^\.fi/ { p = 0 } p && !/^[.$]/' "$root/man/heddle-weaken.1" | plain >shown; prints 'heddle-weaken.1: heddle weaken mp.c' shown
# heddle-check(1): tickets
{ echo '#include <heddle.h>'; echo '#include <stdatomic.h>'; awk '/^static atomic_uint next, serving;/ { p = 1 } /^$/ { p = 0 } p' "$root/man/heddle-check.1" | plain | sed 's/next, serving;/next = HD_TICKET(0), serving = HD_TICKET(0);/'; } >counter_check.c
heddle check --unbounded=3 counter_check.c >out 2>&1
awk '/^\$ heddle check .*counter_check.c/ { n++; p = n == 2; next } /^\./ { p = 0 } p' "$root/man/heddle-check.1" | plain >shown; prints 'heddle-check.1: tickets' shown
# heddle-annotations(7): as it is, and with a relaxed store
code() { awk '/^\.SH EXAMPLE/ { e = 1 } e && /^(\.nf|\.EX)/ { p++; next } e && /^(\.fi|\.EE)/ { if (p == 1) exit } e && p == 1' "$1" | plain; }
{ printf '#include <pthread.h>\n#include <stdatomic.h>\n'; code "$root/man/heddle-annotations.7"
  printf 'static struct cell c;\nstatic void *t(void *a) { set(&c, 1); return a; }\nstatic void *u(void *a) { get(&c); return a; }\nint main(void) { pthread_t p, q; pthread_create(&p, 0, t, 0); pthread_create(&q, 0, u, 0); pthread_join(p, 0); pthread_join(q, 0); return 0; }\n'; } >cell.c
example 'heddle-annotations.7' "heddle check --no-record $work/cell.c | grep '^holds'"
sed 's/v, memory_order_release/v, memory_order_relaxed/' cell.c >relaxed.c; heddle check --no-record relaxed.c >out 2>&1
if grep -q '^violated: synchronisation' out && tr -s '\n ' ' ' <out | grep -q '@Happens_Before Set -> Get(Seen): Set(v=1) of T1 does not happen before Get() = 1 of T2, which its ordering points put after it, in the sequential history Set(v=1) by T1, Get() = 1 by T2'; then echo "ok example of heddle-annotations.7: a relaxed store"; else echo "FAIL example of heddle-annotations.7: a relaxed store: $(head -c 300 out)"; fi
# heddle-prove(1): the notation
awk '/^\.SH NOTATION/ { n = 1 } n && /^\.nf/ { p = 1; next } /^\.fi/ { if (p) exit } p' "$root/man/heddle-prove.1" | plain >shown.hp
example 'heddle-prove.1: the notation' "heddle prove --time=20s $work/shown.hp"
# heddle(7): the file of the beginning, two objects, marked calls; heddle.toml(5): its list
printf 'struct queue { int items[32], first, end; };\nstatic void queue_init(struct queue *q) { q->first = q->end = 0; }\nstatic void queue_put(struct queue *q, int v) { q->items[q->end++] = v; }\nstatic int queue_get(struct queue *q, int *v) { return q->first < q->end ? (*v = q->items[q->first++], 1) : 0; }\n' >queue.h
awk '/^\.nf/ { p = 1; next } /^\.fi/ { exit } p' "$root/man/heddle.7" | plain >seven_check.c
example 'heddle.7: the synopsis' "cd $work && heddle check --shape=1x2 --no-record seven_check.c"
{ printf '#include <heddle.h>\n#include "queue.h"\nstatic struct queue q, s;\n#define stack_push queue_put\nstatic int stack_pop(struct queue *s, int *v) { return s->end ? (*v = s->items[--s->end], 1) : 0; }\n'; grep -E '^HD_OP_OF\((queue|stack)|^HD_SPEC\(\\\(dqqueue' "$root/man/heddle.7" | plain; } >two_check.c
example 'heddle.7: two objects' "cd $work && heddle check --shape=1x3 --no-record two_check.c | grep '^holds'"
mkdir -p toml/include; cp alone/queue_check.c checks/queue.[ch] toml/; sed -i 's/#if 1/#if 0/' toml/queue_check.c; cp programs/queue.c toml/stress.c
awk '/^\.nf/ { p = 1; next } /^\.fi/ { exit } p' "$root/man/heddle.toml.5" | plain >toml/heddle.toml
(cd toml && heddle check -q) >out 2>&1
if grep -q 'queue (sc) .*holds' out && grep -q 'queue (rc11) .*holds' out && grep -q 'stress.c .*holds' out && grep -q '4 tests, 3 as expected, 1 not' out; then echo "ok example of heddle.toml.5"; else echo "FAIL example of heddle.toml.5: $(head -c 400 out)"; fi
