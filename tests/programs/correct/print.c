// expect: holds
// Threads may print: output goes nowhere, and stdio's own locks do not confuse anything.
#include <pthread.h>
#include <stdio.h>
static void *work(void *arg) { printf("thread %s\n", (const char *)arg); return NULL; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, "one");
    pthread_create(&u, NULL, work, "two");
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
