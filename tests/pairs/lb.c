// Load buffering.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x, y;
static int r1, r2;

static void *thread0(void *unused)
{
    r1 = atomic_load(&x);
    atomic_store(&y, 1);
    return unused;
}

static void *thread1(void *unused)
{
    r2 = atomic_load(&y);
    atomic_store(&x, 1);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, thread0, NULL);
    pthread_create(&thread[1], NULL, thread1, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    printf("outcome r1=%d r2=%d\n", (int)r1, (int)r2);
    return 0;
}
