/* A search tree with a lock in each node: N threads insert a key each, hand over hand; main does
 * not join. */
#include <pthread.h>
#include <stdlib.h>
#ifndef N
#define N 3
#endif
typedef struct Node {
    int key;
    pthread_mutex_t lock;
    struct Node *child[2];
} Node;
static Node root = {.key = N, .lock = PTHREAD_MUTEX_INITIALIZER};
static void *insert(void *arg)
{
    int key = (int)(long)arg;
    Node *at = &root;
    pthread_mutex_lock(&at->lock);
    for (;;) {
        Node **to = &at->child[key > at->key];
        if (!*to) {
            Node *node = calloc(1, sizeof *node);
            node->key = key;
            pthread_mutex_init(&node->lock, NULL);
            *to = node;
            pthread_mutex_unlock(&at->lock);
            return NULL;
        }
        pthread_mutex_lock(&(*to)->lock);
        pthread_mutex_unlock(&at->lock);
        at = *to;
    }
}
int main(void)
{
    for (long i = 0; i < N; i++) {
        pthread_t t;
        pthread_create(&t, NULL, insert, (void *)i);
    }
}
