/* features.c: random structures made of what C and C++ programs consist of beside integers and
 * nodes (twin.c): features SEED FILE.c writes a test file; where SEED is a multiple of 4 it is C++
 * (FILE.c compiles as that, too, by `-x c++'). Nobody says what its verdict is: it is decided both
 * ways, by states and by executions (37_unbounded.sh). Operations are short sequences of the
 * statements of three features; `r' is the result, a small number. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Feature {
    const char *declares;
    const char *statement[5];
    const char *begins; /* in HD_INIT */
} Feature;

/* (LOAD, STORE: acquire and release, so that tso has buffers; R(e) makes e part of the result) */
static const Feature features[] = {
    {"static ATOMIC(int) x, y;",
     {"R(LOAD(x));", "STORE(x, r % 3);", "R(LOAD(y));", "STORE(y, (r + 1) % 3);",
      "R(SWAP(x, r % 3));"},
     ""},
    {"static THREAD_LOCAL int own; static THREAD_LOCAL int *lead;",
     {"own = (own + 1) % 3; R(own);", "own = r % 2; R(LOAD(x));", "if (own) STORE(x, own);",
      "lead = &own; R(LOAD(x)); *lead = r % 3;", "R(lead ? *lead : 0);"},
     ""},
    {"static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int held;",
     {"pthread_mutex_lock(&m); held = (held + 1) % 3; R(held); pthread_mutex_unlock(&m);",
      "pthread_mutex_lock(&m); R(held); R(LOAD(x)); pthread_mutex_unlock(&m);",
      "if (!pthread_mutex_trylock(&m)) { held = r % 3; pthread_mutex_unlock(&m); } else R(1);",
      "pthread_mutex_lock(&m); STORE(x, held); held = LOAD(y); pthread_mutex_unlock(&m);",
      "held = r % 2;"},
     ""},
    {"static pthread_mutex_t cm = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t full = "
     "PTHREAD_COND_INITIALIZER; "
     "static int inside;",
     {"pthread_mutex_lock(&cm); while (!inside) pthread_cond_wait(&full, &cm); inside--; "
      "pthread_mutex_unlock(&cm);",
      "pthread_mutex_lock(&cm); if (inside < 2) inside++; pthread_cond_signal(&full); "
      "pthread_mutex_unlock(&cm);",
      "pthread_mutex_lock(&cm); inside = 2; pthread_cond_broadcast(&full); "
      "pthread_mutex_unlock(&cm);",
      "pthread_mutex_lock(&cm); R(inside); pthread_mutex_unlock(&cm);", "R(LOAD(x));"},
     ""},
    {"static mtx_t c11; static int kept;",
     {"mtx_lock(&c11); kept = (kept + 1) % 3; R(kept); mtx_unlock(&c11);",
      "mtx_lock(&c11); R(kept); mtx_unlock(&c11);",
      "if (mtx_trylock(&c11) == thrd_success) { R(kept); mtx_unlock(&c11); } else R(2);",
      "R(kept);", "mtx_lock(&c11); STORE(y, kept); mtx_unlock(&c11);"},
     "mtx_init(&c11, mtx_plain);"},
    {"static ATOMIC(int *) mid;", /* points into the middle of blocks of several sizes */
     {"{ int *b = NEW(4 + r % 3 * 2); b[1 + r % 3] = r % 3; STORE(mid, b + 1 + r % 3); }",
      "{ int *at = LOAD(mid); R(at ? *at : 0); }",
      "{ int *at = LOAD(mid); if (at) { R(LOAD(x)); *at = r % 3; } }",
      "{ int *at = LOAD(mid), *b = NEW(6); b[5] = r % 3; b[4] = at ? *at : 1; R(CAS(mid, at, b + "
      "4)); }",
      "{ int *at = LOAD(mid); R(at && at == LOAD(mid)); }"},
     ""},
    {"static ATOMIC(int *) freed;",
     {"{ int *b = NEW(1 + r % 2 * 3); b[0] = r % 3; b = SWAP(freed, b); FREE(b); }",
      "{ int *b = SWAP(freed, (int *)0); if (b) { R(*b); FREE(b); } }",
      "{ int *b = SWAP(freed, (int *)0); if (b) { *b = r % 3; b = SWAP(freed, b); FREE(b); } }",
      "R(LOAD(freed) != 0);", "{ int *b = NEW(3); b[2] = r % 3; R(b[2]); FREE(b); }"},
     ""},
    {"static __int128 wide __attribute__((aligned(16)));",
     {"R((int)(__atomic_load_n(&wide, __ATOMIC_ACQUIRE) >> 64));",
      "__atomic_store_n(&wide, (__int128)(r % 3) << 64 | (r % 2), __ATOMIC_RELEASE);",
      "{ __int128 e = __atomic_load_n(&wide, __ATOMIC_ACQUIRE); "
      "R(__atomic_compare_exchange_n(&wide, &e, "
      "((__int128)(r % 3) << 64) + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); }",
      "R((int)(__atomic_exchange_n(&wide, (__int128)(r % 2) << 64, __ATOMIC_SEQ_CST) >> 64));",
      "R((int)__atomic_load_n((long *)&wide + 1, __ATOMIC_ACQUIRE));"},
     ""},
    {"static struct { unsigned low : 3, high : 5; unsigned char rest; } bits;",
     {"bits.low = (unsigned)r % 3;", "bits.high = (unsigned)r % 2 + 1;", "R((int)bits.low);",
      "R((int)bits.high + bits.rest);", "bits.rest = (unsigned char)(r % 3);"},
     ""},
    {"static union { int whole; short half[2]; unsigned char byte[4]; } both;",
     {"__atomic_store_n(&both.whole, r % 3, __ATOMIC_RELEASE);",
      "__atomic_store_n(&both.half[r % 2], (short)(r % 2 + 1), __ATOMIC_RELEASE);",
      "R(__atomic_load_n(&both.whole, __ATOMIC_ACQUIRE) % 7);",
      "R(__atomic_load_n(&both.half[1], __ATOMIC_ACQUIRE));",
      "__atomic_store_n(&both.byte[3 - r % 2], (unsigned char)(r % 2), __ATOMIC_RELEASE);"},
     ""},
    {"static ATOMIC(int) cell[3]; static int place[3];",
     {"STORE(cell[LOAD(x) % 3], r % 3);", "R(LOAD(cell[LOAD(y) % 3]));",
      "place[LOAD(x) % 3] = r % 3;", "R(place[LOAD(y) % 3]);", "STORE(x, place[r % 3]);"},
     ""},
    {"static ATOMIC(int) gate;",
     {"while (!LOAD(gate)) ;", "STORE(gate, 1);", "while (LOAD(gate) == 2) ; STORE(gate, 0);",
      "STORE(gate, r % 3);",
      "{ int before = LOAD(gate); for (int i = 0; i < 2 && LOAD(gate) == before; i++) ; "
      "R(LOAD(gate)); }"},
     ""},
    {"static char name[8]; static pthread_mutex_t nm = PTHREAD_MUTEX_INITIALIZER;",
     {"pthread_mutex_lock(&nm); memcpy(name, r % 2 ? \"ab\" : \"bcd\", 3); "
      "pthread_mutex_unlock(&nm);",
      "pthread_mutex_lock(&nm); memset(name, 'a' + r % 2, 3); pthread_mutex_unlock(&nm);",
      "pthread_mutex_lock(&nm); R(strcmp(name, \"bbb\") > 0); pthread_mutex_unlock(&nm);",
      "pthread_mutex_lock(&nm); R((int)strlen(name) % 3); memmove(name + 1, name, 3); "
      "pthread_mutex_unlock(&nm);",
      "{ char local[4] = {0}; pthread_mutex_lock(&nm); memcpy(local, name, 4); "
      "pthread_mutex_unlock(&nm); R(local[1] % 3); }"},
     ""},
    {"static volatile int v, w;",
     {"v = r % 3;", "R(v);", "w = (r + 1) % 3;", "R(w);", "v = w;"},
     ""},
    {"static ATOMIC(int) f, g;",
     {"RELAX(f, r % 2 + 1); FENCE(seq_cst); R(GET(g));", "RELAX(g, 1); FENCE(seq_cst); R(GET(f));",
      "RELAX(f, r % 3); FENCE(release); RELAX(g, 2);", "R(GET(g)); FENCE(acquire); R(GET(f));",
      "R(GET(f)); FENCE(acq_rel);"},
     ""},
    {"struct Link { struct Link *next; char tag; int value; } PACKED; static ATOMIC(struct Link *) "
     "top;",
     {"{ struct Link *n = LINK(); n->value = r % 3; n->tag = (char)(r % 2); n->next = 0; "
      "STORE(top, n); }",
      "{ struct Link *n = LOAD(top); R(n ? n->value + n->tag : 3); }",
      "{ struct Link *n = LINK(), *e = LOAD(top); n->value = r % 2; n->tag = 1; n->next = 0; "
      "R(CAS(top, e, n)); }",
      "{ struct Link *n = LOAD(top); if (n) R(LOAD(x) + n->value); }",
      "{ struct Link *n = SWAP(top, (struct Link *)0); if (n) R(n->tag); }"},
     ""},
    {"static pthread_barrier_t two;",
     {"R(pthread_barrier_wait(&two) == PTHREAD_BARRIER_SERIAL_THREAD);",
      "R(LOAD(x)); pthread_barrier_wait(&two);", "pthread_barrier_wait(&two); STORE(x, r % 3);",
      "R(LOAD(x));", "STORE(x, (r + 1) % 3);"},
     "pthread_barrier_init(&two, NULL, 2);"},
    {"static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER; static int shared;",
     {"pthread_rwlock_wrlock(&rw); shared = (shared + 1) % 3; R(shared); "
      "pthread_rwlock_unlock(&rw);",
      "pthread_rwlock_rdlock(&rw); R(shared); R(LOAD(x)); pthread_rwlock_unlock(&rw);",
      "if (!pthread_rwlock_trywrlock(&rw)) { shared = r % 3; pthread_rwlock_unlock(&rw); } else "
      "R(1);",
      "if (!pthread_rwlock_tryrdlock(&rw)) { R(shared); pthread_rwlock_unlock(&rw); } else R(2);",
      "pthread_rwlock_wrlock(&rw); STORE(x, shared); shared = LOAD(y); "
      "pthread_rwlock_unlock(&rw);"},
     ""},
    {"static sem_t units;",
     {"sem_wait(&units); R(LOAD(x));", "sem_post(&units);", "R(sem_trywait(&units) == 0);",
      "{ int value; sem_getvalue(&units, &value); R(value % 3); }",
      "STORE(x, r % 3); sem_post(&units);"},
     "sem_init(&units, 0, 1);"},
    {"static pthread_key_t key; static int values[3];",
     {"pthread_setspecific(key, &values[r % 3]);",
      "{ int *at = (int *)pthread_getspecific(key); R(at ? at - values : 2); }",
      "{ int *at = (int *)pthread_getspecific(key); if (at) { R(LOAD(x)); *at = r % 3; } }",
      "{ pthread_key_t fresh; pthread_key_create(&fresh, NULL); R(fresh != key); "
      "pthread_key_delete(fresh); }",
      "R(values[r % 3]);"},
     "pthread_key_create(&key, NULL);"},
    {"static pthread_mutex_t deep; static int depth; static pthread_once_t once = "
     "PTHREAD_ONCE_INIT; "
     "static void set_depth(void) { depth = LOAD(x); }",
     {"pthread_mutex_lock(&deep); depth++; pthread_mutex_lock(&deep); R(depth % 3); "
      "pthread_mutex_unlock(&deep); depth--; "
      "pthread_mutex_unlock(&deep);",
      "pthread_once(&once, set_depth);",
      "R(pthread_mutex_trylock(&deep) ? 1 : (pthread_mutex_unlock(&deep), 0));",
      "pthread_mutex_lock(&deep); STORE(x, depth % 3); pthread_mutex_unlock(&deep);",
      "R(LOAD(x));"},
     "{ pthread_mutexattr_t kind; pthread_mutexattr_init(&kind); pthread_mutexattr_settype(&kind, "
     "PTHREAD_MUTEX_RECURSIVE); "
     "pthread_mutex_init(&deep, &kind); }"},
};
enum { FEATURES = sizeof features / sizeof *features, CHOSEN = 2 };

static uint64_t seed_state;

static int below(int bound)
{
    seed_state = seed_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed_state >> 33) % (uint64_t)bound);
}

static const char c[] =
    "#include <heddle.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include "
    "<stdatomic.h>\n#include <stdlib.h>\n"
    "#include <string.h>\n#include <threads.h>\n"
    "#define ATOMIC(type) _Atomic(type)\n#define THREAD_LOCAL _Thread_local\n"
    "#define LOAD(a) atomic_load_explicit(&(a), memory_order_acquire)\n"
    "#define STORE(a, v) atomic_store_explicit(&(a), v, memory_order_release)\n"
    "#define GET(a) atomic_load_explicit(&(a), memory_order_relaxed)\n"
    "#define RELAX(a, v) atomic_store_explicit(&(a), v, memory_order_relaxed)\n"
    "#define SWAP(a, v) atomic_exchange(&(a), v)\n"
    "#define CAS(a, e, v) atomic_compare_exchange_strong(&(a), &(e), v)\n"
    "#define FENCE(order) atomic_thread_fence(memory_order_##order)\n"
    "#define NEW(ints) (int *)malloc(sizeof(int) * (size_t)(ints))\n#define FREE(b) free(b)\n"
    "#define LINK() (struct Link *)malloc(sizeof(struct Link))\n";
static const char cxx[] =
    "#include <atomic>\n#include <heddle.h>\n#include <pthread.h>\n#include "
    "<semaphore.h>\n#include <stdlib.h>\n"
    "#include <string.h>\n#include <threads.h>\n"
    "#define ATOMIC(type) std::atomic<type>\n#define THREAD_LOCAL thread_local\n"
    "#define LOAD(a) (a).load(std::memory_order_acquire)\n"
    "#define STORE(a, v) (a).store(v, std::memory_order_release)\n"
    "#define GET(a) (a).load(std::memory_order_relaxed)\n"
    "#define RELAX(a, v) (a).store(v, std::memory_order_relaxed)\n"
    "#define SWAP(a, v) (a).exchange(v)\n#define CAS(a, e, v) (a).compare_exchange_strong(e, v)\n"
    "#define FENCE(order) std::atomic_thread_fence(std::memory_order_##order)\n"
    "#define NEW(ints) new int[(size_t)(ints)]\n#define FREE(b) delete[](b)\n"
    "#define LINK() new Link\n";

int main(int argc, char **argv)
{
    FILE *file = argc == 3 ? fopen(argv[2], "w") : NULL;
    if (!file) {
        fprintf(stderr, "features SEED FILE.c\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[1], NULL, 10);
    seed_state = seed * 2654435761u + 1;
    for (int i = 0; i < 8; i++)
        below(2);
    const Feature *chosen[1 + CHOSEN] = {&features[0]};
    for (int i = 1; i <= CHOSEN; i++)
        do
            chosen[i] = &features[1 + below(FEATURES - 1)];
        while (i > 1 && chosen[i] == chosen[i - 1]);
    fprintf(file, "%s#define R(e) (r = (r * 3 + (int)(e)) %% 27)\n", seed % 4 ? c : cxx);
    fprintf(file, "#define PACKED %s\n", below(2) ? "__attribute__((packed, aligned(4)))" : "");
    for (int i = 0; i <= CHOSEN; i++)
        fprintf(file, "%s\n", chosen[i]->declares);
    fprintf(file, "HD_INIT\n{\n");
    for (int i = 0; i <= CHOSEN; i++)
        fprintf(file, "    %s\n", chosen[i]->begins);
    fprintf(file, "}\n");
    int operations = 2 + below(2);
    for (int o = 0; o < operations; o++) {
        fprintf(file, "HD_OP(op%d)\n{\n    int r = %d;\n", o, o);
        for (int left = 1 + below(4); left--;)
            fprintf(file, "    %s\n",
                    chosen[below(4) ? 1 + below(CHOSEN) : 0]->statement[below(5)]);
        fprintf(file, "    return HD_INT(r);\n}\n");
    }
    return fclose(file) != 0;
}
