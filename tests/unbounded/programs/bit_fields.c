/* Two threads set fields of the same byte, each its own, for ever: to set one is to load both and to store both, in two
 * steps. So `first', who alone sets field a, may find it lost. M1: nothing may be lost. M2: what is set is never kept, which
 * is wrong as well: threads may set fields one after the other. HALVES: fields that do not share memory. */
// run: => holds
// run: -O2 => holds
// run: --model=tso => holds
// run: -DM1 => violated assertion
// run: -DM1 --model=tso => violated assertion
// run: -DM2 => violated assertion
// run: -DM2 -O2 => violated assertion
// run: -DM1 -DHALVES => holds
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int round_ends; /* a loop must have an atomic access, or nobody can look at it */
static struct {
    unsigned char a : 3;
#ifdef HALVES
    unsigned char : 0;
#endif
    unsigned char b : 2;
} s;
static void *second(void *unused)
{
    for (;; atomic_load(&round_ends))
        s.b = !s.b;
    return unused;
}
int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, second, NULL);
    for (unsigned next = 1;; next = 3 - next, atomic_load(&round_ends)) {
        s.a = next & 7;
        unsigned seen = s.a;
#ifdef M1
        assert(seen == next);
#elif defined M2
        assert(!(seen && s.b));
#else
        assert(seen < 3);
#endif
    }
}
