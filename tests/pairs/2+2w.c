// Two writers of two variables.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x, y;

static void *thread0(void *unused)
{
    atomic_store(&x, 1);
    atomic_store(&y, 2);
    return unused;
}

static void *thread1(void *unused)
{
    atomic_store(&y, 1);
    atomic_store(&x, 2);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, thread0, NULL);
    pthread_create(&thread[1], NULL, thread1, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    printf("outcome x=%d y=%d\n", (int)x, (int)y);
    return 0;
}
