// expect: holds
// executions: 2
// Threads of a process have different numbers, and the main thread has that of the process, as on Linux; the numbers
// are the same in every execution. The winner of the only exchange is one of two.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int owner;

static void *claim(void *number)
{
    int none = 0;
    *(int *)number = gettid();
    assert(gettid() == syscall(SYS_gettid) && getpid() == syscall(SYS_getpid) && getppid() != getpid());
    atomic_compare_exchange_strong(&owner, &none, gettid());
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int mine, other;
    pthread_create(&thread, NULL, claim, &other);
    claim(&mine);
    pthread_join(thread, NULL);
    assert(mine == getpid() && other != mine);
    assert(owner == mine || owner == other);
    return 0;
}
