// asks: run
// reason: heddle does not know which memory that touches
// advice: If the function touches no memory that threads share, answer for it yourself: --trust=getloadavg; or leave the call out
// then: run @--trust
// better: holds
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdlib.h>
static void *ask(void *unused)
{
    double load[1];
    getloadavg(load, 1);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, ask, NULL);
    pthread_join(thread, NULL);
}
