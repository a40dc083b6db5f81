// expect: holds
// executions: 2
// Two arguments point to the same place, which the program changes later: after a judgement all is as it was. The calls of
// the two threads are two, since their arguments, local variables, have different addresses.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
typedef struct { atomic_int x; } cell;

/** @Structure_Define:
    @DeclareVar: int value; */

/** @Method: Add
    @Ordering_Point_Set: Add_Point
    @SideEffect: value++;
    @PostCondition: *low == value && *high == value */
static void add(cell *c, int *low, int *high)
{
    int old = atomic_fetch_add(&c->x, 1);
    /** @Ordering_Point_Label_Check: true
        @Label: Add_Point */
    *low = *high = old + 1;
}

static cell c;
static int place;
static void *adder(void *unused)
{
    int low, high;
    add(&c, &low, &high);
    return unused;
}
int main(void)
{
    pthread_t a, b;
    add(&c, &place, &place);
    place = 5;
    pthread_create(&a, NULL, adder, NULL);
    pthread_create(&b, NULL, adder, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(place == 5);
    return 0;
}
