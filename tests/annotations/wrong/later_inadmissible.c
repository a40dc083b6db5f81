// expect: inconclusive
// says: later_inadmissible.c:10: @Admissibility: set(v=[12]) of T[12] and set(v=[12]) of T[12] are not ordered by their ordering points
// Two calls that must be ordered have their ordering points at different places.
#include <pthread.h>
#include <stdatomic.h>
struct cell {
    atomic_int x[3];
};
/** @DeclareState: int sets;
    @Admissibility: set <-> set (M1->v != M2->v) */

/** @Transition: STATE(sets)++; */
static void set(struct cell *c, int v)
{
    atomic_store_explicit(&c->x[v], v, memory_order_relaxed);
    /** @OPDefine: true */
}
static struct cell c;
static void *run(void *argument)
{
    set(&c, *(int *)argument);
    return argument;
}
int main(void)
{
    static int values[] = {1, 2};
    pthread_t a, b;
    pthread_create(&a, NULL, run, &values[0]);
    pthread_create(&b, NULL, run, &values[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
