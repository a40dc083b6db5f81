#include "guest/states/tickets.h"
#include <string.h>
#include "base/hash.h"
#include "guest/runtime/fiber.h"
#include "guest/states/present.h"
#include "guest/states/part.h"

enum { MOST_MODULUS = 128, FARTHEST = TICKETS_WINDOW / 2 / MOST_MODULUS };

uint32_t tickets_modulus = 1;

/* ---- every word of the present state ---- */

static void each_word_of_range(char *from, const char *to, void (*visit)(uint64_t *))
{
    for (; from + 8 <= to; from += 8) {
        uint64_t word, before;
        memcpy(&word, from, sizeof word);
        if (LIKELY(!tickets_is(word)))
            continue;
        before = word;
        visit(&word);
        if (word != before)
            memcpy(from, &word, sizeof word);
    }
}

static void each_word(void (*visit)(uint64_t *))
{
    for (size_t i = 0; i < states_words.count; i++) {
        char *at = (char *)states_words.at[i].address;
        each_word_of_range(at, at + 8, visit);
    }
    for (uint32_t t = states_first; t <= states_threads; t++) {
        for (uint32_t i = 0; i < states_buffers[t].count; i++) {
            visit(&states_buffers[t].at[i].value[0]);
            visit(&states_buffers[t].at[i].value[1]);
        }
        if (!states_has_stack[t])
            continue;
        Request *q = &states_thread[t].request;
        visit(&q->operand);
        visit(&q->operand_high);
        visit(&q->expected);
        visit(&q->expected_high);
        part_forget((int)t); /* it may change */
        each_word_of_range(fibers[t].sp, fibers[t].base, visit);
    }
    for (uint32_t i = 0; i < states_block_count; i++) {
        char *at = (char *)states_blocks[i].at;
        states_blocks_changed = true;
        if (!states_blocks[i].freed)
            each_word_of_range(at, at + ((states_blocks[i].bytes + 7) & ~7u), visit);
    }
}

static void look(uint64_t *word)
{
    tickets_used |= tickets_is(*word);
}

void tickets_look(void)
{
    if (!tickets_used)
        each_word(look);
}

/* ---- moving ---- */

static uint32_t smallest, distance;

static inline bool is_ticket(uint32_t half)
{
    return half - TICKETS_BASE < TICKETS_WINDOW;
}

static void find_smallest(uint64_t *word)
{
    uint32_t low = (uint32_t)*word, high = (uint32_t)(*word >> 32);
    if (is_ticket(low))
        smallest = MIN(smallest, low);
    if (is_ticket(high))
        smallest = MIN(smallest, high);
}

static void move(uint64_t *word)
{
    DEBUG_ASSERT(tickets_modulus);
    uint32_t low = (uint32_t)*word, high = (uint32_t)(*word >> 32);
    low += is_ticket(low) ? distance : 0;
    high += is_ticket(high) ? distance : 0;
    *word = (uint64_t)high << 32 | low;
}

void tickets_shift(uint64_t seed)
{
    DEBUG_ASSERT(tickets_used);
    /* near and far by turns: a limit may stand anywhere */
    uint64_t random = hash_mix(seed), times = random % 4 ? 1 + (random >> 2) % FARTHEST : 1;
    distance = (uint32_t)times * tickets_modulus;
    each_word(move);
}

StatesKey tickets_key(void)
{
    StatesKey key = states_key();
    if (LIKELY(!tickets_used))
        return key;
    states_collect(); /* what is forgotten may hold an old one */
    smallest = UINT32_MAX;
    each_word(find_smallest);
    if (smallest == UINT32_MAX || smallest - TICKETS_BASE < tickets_modulus)
        return states_key();
    distance = 0u - (smallest - TICKETS_BASE) / tickets_modulus * tickets_modulus;
    each_word(move);
    return states_key();
}

bool tickets_try_next(void)
{
    static const uint8_t moduli[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, MOST_MODULUS};
    for (size_t i = 0; i < COUNT_OF(moduli); i++)
        if (moduli[i] > tickets_modulus) {
            tickets_modulus = moduli[i];
            return true;
        }
    return false;
}
