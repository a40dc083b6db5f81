/* A specification in comments (heddle-annotations(7)): heddle check examples/cell.c
 * With -DORDER=memory_order_relaxed the rule in line 13 is broken, and heddle shows how. */
#include <pthread.h>
#include <stdatomic.h>
#ifndef ORDER
#define ORDER memory_order_release
#endif

struct cell { atomic_int x; };
/** @Structure_Define:
    @DeclareVar: int value;
    @InitVar: value = 0;
    @Happens_Before: Set -> Get(Seen) */

/** @Method: Set
    @Ordering_Point_Set: Set_Point
    @SideEffect: value = v; */
static void set(struct cell *c, int v)
{
    atomic_store_explicit(&c->x, v, ORDER);
    /** @Ordering_Point_Label_Check: true
        @Label: Set_Point */
}

/** @Method: Get
    @Ordering_Point_Set: Get_Point
    @HB_Condition: Seen :: __RET__ != 0
    @PostCondition: __RET__ == value */
static int get(struct cell *c)
{
    int v = atomic_load_explicit(&c->x, memory_order_acquire);
    /** @Ordering_Point_Label_Check: true
        @Label: Get_Point */
    return v;
}

static struct cell cell;
static void *setter(void *unused)
{
    set(&cell, 1);
    return unused;
}
int main(void)
{
    pthread_t a;
    pthread_create(&a, NULL, setter, NULL);
    get(&cell);
    get(&cell);
    pthread_join(a, NULL);
    return 0;
}
