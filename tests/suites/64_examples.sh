# Every example of the manual pages, of --help and of README's list of commands is run, nightly: with files of the
# names that it uses, it must come to an answer (exit status 0, 1 or 3).
[ -n "${HEDDLE_NIGHTLY:-}" ] || { echo "skip examples: HEDDLE_NIGHTLY=1 runs them"; exit 0; }
root=$PWD; export PATH=$root/build:$PATH
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
mkdir programs checks models logs
ln -s "$root/corpus" corpus; ln -s "$root/examples" examples
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
# example PLACE COMMAND: tried in each folder until it comes to an answer
example() {
    local place=$1 command=$2 got= text= folder
    for folder in programs alone checks marked models .; do
        (cd "$work/$folder" && timeout 60 bash -c "$command") >"$work/out" 2>&1 </dev/null; got=$?
        case $got in 0 | 1 | 3) echo "ok example of $place: $command"; return ;; esac
        text="$text$folder: status $got: $(grep -v '^$' "$work/out" | head -n 1 | head -c 150); "
    done
    echo "FAIL example of $place: $command: $text"
}
plain() { sed 's/\\-/-/g; s/\\&//g; s/\\(aq/'"'"'/g; s/ *# .*//'; }
needs_more='mpirun|srun|parallel|configure|cmake|meson|make CC|glib|\.log|\.gz|\.jsonl|night\.journal|completion|--shard|part-|my_model|--order=|[ /]ck_|atomic_queue|init'
for page in "$root"/man/*.[1357]; do
    while IFS= read -r line; do
        case $line in 'heddle '*) ;; *) continue ;; esac
        if grep -qE -- "$needs_more" <<<"$line"; then echo "skip example of $(basename "$page"): $line (other suites have it)"; else example "$(basename "$page")" "$line --time=10s"; fi
    done < <(awk '/^\.S[hH] *"?EXAMPLE/ { p = 1; next } /^\.S[hH]/ { p = 0 } p' "$page" | plain | sed 's/^\.Dl //')
done
for command in run check weaken refine prove; do
    while IFS= read -r line; do
        if grep -qE -- "$needs_more" <<<"$line"; then echo "skip example of $command --help: $line (other suites have it)"; else example "$command --help" "$line"; fi
    done < <(heddle $command --help | sed -n '/^Examples/,/^$/p' | sed -n 's/^  \(heddle .*\)/\1/p')
done
while IFS= read -r line; do
    if grep -qE -- "$needs_more|\./program|queue\.heddle" <<<"$line"; then echo "skip example of README: $line (other suites have it)"; else example README "${line#build/}"; fi
done < <(sed -n 's/^\(build\/heddle .*\)/\1/p' "$root/README.md" | grep -v YOUR | sed 's/ *# .*//')
