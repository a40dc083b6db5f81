// expect: holds
// Linearizable (Michael and Scott 1996); get reads next before it looks whether the queue is empty, as published.
#include <pthread.h>
#include "../queue_ms.h"
static struct queue queue;
static void *producer(void *value)
{
    queue_put(&queue, (int)(long)value);
    return NULL;
}
static void *consumer(void *unused)
{
    queue_get(&queue);
    queue_get(&queue);
    return unused;
}
int main(void)
{
    pthread_t threads[3];
    queue_init(&queue);
    pthread_create(&threads[0], NULL, producer, (void *)1);
    pthread_create(&threads[1], NULL, producer, (void *)2);
    pthread_create(&threads[2], NULL, consumer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    queue_get(&queue);
    return 0;
}
