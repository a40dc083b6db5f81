// expect: violated assertion
// A waiter that is moved to another futex is counted there, although its time is over later.
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static atomic_int from, to;
static int timed_out;

static void *wait(void *arg)
{
    const struct timespec limit = {0, 1000000};
    timed_out = syscall(SYS_futex, &from, FUTEX_WAIT, 0, &limit, NULL, 0) && errno == ETIMEDOUT;
    return arg;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, wait, 0);
    long moved = syscall(SYS_futex, &from, FUTEX_REQUEUE, 0, (struct timespec *)1, &to, 0);
    pthread_join(a, 0);
    assert(!moved || !timed_out);
    return 0;
}
