// expect: holds
// A variable on main's stack, shared with a thread that is joined before it dies.
#include <assert.h>
#include <pthread.h>
struct job { int in, out; };
static void *work(void *arg) { struct job *job = arg; job->out = job->in * 2; return &job->out; }
int main(void)
{
    struct job job = {21, 0};
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, work, &job);
    pthread_join(t, &result);
    assert(job.out == 42 && result == &job.out);
    return 0;
}
