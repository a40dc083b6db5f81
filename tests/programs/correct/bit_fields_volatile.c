// expect: holds
// executions: 1
// Fields of a volatile structure, set one after the other by two threads: neither is lost.
#include <assert.h>
#include <pthread.h>
static volatile struct { unsigned a : 3, b : 5; } s;
static void *first(void *arg) { s.a = 1; return arg; }
int main(void)
{
    pthread_t t;
    s.b = 2;
    pthread_create(&t, NULL, first, NULL);
    pthread_join(t, NULL);
    assert(s.a == 1 && s.b == 2);
    return 0;
}
