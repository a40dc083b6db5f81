// expect: violated linearizability
// args: -DTWICE
// The element 2 is given more than once: no choice does that.
#include <heddle.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[4], count;
static void add(int v)
{
    HD_BEGIN("bag", "add", HD_INT(v));
    pthread_mutex_lock(&lock);
    items[count++] = v;
    pthread_mutex_unlock(&lock);
    HD_END(HD_VOID);
}
static void take(void)
{
    HD_BEGIN("bag", "take");
    pthread_mutex_lock(&lock);
    int v = count ? items[--count] : 0;
#ifdef TWICE
    count += v == 2;
#endif
    pthread_mutex_unlock(&lock);
    HD_END(v ? HD_INT(v) : HD_NONE);
}
static int golden[4], golden_count;
HD_GOLDEN_INIT { golden_count = 0; }
HD_GOLDEN(add, int, v) { golden[golden_count++] = v; return HD_VOID; }
HD_GOLDEN(take)
{
    if (!golden_count)
        return HD_NONE;
    unsigned which = heddle_choose((unsigned)golden_count);
    int v = golden[which];
    golden[which] = golden[--golden_count];
    return HD_INT(v);
}
static void *adder(void *unused)
{
    add(1);
    add(2);
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, adder, NULL);
    take();
    pthread_join(t, NULL);
    take();
    take();
    return 0;
}
