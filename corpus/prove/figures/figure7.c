/* Figure 7 as printed, the row "Pseudocode", compared with the row "Specification" (figure7.hp): the loop is one step,
 * which reads and writes. -DONCE leaves the loop out, and then it is not. */
#include <heddle.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int collision[2];
static bool CAS(atomic_int *place, int old, int new)
{
    return atomic_compare_exchange_strong(place, &old, new);
}
#ifdef ONCE
#define while if
#endif

HD_OP2(collide, int, pos, (0, 1), int, mypid, (1, 2))
{
    int him;
    him = collision[pos];
    while (!CAS(&collision[pos], him, mypid))
        him = collision[pos];
    return HD_INT(him);
}

static int specified[2];
HD_GOLDEN_INIT { specified[0] = specified[1] = 0; }
HD_GOLDEN(collide, int, pos, int, mypid)
{
    int him = specified[pos];
    specified[pos] = mypid;
    return HD_INT(him);
}
