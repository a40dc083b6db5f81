// expect: violated synchronisation
// says: no_release.c:11: @Happens_Before Set -> Get(Saw): Set(v=1) of T1 does not happen before Get() = 1 of T2
#include <pthread.h>
#include <stdatomic.h>
typedef struct { atomic_int x; } cell;
static int *pointer;

/** @Structure_Define:
    @DeclareVar: int value;
    @InitVar: value = 0;
    @Happens_Before: Set -> Get(Saw) */

/** @Method: Set
    @Ordering_Point_Set: Set_Point
    @SideEffect: value = v; */
static void set(cell *c, int v)
{
    atomic_store_explicit(&c->x, v, memory_order_relaxed);
    /** @Ordering_Point_Label_Check: true
        @Label: Set_Point */
}

/** @Method: Get
    @Ordering_Point_Set: Get_Point
    @HB_Condition: Saw :: __RET__ != 0
    @PreCondition: value >= 0
    @PostCondition: __RET__ == value */
static int get(cell *c)
{
    int v = atomic_load_explicit(&c->x, memory_order_acquire);
    /** @Ordering_Point_Label_Check: true
        @Label: Get_Point */
    return v;
}

static cell c;
static void *setter(void *unused)
{
    set(&c, 1);
    return unused;
}
static void *getter(void *unused)
{
    get(&c);
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, setter, NULL);
    pthread_create(&b, NULL, getter, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return pointer != 0;
}
