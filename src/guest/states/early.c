#include "guest/states/early.h"
#include <string.h>
#include "guest/explore/memory/heap.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/image.h"
#include "guest/states/part.h"
#include "guest/states/present.h"

#define NOBODY UINT32_MAX

typedef struct Object {
    uint64_t at, bytes;
    bool kept;    /* it is never forgotten */
    bool reached; /* something leads to it */
} Object;
typedef struct Place { /* a word that led to an object before main, or one that threads have written
                          to one */
    const uint64_t *at;
    uint32_t inside; /* this object, or NOBODY */
    uint32_t word;   /* states_words[this], or NOBODY */
} Place;

uint32_t early_objects;
static Vec(Object) objects; /* sorted by address */
static Vec(Place) places;
static size_t words_seen;   /* of states_words: those in objects are among the places */
static Vec(uint32_t) found; /* objects that are reached */
static StatesBlock *blocks[STATES_BLOCKS]; /* that are reached */
static uint32_t block_count;

/* ---- what there is ---- */

static uint32_t object_of(uint64_t address)
{
    size_t low = 0, high = objects.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (objects.at[middle].at <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address - objects.at[low - 1].at <= objects.at[low - 1].bytes
               ? (uint32_t)(low - 1)
               : NOBODY;
}

/* The object that WORD leads to, as it is or packed with a tag (states_packed_pointee); or NOBODY.
 */
static uint32_t leads_to(uint64_t word)
{
    if (LIKELY(word < HEAP_BASE))
        return NOBODY;
    uint32_t object = object_of(word);
    if (object == NOBODY)
        object = object_of(word & UINT64_C(0xffffffffffff));
    return object == NOBODY ? object_of(word >> 16) : object;
}

static void add_object(HeapBlock *block, char *address, void *unused)
{
    (void)unused;
    if (heap_is_live(block))
        vec_push(&objects, (Object){(uintptr_t)address, block->bytes, false, false});
}

/* Adds the words of BYTES bytes at FROM that lead to objects. */
static void add_places(const char *from, size_t bytes)
{
    uintptr_t at = ((uintptr_t)from + 7) & ~(uintptr_t)7, end = (uintptr_t)from + bytes;
    for (; at + 8 <= end; at += 8) {
        uint64_t word = *(const uint64_t *)at;
        if (UNLIKELY(word >= HEAP_BASE) && leads_to(word) != NOBODY)
            vec_push(&places, (Place){(const uint64_t *)at, object_of(at), NOBODY});
    }
}

/* ---- what leads where ---- */

static void reach_object(uint32_t object)
{
    if (objects.at[object].reached)
        return;
    objects.at[object].reached = true;
    vec_push(&found, object);
}

static void reach(uint64_t word)
{
    unsigned shift;
    uint64_t tag;
    uint32_t object = leads_to(word);
    if (object != NOBODY)
        reach_object(object);
    StatesBlock *block = states_pointee(word, &shift, &tag);
    if (!block || block->number)
        return;
    block->number = 1;
    blocks[block_count++] = block;
}

static void reach_from_thread(uint32_t t)
{
    const StatesBuffer *buffer = &states_buffers[t];
    for (uint32_t i = 0; i < buffer->count; i++) {
        reach(buffer->at[i].at);
        reach(buffer->at[i].value[0]);
        reach(buffer->at[i].value[1]);
    }
    reach(states_thread[t].result);
    if (!states_has_stack[t])
        return;
    for (const char *at = fibers[t].sp; at + 8 <= fibers[t].base; at += 8)
        reach(*(const uint64_t *)at);
    for (uint32_t i = 0; i < PART_REQUEST_WORDS; i++)
        reach(part_request_word(&states_thread[t].request, i));
}

static bool is_root(const Place *place)
{
    return place->inside == NOBODY || objects.at[place->inside].kept;
}

/* Marks all that is reached from what was found so far. */
static void reach_on(void)
{
    uint32_t block = 0;
    for (size_t object = 0; object < found.count || block < block_count;) {
        for (; block < block_count; block++)
            for (uint32_t i = 0; i < blocks[block]->bytes && !blocks[block]->freed; i += 8)
                reach(*(const uint64_t *)(blocks[block]->at + i));
        for (; object < found.count; object++)
            for (size_t i = 0; i < places.count; i++)
                if (places.at[i].inside == found.at[object])
                    reach(*places.at[i].at);
    }
}

static void forget_reached(void)
{
    found.count = block_count = 0;
    for (size_t i = 0; i < objects.count; i++)
        objects.at[i].reached = false;
    for (uint32_t i = 0; i < states_block_count; i++)
        states_blocks[i].number = 0;
}

/* Notes words that were found since, in objects. */
static void see_words(void)
{
    for (; words_seen < states_words.count; words_seen++) {
        const uint64_t *at = states_words.at[words_seen].address;
        uint32_t inside = object_of((uintptr_t)at);
        if (inside != NOBODY)
            vec_push(&places, (Place){at, inside, (uint32_t)words_seen});
    }
}

/* ---- the whole ---- */

void early_begin(void)
{
    static bool begun;
    if (begun)
        return;
    begun = true;
    heap_each(HEAP_REGION_START, add_object, NULL);
    if (!objects.count)
        return;
    image_each(add_places);
    for (size_t i = 0; i < objects.count; i++)
        add_places((const char *)objects.at[i].at, objects.at[i].bytes);
    forget_reached();
    for (size_t i = 0; i < places.count; i++)
        if (is_root(&places.at[i]))
            reach(*places.at[i].at);
    reach_on();
    for (size_t i = 0; i < objects.count; i++) {
        objects.at[i].kept = !objects.at[i].reached;
        early_objects += objects.at[i].reached;
    }
}

/* Was the object that PLACE lies in changed, and is it not freed? */
static bool is_changed(const Place *place)
{
    return place->word != NOBODY && !objects.at[place->inside].kept &&
           *place->at != states_words.at[place->word].initial &&
           heap_is_live((const HeapBlock *)objects.at[place->inside].at - 1);
}

void early_forget(void)
{
    bool changed = false;
    see_words();
    for (size_t i = 0; i < places.count && !changed; i++)
        changed = is_changed(&places.at[i]);
    if (!changed)
        return;
    forget_reached();
    for (size_t i = 0; i < places.count; i++)
        if (is_root(&places.at[i]))
            reach(*places.at[i].at);
    for (size_t i = 0; i < states_words.count; i++)
        if (object_of((uintptr_t)states_words.at[i].address) == NOBODY)
            reach(*states_words.at[i].address);
    for (uint32_t t = states_first; t <= states_threads; t++)
        reach_from_thread(t);
    reach_on();
    for (size_t i = 0; i < places.count; i++) {
        if (!is_changed(&places.at[i])) /* others lie in no object, or in one that stays */
            continue;
        const Object *object = &objects.at[places.at[i].inside];
        if (object->reached)
            continue;
        for (size_t k = 0; k < places.count; k++)
            if (places.at[k].inside == places.at[i].inside && places.at[k].word != NOBODY)
                memcpy((void *)states_words.at[places.at[k].word].address,
                       &states_words.at[places.at[k].word].initial, 8);
        heap_forget_early((void *)object->at, states_will_write);
    }
}
