// asks: run
// reason: a thread accesses a local variable of .* whose function has returned
// advice: let the function wait for the threads that it has shown it to, or make it a global variable
// then: run -DFOLLOWED
// better: holds
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static void *set(void *to)
{
    atomic_store((atomic_int *)to, 1);
    return NULL;
}
static __attribute__((noinline)) pthread_t start(void)
{
    pthread_t thread;
#ifdef FOLLOWED
    static atomic_int answer;
#else
    atomic_int answer;
#endif
    atomic_init(&answer, 0);
    pthread_create(&thread, NULL, set, &answer);
    return thread;
}
int main(void)
{
    pthread_join(start(), NULL);
}
