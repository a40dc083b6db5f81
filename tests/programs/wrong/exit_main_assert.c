// expect: violated assertion
// A failure after main has left with pthread_exit still counts.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *work(void *arg) { assert(atomic_fetch_add(&x, 1) < 1); return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_exit(NULL);
}
