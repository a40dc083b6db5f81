/* A thread stands before a plain access that is a step of its own, and no step of the found
 * execution is such an access to the same memory: the same line reads y here, which nobody writes,
 * and elsewhere x, which others write. A replay must let that thread stop there, too: behind it is
 * an access that races. HELD: the assertion says what is true. VOLATILE: the read is a volatile
 * one. DEEP: two threads stand so. */
// run: => violated assertion
// run: -O2 => violated assertion
// run: --model=tso => violated assertion
// run: -DVOLATILE => violated assertion
// run: -DDEEP => violated assertion
// run: -DHELD => holds
// run: -DHELD -DDEEP => holds
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#ifdef VOLATILE
#define QUALIFIED volatile
#else
#define QUALIFIED
#endif
#ifdef HELD
#define MOST 2
#else
#define MOST 1
#endif

static int x, y;

__attribute__((noinline)) static int get(const QUALIFIED int *from)
{
    return *from;
}

static void *last(void *unused)
{
    x = 2;
    unsigned chosen = heddle_choose(2);
    assert(chosen < MOST);
    return unused;
}

static void *between(void *unused)
{
    pthread_t thread;
    __atomic_load_n(&y, __ATOMIC_SEQ_CST);
    pthread_create(&thread, NULL, last, NULL);
    get(&y);
    get(&x);
    pthread_join(thread, NULL);
    return unused;
}

static void *beside(void *unused)
{
    get(&y);
    x = 3;
    return unused;
}

int main(void)
{
    pthread_t thread, other;
#ifdef DEEP
    pthread_create(&other, NULL, beside, NULL);
#endif
    pthread_create(&thread, NULL, between, NULL);
    beside(NULL);
    pthread_join(thread, NULL);
#ifdef DEEP
    pthread_join(other, NULL);
#else
    (void)other;
#endif
    return 0;
}
