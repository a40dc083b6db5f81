// expect: violated use-after-free
// The count is atomic, but relaxed: the last owner frees what the other may still be writing.
// a and b are different places, so the writes do not race with each other. The thread that counts down to 0 frees; a
// relaxed read-modify-write does not order the other's write before that: the conflict is a write with a free.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct object { atomic_int count; int a, b; };
static void drop(struct object *o)
{
    if (atomic_fetch_sub_explicit(&o->count, 1, memory_order_relaxed) == 1)
        free(o);
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
