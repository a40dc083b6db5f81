// expect: holds
// exit in a thread ends the whole program, whatever the others do.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int never;
static void *leaves(void *arg) { (void)arg; exit(0); }
static void *waits(void *arg) { while (!atomic_load(&never)) {} return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, waits, NULL);
    pthread_create(&u, NULL, leaves, NULL);
    pthread_join(t, NULL);
    return 0;
}
