// expect: violated specification
// says: does not hold for Next() = [0-9] of .*, in the sequential history Next() = 
// A method that calls another one: two calls that share an ordering point.
#include <pthread.h>
#include <stdatomic.h>

typedef struct { atomic_int value; } counter;
/** @Structure_Define:
    @DeclareVar: int adds, gets;
    @InitVar: adds = gets = 0; */

/** @Method: Add
    @Ordering_Point_Set: Add_Point
    @SideEffect: adds += by;
    @PostCondition: __RET__ == adds - by */
static int add(counter *c, int by)
{
    int old = atomic_fetch_add(&c->value, by);
    /** @Ordering_Point_Label_Check: true @Label: Add_Point */
    return old;
}
/** @Method: Next
    @Ordering_Point_Set: Add_Point
    @SideEffect: gets++;
    @PostCondition: __RET__ > 0 && gets > 10 */
static int next(counter *c)
{
    return add(c, 1) + 1;
}
static counter c;
static void *run(void *unused)
{
    next(&c);
    add(&c, 1);
    return unused;
}
int main(void)
{
    pthread_t a;
    pthread_create(&a, NULL, run, NULL);
    next(&c);
    pthread_join(a, NULL);
    return 0;
}
