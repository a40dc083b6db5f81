#include "guest/states/answer/growth.h"
#include <string.h>
#include "guest/states/state.h"

enum { RECORDS = 16, HEAP_RECORDS = 6 }; /* of fewer records nothing is concluded */

typedef struct Growth {
    uint64_t largest;
    uint32_t records, last; /* how often it was passed; at which node */
} Growth;
typedef struct WordGrowth {
    Growth number, place; /* of values; of those that lead into the heap */
} WordGrowth;
static Vec(WordGrowth) words;
static struct {
    Growth end;
    StatesBlock last;
    uint32_t objects;
} heap;

void growth_begin(void)
{
    words.count = 0;
    memset(&heap, 0, sizeof heap);
}

static bool passes(Growth *growth, uint64_t value, uint32_t nodes)
{
    if (value <= growth->largest)
        return false;
    growth->largest = value;
    growth->records++;
    growth->last = nodes;
    return true;
}

void growth_note(const char *copy, uint32_t nodes)
{
    uint32_t count = states_copied_words(copy), objects = states_copied_blocks(copy);
    while (words.count < count)
        vec_push(&words, (WordGrowth){0});
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
    if (passes(&heap.end, last.at + last.bytes, nodes)) {
        heap.last = last;
        heap.objects = objects;
    }
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
    bool grows = goes_on(&heap.end, HEAP_RECORDS, nodes);
    if (grows || (best && heap.end.last > nodes / 4)) {
        result->heap_objects = heap.objects;
        result->heap_pc = heap.last.pc;
    }
}
