// expect: holds
// args: -O2
// Structures that are returned in memory, but only to places that nobody else knows of.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct wide { long a, b, c; };
static struct wide shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static struct wide get(void) { return shared; }
__attribute__((noinline)) static struct wide pass(void) { return get(); }
static void *use(void *unused)
{
    pthread_mutex_lock(&lock);
    struct wide local = pass(), *fresh = malloc(sizeof *fresh);
    *fresh = pass();
    local.b += fresh->b + 1;
    free(fresh);
    shared = local;
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
    assert(shared.b == 3);
}
