// expect: violated assertion
// Volatile accesses to another thread's local are explored: the flag may be seen before the data.
#include <assert.h>
#include <pthread.h>
typedef struct Pair {
    volatile int data, flag;
} Pair;
static void *child(void *at)
{
    Pair *pair = at;
    pair->data = 1;
    pair->flag = 1;
    return at;
}
int main(void)
{
    Pair pair = {0, 0};
    pthread_t thread;
    pthread_create(&thread, 0, child, &pair);
    if (pair.flag)
        assert(pair.data);
    pthread_join(thread, 0);
    return 0;
}
