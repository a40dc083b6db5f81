/* Allocations that a wrapper makes: each block is named after the pointer that the wrapper's caller has. The two structures
 * have one size, so that size alone says nothing. */
#include <pthread.h>
#include <stdlib.h>
struct job {
    long id, done;
};
struct worker {
    long age, idle;
};
static void *xmalloc(size_t bytes)
{
    void *made = malloc(bytes);
    if (!made)
        abort();
    return made;
}
static void *xzalloc(size_t bytes)
{
    void *made = xmalloc(bytes);
    for (size_t i = 0; i < bytes; i++)
        ((char *)made)[i] = 0;
    return made;
}
static void *shared;
static void *work(void *argument)
{
    struct worker *worker = xzalloc(sizeof *worker);
    worker->idle = 1;
    ((struct job *)shared)->done = 1;
    free(worker);
    return argument;
}
int main(void)
{
    struct job *job = xmalloc(sizeof *job);
    job->done = 0;
    shared = job;
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    long done = job->done;
    pthread_join(thread, NULL);
    free(job);
    return done > 1;
}
