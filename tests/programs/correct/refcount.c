// expect: holds
// The last owner frees: release decrements, an acquire fence before the object goes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct object { atomic_int count; int a, b; };
static void drop(struct object *o)
{
    if (atomic_fetch_sub_explicit(&o->count, 1, memory_order_release) == 1) {
        atomic_thread_fence(memory_order_acquire);
        assert(o->a + o->b == 3);
        free(o);
    }
}
static void *first(void *arg) { struct object *o = arg; o->a = 1; drop(o); return NULL; }
static void *second(void *arg) { struct object *o = arg; o->b = 2; drop(o); return NULL; }
int main(void)
{
    struct object *o = calloc(1, sizeof *o);
    pthread_t t, u;
    atomic_init(&o->count, 2);
    pthread_create(&t, NULL, first, o);
    pthread_create(&u, NULL, second, o);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
