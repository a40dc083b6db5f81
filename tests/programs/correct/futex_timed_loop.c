// expect: holds
// A thread waits at a futex with a time limit until a flag is set, however often its time is over. What is different: it
// sees the flag at once, or finds another value at the futex, or its time was over, or it was woken.
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static atomic_int flag;
static int data;

static void *wait(void *arg)
{
    const struct timespec limit = {0, 1000000};
    while (!atomic_load(&flag))
        syscall(SYS_futex, &flag, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0);
    assert(data == 1);
    return arg;
}

static void *wake(void *arg)
{
    data = 1;
    atomic_store(&flag, 1);
    syscall(SYS_futex, &flag, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, wait, 0);
    pthread_create(&b, 0, wake, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
