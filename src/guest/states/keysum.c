#include "guest/states/keysum.h"

enum { BLOCK = 128, SHIFT = 2 }; /* words; the second hash takes the numbers from SHIFT on */
static uint64_t numbers[BLOCK + SHIFT];
__extension__ typedef unsigned __int128 Product;

static void choose_numbers(void)
{
    Random random = {UINT64_C(0x243F6A8885A308D3)};
    for (uint32_t i = 0; i < COUNT_OF(numbers); i++)
        numbers[i] = random_next(&random);
}

static inline uint64_t mix_half(uint64_t sum, Product product)
{
    return hash_combine(hash_combine(sum, (uint64_t)product), (uint64_t)(product >> 64));
}

Hash128 keysum(uint64_t *words, uint32_t count)
{
    DEBUG_ASSERT(count);
    if (UNLIKELY(!numbers[0]))
        choose_numbers();
    Hash128 sum = {count, ~(uint64_t)count};
    words[count] = 0; /* lists of an odd length have one more */
    for (uint32_t from = 0; from < count; from += BLOCK) {
        uint32_t end = MIN(count - from, (uint32_t)BLOCK);
        Product low = 0, high = 0;
#pragma GCC unroll 4
        for (uint32_t i = 0; i < end; i += 2) {
            uint64_t a = words[from + i], b = words[from + i + 1];
            low += (Product)(a + numbers[i]) * (b + numbers[i + 1]);
            high += (Product)(a + numbers[i + SHIFT]) * (b + numbers[i + SHIFT + 1]);
        }
        sum.low = mix_half(sum.low, low);
        sum.high = mix_half(sum.high, high);
    }
    return sum;
}
