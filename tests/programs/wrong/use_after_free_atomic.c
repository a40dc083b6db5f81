// expect: violated use-after-free
// An atomic access to an object that the other thread frees, without any order between the two.
// If the addition comes later it uses freed memory; if it comes first nothing orders it before the free. Both are
// use after free; a race is between two accesses, and p itself is written before the threads are created.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int *p;
static void *user(void *arg) { atomic_fetch_add(p, 1); return arg; }
static void *owner(void *arg) { free(p); return arg; }
int main(void)
{
    pthread_t t, u;
    p = malloc(sizeof *p);
    atomic_init(p, 0);
    pthread_create(&t, NULL, user, NULL);
    pthread_create(&u, NULL, owner, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
