/* Store buffering by volatile or plain accesses, in code that is optimised: there the address of a
 * store may lie in r12, r13 or rbp. ONE: what one order of the threads gives; PLAIN: not volatile.
 */
#include <assert.h>
#include <pthread.h>

#ifdef PLAIN
#define SHARED int
#else
#define SHARED volatile int
#endif

static SHARED flag[64];
static volatile int seen[2];

static void *thread(void *argument)
{
    int i = (int)(long)argument;
    flag[32 * i] = 1;
    int other = flag[32 * (1 - i)];
    seen[i] = other;
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, thread, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
#ifdef ONE
    assert(!seen[0] || seen[1]);
#else
    assert(seen[0] || seen[1]);
#endif
    return 0;
}
