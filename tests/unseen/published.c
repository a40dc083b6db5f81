/* Memory that a thread has just allocated is known to others as soon as its address is: the structure there is given to a
 * function by value, which compilers do not announce, while the other thread stores to it. The atomic store of the address
 * is the call before. LARGE: it travels in memory, not in registers. LOCKED: both threads hold a mutex. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifdef LARGE
struct Row {
    long at[6];
};
#else
struct Row {
    long at[2];
};
#endif
static _Atomic(struct Row *) published;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#ifdef LOCKED
#define ENTER pthread_mutex_lock(&mutex)
#define LEAVE pthread_mutex_unlock(&mutex)
#else
#define ENTER (void)mutex
#define LEAVE
#endif

__attribute__((noinline)) void take(struct Row row)
{
    __asm__ volatile("" : : "r"(&row) : "memory");
}

static void *publish(void *unused)
{
    struct Row *row = malloc(sizeof *row);
    for (size_t i = 0; i < sizeof row->at / sizeof *row->at; i++)
        row->at[i] = 1;
    ENTER;
    atomic_store(&published, row);
    take(*row);
    LEAVE;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    ENTER;
    struct Row *row = atomic_load(&published);
    if (row)
        row->at[WHERE] = 2;
    LEAVE;
    pthread_join(thread, NULL);
    free(atomic_load(&published));
    return 0;
}
