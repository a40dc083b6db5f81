/* glib's GThreadPool on its GAsyncQueue, mutexes by futexes: tasks that are pushed run once each, and
 * g_thread_pool_free waits for them. QUEUE: two threads use one GAsyncQueue alone. */
#include <assert.h>
#include <glib.h>
#include <stdlib.h>

#ifdef QUEUE
static GAsyncQueue *queue;

static gpointer produce(gpointer unused)
{
    (void)unused;
    for (int i = 1; i <= TASKS; i++)
        g_async_queue_push(queue, GINT_TO_POINTER(i));
    return NULL;
}

int main(void)
{
    queue = g_async_queue_new();
    GThread *producer = g_thread_new("producer", produce, NULL);
    for (int i = 1; i <= TASKS; i++)
        assert(GPOINTER_TO_INT(g_async_queue_pop(queue)) == i);
    g_thread_join(producer);
    assert(g_async_queue_length(queue) == 0);
    g_async_queue_unref(queue);
    return 0;
}
#else
static int done[3];

static void task(gpointer data, gpointer user_data)
{
    assert(user_data == done);
    done[GPOINTER_TO_INT(data)]++;
}

int main(void)
{
    GThreadPool *pool = g_thread_pool_new(task, done, WORKERS, TRUE, NULL);
    assert(pool);
    for (int i = 1; i <= TASKS; i++)
        assert(g_thread_pool_push(pool, GINT_TO_POINTER(i), NULL));
    g_thread_pool_free(pool, FALSE, TRUE);
    for (int i = 1; i <= TASKS; i++)
        assert(done[i] == 1);
    return 0;
}
#endif
