// expect: violated assertion
// args: --model=tso
// only if: defined __x86_64__
// A compare-exchange of eight bytes whose result nobody looks at: one of the two additions is lost. What negates and
// inverts is right.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
static volatile uint64_t pair = 5;
static volatile int32_t negated = 7;
static volatile uint8_t inverted = 0x5a;

static int exchange_pair(volatile uint64_t *at, uint64_t *expected, uint64_t desired, uint64_t *flags)
{
    uint64_t low = *expected & UINT32_MAX, high = *expected >> 32;
    __asm__ volatile("stc; lock; cmpxchg8b %1\n\tpushfq\n\tpopq %0"
                     : "=&r"(*flags), "+m"(*at), "+a"(low), "+d"(high)
                     : "b"((uint32_t)desired), "c"((uint32_t)(desired >> 32))
                     : "memory", "cc");
    assert(low >> 32 == 0 && high >> 32 == 0);
    *expected = low | high << 32;
    return *flags >> 6 & 1;
}

static void *change(void *unused)
{
    uint64_t old = pair, flags;
    exchange_pair(&pair, &old, old + UINT64_C(0x100000001), &flags);
    __asm__ volatile("lock; negl %0" : "+m"(negated) : : "memory", "cc");
    __asm__ volatile("lock; notb %0" : "+m"(inverted) : : "memory");
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, change, 0);
    change(0);
    pthread_join(other, 0);
    assert(pair == UINT64_C(0x200000007) && negated == 7 && inverted == 0x5a);
    return 0;
}
