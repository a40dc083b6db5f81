#include "guest/states/answer/growth.h"
#include <string.h>
#include "guest/states/shelf.h"
#include "guest/states/state.h"

enum { RECORDS = 16, HEAP_RECORDS = 6 }; /* of fewer records nothing is concluded */

typedef struct Growth {
    uint64_t largest;
    uint32_t records, last; /* how often it was passed; at which node */
} Growth;
typedef struct WordGrowth {
    Growth number, place; /* of values; of those that lead into the heap */
} WordGrowth;
typedef struct HeapGrowth {
    Growth end;
    StatesBlock last;
    uint32_t objects;
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
            passes(&words.at[i].number, value & UINT32_MAX, nodes);
    }
    if (!objects)
        return;
    StatesBlock last = states_copied_object(copy, objects - 1);
    if (passes(&heap.at->end, last.at + last.bytes, nodes)) {
        heap.at->last = last;
        heap.at->objects = objects;
    }
}

bool growth_passes(void)
{
    if (words.count < states_words.count)
        return true;
    for (size_t i = 0; i < states_words.count; i++) {
        uint64_t value = states_peek(states_words.at[i].address, 8);
        if (states_in_area(value) ? is_larger(value, &words.at[i].place)
                                  : is_larger(value & UINT32_MAX, &words.at[i].number))
            return true;
    }
    if (!states_block_count)
        return false;
    const StatesBlock *last = &states_blocks[states_block_count - 1];
    return is_larger(last->at + last->bytes, &heap.at->end);
}

static bool goes_on(const Growth *growth, uint32_t least, uint32_t nodes)
{
    return growth->records > least && growth->last > nodes / 2;
}

uint64_t growth_find(uint32_t nodes, uint64_t *value)
{
    uint32_t best = 0;
    uint64_t address = 0;
    for (size_t i = 0; i < words.count; i++)
        if (goes_on(&words.at[i].number, RECORDS, nodes) && words.at[i].number.records > best) {
            best = words.at[i].number.records;
            address = (uintptr_t)states_words.at[i].address;
            *value = words.at[i].number.largest;
        }
    return address;
}

void growth_explain(uint32_t nodes, StatesResult *result)
{
    result->grows = growth_find(nodes, &result->grown);
    result->heap_objects = 0;
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
    }
}
