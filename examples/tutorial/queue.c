/* The queue of examples/queue.c, repaired: a get waits for its turn. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *_Atomic next;
};

static struct node first, *head = &first, *tail = &first; /* head has been taken out already */
static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t tail_lock = PTHREAD_MUTEX_INITIALIZER;

static void queue_put(int value)
{
    struct node *node = calloc(1, sizeof *node);
    node->value = value;
    pthread_mutex_lock(&tail_lock);
    tail->next = node;
    tail = node;
    pthread_mutex_unlock(&tail_lock);
}

static bool queue_get(int *value)
{
    pthread_mutex_lock(&head_lock);
    struct node *next = head->next;
    if (next) {
        *value = next->value;
        head = next;
    }
    pthread_mutex_unlock(&head_lock);
    return next != NULL;
}
