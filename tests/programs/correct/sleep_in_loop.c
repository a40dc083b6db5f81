// expect: holds
// executions: 1
// A thread that sleeps until something has changed waits: in a program that reads no clock, sleeping leaves
// nothing behind. It goes on when it has read 1, by whichever call it slept: one execution.
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>
static atomic_int flag;
static void *work(void *arg)
{
    int round = 0;
    while (!flag) {
        round = (round + 1) % 4;
        if (round == 0)
            poll(NULL, 0, 10);
        else if (round == 1)
            usleep(1000);
        else if (round == 2)
            select(0, NULL, NULL, NULL, &(struct timeval){.tv_usec = 50});
        else
            nanosleep(&(struct timespec){.tv_nsec = 50}, NULL);
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    flag = 1;
    pthread_join(t, NULL);
    return 0;
}
