// expect: holds
// args: --model=sc
// executions: 4
// Each thread loads both fields and stores both. If both loads find nothing, either store is the last; else one load
// finds the other's store, and keeps it: four executions. In each a field is set, and none has another value.
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
    assert((s.a == 1 && s.b == 2) || (s.a == 1 && !s.b) || (!s.a && s.b == 2));
    return 0;
}
