#include "guest/states/present.h"
#include "base/hash.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/heap.h"
#include "guest/runtime/fiber.h"
#include "guest/states/steps/written.h"

enum { CACHE = 4096 };

StatesWords states_words;
StatesBlock states_blocks[STATES_BLOCKS];
uint32_t states_block_count, states_most_blocks;
bool states_blocks_changed;
StatesPrints states_prints[STATES_THREADS];
uint16_t states_guess[STATES_GUESSES];
bool states_concurrent;
bool states_has_stack[STATES_THREADS];
StatesTouched states_touched;
unsigned char *states_area_written;
ThreadSet states_stacks_shared;
static HashMap word_at;
static uintptr_t known_word[CACHE]; /* words that are listed, by their address: the last met */
uint32_t states_first = 1, states_threads;
StatesThread states_thread[STATES_THREADS];
uint32_t states_elements, states_lag;
bool buffers_used;
StatesBuffer states_buffers[STATES_THREADS];
bool tickets_used, states_listed_word;

void states_touch(const void *address, unsigned bytes, bool writes)
{
    DEBUG_ASSERT(bytes && bytes <= 16);
    StatesTouched *touched = &states_touched;
    touched->everything |= touched->bytes != 0;
    touched->at = (uintptr_t)address;
    touched->bytes = bytes;
    touched->writes = writes;
}

/* ---- words ---- */

static void list_word(uintptr_t a)
{
    DEBUG_ASSERT(!(a & 7) && !states_in_area(a));
    bool absent;
    states_listed_word = true;
    hashmap_put(&word_at, a, &absent);
    known_word[a / 8 % CACHE] = a;
    if (!absent)
        return;
    uint64_t value;
    memcpy(&value, (void *)a, 8);
    vec_push(&states_words, (StatesWord){(uint64_t *)a, value});
    if (UNLIKELY(tickets_is(value))) { /* earlier steps did not know where it is */
        tickets_used = true;
        op_begin_again();
    }
}

static void note_written(uint64_t at, size_t bytes)
{
    DEBUG_ASSERT(states_in_area(at) && states_in_area(at + bytes));
    states_blocks_changed = true;
    for (uint64_t end = at + bytes; at < end; at = (at | 7) + 1) {
        unsigned first = at & 7, last = (unsigned)MIN(end - (at & ~UINT64_C(7)), UINT64_C(8));
        states_area_written[(at - STATES_AREA) / 8] |=
            (unsigned char)((0xffu << first) & (0xffu >> (8 - last)));
    }
}

void states_will_write(void *address, size_t bytes)
{
    uintptr_t a = (uintptr_t)address & ~(uintptr_t)7, end = (uintptr_t)address + bytes;
    written_note((uintptr_t)address, bytes);
    if (states_in_area((uintptr_t)address)) {
        note_written((uintptr_t)address, bytes);
        return;
    }
    if (fiber_of_stack(address) >= 0)
        return;
    for (; a < end; a += 8)
        if (UNLIKELY(known_word[a / 8 % CACHE] != a))
            list_word(a);
}

void states_note_read(const void *address, size_t bytes)
{
    uintptr_t a = (uintptr_t)address & ~(uintptr_t)7, end = (uintptr_t)address + bytes;
    for (; a < end; a += 8) {
        uint64_t value = states_peek((void *)a, 8);
        if (UNLIKELY(tickets_is(value)) && known_word[a / 8 % CACHE] != a && !states_in_area(a) &&
            fiber_of_stack((void *)a) < 0)
            list_word(a);
    }
}

/* ---- blocks ---- */

/* How many blocks begin at or before ADDRESS. Few are counted, with no branch to mispredict. */
static inline uint32_t blocks_to(uint64_t address)
{
    enum { FEW = 16 };
    uint32_t low = 0, high = states_block_count;
    if (high <= FEW) {
        for (uint32_t i = 0; i < high; i++)
            low += states_blocks[i].at <= address;
        return low;
    }
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (states_blocks[middle].at <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

StatesBlock *states_find_block(uint64_t address)
{
    DEBUG_ASSERT(states_block_count <= STATES_BLOCKS);
    uint32_t i = blocks_to(address);
    if (!i || address > states_blocks[i - 1].at + states_blocks[i - 1].bytes)
        return NULL;
    states_guess[address / 16 % STATES_GUESSES] = (uint16_t)(i - 1);
    return &states_blocks[i - 1];
}

StatesBlock *states_packed_pointee(uint64_t word, unsigned *shift, uint64_t *tag)
{
    StatesBlock *block;
    *tag = word & UINT64_C(0xffff000000000000);
    if ((block = states_block_of(word & UINT64_C(0xffffffffffff))))
        return block;
    *tag = word & 0xffff;
    *shift = 16;
    return states_block_of(word >> 16);
}

void states_publish_block(const StatesBlock *block)
{
    DEBUG_ASSERT(states_in_area(block->at) && states_in_area(block->at + block->bytes));
    heap_put_block((void *)block->at, block->bytes, block->zeroed, !block->freed,
                   (const void *)block->pc);
}
