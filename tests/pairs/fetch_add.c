// Atomic increments: who got which.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x;
static int r1, r2, r3;

static void *thread0(void *unused)
{
    r1 = atomic_fetch_add(&x, 1);
    return unused;
}

static void *thread1(void *unused)
{
    r2 = atomic_fetch_add(&x, 1);
    return unused;
}

static void *thread2(void *unused)
{
    r3 = atomic_fetch_add(&x, 1);
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
    printf("outcome x=%d r1=%d r2=%d r3=%d\n", (int)x, (int)r1, (int)r2, (int)r3);
    return 0;
}
