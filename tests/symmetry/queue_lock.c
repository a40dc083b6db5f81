/* queue_lock.c: N equal threads take an MCS lock (corpus/classics/mcs_lock.h) once each, with nodes
 * that are thread-local: their addresses are in the lock and in each other. */
#include "../../corpus/classics/mcs_lock.h"
#include <pthread.h>

static struct mcs_lock lock;
static _Thread_local struct mcs_node node;
static int counter;

static void *work(void *unused)
{
    mcs_acquire(&lock, &node);
    counter++;
    mcs_release(&lock, &node);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return counter != N;
}
