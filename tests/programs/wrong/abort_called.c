// expect: violated assertion
// abort counts as a failed assertion.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x;
static void *work(void *arg) { if (atomic_fetch_add(&x, 1)) abort(); return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
