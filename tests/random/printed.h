/* printed.h: what the programs that print.c writes share. Compilers may leave out a plain access
 * whose value nobody wants, and a node that is only freed, so they are wanted here. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include "server.h"

long random_variables[VARIABLES];
long random_told[THREADS];
long random_own[THREADS][FIELDS];
static _Thread_local long in_tls[FIELDS];
static pthread_mutex_t mutexes[MUTEXES] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t barrier;
static const struct timespec no_time;

static inline long plain_load(const long *at)
{
    long value = *at;
    __asm__ volatile("" : : "r"(value) : "memory");
    return value;
}
static inline void plain_store(long *at, long value)
{
    *at = value;
    __asm__ volatile("" : : : "memory");
}
static inline long new_node(void)
{
    long node = (long)calloc(FIELDS, sizeof(long));
    __asm__ volatile("" : "+r"(node));
    return node;
}
static inline void tell(int thread, long r0, long r1, long r2, long r3, long r4, long r5)
{
    const int64_t all[REGISTERS] = {r0, r1, r2, r3, r4, r5};
    __atomic_fetch_add(&random_told[thread], told_of(all), __ATOMIC_RELAXED);
}
static inline void tell_variables(void)
{
    __atomic_fetch_add(&random_told[0], random_variables[6] * 31 + random_variables[7],
                       __ATOMIC_RELAXED);
}
