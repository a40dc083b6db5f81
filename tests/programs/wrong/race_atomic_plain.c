// expect: violated race
// One side is atomic, the other is not: still a race.
#include <pthread.h>
static int x, seen;
static void *store(void *arg) { __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST); return arg; }
static void *load(void *arg) { seen = x; return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, store, NULL);
    pthread_create(&u, NULL, load, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
