# heddle init: a test file from a header compiles and is checked; a list of tests from a project.
heddle=$PWD/build/heddle
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
says() { # NAME STATUS PATTERN COMMAND...: what it prints on both streams matches
    local name=$1 status=$2 pattern=$3 got; shift 3
    timeout 100 "$@" >text 2>&1 </dev/null; got=$?
    if [ $got = "$status" ] && tr -s '\n ' ' ' <text | grep -qE -- "$pattern"; then echo "ok init: $name"; else echo "FAIL init: $name: exit status $got, not $status: $(head -c 600 text)"; fi
}
has() { if grep -qF -- "$3" "$2"; then echo "ok init: $1"; else echo "FAIL init: $1: $2 has no \"$3\""; fi; }
if ! "$heddle" init --help >/dev/null 2>&1; then echo "FAIL init: --help"; fi
says 'no header' 2 'which header' "$heddle" init
says 'a header that is not there' 2 'nosuch.h: no such header' "$heddle" init nosuch.h
if "$heddle" init nosuch.h 2>&1 | grep -q libclang; then echo "skip init: no libclang here"; exit 0; fi

# a queue that is made by a function, with something that no test can pass
cat >queue.h <<'TEXT'
#include <stdbool.h>
struct queue;
struct queue *queue_new(int capacity);
void queue_free(struct queue *q);
bool queue_put(struct queue *q, int v);
bool queue_try_put(struct queue *q, int v);
bool queue_get(struct queue *q, int *v);
int queue_size(const struct queue *q);
void queue_each(struct queue *q, void (*f)(int));
TEXT
cat >queue.c <<'TEXT'
#include "queue.h"
#include <pthread.h>
#include <stdlib.h>
struct queue { pthread_mutex_t lock; int capacity, first, end, items[]; };
struct queue *queue_new(int n) { struct queue *q = calloc(1, sizeof *q + (unsigned)n * sizeof(int)); q->capacity = n; pthread_mutex_init(&q->lock, 0); return q; }
void queue_free(struct queue *q) { free(q); }
bool queue_put(struct queue *q, int v)
{
    pthread_mutex_lock(&q->lock);
    bool room = q->end < q->capacity;
    if (room) q->items[q->end++] = v;
    pthread_mutex_unlock(&q->lock);
    return room;
}
bool queue_get(struct queue *q, int *v)
{
    if (pthread_mutex_trylock(&q->lock)) return false;
    bool any = q->first < q->end;
    if (any) *v = q->items[q->first++];
    pthread_mutex_unlock(&q->lock);
    return any;
}
int queue_size(const struct queue *q) { return q->end - q->first; }
TEXT
says 'a queue' 0 '3 operations, 2 guesses to look at .TODO., 2 functions left out' "$heddle" init queue.h
has 'its operations' queue_check.c 'HD_OP(put, int, v, 1, 2) { return HD_BOOL(queue_put(object, v));'
has 'what is filled in' queue_check.c 'HD_OP(get) { int out = 0; return queue_get(object, &out) ? HD_INT(out) : HD_NONE; }'
has 'its specification' queue_check.c 'HD_SPEC("fifo")'
has 'the roles that it may have' queue_check.c '/* If it is for one producer and one consumer: HD_SINGLE("'
has 'its end' queue_check.c 'queue_free(object);'
has 'a variant' queue_check.c 'queue_try_put: a variant of queue_put'
has 'a function pointer' queue_check.c 'queue_each: what to pass as f (void (*)(int))?'
says 'and it is checked' 1 'violated: linearizability' "$heddle" check -q --no-record --model=sc --shape=2x2 queue_check.c queue.c
says 'a file that is there' 2 'queue_check.c is there already' "$heddle" init queue.h
says 'other names' 2 'nothing that could be an operation of a name that --only has' "$heddle" init --force --only=nosuch queue.h

# nodes that the caller owns; a structure without a function that makes it; a lock; broken headers
printf 'struct node { struct node *next; };\nstruct pile { struct node *top; };\nstatic inline void pile_init(struct pile *p) { p->top = 0; }\nstatic inline void pile_push(struct pile *p, struct node *n) { n->next = p->top; p->top = n; }\nstatic inline struct node *pile_pop(struct pile *p) { struct node *n = p->top; if (n) p->top = n->next; return n; }\n' >stack.h
says 'nodes' 0 '2 operations, 0 guesses' "$heddle" init stack.h
says 'and they come back' 1 'violated: race' "$heddle" check -q --no-record --shape=2x1 stack_check.c
printf '#include <stdatomic.h>\ntypedef struct { atomic_flag f; } spin_t;\nstatic inline void spin_init(spin_t *s) { atomic_flag_clear(&s->f); }\nstatic inline void spin_lock(spin_t *s) { while (atomic_flag_test_and_set(&s->f)) ; }\nstatic inline void spin_unlock(spin_t *s) { atomic_flag_clear(&s->f); }\n' >spin.h
says 'a lock' 0 '1 operation, 0 guesses' "$heddle" init spin.h
says 'and what it protects' 0 '^holds' "$heddle" check -q --no-record --shape=2x2 spin_check.c
echo 'void f(nosuch_t *);' >broken.h; says 'a header with an error' 2 'broken.h:1:8: .*unknown type name' "$heddle" init broken.h
echo '#define X' >empty.h; says 'a header without functions' 2 'declares no function' "$heddle" init empty.h

# C++: a class template
cat >cell.hpp <<'TEXT'
#pragma once
#include <atomic>
namespace box {
template <typename T> class Cell {
public:
    explicit Cell(unsigned size) : size_(size) {}
    void put(const T &value) { value_.store(value); }
    bool get(T &value) { value = value_.exchange(0); return value != 0; }
private:
    std::atomic<T> value_{0};
    unsigned size_;
};
}
TEXT
says 'a class' 0 'cell_check.cc: 2 operations' "$heddle" init cell.hpp
has 'with its arguments' cell_check.cc 'object = new box::Cell<int>(16);'
says 'is checked' 0 '^holds' "$heddle" check -q --no-record --model=sc --shape=2x1 cell_check.cc
printf '#include <optional>\nclass Slot {\npublic:\n    void put(int v) { value_ = v; }\n    std::optional<int> get() { return value_; }\nprivate:\n    std::optional<int> value_;\n};\n' >slot.hpp
says 'a class that needs C++17, as g++ has it' 0 'slot_check.cc: 2 operations' "$heddle" init slot.hpp
has 'std::optional' slot_check.cc 'HD_OP(get) { return tell(object->get()); }'
# two types, and results of the C++ library
cat >lru.hpp <<'TEXT'
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
template <typename K, typename V, typename Mutex = std::mutex> class Lru {
    std::map<K, V> items;
    Mutex mutex;
public:
    void put(const K &key, V value) { std::lock_guard<Mutex> lock(mutex); items[key] = std::move(value); }
    std::optional<V> get(const K &key)
    {
        std::lock_guard<Mutex> lock(mutex);
        auto at = items.find(key);
        return at == items.end() ? std::nullopt : std::optional<V>(at->second);
    }
    std::pair<bool, V> peek(const K &key) { auto v = get(key); return {v.has_value(), v.value_or(V())}; }
    std::variant<std::monostate, V> fetch(const K &key) { auto v = get(key); if (v) return *v; return std::monostate(); }
    std::unique_ptr<V> read(const K &key) { auto v = get(key); return v ? std::make_unique<V>(*v) : nullptr; }
    std::string_view front() { return items.empty() ? "none" : "some"; }
    std::map<K, V> remove(const K &key) { std::map<K, V> gone; std::lock_guard<Mutex> lock(mutex); items.erase(key); return gone; }
};
TEXT
says 'a class of two types' 0 'lru_check.cc: 7 operations, 1 guess .* 1 of them is vacuous' "$heddle" init lru.hpp
has 'both of its types' lru_check.cc 'HD_OP2(put, int, v, (1, 2), int, w, (1, 2)) { object->put(v, w);'
for name in get peek fetch read; do has "what $name tells" lru_check.cc "HD_OP($name, int, v, 1, 2) { return tell(object->$name(v)); }"; done
has 'what says nothing' lru_check.cc 'HD_OP(remove, int, v, 1, 2) { object->remove(v); return HD_VOID; /* TODO what it returns is ignored: vacuous'
says 'and its race is found' 1 'violated: race .* on Lru#1.items' "$heddle" check -q --no-record --no-repair lru_check.cc
sed -i 's/^    std::string_view front.*//' lru.hpp
says 'without it' 0 'lru_check.cc: 6 operations' "$heddle" init --force lru.hpp
cat >>lru_check.cc <<'TEXT'
HD_SCENARIO("put(1,2) get(1) peek(1) fetch(1) read(1) get(2) peek(2) fetch(2) read(2)")
TEXT
says 'it holds' 0 '^holds' "$heddle" check -q --no-record --observations=runs lru_check.cc
said=$(sed -n 's/.*name="\([a-z]*\)".*value="\([0-9]\)" result="\([^"]*\)".*/\1(\2)=\3/p' runs | sed 's/&#44;/,/g' | tr -d "'" | tr '\n' ';')
if [ "$said" = "get(1)=2;peek(1)=[1, 2];fetch(1)=[1, 2];read(1)=2;get(2)=none;peek(2)=[0, 0];fetch(2)=0;read(2)=none;" ]; then echo "ok init: results say what they hold"
else echo "FAIL init: results say what they hold: $said"; fi

# the list of a project
mkdir -p include tests; mv queue_check.c tests/; cp queue.h include; sed -i 's/"queue.h"/<queue.h>/' tests/queue_check.c
says 'a list of tests' 0 'heddle.toml lists 6 tests' "$heddle" init --toml
has 'its tests' heddle.toml 'files = ["tests/queue_check.c"]'
has 'its flags' heddle.toml 'flags = ["-Iinclude"]'
says 'named files' 0 'lists 1 test;' "$heddle" init --toml --force stack_check.c
says 'and it is read' 1 'stack_check.c *violated: race' "$heddle" check -q
cd "$(mktemp -d -p "$work")" || exit 2; says 'a project without tests' 2 'no source below this folder' "$heddle" init --toml
# what newer versions of clang turn from a warning into an error is code that compilers take
cat >older.hpp <<'TEXT'
template <class D> struct Base { int take(int v) { return static_cast<D &>(*this).template swap(v); } };
class Slot : public Base<Slot> {
    int held = 0;
public:
    template <class T> int swap(T v) { int was = held; held = v; return was; }
};
template <class T> class Box : Base<Box<T>> {
    T held{};
public:
    template <class U> T swap(U v) { T was = held; held = v; return was; }
    T put(T v) { return this->template swap(v); }
    T get() { return held; }
};
TEXT
says 'warnings that are errors by default' 0 'older_check.cc: 2 operations' "$heddle" init '--class=Box<int>' older.hpp

[ -n "${HEDDLE_NIGHTLY:-}" ] || exit 0

# Headers of Debian's -dev packages: the file compiles as it is, and check comes to an answer.
# debian PACKAGE OUTPUT INIT-WORDS... -- CHECK-WORDS...
debian() {
    local package=$1 out=$2 init=() got; shift 2
    while [ "$1" != -- ]; do init+=("$1"); shift; done; shift
    if ! dpkg-query -W "$package" >/dev/null 2>&1; then echo "skip init: $package is not installed"; return; fi
    "$heddle" init -o "$out" "${init[@]}" >text 2>&1 || { echo "FAIL init: $package: $(cat text)"; return; }
    timeout 100 "$heddle" check -q --no-record --model=sc --time=20s --shape=2x2 "$out" "$@" >answer 2>&1; got=$?
    if [ $got = 2 ] || [ $got -gt 3 ]; then echo "FAIL init: $package, $out: $(head -c 600 answer)"; else echo "ok init: $(cat text): $(head -c 60 answer | head -n 1)"; fi
}
words() { pkg-config "$@" 2>/dev/null; }
urcu='-D_LGPL_SOURCE -lurcu-cds -lurcu-common'
# edited FILE VERDICT EDIT... -- CHECK-WORDS...: what a person has to change until the test says what it should; each
# EDIT, a command of sed, changes, adds or deletes one line (doc/builds.md has the table).
edited() {
    local out=$1 verdict=$2 edits=() count got; shift 2
    [ -f "$out" ] || return
    while [ "$1" != -- ]; do edits+=(-e "$1"); shift; done; shift
    count=$((${#edits[@]} / 2))
    sed "${edits[@]}" -e '' "$out" >"edited_$out"
    got=$(diff "$out" "edited_$out" | grep -cE '^[0-9,]+[acd]')
    timeout 100 "$heddle" check -q --no-record --model=sc --time=20s --shape=2x2 "edited_$out" "$@" >answer 2>&1
    if [ "$got" = $count ] && grep -q "^$verdict" answer; then echo "ok init: $out after $count edits: $verdict"
    else echo "FAIL init: $out after $count edits ($got differences): $(head -c 300 answer)"; fi
}
# shellcheck disable=SC2046,SC2086
{
    debian libck-dev ck_stack_check.c ck_stack.h --
    debian libck-dev ck_ring_check.c ck_ring.h --
    debian libck-dev ck_fifo_check.c --only=mpmc ck_fifo.h --
    debian libck-dev ticket_check.c --include=ck_spinlock.h spinlock/ticket.h --
    debian libck-dev ck_bitmap_check.c ck_bitmap.h --
    debian liburcu-dev wfcqueue_check.c urcu/wfcqueue.h -- $urcu
    debian liburcu-dev lfstack_check.c urcu/lfstack.h -- $urcu
    debian liburcu-dev wfstack_check.c urcu/wfstack.h -- $urcu
    debian liburcu-dev rculfqueue_check.c urcu/rculfqueue.h -- $urcu
    debian libconcurrentqueue-dev concurrentqueue_check.cc --c++ concurrentqueue/concurrentqueue.h --
    debian libreaderwriterqueue-dev readerwriterqueue_check.cc --c++ readerwriterqueue/readerwriterqueue.h --
    debian libatomic-queue-dev atomic_queue_check.cc '--class=atomic_queue::AtomicQueue2<int, 16>' atomic_queue/atomic_queue.h --
    debian libglib2.0-dev gasyncqueue_check.c --include=glib.h $(words --cflags glib-2.0) /usr/include/glib-2.0/glib/gasyncqueue.h -- $(words --cflags --libs glib-2.0)
    debian libdpdk-dev rte_ring_check.c $(words --cflags-only-I libdpdk) -march=corei7 /usr/include/dpdk/rte_ring.h -- $(words --cflags-only-I libdpdk) -march=corei7 -include rte_config.h -lrte_ring -lrte_eal
    debian libaprutil1-dev apr_queue_check.c -I/usr/include/apr-1.0 -D_GNU_SOURCE apr_queue.h -- -I/usr/include/apr-1.0 -laprutil-1 -lapr-1
    debian libqb-dev qbrb_check.c qb/qbrb.h -- -lqb
}
edited ck_stack_check.c holds --
edited ck_ring_check.c holds '/^HD_OP(size)/d' '$a HD_MAY_FAIL(dequeue, HD_NONE)' --
edited ck_fifo_check.c holds '$a HD_MAY_FAIL(dequeue, HD_NONE)' --
edited ticket_check.c holds --
edited ck_bitmap_check.c holds --
edited wfcqueue_check.c holds -- -D_LGPL_SOURCE
edited lfstack_check.c holds 's/^HD_OP(push.*/HD_OP(push, int, v, 1, 2) { cds_lfs_push(\&object, make_cds_lfs_node_element(v)); return HD_VOID; }/' -- -D_LGPL_SOURCE
edited wfstack_check.c holds -- -D_LGPL_SOURCE
edited rculfqueue_check.c holds '/^#include <urcu/a static void keep(struct rcu_head *head, void (*free_it)(struct rcu_head *)) { (void)head, (void)free_it; }' 's/cds_lfq_init_rcu(&object, NULL).*/cds_lfq_init_rcu(\&object, keep);/' -- -D_LGPL_SOURCE
edited concurrentqueue_check.cc holds --
edited readerwriterqueue_check.cc holds '/^HD_OP(size_approx)/d' '$a HD_SINGLE("enqueue | dequeue peek pop")' --
edited atomic_queue_check.cc holds --
# shellcheck disable=SC2046
edited gasyncqueue_check.c inconclusive 's/^HD_OP(remove).*/HD_OP(remove, int, v, 1, 2) { return HD_BOOL(g_async_queue_remove(object, (void *)(intptr_t)v)); }/' -- $(words --cflags --libs glib-2.0)
