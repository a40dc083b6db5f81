// expect: holds
// args: --model=tso --event-bound=20000
// executions: 1
// only if: defined __x86_64__
// Inline assembly that Heddle performs itself, against the processor: the same instruction on a register,
// which is left to it, must give the same result, registers and flags.
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#define FLAGS 0x8c5u /* carry, parity, zero, sign, overflow */
static uint64_t memory;
static const uint64_t values[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7fffffff, 0x80000000,
                                  UINT64_MAX, INT64_MAX, 0x8000000000000000};
#define COUNT (sizeof values / sizeof *values)

/* destination and source change (xadd, xchg), and rax (cmpxchg) */
#define INSTRUCTION(name, text, type)                                                              \
    static void name(uint64_t a, uint64_t b)                                                       \
    {                                                                                              \
        for (int carry = 0; carry < 2; carry++) {                                                  \
            uint64_t rax[2] = {a + (b & 1), a + (b & 1)}, other[2] = {b, b}, flags[2], native = a; \
            memory = a;                                                                            \
            __asm__ volatile("btl $0, %k5\n\t" text "\n\tpushfq\n\tpopq %3"                          \
                             : "+m"(*(type *)&memory), "+r"(other[0]), "+a"(rax[0]),               \
                               "=&r"(flags[0])                                                     \
                             : "m"(memory), "r"(carry)                                             \
                             : "cc", "memory");                                                    \
            TWIN_##name(native, other[1], rax[1], flags[1], carry);                                \
            type got = *(type *)&memory, want = (type)native;                                      \
            if (got != want || other[0] != other[1] || rax[0] != rax[1] ||                         \
                (flags[0] & FLAGS) != (flags[1] & FLAGS))                                          \
                printf(#name " %llx %llx: %llx %llx, %llx %llx, %llx %llx, %llx %llx\n",           \
                       (unsigned long long)a, (unsigned long long)b, (unsigned long long)got,      \
                       (unsigned long long)want, (unsigned long long)other[0],                     \
                       (unsigned long long)other[1], (unsigned long long)rax[0],                   \
                       (unsigned long long)rax[1], (unsigned long long)flags[0],                   \
                       (unsigned long long)flags[1]);                                              \
            assert(got == want);                                                                   \
            assert(other[0] == other[1]);                                                          \
            assert(rax[0] == rax[1]);                                                              \
            assert((flags[0] & FLAGS) == (flags[1] & FLAGS));                                      \
        }                                                                                          \
    }
#define NATIVE(text, to, other, rax, flags, carry)                                                 \
    __asm__ volatile("btl $0, %k4\n\t" text "\n\tpushfq\n\tpopq %3"                                  \
                     : "+r"(to), "+r"(other), "+a"(rax), "=&r"(flags)                              \
                     : "r"(carry)                                                                  \
                     : "cc")
#define TWIN_add8(...) NATIVE("addb %b1, %b0", __VA_ARGS__)
#define TWIN_add4(...) NATIVE("addl %k1, %k0", __VA_ARGS__)
#define TWIN_add8b(...) NATIVE("addq %1, %0", __VA_ARGS__)
#define TWIN_sub2(...) NATIVE("subw %w1, %w0", __VA_ARGS__)
#define TWIN_sub8b(...) NATIVE("subq %1, %0", __VA_ARGS__)
#define TWIN_and4(...) NATIVE("andl %k1, %k0", __VA_ARGS__)
#define TWIN_or8(...) NATIVE("orb %b1, %b0", __VA_ARGS__)
#define TWIN_xor8b(...) NATIVE("xorq %1, %0", __VA_ARGS__)
#define TWIN_inc4(...) NATIVE("incl %k0", __VA_ARGS__)
#define TWIN_inc8(...) NATIVE("incb %b0", __VA_ARGS__)
#define TWIN_dec8b(...) NATIVE("decq %0", __VA_ARGS__)
#define TWIN_dec2(...) NATIVE("decw %w0", __VA_ARGS__)
#define TWIN_not2(...) NATIVE("notw %w0", __VA_ARGS__)
#define TWIN_not8b(...) NATIVE("notq %0", __VA_ARGS__)
#define TWIN_neg8(...) NATIVE("negb %b0", __VA_ARGS__)
#define TWIN_neg4(...) NATIVE("negl %k0", __VA_ARGS__)
#define TWIN_neg8b(...) NATIVE("negq %0", __VA_ARGS__)
#define TWIN_xadd4(...) NATIVE("xaddl %k1, %k0", __VA_ARGS__)
#define TWIN_xadd8(...) NATIVE("xaddb %b1, %b0", __VA_ARGS__)
#define TWIN_xadd8b(...) NATIVE("xaddq %1, %0", __VA_ARGS__)
#define TWIN_xchg2(...) NATIVE("xchgw %w1, %w0", __VA_ARGS__)
#define TWIN_xchg4(...) NATIVE("xchgl %k1, %k0", __VA_ARGS__)
#define TWIN_cas8(...) NATIVE("cmpxchgb %b1, %b0", __VA_ARGS__)
#define TWIN_cas4(...) NATIVE("cmpxchgl %k1, %k0", __VA_ARGS__)
#define TWIN_cas8b(...) NATIVE("cmpxchgq %1, %0", __VA_ARGS__)
#define TWIN_load4(...) NATIVE("movl %k0, %k1", __VA_ARGS__)
#define TWIN_load2(...) NATIVE("movw %w0, %w1", __VA_ARGS__)
#define TWIN_store8(...) NATIVE("movb %b1, %b0", __VA_ARGS__)
#define TWIN_cmp8b(...) NATIVE("cmpq %1, %0", __VA_ARGS__)
/* on a register the number of the bit counts modulo the size, in memory it does not */
#define TWIN_bts4(...) NATIVE("andl $31, %k1; btsl %k1, %k0", __VA_ARGS__)
#define TWIN_btr2(...) NATIVE("andw $15, %w1; btrw %w1, %w0", __VA_ARGS__)
#define TWIN_btc8b(...) NATIVE("andq $63, %1; btcq %1, %0", __VA_ARGS__)
#define TWIN_bt8b(...) NATIVE("andq $63, %1; btq %1, %0", __VA_ARGS__)
#define TWIN_bts8b(...) NATIVE("btsq $63, %0", __VA_ARGS__)
#define TWIN_btr4(...) NATIVE("btrl $7, %k0", __VA_ARGS__)
#define TWIN_number(...) NATIVE("addq $-3, %0", __VA_ARGS__)
INSTRUCTION(add8, "lock; addb %b1, %0", uint8_t)
INSTRUCTION(add4, "lock addl %k1, %0", uint32_t)
INSTRUCTION(add8b, "lock\n\taddq %1, %0", uint64_t)
INSTRUCTION(sub2, "lock; subw %w1, %0", uint16_t)
INSTRUCTION(sub8b, "lock; subq %1, %0", uint64_t)
INSTRUCTION(and4, "lock; andl %k1, %0", uint32_t)
INSTRUCTION(or8, "lock; orb %b1, %0", uint8_t)
INSTRUCTION(xor8b, "lock; xorq %1, %0", uint64_t)
INSTRUCTION(inc4, "lock; incl %0", uint32_t)
INSTRUCTION(inc8, "lock; incb %0", uint8_t)
INSTRUCTION(dec8b, "lock; decq %0", uint64_t)
INSTRUCTION(dec2, "lock; decw %0", uint16_t)
INSTRUCTION(not2, "lock; notw %0", uint16_t)
INSTRUCTION(not8b, "lock; notq %0", uint64_t)
INSTRUCTION(neg8, "lock; negb %0", uint8_t)
INSTRUCTION(neg4, "lock; negl %0", uint32_t)
INSTRUCTION(neg8b, "lock; negq %0", uint64_t)
INSTRUCTION(xadd4, "lock; xaddl %k1, %0", uint32_t)
INSTRUCTION(xadd8, "lock; xaddb %b1, %0", uint8_t)
INSTRUCTION(xadd8b, "lock; xadd %1, %0", uint64_t)
INSTRUCTION(xchg2, "xchgw %w1, %0", uint16_t)
INSTRUCTION(xchg4, "xchg %0, %k1", uint32_t)
INSTRUCTION(cas8, "lock; cmpxchgb %b1, %0", uint8_t)
INSTRUCTION(cas4, "lock; cmpxchgl %k1, %0", uint32_t)
INSTRUCTION(cas8b, "lock; cmpxchgq %1, %0", uint64_t)
INSTRUCTION(load4, "movl %0, %k1", uint32_t)
INSTRUCTION(load2, "movw %0, %w1", uint16_t)
INSTRUCTION(store8, "movb %b1, %0", uint8_t)
INSTRUCTION(cmp8b, "cmpq %1, %0", uint64_t)
INSTRUCTION(bts4, "andl $31, %k1; lock; btsl %k1, %0", uint32_t)
INSTRUCTION(btr2, "andw $15, %w1; lock; btrw %w1, %0", uint16_t)
INSTRUCTION(btc8b, "andq $63, %1; lock; btcq %1, %0", uint64_t)
INSTRUCTION(bt8b, "andq $63, %1; btq %1, %0", uint64_t)
INSTRUCTION(bts8b, "lock; btsq $63, %0", uint64_t)
INSTRUCTION(btr4, "lock; btrl $7, %0", uint32_t)
INSTRUCTION(number, "lock; addq $-3, %0", uint64_t)

/* One size at a time: the same bytes are not to be accessed in two. */
int main(void)
{
    void (*const all[])(uint64_t, uint64_t) = {
#if SIZE == 1
        add8, or8, inc8, neg8, xadd8, cas8, store8
#elif SIZE == 2
        sub2, dec2, not2, xchg2, load2, btr2
#elif SIZE == 4
        add4, and4, inc4, neg4, xadd4, xchg4, cas4, load4, bts4, btr4
#else
        add8b, sub8b, xor8b, dec8b, not8b, neg8b, xadd8b, cas8b, cmp8b, btc8b, bt8b, bts8b, number
#endif
    };
    for (unsigned f = 0; f < sizeof all / sizeof *all; f++)
        for (unsigned i = 0; i < COUNT; i++)
            for (unsigned j = 0; j < COUNT; j++)
                all[f](values[i], values[j]);
    return 0;
}
