/* Parts of a local variable that another thread has the address of: what the owner does to them counts. clang's
 * instrumentation passes over such accesses. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#if V <= 4
struct part { char pad, v; };
struct whole { int pad; int v; struct part part; };

static void *work(void *a)
{
    struct whole *whole = a;
#if V == 1
    whole->v = 1;
#elif V == 2
    ((int *)a)[1] = 1;
#else
    whole->part.v = 1;
#endif
    return a;
}

int main(int count, char **words)
{
    (void)words;
    pthread_t t;
#if V == 2
    int local[2] = {0};
#elif V == 4
    struct whole local[count];
    local->part.v = 0;
#else
    struct whole local = {0};
#endif
    pthread_create(&t, 0, work, &local);
#if V == 1
    int seen = local.v;
#elif V == 2
    int seen = local[1];
#elif V == 3
    int seen = local.part.v;
#else
    int seen = local[count - 1].part.v;
#endif
    pthread_join(t, 0);
    assert(seen == 0);
}
#else
/* A request on the stack, answered by another thread; V == 6: which touches it once more when its owner may go on. */
struct request { int value; atomic_int done; };
static _Atomic(struct request *) asked;

__attribute__((noinline)) static void ask(int value)
{
    struct request r;
    r.value = value;
    atomic_init(&r.done, 0);
    atomic_store(&asked, &r);
    while (!atomic_load_explicit(&r.done, memory_order_acquire))
        ;
    assert(r.value == value + 1);
}

static void *work(void *a)
{
    for (int i = 0; i < 2; i++) {
        struct request *r;
        while (!(r = atomic_exchange(&asked, 0)))
            ;
        r->value++;
        atomic_store_explicit(&r->done, 1, memory_order_release);
#if V == 6
        r->value++;
#endif
    }
    return a;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    ask(1);
    ask(2);
    pthread_join(t, 0);
}
#endif
