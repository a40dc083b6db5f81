// expect: violated misuse
// Main has left with pthread_exit before the thread registers: that something is to come at the end is known to a replay, too.
#include <pthread.h>
#include <stdlib.h>
static void nothing(void) {}
static void *work(void *arg)
{
    atexit(nothing);
    pthread_join(pthread_self(), NULL);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_exit(NULL);
}
