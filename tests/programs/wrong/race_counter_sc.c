// expect: violated assertion
// args: --model=sc
// Under sc racing plain accesses are explored: the lost update is found as a failed assertion.
#include <assert.h>
#include <pthread.h>
static int x;
static void *inc(void *arg) { x++; return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, inc, NULL);
    pthread_create(&u, NULL, inc, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(x == 2);
    return 0;
}
