// expect: violated assertion
// With release and acquire the two readers may disagree on the order of independent writes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define GET(v) atomic_load_explicit(&v, memory_order_acquire)
#define SET(v) atomic_store_explicit(&v, 1, memory_order_release)
static atomic_int x, y;
static int r[4];
static void *wx(void *arg) { SET(x); return arg; }
static void *wy(void *arg) { SET(y); return arg; }
static void *rxy(void *arg) { r[0] = GET(x); r[1] = GET(y); return arg; }
static void *ryx(void *arg) { r[2] = GET(y); r[3] = GET(x); return arg; }
int main(void)
{
    void *(*body[4])(void *) = {wx, wy, rxy, ryx};
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, body[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(!(r[0] && !r[1] && r[2] && !r[3]));
    return 0;
}
