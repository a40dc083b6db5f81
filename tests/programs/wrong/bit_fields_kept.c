// expect: violated assertion
// args: --model=sc
// Each thread loads both fields and stores both; one after the other they keep what the first has set.
#include <assert.h>
#include <pthread.h>
static struct { unsigned a : 3, b : 5; } s;
static void *first(void *arg) { s.a = 1; return arg; }
static void *second(void *arg) { s.b = 2; return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, first, NULL);
    pthread_create(&u, NULL, second, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(!(s.a && s.b));
    return 0;
}
