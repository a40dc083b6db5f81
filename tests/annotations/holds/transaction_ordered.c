// expect: holds
// executions: 2
// The transaction of CDSSpec's section 4.2, with retries without limit and without waiting in between: all calls take the
// locks in one order, so whoever has the first one gets the second one, too. One execution for each order of the calls.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct bank {
    atomic_int lock[2];
    int money[2];
};
/** @Structure_Define:
    @DeclareVar: int sum;
    @InitVar: sum = 0;
    @Happens_Before: Move -> Move */

/** @Method: Move
    @Ordering_Point_Set: Locked
    @PostCondition: (sum += amount, __RET__ == sum) */
static int move(struct bank *bank, int amount)
{
    for (;;) {
        int free = 0;
        bool first = atomic_compare_exchange_strong(&bank->lock[0], &free, 1);
        /** @Ordering_Point_Label_Check: first
            @Label: Locked */
        if (!first)
            continue;
        free = 0;
        bool second = atomic_compare_exchange_strong(&bank->lock[1], &free, 1);
        /** @Ordering_Point_Clear: !second
            @Label: Again */
        /** @Ordering_Point_Label_Check: second
            @Label: Locked */
        if (second)
            break;
        atomic_store(&bank->lock[0], 0);
    }
    bank->money[0] += amount;
    bank->money[1] -= amount;
    int result = bank->money[0];
    atomic_store(&bank->lock[1], 0);
    atomic_store(&bank->lock[0], 0);
    return result;
}
static struct bank bank;
static void *one(void *unused)
{
    move(&bank, 1);
    return unused;
}
static void *two(void *unused)
{
    move(&bank, 10);
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
