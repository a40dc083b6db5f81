// expect: holds
// A call that does its work with a thread of its own: what that thread does is a part of the call.
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int cells[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *fill(void *cell)
{
    atomic_fetch_add((atomic_int *)cell, 1);
    return NULL;
}
static void add_both(void)
{
    HD_BEGIN(cells, "add");
    pthread_t t;
    pthread_mutex_lock(&lock);
    pthread_create(&t, NULL, fill, &cells[0]);
    fill(&cells[1]);
    pthread_join(t, NULL);
    int sum = cells[0] + cells[1];
    pthread_mutex_unlock(&lock);
    HD_END(HD_INT(sum));
}
static void *adder(void *unused)
{
    add_both();
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, adder, NULL);
    add_both();
    pthread_join(t, NULL);
    return 0;
}
