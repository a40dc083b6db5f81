#include "guest/states/answer/growth.h"
#include <string.h>
#include "guest/states/shelf.h"
#include "guest/states/state.h"

enum { RECORDS = 16, HEAP_RECORDS = 6 }; /* of fewer records nothing is concluded */
/* Words at the beginning of the heap, where objects lie that were allocated first; one of so many
 * states is asked about them. */
enum { OLD_WORDS = 512, OLD_TURNS = 16 };
#define OLD_END (STATES_AREA + 4096 + 8 * OLD_WORDS)

typedef struct Growth {
    uint64_t largest;
    uint32_t records, last; /* how often it was passed; at which node */
} Growth;
typedef struct WordGrowth {
    Growth number[2]; /* of its halves */
    Growth place;     /* of values that lead into the heap */
} WordGrowth;
typedef struct HeapGrowth {
    Growth end;
    StatesBlock last;
    uint32_t objects;
    WordGrowth old[OLD_WORDS];
    uint64_t old_pc[OLD_WORDS]; /* of the allocation */
} HeapGrowth;
static Shelf(WordGrowth) words;
static Shelf(HeapGrowth) heap; /* one */

void growth_begin(void)
{
    shelf_clear(&words);
    shelf_clear(&heap);
    shelf_push(&heap, (HeapGrowth){0});
}

/* (The crew asks while the search writes.) */
static inline bool is_larger(uint64_t value, const Growth *growth)
{
    return value > __atomic_load_n(&growth->largest, __ATOMIC_RELAXED);
}

static bool passes(Growth *growth, uint64_t value, uint32_t nodes)
{
    if (!is_larger(value, growth))
        return false;
    __atomic_store_n(&growth->largest, value, __ATOMIC_RELAXED);
    growth->records++;
    growth->last = nodes;
    return true;
}

static void note_number(WordGrowth *growth, uint64_t value, uint32_t nodes)
{
    passes(&growth->number[0], value & UINT32_MAX, nodes);
    passes(&growth->number[1], value >> 32, nodes);
}

static uint64_t old_word(uint64_t at)
{
    return (at - STATES_AREA - 4096) / 8;
}

static void note_old_word(const StatesBlock *block, uint64_t at, uint64_t value, uint32_t nodes)
{
    uint64_t i = old_word(at);
    if (states_in_area(value))
        return;
    if (heap.at->old_pc[i] != block->pc) { /* another object */
        heap.at->old[i] = (WordGrowth){0};
        heap.at->old_pc[i] = block->pc;
    }
    note_number(&heap.at->old[i], value, nodes);
}

void growth_note(const char *copy, uint32_t nodes)
{
    uint32_t count = states_copied_words(copy), objects = states_copied_blocks(copy);
    while (words.count < count)
        shelf_push(&words, (WordGrowth){0});
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = states_copied_word(copy, i);
        if (states_in_area(value))
            passes(&words.at[i].place, value, nodes);
        else
            note_number(&words.at[i], value, nodes);
    }
    states_each_copied_word(copy, OLD_END, note_old_word, nodes);
    if (!objects)
        return;
    StatesBlock last = states_copied_object(copy, objects - 1);
    if (passes(&heap.at->end, last.at + last.bytes, nodes)) {
        heap.at->last = last;
        heap.at->objects = objects;
    }
}

static inline bool is_larger_number(uint64_t value, const WordGrowth *growth)
{
    return is_larger(value & UINT32_MAX, &growth->number[0]) ||
           is_larger(value >> 32, &growth->number[1]);
}

/* Is a number at the beginning of the heap larger than before, or of another object? */
static bool old_words_pass(void)
{
    for (uint32_t b = 0; b < states_block_count && states_blocks[b].at < OLD_END; b++) {
        const StatesBlock *block = &states_blocks[b];
        for (uint64_t at = block->at; !block->freed && at < MIN(block->at + block->bytes, OLD_END);
             at += 8) {
            uint64_t i = old_word(at), value = states_peek((const void *)(uintptr_t)at, 8);
            if (!states_in_area(value) &&
                (heap.at->old_pc[i] != block->pc || is_larger_number(value, &heap.at->old[i])))
                return true;
        }
    }
    return false;
}

bool growth_passes(void)
{
    static uint32_t turn;
    if (words.count < states_words.count)
        return true;
    for (size_t i = 0; i < states_words.count; i++) {
        uint64_t value = states_peek(states_words.at[i].address, 8);
        if (states_in_area(value) ? is_larger(value, &words.at[i].place)
                                  : is_larger_number(value, &words.at[i]))
            return true;
    }
    if (!states_block_count)
        return false;
    if (++turn % OLD_TURNS == 0 && old_words_pass())
        return true;
    const StatesBlock *last = &states_blocks[states_block_count - 1];
    return is_larger(last->at + last->bytes, &heap.at->end);
}

static bool goes_on(const Growth *growth, uint32_t least, uint32_t nodes)
{
    return growth->records > least && growth->last > nodes / 2;
}

/* Is there a half of GROWTH that grows for ever, with more records than *BEST? Then this is what
 * *BEST becomes, *VALUE what it has come to, and its address, if that of the word is AT, is
 * returned; else 0. */
static uint64_t find_half(const WordGrowth *growth, uint64_t at, uint32_t nodes, uint32_t *best,
                          uint64_t *value)
{
    uint64_t address = 0;
    for (unsigned half = 0; half < 2; half++) {
        const Growth *number = &growth->number[half];
        if (!goes_on(number, RECORDS, nodes) || number->records <= *best)
            continue;
        *best = number->records;
        *value = number->largest;
        address = at + 4 * half;
    }
    return address;
}

uint64_t growth_find(uint32_t nodes, uint64_t *value)
{
    uint32_t best = 0;
    uint64_t address = 0;
    for (size_t i = 0; i < words.count; i++) {
        uint64_t at = (uintptr_t)states_words.at[i].address;
        uint64_t found = find_half(&words.at[i], at, nodes, &best, value);
        address = found ? found : address;
    }
    return address;
}

/* Finds a number in an old object of the heap, as growth_find does; *PC is where the object was
 * allocated. */
static uint64_t find_in_heap(uint32_t nodes, uint64_t *value, uint64_t *pc)
{
    uint32_t best = 0;
    uint64_t address = 0;
    for (uint32_t i = 0; i < OLD_WORDS; i++) {
        uint64_t at = STATES_AREA + 4096 + 8 * (uint64_t)i;
        uint64_t found = find_half(&heap.at->old[i], at, nodes, &best, value);
        if (!found)
            continue;
        address = found;
        *pc = heap.at->old_pc[i];
    }
    return address;
}

void growth_explain(uint32_t nodes, StatesResult *result)
{
    result->grows = growth_find(nodes, &result->grown);
    result->heap_objects = 0;
    result->heap_pc = 0;
    if (result->grows)
        return;
    uint32_t best = 0;
    result->heap_variable = 0;
    for (size_t i = 0; i < words.count; i++)
        if (goes_on(&words.at[i].place, HEAP_RECORDS, nodes) && words.at[i].place.records > best) {
            best = words.at[i].place.records;
            result->heap_variable = (uintptr_t)states_words.at[i].address;
        }
    /* (an array that doubles seldom needs more; a position in one that does not is no growth) */
    bool grows = goes_on(&heap.at->end, HEAP_RECORDS, nodes);
    if (grows || (best && heap.at->end.last > nodes / 4)) {
        result->heap_objects = heap.at->objects;
        result->heap_pc = heap.at->last.pc;
    } else {
        result->grows = find_in_heap(nodes, &result->grown, &result->heap_pc);
    }
}
