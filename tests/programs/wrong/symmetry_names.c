// expect: violated assertion
// Two equal threads that ask for their names: the second one may be the first to come.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int turn;
static pthread_t first;
static void *work(void *unused)
{
    if (atomic_fetch_add(&turn, 1) == 0)
        first = pthread_self();
    return unused;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, work, 0);
    pthread_create(&t, 0, work, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(pthread_equal(first, s));
    return 0;
}
