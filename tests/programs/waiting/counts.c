/* A thread waits for a flag and counts its rounds, CASE by CASE in another way that shows: in two
 * rounds or more something goes wrong, and nothing else may be concluded from the first round than
 * that it is not the last one (tool/instrument/liveness/idle.h). With -DFEW the flag is set before
 * the thread is created: it never goes round. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
atomic_int flag, counted;
static int global, seen[4], level[4] = {0, 0, 1, 1};
static const int constant[4] = {0, 0, 1, 1};
struct Count {
    int rounds, *where;
};

#if CASE == 17
int sched_yield(void)
{
    global = 1;
    return 0;
}
#elif CASE == 18
int usleep(useconds_t time)
{
    global = (int)time;
    return 0;
}
#endif

static int is_set(void)
{
    return atomic_load_explicit(&flag, memory_order_acquire);
}
static void must_be_few(int n)
{
    assert(n < 2);
}
static int next(int n)
{
    return n + 1;
}
static void add(int *n)
{
    ++*n;
}
static void note(struct Count *c)
{
    if (++c->rounds == 2)
        *c->where = 1;
}
static void delay(int n)
{
    for (int i = 0; i < n; i++)
        if (i == 1)
            global = 1;
}

static void mark(int *where, int n)
{
    if (n == 2)
        *where = 1;
}
static void wait_and_mark(int *where)
{
    int n = 0;
    while (!is_set())
        if (++n == 2)
            *where = 1;
}

static void *waits(void *argument)
{
    int n = 0;
#if CASE == 1 /* does something else then */
    while (!is_set())
        if (++n == 2)
            global = 1;
#elif CASE == 2  /* looks at the count behind the loop */
    while (!is_set())
        n++;
    assert(n < 2);
#elif CASE == 3  /* stores it */
    while (!is_set())
        global = n++;
#elif CASE == 4  /* passes it on */
    while (!is_set())
        must_be_few(++n);
#elif CASE == 5  /* finds a place by it */
    while (!is_set())
        seen[++n & 3] = 1;
    assert(!seen[2]);
#elif CASE == 6  /* finds a value by it */
    while (!is_set()) {
        n = next(n);
        assert(!level[n & 3]);
    }
#elif CASE == 7  /* a constant, which no hook announces */
    while (!is_set())
        if (constant[++n & 3])
            global = 1;
#elif CASE == 8  /* in a floating-point register */
    double d = 1;
    while (!is_set())
        d *= 2;
    global = d > 3;
#elif CASE == 9  /* divides by it */
    n = 2;
    while (!is_set()) {
        volatile int quotient = 100 / n--;
        (void)quotient;
    }
    if (n < 1)
        n = 100 / n;
#elif CASE == 10 /* does so many steps that others see */
    while (!is_set()) {
        n++;
        for (int i = 0; i < n; i++)
            atomic_fetch_add_explicit(&counted, 1, memory_order_relaxed);
    }
#elif CASE == 11 /* through its address */
    while (!is_set())
        add(&n);
    global = n >= 2;
#elif CASE == 12 /* through an object that points elsewhere */
    struct Count c = {0, &global};
    while (!is_set())
        note(&c);
#elif CASE == 13 /* in a function that seems to wait only */
    while (!is_set()) {
        n = n < 4 ? n + 1 : 4;
        delay(n);
    }
#elif CASE == 14 /* one counter counts another one */
    int m = 0;
    while (!is_set()) {
        m += n;
        n++;
        if (m > 8)
            sched_yield();
    }
    global = m;
#elif CASE == 15 /* by flags and conditional moves */
    int late = 0;
    while (!is_set())
        late |= ++n > 1;
    global = late;
#elif CASE == 16 /* never comes back */
    while (!is_set())
        if (++n == 2)
            while (!atomic_load_explicit(&counted, memory_order_relaxed))
                ;
#elif CASE == 17 /* the program's own sched_yield counts */
    while (!is_set())
        if (++n == 2)
            sched_yield();
#elif CASE == 18 /* and so does its usleep */
    while (!is_set())
        if (++n == 2)
            usleep(1);
#elif CASE == 19 /* a function stores through an address that it was given */
    while (!is_set())
        mark(&global, ++n);
#elif CASE == 20 /* and waits itself */
    wait_and_mark(&global);
#endif
    return argument;
}

static void *sets(void *argument)
{
    atomic_store_explicit(&flag, 1, memory_order_release);
    return argument;
}

int main(void)
{
    pthread_t w, s;
#ifdef FEW
    sets(0);
#endif
    pthread_create(&w, 0, waits, 0);
    pthread_create(&s, 0, sets, 0);
    pthread_join(w, 0);
    pthread_join(s, 0);
    assert(!global);
    assert(atomic_load_explicit(&counted, memory_order_relaxed) < 3);
}
