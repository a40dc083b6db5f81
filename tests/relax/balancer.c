/* A counting network of width two (Aspnes, Herlihy and Shavit 1994): tokens leave a balancer by turns for two
 * counters. Quiescently consistent: with nobody in it, all numbers below the next ones were given. STUCK: the balancer
 * does not turn back, so numbers are left out. */
#include <heddle.h>
#include <stdatomic.h>
static atomic_uint balancer, counter[2];
HD_INIT
{
    atomic_store(&balancer, 0);
    atomic_store(&counter[0], 0);
    atomic_store(&counter[1], 1);
}
HD_OP(next)
{
#ifdef STUCK
    unsigned seen = atomic_load(&balancer), wire = seen & 1;
    atomic_store(&balancer, seen + 1); /* two tokens may leave by the same wire */
#else
    unsigned wire = atomic_fetch_xor(&balancer, 1);
#endif
    return HD_INT(atomic_fetch_add(&counter[wire], 2));
}
