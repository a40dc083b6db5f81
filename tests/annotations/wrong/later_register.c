// expect: violated specification
// says: later_register.c:[0-9]*: @JustifyingPrecondition return STATE(value) == C_RET does not hold for get() = 7 of T2 in any sequential history of the calls before it, of which there are none
// A result that no history of the calls before explains: nobody wrote a 7.
#include <pthread.h>
#include <stdatomic.h>
struct cell {
    atomic_int x;
};
/** @DeclareState: int value; */

/** @Transition: STATE(value) = v; */
static void set(struct cell *c, int v)
{
    atomic_store(&c->x, v);
    /** @OPDefine: true */
}
/** @JustifyingPrecondition: return STATE(value) == C_RET; */
static int get(struct cell *c)
{
    int v = atomic_load(&c->x);
    /** @OPDefine: true */
    return v ? v : 7;
}
static struct cell c;
static void *one(void *argument)
{
    set(&c, 1);
    return argument;
}
static void *two(void *argument)
{
    get(&c);
    return argument;
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
