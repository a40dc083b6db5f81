/* Figure 8 as printed, "Pseudocode": the enqueue of Herlihy and Wing's queue, whose two statements are two steps: the
 * first fetches and increments. The size of AR, which the figure leaves out, is 8. All elements that were put are there
 * in the end, each once (called last, `elements' adds them up); -DAPART fetches and increments in two steps, and one may
 * overwrite another. */
#include <heddle.h>
#include <stdatomic.h>

static atomic_int AR[8];
static atomic_int back;

static void enqueue(int lv)
{
    int k;
#ifdef APART
    k = back;
    back = k + 1;
#else
    k = back++; /* Fetch and Increment */
#endif
    AR[k] = lv;
}

HD_OP(enqueue, int, lv, 1, 2) { enqueue(lv); return HD_VOID; }
HD_OP(elements)
{
    int sum = 0;
    for (int i = 0; i < back; i++)
        sum += AR[i];
    return HD_INT(sum);
}
static int total;
HD_GOLDEN_INIT { total = 0; }
HD_GOLDEN(enqueue, int, lv) { total += lv; return HD_VOID; }
HD_GOLDEN(elements) { return HD_INT(total); }
