// Two critical sections under a lock, in either order.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x = 1;

static void *thread0(void *unused)
{
    pthread_mutex_lock(&m);
    x = x * 2;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *thread1(void *unused)
{
    pthread_mutex_lock(&m);
    x = x + 3;
    pthread_mutex_unlock(&m);
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
