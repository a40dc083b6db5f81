/* For the page that draws states. Threads that flip a bit for ever have two states; each thread leads from one to
 * the other by one call (4 steps). WRONG: load and store are two steps, so that two flips may both return 0: T1
 * loads, T2 loads, T1 stores and returns, T2 does. */
#include <heddle.h>
#include <stdatomic.h>
static atomic_int bit;
HD_OP(flip)
{
#ifdef WRONG
    int was = atomic_load(&bit);
    atomic_store(&bit, was ^ 1);
    return HD_INT(was);
#else
    return HD_INT(atomic_fetch_xor(&bit, 1));
#endif
}
