// A thread counts itself in and out while there is a writer; the writer counts up four times without counting down.
// What it finds the last time is 3, or 4 if the other thread is inside: more than there are threads, so that looking
// at the count seems not to depend on it (src/guest/explore/reduce/waiting/counters.h, K2). A thread whose last round began
// after the writer had ended was inside meanwhile in a round that was for nothing.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int writer, readers;
static int began_with, found_four;
static void *enter(void *a)
{
    int seen;
    for (;;) {
        while ((seen = atomic_load(&writer)) == 1)
            ;
        atomic_fetch_add(&readers, 1);
        if (atomic_load(&writer) != 1)
            break;
        atomic_fetch_sub(&readers, 1);
    }
    began_with = seen;
    return a;
}
static void *count(void *a)
{
    atomic_store(&writer, 1);
    atomic_fetch_add(&readers, 1);
    atomic_fetch_add(&readers, 1);
    atomic_fetch_add(&readers, 1);
    found_four = atomic_fetch_add(&readers, 1) == 4;
    atomic_store(&writer, 2);
    return a;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, enter, 0);
    pthread_create(&u, 0, count, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(!(began_with == 2 && found_four));
    return 0;
}
