// expect: violated misuse or violated deadlock
#include <pthread.h>
static void *work(void *arg) { pthread_join(pthread_self(), NULL); return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
