// expect: violated specification
// says: @PostCondition __RET__ == value does not hold for Get() = 1 of T2, in the sequential history Get() = 1 by T2
// The point of Get is its first read, though a later one may decide: in the execution where it sees 0 first, Get
// comes before Set and returns 1. A search that took the round for nothing would miss it.
#include <pthread.h>
#include <stdatomic.h>
typedef struct { atomic_int x; } cell;

/** @Structure_Define:
    @DeclareVar: int value;
    @InitVar: value = 0; */

/** @Method: Set
    @Ordering_Point_Set: Set_Point
    @SideEffect: value = v; */
static void set(cell *c, int v)
{
    atomic_store_explicit(&c->x, v, memory_order_release);
    /** @Ordering_Point_Label_Check: true
        @Label: Set_Point */
}

/** @Method: Get
    @Ordering_Point_Set: Get_Point
    @PostCondition: __RET__ == value */
static int get(cell *c)
{
    int v = atomic_load_explicit(&c->x, memory_order_acquire);
    /** @Potential_Ordering_Point: true
        @Label: First */
    while (!v)
        v = atomic_load_explicit(&c->x, memory_order_acquire);
    /** @Ordering_Point_Check: true
        @Potential_Ordering_Point_Label: First
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
    return 0;
}
