// expect: violated misuse
// Main has left before the thread registers, so that in this execution it runs what nobody has registered yet; a replay
// must find the same steps.
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
    return 0;
}
