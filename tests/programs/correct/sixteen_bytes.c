// expect: holds
// args: --no-reductions -w
// executions: 4
// Accesses of 16 bytes without -mcx16, which clang leaves to libatomic in part. Each thread stores to one variable and
// loads the other, relaxed: 2 x 2 values. main does the other operations alone.
#include <assert.h>
#include <pthread.h>
typedef unsigned __int128 Wide;
#define TOP ((Wide)1 << 100)
static Wide x, y, z;
static Wide sum;
static void *other(void *unused)
{
    __atomic_store_n(&y, TOP, __ATOMIC_RELAXED);
    sum = __atomic_load_n(&x, __ATOMIC_RELAXED);
    return unused;
}
int main(void)
{
    assert(__atomic_exchange_n(&z, TOP, __ATOMIC_SEQ_CST) == 0);
    assert(__atomic_fetch_add(&z, TOP + 5, __ATOMIC_SEQ_CST) == TOP);
    assert(__atomic_fetch_sub(&z, TOP, __ATOMIC_SEQ_CST) == 2 * TOP + 5);
    assert(__atomic_fetch_or(&z, 2, __ATOMIC_SEQ_CST) == TOP + 5);
    assert(__atomic_fetch_and(&z, TOP | 6, __ATOMIC_SEQ_CST) == TOP + 7);
    assert(__atomic_fetch_xor(&z, TOP, __ATOMIC_SEQ_CST) == TOP + 6);
    assert(__atomic_fetch_nand(&z, 2, __ATOMIC_SEQ_CST) == 6);
    Wide expected = 1;
    assert(!__atomic_compare_exchange_n(&z, &expected, TOP, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    assert(expected == ~(Wide)2);
    assert(__atomic_compare_exchange_n(&z, &expected, TOP, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    assert(__atomic_load_n(&z, __ATOMIC_SEQ_CST) == TOP);
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    __atomic_store_n(&x, TOP + 1, __ATOMIC_RELAXED);
    Wide seen = __atomic_load_n(&y, __ATOMIC_RELAXED);
    pthread_join(thread, 0);
    assert((seen == 0 || seen == TOP) && (sum == 0 || sum == TOP + 1));
}
