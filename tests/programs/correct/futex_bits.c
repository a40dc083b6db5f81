// expect: holds
// Readers and a writer wait on one word, each for its own bit: a wake-up for the writer never goes to a reader.
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
enum { READERS = 1, WRITER = 2 };
static atomic_int turn; /* 0: nobody's; then the bit of those who may go on */
static int data;
static long futex(int operation, int value, int bits)
{
    return syscall(SYS_futex, &turn, operation | FUTEX_PRIVATE_FLAG, value, 0, 0, bits);
}
static void await(int bit)
{
    for (int seen; (seen = atomic_load(&turn)) != bit;)
        futex(FUTEX_WAIT_BITSET, seen, bit);
}
static void give(int bit)
{
    atomic_store(&turn, bit);
    futex(FUTEX_WAKE_BITSET, 1, bit);
}
static void *writer(void *unused)
{
    await(WRITER);
    data = 1;
    give(READERS);
    return unused;
}
static void *reader(void *unused)
{
#ifdef WRONG_BIT
    while (atomic_load(&turn) != READERS)
        futex(FUTEX_WAIT_BITSET, atomic_load(&turn), WRITER);
#else
    await(READERS);
#endif
    return data ? unused : &data;
}
int main(void)
{
    pthread_t threads[2];
    void *wrong;
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    give(WRITER);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], &wrong);
    return wrong != 0;
}
