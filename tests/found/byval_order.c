/* A structure in registers, given by value: nobody announces the load. Optimised, it comes before that of a volatile
 * variable, which is announced, and must not be taken for it. */
#include <assert.h>
#include <pthread.h>
struct pair { int a, b; };
static struct pair shared;
static struct pair *volatile unused, *volatile other;
static int seen;

__attribute__((noinline)) static void use(struct pair pair)
{
    __asm__ volatile("" : : "r"(&pair) : "memory");
    seen = pair.b;
}

static void *work(void *a)
{
    struct pair *p = a, *q = unused, *r = other;
    (void)q;
    (void)r;
    use(*p);
    return a;
}

int main(void)
{
    pthread_t t;
#if V == 1
    pthread_create(&t, 0, work, &shared);
    shared.b = 1;
#else /* only what is volatile is shared */
    struct pair own = {0, 0};
    pthread_create(&t, 0, work, &own);
    other = &shared;
    unused = &shared;
#endif
    pthread_join(t, 0);
#if V == 1
    assert(seen == 0);
#endif
}
