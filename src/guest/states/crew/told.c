#include "guest/states/crew/told.h"
#include "base/hash.h"
#include "base/vec.h"
#include "guest/states/crew/crew.h"

typedef struct NewState {
    StatesKey key;
    uint32_t set; /* that it was told of with first; or CREW_SET_UNKNOWN, so far */
} NewState;
typedef struct Told {
    HashMap numbers;     /* by the first half of the keys of new states: their numbers */
    Vec(NewState) found; /* the new states */
    HashMap pairs;       /* that it has told of, but for the first of each new state */
} Told;
static Told told;

void told_begin(void)
{
    hashmap_clear(&told.numbers);
    hashmap_clear(&told.pairs);
    vec_clear(&told.found);
}

bool told_forget(void)
{
    enum { MANY = 1 << 13 }; /* some times as many as the search is behind; they stay in a cache */
    bool renumbers = told.found.count > MANY;
    if (renumbers) {
        hashmap_clear(&told.numbers);
        vec_clear(&told.found);
    }
    if (renumbers || told.pairs.count > MANY) /* they name states by their numbers */
        hashmap_clear(&told.pairs);
    return renumbers;
}

uint32_t told_state(StatesKey key, bool *fresh)
{
    *fresh = false;
    uint32_t known = visited_find(key);
    for (uint64_t hash = key.a; known == VISITED_NONE; hash++) {
        uint64_t *at = hashmap_put(&told.numbers, hash, fresh);
        if (*fresh) {
            *at = told.found.count;
            vec_push(&told.found, (NewState){key, CREW_SET_UNKNOWN});
        }
        const NewState *found = &told.found.at[*at];
        if (found->key.a == key.a && found->key.b == key.b)
            known = TOLD_LOCAL + (uint32_t)*at;
    }
    return known;
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
