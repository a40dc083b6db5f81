/* What the test drivers share: threads, and a scenario to play. Under Heddle every scenario is explored, as if each
 * were a program of its own; elsewhere -DSCENARIO=N plays one. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef SCENARIO
#define SCENARIO 0u
#endif

unsigned heddle_choose(unsigned count) __attribute__((weak));

static inline unsigned scenario(unsigned count)
{
    return heddle_choose ? heddle_choose(count) : SCENARIO % count;
}

static inline pthread_t start(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, argument) != 0)
        abort();
    return thread;
}

static inline void finish(pthread_t thread)
{
    pthread_join(thread, NULL);
}
