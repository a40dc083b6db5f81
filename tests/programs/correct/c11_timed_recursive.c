// expect: holds
// C11 mutexes: recursive, and timed with both outcomes.
#include <assert.h>
#include <threads.h>
#include <time.h>
static mtx_t recursive, timed;
static int x, y;
static int work(void *arg)
{
    struct timespec until;
    mtx_lock(&recursive);
    assert(mtx_trylock(&recursive) == thrd_success);
    x++;
    mtx_unlock(&recursive);
    mtx_unlock(&recursive);
    timespec_get(&until, TIME_UTC);
    if (mtx_timedlock(&timed, &until) == thrd_success) {
        y++;
        mtx_unlock(&timed);
    }
    (void)arg;
    return 0;
}
int main(void)
{
    thrd_t t, u;
    mtx_init(&recursive, mtx_plain | mtx_recursive);
    mtx_init(&timed, mtx_timed);
    thrd_create(&t, work, NULL);
    thrd_create(&u, work, NULL);
    thrd_join(t, NULL);
    thrd_join(u, NULL);
    assert(x == 2 && y >= 1 && y <= 2);
    return 0;
}
