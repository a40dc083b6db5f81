// Two increments, each a load and a store: one may be lost.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x;

static void *thread0(void *unused)
{
    int a = atomic_load(&x);
    atomic_store(&x, a + 1);
    a = atomic_load(&x);
    atomic_store(&x, a + 1);
    return unused;
}

static void *thread1(void *unused)
{
    int a = atomic_load(&x);
    atomic_store(&x, a + 1);
    a = atomic_load(&x);
    atomic_store(&x, a + 1);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, thread0, NULL);
    pthread_create(&thread[1], NULL, thread1, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    printf("outcome x=%d\n", (int)x);
    return 0;
}
