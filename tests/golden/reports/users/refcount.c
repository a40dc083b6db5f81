/* An object with a reference count: the last one out frees it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef FIXED
#define PUT memory_order_acq_rel
#else
#define PUT memory_order_relaxed
#endif

struct object {
    atomic_int references;
    int value;
};

static void put(struct object *o)
{
    if (atomic_fetch_sub_explicit(&o->references, 1, PUT) == 1)
        free(o);
}

static void *use(void *argument)
{
    struct object *o = argument;
    int seen = o->value;
    put(o);
    return seen ? 0 : argument;
}

int main(void)
{
    struct object *o = malloc(sizeof *o);
    atomic_init(&o->references, 2);
    o->value = 1;
    pthread_t t;
    pthread_create(&t, 0, use, o);
    use(o);
    pthread_join(t, 0);
    return 0;
}
