// asks: run
// reason: the program calls pthread_cancel
// advice: Let the thread look at a flag in the test, and leave by itself
// then: run -DFOLLOWED
// better: holds
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>
static atomic_int stop;
static void *serve(void *unused)
{
#ifdef FOLLOWED
    while (!atomic_load(&stop))
        ;
#else
    for (;;)
        pthread_testcancel();
#endif
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, serve, NULL);
#ifdef FOLLOWED
    atomic_store(&stop, 1);
#else
    pthread_cancel(thread);
#endif
    pthread_join(thread, NULL);
}
