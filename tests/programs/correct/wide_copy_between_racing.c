// expect: holds
// args: --model=sc
// Structures that race are copied into structures that race: every member that arrives was written by somebody.
#include <assert.h>
#include <pthread.h>
#include <string.h>
struct wide { int a, b, c, d; long e; };
static struct wide from, to;
static void *fill(void *unused)
{
    struct wide local = {1, 2, 3, 4, 5};
    from = local;
    return unused;
}
static void *copy(void *unused) { memcpy(&to, &from, sizeof to); return unused; }
static void *assign(void *unused) { to = from; return unused; }
int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, fill, 0);
    pthread_create(&threads[1], 0, copy, 0);
    pthread_create(&threads[2], 0, assign, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(from.a == 1 && from.d == 4 && from.e == 5);
    assert((to.a == 0 || to.a == 1) && (to.b == 0 || to.b == 2) && (to.c == 0 || to.c == 3));
    assert((to.d == 0 || to.d == 4) && (to.e == 0 || to.e == 5));
}
