// expect: violated assertion
// The thread may have ended or not, and a replay finds the same.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
static void *work(void *arg) { return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    assert(pthread_tryjoin_np(t, NULL));
    return 0;
}
