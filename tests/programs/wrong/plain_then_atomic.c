// expect: violated assertion
// args: --model=sc
// Main writes an object plainly, then atomically, then plainly: only the second plain write meets events
// and is one. A replay must not take the first for one, too.
#include <assert.h>
#include <pthread.h>
static int counter;
static void *work(void *arg)
{
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    for (int round = 0; round < 2; round++) {
        counter = 5;
        __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
    }
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(counter == 7);
    return 0;
}
