// expect: violated assertion
// args: --preemptions=2 --model=sc
// Two preemptions are enough to show this: a bound must find what lies within it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b;
static void *left(void *arg) { atomic_store(&a, 1); assert(!atomic_load(&b)); atomic_store(&a, 0); return arg; }
static void *right(void *arg) { if (!atomic_load(&a)) { atomic_store(&b, 1); atomic_store(&b, 0); } return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, left, NULL);
    pthread_create(&u, NULL, right, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
