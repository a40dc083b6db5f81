// expect: holds
// args: --model=sc
// Both sides of a copy race under sc: the copy takes an old or a new value, never another.
#include <assert.h>
#include <pthread.h>
struct one { long value; };
static struct one a = {1}, b = {2};
__attribute__((noinline)) static void copy(struct one *x, struct one *y) { *x = *y; }
static void *work(void *arg)
{
    struct one new = {7};
    copy(&b, &new);
    copy(&a, &b);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    copy(&a, &b);
    struct one seen;
    copy(&seen, &a);
    assert(seen.value == 2 || seen.value == 7);
    pthread_join(t, NULL);
    assert(b.value == 7 && (a.value == 7 || a.value == 2)); /* 2: read before, written last */
    return 0;
}
