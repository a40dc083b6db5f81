/* interp.c: an ordinary threaded program that performs a program of program.h through the hooks
 * that compilers emit calls of. Its main is explored with program after program (server.h): so a
 * program costs neither a process nor a compiler. By hand: HEDDLE_RANDOM='TEXT'
 * HEDDLE_DEBUG=model=sc,... ./interp */
#include "program.h"
#include <assert.h>
#include <pthread.h>
#include "server.h"

long __tsan_atomic64_load(const volatile long *at, int order);
void __tsan_atomic64_store(volatile long *at, long value, int order);
long __tsan_atomic64_fetch_add(volatile long *at, long value, int order);
long __tsan_atomic64_exchange(volatile long *at, long value, int order);
int __tsan_atomic64_compare_exchange_strong(volatile long *at, long *expected, long value,
                                            int order, int failure);
int __tsan_atomic64_compare_exchange_weak(volatile long *at, long *expected, long value, int order,
                                          int failure);
void __tsan_atomic_thread_fence(int order);

long random_variables[VARIABLES];
long random_told[THREADS];
long random_own[THREADS][FIELDS];
static _Thread_local long in_tls[FIELDS];
static pthread_mutex_t mutexes[MUTEXES] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t barrier;

static inline long value_of(Value v, const long *r)
{
    return (v.reg < 0 ? 0 : r[v.reg]) + v.number;
}

static void *start(void *code);

/* Performs one access at AT; what it found goes to *FOUND, whether it succeeded is returned. */
static inline __attribute__((always_inline)) int perform_access(const Step *s, long *at, long value,
                                                                long expected, long *found)
{
    switch (s->op) {
    case OP_LOAD:
        *found = s->order == NA    ? *at
                 : s->order == VOL ? *(volatile long *)at
                                   : __tsan_atomic64_load(at, s->order);
        return 0;
    case OP_STORE:
        if (s->order == NA)
            *at = value;
        else if (s->order == VOL)
            *(volatile long *)at = value;
        else
            __tsan_atomic64_store(at, value, s->order);
        return 0;
    case OP_ADD:
        *found = __tsan_atomic64_fetch_add(at, value, s->order);
        return 0;
    case OP_XCHG:
        *found = __tsan_atomic64_exchange(at, value, s->order);
        return 0;
    case OP_CAS:
        *found = expected;
        return __tsan_atomic64_compare_exchange_strong(at, found, value, s->order, s->failure);
    default:
        *found = expected;
        return __tsan_atomic64_compare_exchange_weak(at, found, value, s->order, s->failure);
    }
}

/* Each step of a thread accesses memory at a place in the code of its own, as it would in a program
 * that a compiler has seen: some rules of the engine ask where an access is made. */
#define PLACES_OF_STEPS(X)                                                                         \
    X(0)                                                                                           \
    X(1)                                                                                           \
    X(2)                                                                                           \
    X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) \
        X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
#define X(n)                                                                                       \
    static __attribute__((noinline)) int perform_at_##n(const Step *s, long *at, long value,       \
                                                        long expected, long *found)                \
    {                                                                                              \
        return perform_access(s, at, value, expected, found);                                      \
    }
PLACES_OF_STEPS(X)
#undef X

static inline int perform_step(int number, const Step *s, long *at, long value, long expected,
                               long *found)
{
    switch (number % 32) {
#define X(n)                                                                                       \
    case n:                                                                                        \
        return perform_at_##n(s, at, value, expected, found);
        PLACES_OF_STEPS(X)
#undef X
    }
    return 0;
}

static inline void perform(const Code *code, int self)
{
    const int length = server_length(code);
    long r[REGISTERS] = {0}, found;
    long lent[FIELDS] = {0, 0};
    pthread_t handles[THREADS]; /* of main: on its stack, where joining threads in a row touches no
                                   other memory */
    for (int i = 0; i < length; i++) {
        const Step copy = server_step(code, i), *s = &copy;
        if (is_access(s->op)) {
            long *at = s->place < VARIABLES ? &random_variables[s->place]
                                            : (long *)r[(s->place - PLACE_FIELD) / FIELDS];
            long expected = value_of(s->expected, r);
            int done = 0;
            found = 0;
            if (at) {
                if (s->place >= VARIABLES)
                    at += s->place & 1;
                done = perform_step(i, s, at, value_of(s->value, r), expected, &found);
            }
            if (s->reg >= 0)
                r[s->reg] = found;
            if (s->flag >= 0)
                r[s->flag] = done;
            found = 0; /* nobody reads it again, which can't be seen, since its address was passed */
            continue;
        }
        switch (s->op) {
        case OP_FENCE:
            __tsan_atomic_thread_fence(s->order);
            break;
        case OP_NEW:
            r[s->reg] = (long)calloc(FIELDS, sizeof(long));
            break;
        case OP_FREE:
            free((void *)r[s->reg]);
            break;
        case OP_OWN:
            r[s->reg] = (long)random_own[self];
            break;
        case OP_STACK:
            r[s->reg] = (long)lent;
            break;
        case OP_TLS:
            r[s->reg] = (long)in_tls;
            break;
        case OP_SET:
            r[s->reg] = s->value.number;
            break;
        case OP_ASSERT:
            if ((r[s->reg] == value_of(s->value, r)) != s->equal)
                abort();
            break;
        case OP_LOCK:
            pthread_mutex_lock(&mutexes[s->place]);
            break;
        case OP_TRY:
        case OP_TIMED: {
            struct timespec until = {0, 0};
            r[s->reg] = !(s->op == OP_TRY ? pthread_mutex_trylock(&mutexes[s->place])
                                          : pthread_mutex_timedlock(&mutexes[s->place], &until));
            if (!r[s->reg])
                i = s->to;
            break;
        }
        case OP_UNLOCK:
            pthread_mutex_unlock(&mutexes[s->place]);
            break;
        case OP_UNTIL:
            if ((r[s->reg] == value_of(s->value, r)) != s->equal)
                i = s->to;
            break;
        case OP_FOR:
            r[s->reg] = 0;
            break;
        case OP_NEXT:
            if (++r[s->reg] < s->value.number)
                i = s->to;
            break;
        case OP_IF:
            if ((r[s->reg] == value_of(s->value, r)) != s->equal)
                i = s->to;
            break;
        case OP_BREAK:
            if ((r[s->reg] == value_of(s->value, r)) == s->equal)
                i = s->to;
            break;
        case OP_BARRIER:
            pthread_barrier_wait(&barrier);
            break;
        case OP_CREATE: /* equal threads have the same argument */
            pthread_create(&handles[s->place], NULL, start, (void *)server_code(s->place));
            break;
        case OP_JOIN:
            pthread_join(handles[s->place], NULL);
            break;
        case OP_TELL: {
            int64_t sum;
            if (self) {
                int64_t all[REGISTERS];
                for (int n = 0; n < REGISTERS; n++)
                    all[n] = r[n];
                sum = told_of(all);
            } else {
                sum = random_variables[6] * 31 + random_variables[7];
            }
            __tsan_atomic64_fetch_add(&random_told[self], sum, RLX);
            break;
        }
        }
    }
}

static void *start(void *code)
{
    perform(code, server_thread(code));
    return NULL;
}

/* Before main, so that it is no part of what is explored. */
__attribute__((constructor)) static void begin(void)
{
    server_begin(random_variables, random_told, random_own);
}

int main(void)
{
    int n = server_barrier();
    if (n)
        pthread_barrier_init(&barrier, NULL, (unsigned)n);
    perform(server_code(0), 0);
    pthread_exit(NULL);
}
