// expect: holds
// args: --model=tso
// only if: defined __x86_64__
// cmpxchg8b on two halves that belong together, and instructions that negate and invert: two threads each, in one atomic
// step, so that what both do twice is as it was. Beside it, alone: registers and flags as the processor's manual has them.
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

static void alone(void)
{
    static volatile uint64_t cell = UINT64_C(0x80000000ffffffff);
    uint64_t flags, wrong[] = {UINT64_C(0x80000000fffffffe), UINT64_C(0xffffffff)}; /* in one half each */
    for (int i = 0; i < 2; i++) {
        uint64_t expected = wrong[i];
        assert(!exchange_pair(&cell, &expected, 1, &flags));
        assert(expected == UINT64_C(0x80000000ffffffff) && cell == expected);
        assert(flags & 1); /* carry is as it was */
        assert(exchange_pair(&cell, &expected, UINT64_C(0x1234567800000000), &flags) && flags & 1);
        assert(expected == UINT64_C(0x80000000ffffffff) && cell == UINT64_C(0x1234567800000000));
        cell = expected;
    }
}

static void *change(void *unused)
{
    uint64_t old = pair, flags;
    while (!exchange_pair(&pair, &old, old + UINT64_C(0x100000001), &flags))
        continue;
    __asm__ volatile("lock; negl %0" : "+m"(negated) : : "memory", "cc");
    __asm__ volatile("lock; notb %0" : "+m"(inverted) : : "memory");
    return unused;
}

int main(void)
{
    pthread_t other;
    alone();
    pthread_create(&other, 0, change, 0);
    change(0);
    pthread_join(other, 0);
    assert(pair == UINT64_C(0x200000007) && negated == 7 && inverted == 0x5a);
    return 0;
}
