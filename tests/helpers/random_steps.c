/* A program that chooses its own steps: sampled, it gives random graphs with accesses of all orders
 * and fences, for HEDDLE_DEBUG=check-psc. */
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 4
#endif
#ifndef STEPS
#define STEPS 5
#endif
#ifndef LOCATIONS
#define LOCATIONS 3
#endif
static atomic_int x[LOCATIONS];

static void step(unsigned what)
{
    atomic_int *at = &x[what % LOCATIONS];
    switch (what / LOCATIONS) {
    case 0:
        atomic_store_explicit(at, 1, memory_order_relaxed);
        break;
    case 1:
        atomic_store_explicit(at, 2, memory_order_release);
        break;
    case 2:
        atomic_store_explicit(at, 3, memory_order_seq_cst);
        break;
    case 3:
        atomic_load_explicit(at, memory_order_relaxed);
        break;
    case 4:
        atomic_load_explicit(at, memory_order_acquire);
        break;
    case 5:
        atomic_load_explicit(at, memory_order_seq_cst);
        break;
    case 6:
        atomic_fetch_add_explicit(at, 1, memory_order_acq_rel);
        break;
    case 7:
        atomic_fetch_add_explicit(at, 1, memory_order_seq_cst);
        break;
    case 8:
        atomic_thread_fence(what % 2 ? memory_order_acq_rel : memory_order_seq_cst);
        break;
    default:
        atomic_thread_fence(memory_order_seq_cst);
    }
}

static void *run(void *child)
{
    pthread_t thread;
    for (int i = 0; i < STEPS; i++)
        step(heddle_choose(11 * LOCATIONS));
    if (child)
        pthread_create(&thread, NULL, run, NULL);
    for (int i = 0; i < STEPS; i++)
        step(heddle_choose(11 * LOCATIONS));
    if (child)
        pthread_join(thread, NULL);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, i ? NULL : threads);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
