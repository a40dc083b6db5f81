// Inline assembly keeps the registers and flags that its instruction does not change, and reads operands from any
// register. What is read after it, or by it, must not be lost while other threads run: values in as many registers
// as the compiler likes, across functions that leave registers alone, vector registers, flags.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static atomic_long seen;
static uint64_t word, counter, ones[3] = {1, 1, 1};
static struct {
    _Alignas(16) uint64_t at[2];
} pair;

static inline uint64_t compare_exchange(uint64_t *at, uint64_t old, uint64_t new)
{
    __asm__ volatile("lock; cmpxchgq %2, %1" : "+a"(old), "+m"(*at) : "r"(new) : "memory", "cc");
    return old;
}
static inline uint64_t exchange(uint64_t *at, uint64_t new)
{
    __asm__ volatile("xchgq %0, %1" : "+r"(new), "+m"(*at) : : "memory");
    return new;
}
static inline uint64_t load(uint64_t *at)
{
    uint64_t value;
    __asm__ volatile("movq %1, %0" : "=r"(value) : "m"(*at) : "memory");
    return value;
}
static inline _Bool decrement(uint64_t *at) /* to zero? */
{
    _Bool zero;
    __asm__ volatile("lock; decq %0" : "+m"(*at), "=@ccz"(zero) : : "memory");
    return zero;
}
static inline _Bool keeps_carry(uint64_t *at)
{
    _Bool carry;
    uint64_t new = 7;
    __asm__ volatile("stc\n\txchgq %0, %1\n\tsetc %2" : "+r"(new), "+m"(*at), "=q"(carry) : : "memory", "cc");
    return carry;
}
static _Bool compare_exchange_pair(uint64_t low, uint64_t high, uint64_t new_low, uint64_t new_high)
{
    _Bool same;
    __asm__ volatile("lock; cmpxchg16b %0"
                     : "+m"(pair), "+a"(low), "+d"(high), "=@ccz"(same)
                     : "b"(new_low), "c"(new_high)
                     : "memory");
    return same;
}
/* These have no calls that announce something. bump changes one register only, and its callers know that
 * (-fipa-ra). */
#define BARE __attribute__((noinline, no_sanitize("thread")))
static BARE uint64_t bump(void)
{
    uint64_t one = 1;
    __asm__ volatile("lock; xaddq %0, %1" : "+r"(one), "+m"(counter) : : "memory", "cc");
    return one;
}
static BARE uint64_t sum(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
    return bump() * 0 + a + 2 * b + 3 * c + 4 * d + 5 * e;
}
static BARE double through(double x)
{
    bump();
    return x;
}
static BARE double straight_through(double x)
{
    __asm__ volatile("lock; incq %0" : "+m"(counter) : : "memory", "cc");
    return x;
}
static __attribute__((noinline)) double sum_of_two(uint64_t n)
{
    double x = (double)n * 1.5;
    __asm__("" : "+x"(x)); /* it is in a vector register from here on */
    __asm__ volatile("lock; incq %0" : "+m"(counter) : : "memory", "cc");
    return x + 1;
}
static __attribute__((noinline)) uint64_t many(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
    uint64_t f = a * b, g = b * c, h = c * d, i = d * e, j = e * a, k = a ^ e, l = b ^ d;
    uint64_t x = load(&word);
    atomic_load(&seen); /* values that the next instruction reads are kept in callee-saved registers */
    uint64_t y = compare_exchange(&word, x, k);
    uint64_t z = exchange(&word, l + y * 0 + x * 0);
    return f + 3 * g + 5 * h + 7 * i + 11 * j + 13 * k + 17 * l + a + b + c + d + e + z * 0;
}
/* The operand is read by the instruction only, and kept over a call before it. */
static __attribute__((noinline)) uint64_t last_read(uint64_t a, uint64_t e)
{
    uint64_t own = 0, value = a * 31 + e;
    __asm__("" : "+r"(value)); /* it is computed here */
    atomic_load(&seen);
    exchange(&own, value);
    return own;
}
static void *work(void *argument)
{
    uint64_t n = (uint64_t)(uintptr_t)argument, a = n + 1, b = n + 2, c = n + 3, d = n + 4, e = n + 5;
    assert(sum(a, b, c, d, e) == a + 2 * b + 3 * c + 4 * d + 5 * e);
    assert(many(a, b, c, d, e) == a * b + 3 * (b * c) + 5 * (c * d) + 7 * (d * e) + 11 * (e * a) + 13 * (a ^ e) +
                                      17 * (b ^ d) + a + b + c + d + e);
    assert(last_read(a, e) == a * 31 + e);
    double x = (double)n * 1.5;
    assert(through(x) == (double)n * 1.5);
    assert(straight_through(x) == (double)n * 1.5);
    assert(sum_of_two(n) == (double)n * 1.5 + 1);
    assert(decrement(&ones[n]));
    assert(keeps_carry(&ones[n]));
    if (n == 1)
        assert(compare_exchange_pair(0, 0, a, b) && pair.at[0] == a && pair.at[1] == b);
    atomic_fetch_add(&seen, 1);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)1);
    pthread_create(&b, 0, work, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 8 && seen == 2);
    return 0;
}
