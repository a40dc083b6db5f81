/* Orders of operations that compare. The exchange that fails has read the flag of the other thread, and reads its data;
 * the one that succeeds has read the initial value, and needs nothing. A lock need only acquire, and release. The last
 * exchange never fails. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int data, count, old;
static atomic_int flag, lock, free_lock;
static int spin;
static void *writer(void *argument)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release); // weaken: needed store release
    return argument;
}
static void *reader(void *argument)
{
    int expected = 0;
    if (!atomic_compare_exchange_strong_explicit(&flag, &expected, 2, memory_order_acquire, memory_order_acquire)) // weaken: needed compare-exchange failure acquire; unneeded compare-exchange acquire
        assert(data == 1);
    return argument;
}
static void *locker(void *argument)
{
    while (atomic_exchange_explicit(&lock, 1, memory_order_acq_rel)) // weaken: weaker read-modify-write acq_rel to acquire
        ;
    count++;
    atomic_store(&lock, 0); // weaken: weaker store seq_cst to release
    while (__sync_lock_test_and_set(&spin, 1)) // weaken: needed read-modify-write acquire // clang: weaker read-modify-write seq_cst to acquire
        ;
    old++;
    __sync_lock_release(&spin); // weaken: needed store release
    return argument;
}
static void both(void *(*a)(void *), void *(*b)(void *))
{
    pthread_t t, u;
    pthread_create(&t, NULL, a, NULL);
    pthread_create(&u, NULL, b, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}
int main(void)
{
    both(writer, reader);
    both(locker, locker);
    assert(count == 2);
    int expected = 0;
    atomic_compare_exchange_strong(&free_lock, &expected, 1); // weaken: unneeded compare-exchange seq_cst; unreached compare-exchange failure seq_cst
    if (expected)
        atomic_store(&free_lock, 2); // weaken: unreached store
}
