// expect: violated assertion
// Two equal threads whose results main tells apart: the first one may come second.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_long turn;
static void *work(void *unused)
{
    (void)unused;
    return (void *)atomic_fetch_add(&turn, 1);
}
int main(void)
{
    pthread_t s, t;
    void *of_s, *of_t;
    pthread_create(&s, 0, work, 0);
    pthread_create(&t, 0, work, 0);
    pthread_join(s, &of_s);
    pthread_join(t, &of_t);
    assert(of_s < of_t);
    return 0;
}
