// expect: violated specification
// says: @JustifyingPrecondition if (!C_RET .* does not hold for try_lock(weight=[12]) = 0 of T[12] in any sequential history
// The concurrent set has no call that explains the failure: weights are never that large.
#include <pthread.h>
#include <stdatomic.h>
struct lock {
    atomic_int taken, tries;
};
/** @DeclareState: int held;
    @Initial: held = 0; */

/** @Transition: if (C_RET) STATE(held) = 1;
    @PreCondition: return C_RET ? !STATE(held) : 1;
    @JustifyingPrecondition: if (!C_RET && !STATE(held))
            return HasItem(CONCURRENT, Guard(EQ(NAME, "try_lock") && C_RET(try_lock) == 1 && C_ARG(try_lock, weight) > 2)) &&
                   Size(CONCURRENT) >= 1;
        return 1; */
static int try_lock(struct lock *l, int weight)
{
    int free = 0;
    int mine = atomic_compare_exchange_strong_explicit(&l->taken, &free, weight, memory_order_acquire, memory_order_relaxed);
    /** @PotentialOP(WON): mine */
    if (mine) {
        /** @OPCheck(WON): true */
        return 1;
    }
    atomic_fetch_add(&l->tries, 1);
    /** @OPDefine: true */
    return 0;
}
static struct lock l;
static void *run(void *argument)
{
    try_lock(&l, *(int *)argument);
    return argument;
}
int main(void)
{
    static int weights[] = {1, 2};
    pthread_t a, b;
    pthread_create(&a, NULL, run, &weights[0]);
    pthread_create(&b, NULL, run, &weights[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
