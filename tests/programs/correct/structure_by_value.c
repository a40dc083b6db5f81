// expect: holds
// Structures are given to functions by value: local ones, constant ones, a copy of a shared one. (With more optimisation
// clang does without the copy, and takes the shared one unannounced.)
#include <assert.h>
#include <pthread.h>
struct wide { long a, b, c; };
static struct wide shared;
static const struct wide constant = {1, 2, 3};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static long sum(struct wide w) { return w.a + w.b + w.c; }
static void *use(void *unused)
{
    pthread_mutex_lock(&lock);
    struct wide copy = shared;
    shared.b = sum(copy) + sum(constant) + sum((struct wide){1, copy.b, 0});
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, use, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(shared.b == 21); /* 0 + 6 + 1, then 7 + 6 + 8 */
}
