#include "guest/states/crew/told.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/vec.h"
#include "guest/states/crew/crew.h"

typedef struct NewState {
    StatesKey key;
    uint32_t set; /* that it was told of with first; or CREW_SET_UNKNOWN, so far */
} NewState;
typedef struct Told {
    Vec(NewState) found; /* the new states */
    uint32_t *by_key;    /* numbers of these + 1, by open addressing; or 0 */
    uint32_t slots;      /* of it: 0 or a power of two */
    HashMap pairs;       /* that it has told of, but for the first of each new state */
} Told;
static Told told;
enum { MANY = 1 << 13 }; /* some times as many as the search is behind; they stay in a cache */

static void forget_found(void)
{
    vec_clear(&told.found);
    if (told.slots)
        memset(told.by_key, 0, sizeof *told.by_key * told.slots);
}

void told_begin(void)
{
    hashmap_clear(&told.pairs);
    forget_found();
}

bool told_forget(void)
{
    bool renumbers = told.found.count > MANY;
    if (renumbers)
        forget_found();
    if (renumbers || told.pairs.count > MANY) /* they name states by their numbers */
        hashmap_clear(&told.pairs);
    return renumbers;
}

/* Returns the place of KEY, or where it belongs. */
static uint32_t *find_slot(StatesKey key)
{
    uint32_t at = (uint32_t)key.a & (told.slots - 1);
    for (; told.by_key[at]; at = (at + 1) & (told.slots - 1)) {
        const NewState *found = &told.found.at[told.by_key[at] - 1];
        if (found->key.a == key.a && found->key.b == key.b)
            break;
    }
    return &told.by_key[at];
}

/* Half of the places are free, at least. */
static void grow(void)
{
    free(told.by_key);
    told.slots = told.slots ? 2 * told.slots : 4 * MANY;
    told.by_key = calloc(told.slots, sizeof *told.by_key);
    for (uint32_t i = 0; i < told.found.count; i++)
        *find_slot(told.found.at[i].key) = i + 1;
}

uint32_t told_state(StatesKey key, bool *fresh)
{
    *fresh = false;
    uint32_t known = visited_find(key);
    if (known != VISITED_NONE)
        return known;
    if (UNLIKELY(told.found.count * 2 >= told.slots))
        grow();
    uint32_t *slot = find_slot(key);
    if (!*slot) {
        *fresh = true;
        vec_push(&told.found, (NewState){key, CREW_SET_UNKNOWN});
        *slot = (uint32_t)told.found.count;
    }
    return TOLD_LOCAL + *slot - 1;
}

bool told_is_new(uint32_t state, uint32_t set, VisitedLook *look)
{
    bool absent;
    *look = 0;
    if (set == CREW_SET_UNKNOWN)
        return true;
    if (state < TOLD_LOCAL && visited_is_covered(state, set, look))
        return false;
    if (state >= TOLD_LOCAL) {
        NewState *found = &told.found.at[state - TOLD_LOCAL];
        bool first = found->set == CREW_SET_UNKNOWN;
        if (first)
            found->set = set;
        if (first || found->set == set)
            return first;
    }
    hashmap_put(&told.pairs, (uint64_t)state << 32 | set, &absent);
    return absent;
}
