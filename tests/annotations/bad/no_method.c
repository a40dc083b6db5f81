// says: no_method.c:7: there is no annotated method
#include <pthread.h>
#include <stdatomic.h>
typedef struct { atomic_int x; } cell;
static int *pointer;

/** @Structure_Define:
    @DeclareVar: int value;
    @InitVar: value = 0;
    */

static void set(cell *c, int v)
{
    atomic_store_explicit(&c->x, v, memory_order_release);
}

static int get(cell *c)
{
    int v = atomic_load_explicit(&c->x, memory_order_acquire);
    return v;
}

static cell c;
static void *setter(void *unused)
{
    return unused;
}
static void *getter(void *unused)
{
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
