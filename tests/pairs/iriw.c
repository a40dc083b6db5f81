// Independent reads of independent writes.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x, y;
static int r1, r2, r3, r4;

static void *thread0(void *unused)
{
    atomic_store(&x, 1);
    return unused;
}

static void *thread1(void *unused)
{
    atomic_store(&y, 1);
    return unused;
}

static void *thread2(void *unused)
{
    r1 = atomic_load(&x);
    r2 = atomic_load(&y);
    return unused;
}

static void *thread3(void *unused)
{
    r3 = atomic_load(&y);
    r4 = atomic_load(&x);
    return unused;
}

int main(void)
{
    pthread_t thread[4];
    pthread_create(&thread[0], NULL, thread0, NULL);
    pthread_create(&thread[1], NULL, thread1, NULL);
    pthread_create(&thread[2], NULL, thread2, NULL);
    pthread_create(&thread[3], NULL, thread3, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    pthread_join(thread[2], NULL);
    pthread_join(thread[3], NULL);
    printf("outcome r1=%d r2=%d r3=%d r4=%d\n", (int)r1, (int)r2, (int)r3, (int)r4);
    return 0;
}
