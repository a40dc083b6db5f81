/* What threads share in their process beside files, each case with the answer for both orders of its threads. */
// run: run -DCASE=1 => violated assertion
// run: run --cc=clang --model=tso -DCASE=1 -DOTHER => violated assertion
// run: run -DCASE=2 => holds
// run: run -DCASE=3 => inconclusive
// run: run --model=sc -DCASE=3 -DOTHER => inconclusive
// run: run -DCASE=4 => inconclusive
// run: run -DCASE=5 => inconclusive
// run: run -DCASE=6 => holds
// run: run -DCASE=7 => holds
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
static int value;

#if CASE == 1 /* what a signal does */
static void begin(void) {}
static void handler(int number) { value = number; }
static void *first(void *unused)
{
    signal(SIGUSR1, handler);
    return unused;
}
static void *second(void *unused)
{
    struct sigaction now;
    assert(sigaction(SIGUSR1, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
    return unused;
}
#elif CASE == 2 /* masks: each thread has its own, from its creator */
static void begin(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    assert(signal(SIGUSR2, SIG_IGN) == SIG_DFL && signal(SIGUSR2, SIG_DFL) == SIG_IGN);
    assert(signal(SIGKILL, SIG_IGN) == SIG_ERR);
}
static void *first(void *unused)
{
    sigset_t set, before;
    sigfillset(&set);
    assert(pthread_sigmask(SIG_SETMASK, &set, &before) == 0);
    assert(sigismember(&before, SIGUSR1) && !sigismember(&before, SIGUSR2));
    assert(sigprocmask(SIG_UNBLOCK, &before, &set) == 0 && sigismember(&set, SIGUSR2) && !sigismember(&set, SIGKILL));
    assert(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0 && !sigismember(&set, SIGUSR1));
    return unused;
}
#define second first
#elif CASE == 3 /* how a thread is scheduled is no memory of ours: where it is set and asked for */
static void begin(void) { assert(getpriority(PRIO_PROCESS, 0) == 0); }
static void *first(void *unused)
{
    setpriority(PRIO_PROCESS, 0, 5);
    return unused;
}
static void *second(void *unused)
{
    assert(getpriority(PRIO_PROCESS, 0) < 6);
    return unused;
}
#elif CASE == 4 /* the number of the process is made up, and names no file */
static char name[64];
static void begin(void) { sprintf(name, "/proc/%d/mem", getpid()); }
static void *first(void *unused)
{
    int one = 1, fd = open(name, O_RDWR);
    if (fd >= 0 && pwrite(fd, &one, sizeof one, (off_t)&value) < 0)
        return NULL;
    return unused;
}
static void *second(void *unused)
{
    assert(value == 0);
    return unused;
}
#elif CASE == 5 /* two threads take the same piece */
static void begin(void) {}
static void *first(void *unused)
{
    char *piece = sbrk(0);
    sbrk(64);
    *piece = 1;
    return unused;
}
#define second first
#elif CASE == 6 /* the kernel's random bytes of a process: some equal ones here, but in each execution */
static void begin(void) {}
static void *first(void *unused)
{
    const char *bytes = (const char *)getauxval(AT_RANDOM);
    assert(bytes[0] == bytes[1] && bytes[0] == bytes[15]);
    return unused;
}
#define second first
#elif CASE == 7 /* hints: who asks before somebody sets them sees the first value */
static void begin(void)
{
    cpu_set_t all;
    assert(sched_getaffinity(0, sizeof all, &all) == 0 && CPU_COUNT(&all) > 0);
}
static void *first(void *unused)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    assert(pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0 && nice(3) == 3);
    return unused;
}
#define second first
#endif

int main(void)
{
    pthread_t a, b;
    begin();
#ifdef OTHER
    pthread_create(&b, NULL, second, NULL);
    pthread_create(&a, NULL, first, NULL);
#else
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
#endif
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
