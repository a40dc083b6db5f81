// expect: holds
// The old __sync builtins: all are full barriers, lock_test_and_set acquires, lock_release releases.
#include <assert.h>
#include <pthread.h>
static int lock, x, y, z;
static void *work(void *arg)
{
    while (__sync_lock_test_and_set(&lock, 1))
        ;
    x++;
    __sync_lock_release(&lock);
    __sync_add_and_fetch(&y, 2);
    __sync_bool_compare_and_swap(&z, 0, 5);
    __sync_synchronize();
    assert(__sync_val_compare_and_swap(&z, 5, 5) == 5);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(x == 2 && y == 4 && z == 5);
    return 0;
}
