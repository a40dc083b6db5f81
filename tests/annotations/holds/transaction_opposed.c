// expect: holds
// The transaction of CDSSpec's section 4.2: two locks, taken in opposite orders; a call that does not get the second one
// drops the first and tries again, ROUNDS times in all. Each round may have an ordering point: those of failed rounds are
// taken back, and that of a call that gives up is its last failure.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#ifndef ROUNDS
#define ROUNDS 2
#endif

struct bank {
    atomic_int lock[2];
    int money[2];
};
/** @Structure_Define:
    @DeclareVar: int sum;
    @InitVar: sum = 0;
    @Happens_Before: Move(Done) -> Move(Done) */

/** @Method: Move
    @Ordering_Point_Set: Locked
    @HB_Condition: Done :: __RET__ != -1
    @PostCondition: __RET__ == -1 || (sum += amount, __RET__ == sum) */
static int move(struct bank *bank, int amount, int from)
{
    for (int round = 0; round < ROUNDS; round++) {
        int free = 0;
        bool first = atomic_compare_exchange_strong(&bank->lock[from], &free, 1);
        bool last = round + 1 == ROUNDS;
        /** @Ordering_Point_Label_Check: first || last
            @Label: Locked */
        if (!first)
            continue;
        free = 0;
        bool second = atomic_compare_exchange_strong(&bank->lock[!from], &free, 1);
#ifndef KEEPS_POINTS
        /** @Ordering_Point_Clear: !second
            @Label: Again */
#endif
        /** @Ordering_Point_Label_Check: second || last
            @Label: Locked */
        if (second) {
            bank->money[0] += amount;
            bank->money[1] -= amount;
            int result = bank->money[0];
            atomic_store(&bank->lock[0], 0);
            atomic_store(&bank->lock[1], 0);
            return result;
        }
        atomic_store(&bank->lock[from], 0);
    }
    return -1;
}

static struct bank bank;
static void *one(void *unused)
{
    move(&bank, 1, 0);
    return unused;
}
static void *two(void *unused)
{
    move(&bank, 10, 1);
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
