// expect: violated misuse
// POSIX lets pthread_join() fail with EDEADLK here or wait for ever; which of the two is the library's choice, so the
// call itself is what is wrong (heddle-library(7) lists it as misuse), before anybody waits.
#include <pthread.h>
static void *work(void *arg) { pthread_join(pthread_self(), NULL); return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
