// expect: holds
// Two readers of two independent seq_cst writes agree on their order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int r[4];
static void *wx(void *arg) { atomic_store(&x, 1); return arg; }
static void *wy(void *arg) { atomic_store(&y, 1); return arg; }
static void *rxy(void *arg) { r[0] = atomic_load(&x); r[1] = atomic_load(&y); return arg; }
static void *ryx(void *arg) { r[2] = atomic_load(&y); r[3] = atomic_load(&x); return arg; }
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
