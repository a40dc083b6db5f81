// Three threads try to be the first.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x;
static int r1, r2, r3;

static void *thread0(void *unused)
{
    int expected = 0;
    r1 = atomic_compare_exchange_strong(&x, &expected, 1);
    return unused;
}

static void *thread1(void *unused)
{
    int expected = 0;
    r2 = atomic_compare_exchange_strong(&x, &expected, 2);
    return unused;
}

static void *thread2(void *unused)
{
    int expected = 0;
    r3 = atomic_compare_exchange_strong(&x, &expected, 3);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, thread0, NULL);
    pthread_create(&thread[1], NULL, thread1, NULL);
    pthread_create(&thread[2], NULL, thread2, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    pthread_join(thread[2], NULL);
    printf("outcome x=%d\n", (int)x);
    return 0;
}
