// Two threads ask for the critical section; how many get in?
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int a, b, entered;
static int r1, r2;

static void *thread0(void *unused)
{
    atomic_store(&a, 1);
    r1 = atomic_load(&b);
    if (r1 == 0)
        atomic_fetch_add(&entered, 1);
    return unused;
}

static void *thread1(void *unused)
{
    atomic_store(&b, 1);
    r2 = atomic_load(&a);
    if (r2 == 0)
        atomic_fetch_add(&entered, 1);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, thread0, NULL);
    pthread_create(&thread[1], NULL, thread1, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    printf("outcome entered=%d r1=%d r2=%d\n", (int)entered, (int)r1, (int)r2);
    return 0;
}
