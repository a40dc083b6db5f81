// expect: violated linearizability
// args: -DTWICE --spec=queue:fifo
// Two gets may both take the first element, since neither checks that it is still there.
#include <pthread.h>
#include "../queue_ms.h"
static struct queue queue;
static void *consumer(void *unused)
{
    queue_get(&queue);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    queue_init(&queue);
    HD_BEGIN(&queue, "put", HD_INT(7));
    struct node *node = queue_node(7);
    atomic_store(&queue.head->next, node);
    atomic_store(&queue.tail, node);
    HD_END(HD_VOID);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, consumer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
