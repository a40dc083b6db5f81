// expect: violated race
// Both accesses stand after the last event of their threads: nothing but the two plain writes tells of
// the race, also when it is run again.
#include <pthread.h>
static int x;
static void *work(void *arg) { x = 1; return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    x = 2;
    pthread_join(t, NULL);
    return 0;
}
