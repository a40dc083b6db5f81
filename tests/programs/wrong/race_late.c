// expect: violated race
// y is found to race only in the executions in which the reader has seen the flag, which come late
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, z;
int y;
static void *a(void *p) { (void)p; if (atomic_load(&x) == 3) y = 1; return 0; }
static void *b(void *p) { (void)p; atomic_store(&z, 1); atomic_store(&x, 1); atomic_store(&x, 2); atomic_store(&x, 3); y = 2; return 0; }
static void *c(void *p) { (void)p; atomic_load(&z); return 0; }
int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], 0, a, 0); pthread_create(&t[1], 0, b, 0); pthread_create(&t[2], 0, c, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    return 0;
}
