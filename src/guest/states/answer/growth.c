#include "guest/states/answer/growth.h"
#include <string.h>
#include "guest/states/state.h"

enum { RECORDS = 16, HEAP_RECORDS = 6 }; /* of fewer records nothing is concluded */
/* Words at the beginning of the heap, where objects lie that were allocated first. */
enum { OLD_WORDS = 512 };
#define OLD_END (STATES_AREA + 4096 + 8 * OLD_WORDS)

typedef struct Growth {
    uint64_t largest;
    uint32_t records, last; /* how often it was passed; at which node */
} Growth;
typedef struct WordGrowth {
    Growth number[2]; /* of its halves */
    Growth place;     /* of values that lead into the heap */
} WordGrowth;
static Vec(WordGrowth) words;
static struct {
    Growth end;
    StatesBlock last;
    uint32_t objects;
    WordGrowth old[OLD_WORDS];
    uint64_t old_pc[OLD_WORDS]; /* of the allocation */
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

static void note_number(WordGrowth *growth, uint64_t value, uint32_t nodes)
{
    passes(&growth->number[0], value & UINT32_MAX, nodes);
    passes(&growth->number[1], value >> 32, nodes);
}

static void note_old_word(const StatesBlock *block, uint64_t at, uint64_t value, uint32_t nodes)
{
    uint64_t i = (at - STATES_AREA - 4096) / 8;
    if (states_in_area(value))
        return;
    if (heap.old_pc[i] != block->pc) { /* another object */
        heap.old[i] = (WordGrowth){0};
        heap.old_pc[i] = block->pc;
    }
    note_number(&heap.old[i], value, nodes);
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
            note_number(&words.at[i], value, nodes);
    }
    states_each_copied_word(copy, OLD_END, note_old_word, nodes);
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
        uint64_t found = find_half(&heap.old[i], at, nodes, &best, value);
        if (!found)
            continue;
        address = found;
        *pc = heap.old_pc[i];
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
    bool grows = goes_on(&heap.end, HEAP_RECORDS, nodes);
    if (grows || (best && heap.end.last > nodes / 4)) {
        result->heap_objects = heap.objects;
        result->heap_pc = heap.last.pc;
    } else {
        result->grows = find_in_heap(nodes, &result->grown, &result->heap_pc);
    }
}
