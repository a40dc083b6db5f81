/* libuv's thread pool under an event loop of our own: uv_async_send raises a flag for which main waits where the real
 * loop would poll. Two requests are queued and one of them is cancelled if no worker has taken it. Each request is
 * done once: performed or cancelled, never both. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include "uv-common.h"
#include "unix/internal.h"

static uv_loop_t loop;
static uv_work_t requests[2];
static int performed[2], finished, cancelled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t awake = PTHREAD_COND_INITIALIZER;
static int raised;

int uv_async_send(uv_async_t *handle)
{
    assert(handle == &loop.wq_async);
    pthread_mutex_lock(&lock);
    raised = 1;
    pthread_cond_signal(&awake);
    pthread_mutex_unlock(&lock);
    return 0;
}

/* What threadpool.c and thread.c take from uv-common.c, which would bring the whole loop along. */
void *uv__malloc(size_t size)
{
    return malloc(size);
}

void uv__free(void *pointer)
{
    free(pointer);
}

uint64_t uv__hrtime(uv_clocktype_t type)
{
    (void)type;
    return 0;
}

static void work(uv_work_t *request)
{
    performed[request - requests]++;
}

static void after(uv_work_t *request, int status)
{
    assert(status == 0 || status == UV_ECANCELED);
    assert(performed[request - requests] == (status == 0));
    cancelled += status == UV_ECANCELED;
    finished++;
}

static void poll_once(void)
{
    pthread_mutex_lock(&lock);
    while (!raised)
        pthread_cond_wait(&awake, &lock);
    raised = 0;
    pthread_mutex_unlock(&lock);
    uv__work_done(&loop.wq_async);
}

int main(void)
{
    setenv("UV_THREADPOOL_SIZE", WORKERS, 1);
    QUEUE_INIT(&loop.wq);
    assert(!uv_mutex_init(&loop.wq_mutex));
    assert(!uv_queue_work(&loop, &requests[0], work, after));
    assert(!uv_queue_work(&loop, &requests[1], work, after));
    int refused = uv_cancel((uv_req_t *)&requests[1]);
    assert(refused == 0 || refused == UV_EBUSY);
    while (finished < 2)
        poll_once();
    assert(cancelled == (refused == 0));
    assert(loop.active_reqs.count == 0);
    uv__threadpool_cleanup();
    return 0;
}
