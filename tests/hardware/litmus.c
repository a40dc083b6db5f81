/* litmus.c: the classic litmus tests with relaxed accesses. -DSB, ... chooses one; the assertion fails if its weak outcome can
 * be seen, so that `violated' means: allowed. tests/suites/36_hardware.sh makes the table of heddle-run(1) of it. Those of the
 * family LB_... have dependencies and fences: what IMM says of them is in Podkopaev, Lahav, Vafeiadis (POPL 2019). */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z, cell[2];
static int r[4];
#define R(at) atomic_load_explicit(&(at), memory_order_relaxed)
#define FENCE atomic_thread_fence(memory_order_acq_rel)
#define W(at, v) atomic_store_explicit(&(at), v, memory_order_relaxed)

#if defined SB
#define T0 W(x, 1); r[0] = R(y)
#define T1 W(y, 1); r[1] = R(x)
#define WEAK !r[0] && !r[1]
#elif defined MP
#define T0 W(x, 1); W(y, 1)
#define T1 r[0] = R(y); r[1] = R(x)
#define WEAK r[0] && !r[1]
#elif defined LB
#define T0 r[0] = R(x); W(y, 1)
#define T1 r[1] = R(y); W(x, 1)
#define WEAK r[0] && r[1]
#elif defined LB_DATA
#define T0 r[0] = R(x); W(y, r[0])
#define T1 r[1] = R(y); W(x, r[1])
#define WEAK r[0] || r[1]
#elif defined LB_DATA_ONE
#define T0 r[0] = R(x); W(y, 1)
#define T1 r[1] = R(y); W(x, r[1])
#define WEAK r[0] && r[1]
#elif defined LB_CTRL
#define T0 if ((r[0] = R(x))) W(y, 1)
#define T1 if ((r[1] = R(y))) W(x, 1)
#define WEAK r[0] && r[1]
#elif defined LB_CTRL_ONE
#define T0 r[0] = R(x); W(y, 1)
#define T1 if ((r[1] = R(y))) W(x, 1)
#define WEAK r[0] && r[1]
#elif defined LB_ADDR
#define T0 r[0] = R(x); W(cell[r[0]], 1)
#define T1 r[1] = R(cell[1]); W(x, r[1])
#define WEAK r[0] && r[1]
#elif defined LB_FENCE_ONE
#define T0 r[0] = R(x); FENCE; W(y, 1)
#define T1 r[1] = R(y); W(x, 1)
#define WEAK r[0] && r[1]
#elif defined LB_FENCES
#define T0 r[0] = R(x); FENCE; W(y, 1)
#define T1 r[1] = R(y); FENCE; W(x, 1)
#define WEAK r[0] && r[1]
#elif defined LB_RING
#define T0 r[0] = R(x); W(y, 1)
#define T1 r[1] = R(y); W(z, 1)
#define T2 r[2] = R(z); W(x, 1)
#define WEAK r[0] && r[1] && r[2]
#elif defined LB_RING_DATA
#define T0 r[0] = R(x); W(y, r[0])
#define T1 r[1] = R(y); W(z, r[1])
#define T2 r[2] = R(z); W(x, r[2])
#define WEAK r[0] || r[1] || r[2]
#elif defined LB_RING_FENCES
#define T0 r[0] = R(x); FENCE; W(y, 1)
#define T1 r[1] = R(y); FENCE; W(z, 1)
#define T2 r[2] = R(z); FENCE; W(x, 1)
#define WEAK r[0] && r[1] && r[2]
#elif defined IRIW
#define T0 W(x, 1)
#define T1 W(y, 1)
#define T2 r[0] = R(x); r[1] = R(y)
#define T3 r[2] = R(y); r[3] = R(x)
#define WEAK r[0] && !r[1] && r[2] && !r[3]
#elif defined TWO_WRITES
#define T0 W(x, 1); W(y, 2)
#define T1 W(y, 1); W(x, 2)
#define WEAK x == 1 && y == 1
#elif defined WRC
#define T0 W(x, 1)
#define T1 r[0] = R(x); W(y, 1)
#define T2 r[1] = R(y); r[2] = R(x)
#define WEAK r[0] && r[1] && !r[2]
#endif
#ifndef T2
#define T2
#endif
#ifndef T3
#define T3
#endif

static void *t0(void *a) { T0; return a; }
static void *t1(void *a) { T1; return a; }
static void *t2(void *a) { T2; return a; }
static void *t3(void *a) { T3; return a; }

int main(void)
{
    void *(*const start[])(void *) = {t0, t1, t2, t3};
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], 0, start[i], 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], 0);
    assert(!(WEAK));
    return 0;
}
