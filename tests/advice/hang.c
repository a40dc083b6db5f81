// asks: run --hang=1s
// reason: nothing happened for 1 s: a loop without any access to shared memory
// advice: Make the computation in the test smaller, or leave out the call that waits. More patience: --hang=6s
// then: run @--hang
// better: holds
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_uint result;
static void *compute(void *unused)
{
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 3000000000u; i++)
        sum = sum * 3 + i;
    atomic_store(&result, sum);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, compute, NULL);
    pthread_join(thread, NULL);
}
