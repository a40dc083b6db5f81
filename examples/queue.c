/* A queue with two locks (Michael and Scott 1996): puts and gets do not wait for each other. Nor do
 * gets: one that finds another at work comes back empty-handed instead of waiting. */
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
    if (pthread_mutex_trylock(&head_lock) != 0)
        return false;
    struct node *next = head->next;
    if (next) {
        *value = next->value;
        head = next;
    }
    pthread_mutex_unlock(&head_lock);
    return next != NULL;
}
