#include "guest/explore/reduce/symmetry/recall.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/search/ghost.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/scrub.h"
#include "guest/explore/search/validate.h"
#include "guest/runtime/pages.h"

enum { ENTRIES = 1 << 14, FIRST_ROOM = 1 << 10, MOST_ROOM = 1 << 22 };

typedef struct Entry {
    Hash128 key;
    Past to;
} Entry;

static Entry *entries;
uint64_t recall_turn; /* part of the keys: those of earlier turns are not found */
static Hash128 sought;
static Past *met; /* a hash table; node 0: free */
static uint32_t met_room = FIRST_ROOM, met_count;

void recall_begin(void)
{
    if (!entries) {
        entries = pages_reserve(sizeof *entries * ENTRIES);
        met = pages_reserve(sizeof *met * MOST_ROOM);
    }
    memset(met, 0, sizeof *met * met_room);
    met_room = FIRST_ROOM;
    met_count = 0;
    recall_turn++;
}

/* Where PAST stands among those that were met, or would stand. */
static Past *met_at(const Past *past)
{
    uint64_t words[2];
    memcpy(words, past, sizeof words);
    uint64_t i = hash_combine(words[0], words[1]);
    while (met[i % met_room].node && memcmp(&met[i % met_room], past, sizeof *past) != 0)
        i++;
    return &met[i % met_room];
}

static void grow(void)
{
    static Past *old;
    if (!old)
        old = pages_reserve(sizeof *old * MOST_ROOM);
    memcpy(old, met, sizeof *met * met_room);
    memset(met, 0, sizeof *met * met_room);
    uint32_t count = met_room;
    met_room *= 4;
    for (uint32_t i = 0; i < count; i++)
        if (old[i].node)
            *met_at(&old[i]) = old[i];
}

static void note_met(const Past *past)
{
    Past *at = met_at(past);
    if (at->node)
        return;
    if (met_count >= met_room / 2 && met_room == MOST_ROOM)
        return; /* it is run once more than needed */
    *at = *past;
    if (++met_count >= met_room / 2 && met_room < MOST_ROOM)
        grow();
}

static Entry *entry_of(Hash128 key)
{
    return &entries[key.low % ENTRIES];
}

bool recall_find(Past *from, const PastTerm *terms, uint32_t count)
{
    uint64_t past[2];
    _Static_assert(sizeof past == sizeof *from, "it has no other bytes");
    memcpy(past, from, sizeof past);
    Hash128 h = hash128_add((Hash128){recall_turn, count}, past[0], past[1]);
    for (uint32_t i = 0; i < count; i++)
        h = hash128_add(h, terms[i].bits, terms[i].owner);
    sought = hash128_mix(h);
    const Entry *e = entry_of(sought);
    if (e->key.low != sought.low || e->key.high != sought.high)
        return false;
    *from = e->to;
    return true;
}

void recall_note(const Past *to)
{
    *entry_of(sought) = (Entry){sought, *to};
    note_met(to);
}

bool recall_has_met(const Past *past)
{
    return met_at(past)->node != 0;
}

/* ---- stacks ---- */

/* An entry gives way to another one with the same place. */
enum { STACKS = 1 << 15 };
typedef struct KnownStack {
    Past of;
    uint64_t turn; /* of recall.h: what is of earlier ones is forgotten */
    Hash128 state;
} KnownStack;

static KnownStack *known_stack(const Past *past)
{
    static KnownStack *stacks;
    if (UNLIKELY(!stacks))
        stacks = pages_reserve(sizeof *stacks * STACKS);
    return &stacks[(past->node * 4 + past->owner[0] % 4) % STACKS];
}

Hash128 recall_stack(int t, const Past *past, const char *image, size_t bytes)
{
    bool follows = graphs.pasts_on && !(undo_stack_written >> t & 1) && !scrub.torture;
    KnownStack *stack = follows ? known_stack(past) : NULL;
    bool known = follows && stack->turn == recall_turn && !memcmp(&stack->of, past, sizeof *past);
    if (known && LIKELY(!graphs.validates))
        return stack->state;
    Hash128 state = scrub_hash(image, bytes);
    ghosts.looked = false;
    ASSERT(!known || (state.low == stack->state.low && state.high == stack->state.high));
    if (follows)
        *stack = (KnownStack){*past, recall_turn, state};
    return state;
}
