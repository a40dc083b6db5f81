/* Each call has ordering points at two places, and the places disagree about the order. */
#include <pthread.h>
#include <stdatomic.h>
typedef struct { atomic_int x, y; } pair;
/** @Structure_Define: @DeclareVar: int n; @InitVar: n = 0; */
/** @Method: Swap
    @Ordering_Point_Set: X | Y */
static void swap(pair *p, int first)
{
    if (first)
        atomic_fetch_add(&p->x, 1);
    else
        atomic_fetch_add(&p->y, 1);
    /** @Ordering_Point_Label_Check: true
        @Label: X */
    if (first)
        atomic_fetch_add(&p->y, 1);
    else
        atomic_fetch_add(&p->x, 1);
    /** @Ordering_Point_Label_Check: true
        @Label: Y */
}
static pair p;
static void *one(void *unused)
{
    swap(&p, 1);
    return unused;
}
static void *two(void *unused)
{
    swap(&p, 0);
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
