// expect: violated race
// Two threads increment a plain int.
#include <pthread.h>
static int x;
static void *inc(void *arg) { x++; return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, inc, NULL);
    pthread_create(&u, NULL, inc, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
