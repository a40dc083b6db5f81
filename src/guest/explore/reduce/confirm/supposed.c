#include "guest/explore/reduce/confirm/supposed.h"
#include "guest/explore/memory/memory.h"
#include <string.h>
#include "guest/explore/reduce/confirm/memo.h"
#include "guest/explore/search/ghost.h"
#include "guest/explore/memory/cells.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/reduce/symmetry/recall.h"
#include "guest/explore/search/validate.h"
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/runtime/pages.h"

enum { SLOTS = 1 << 15, MOST_PLACES = 24 };

/* A place that ghosts touch. */
typedef struct Place {
    const char *address; /* NULL: this is the end of a chain */
    uint32_t size;
    uint8_t waits, touched; /* the answer, at the end */
} Place;

typedef struct Link {
    Hash128 key;
    Place place;
} Link;

static Link *chain; /* a hash table; a link gives way to another one with the same place */

static struct { /* what the ghosts of one question have touched, in the order in which they did */
    Place at[MOST_PLACES];
    int count;
    bool is_refused;
} seen;

static Link *link_of(Hash128 key)
{
    return &chain[key.low % SLOTS];
}

static bool is_link(const Link *link, Hash128 key)
{
    return link->key.low == key.low && link->key.high == key.high;
}

/* Is it memory of the kinds that answers may rest on? */
static bool is_plain_memory(const char *address)
{
    uint32_t g = granules_find(address);
    return (in_heap(address) || (uintptr_t)address < STACK_BASE) && g && !granules[g].locations;
}

/* Returns whether answers about T may be remembered at all. */
static bool is_possible(int t)
{
    return !facts_met[FACT_races] && !facts_met[FACT_wide] && !(undo_stack_written >> t & 1);
}

/* All that answers rest on besides places. */
static Hash128 key_of(int t, const Event *first)
{
    int from = waiting_pure_from(t);
    Hash128 key = waiting_run_hash(t, from);
    key = hash128_add(key, (uintptr_t)request.address, heap_cursor[t].count);
    key = hash128_add(key, (unsigned)first->index, (unsigned)threads[t].opaque_at);
    key = hash128_add(key, cells_count(), recall_turn);
    if (graphs.pasts_on) {
        uint64_t words[4];
        Past past[2] = {pasts[t], pasts_at(first)};
        memcpy(words, past, sizeof words);
        key = hash128_add(key, words[0], words[1]);
        key = hash128_add(key, words[2], words[3]);
    }
    for (uint32_t q = thread_event(t, from)->log_position; q < undo_count; q++) {
        const LogEntry *entry = &undo_log[q];
        if (entry->thread != t || entry->dead)
            continue;
        key =
            hash128_add(key, entry->kind | (uint64_t)entry->size << 8 | (uint64_t)entry->tag << 16,
                        entry->cell);
        if (entry->kind == LOG_READ)
            continue;
        uint64_t now = 0;
        memcpy(&now, entry->address, entry->size);
        key = hash128_add(key, (uintptr_t)entry->address, entry->old);
        key = hash128_add(key, now, 0);
    }
    return key;
}

/* The key of the link after that of KEY, which stands for PLACE: with what is there now. */
static Hash128 key_after(Hash128 key, const Place *place)
{
    uint64_t now = 0;
    memcpy(&now, place->address, place->size);
    return hash128_mix(
        hash128_add(key, (uintptr_t)place->address ^ (uint64_t)place->size << 56, now));
}

/* The end of the chain that begins with KEY and holds of memory at present, or NULL. */
static const Place *find_answer(Hash128 key)
{
    const Link *link = link_of(key);
    for (; is_link(link, key) && link->place.address; link = link_of(key)) {
        const Place *place = &link->place;
        if (!is_plain_memory(place->address) ||
            (in_heap(place->address) && !heap_is_allowed(place->address, place->size)))
            return NULL;
        key = key_after(key, place);
    }
    return is_link(link, key) ? &link->place : NULL;
}

/* Notes the places of the log from FROM on, of a ghost. */
static void see(uint32_t from)
{
    seen.is_refused |= request.kind == REQUEST_STOP;
    for (uint32_t q = from; q < undo_count && !seen.is_refused; q++) {
        const LogEntry *entry = &undo_log[q];
        if ((entry->kind != LOG_READ && entry->kind != LOG_WRITE) || !entry->cell ||
            seen.count == MOST_PLACES || !is_plain_memory(entry->address))
            seen.is_refused = true;
        else
            seen.at[seen.count++] = (Place){.address = entry->address, .size = entry->size};
    }
}

/* Has T written PLACE since its last effect? */
typedef enum Written { NOT_WRITTEN, IS_WRITTEN, IN_PART } Written;
static Written how_written(int t, const Place *place, uint32_t from)
{
    for (uint32_t q = from; q < undo_count; q++) {
        const LogEntry *entry = &undo_log[q];
        const char *begin = entry->address;
        if (entry->thread != t || entry->dead || entry->kind == LOG_READ ||
            begin >= place->address + place->size || place->address >= begin + entry->size)
            continue;
        bool within =
            begin <= place->address && place->address + place->size <= begin + entry->size;
        return within ? IS_WRITTEN : IN_PART;
    }
    return NOT_WRITTEN;
}

/* Remembers ANSWER to the question of KEY, as it depends on what was seen. */
static void keep(int t, Hash128 key, Place answer)
{
    uint32_t from = thread_event(t, waiting_pure_from(t))->log_position;
    for (int i = 0; i < seen.count; i++) {
        Written written = how_written(t, &seen.at[i], from);
        if (written == IN_PART)
            return;
        if (written == IS_WRITTEN)
            continue;
        *link_of(key) = (Link){key, seen.at[i]};
        key = key_after(key, &seen.at[i]);
    }
    *link_of(key) = (Link){key, answer};
}

bool supposed_what_if(int t, const Event *first, uint64_t v, bool fresh)
{
    static Hash128 common;
    if (!is_possible(t))
        return waiting_what_if(t, first, v);
    if (!chain)
        chain = pages_reserve(sizeof *chain * SLOTS);
    if (fresh)
        common = key_of(t, first);
    Hash128 key = memo_key(MEMO_SUPPOSED, hash128_add(common, v, 0));
    const Place *known = find_answer(key);
    if (known && LIKELY(!graphs.validates)) {
        ghosts.touched = known->touched;
        return known->waits;
    }
    seen.count = 0;
    seen.is_refused = false;
    ghosts.on_log = see;
    bool waits = waiting_what_if(t, first, v);
    ghosts.on_log = NULL;
    ASSERT(!known || (known->waits == waits && known->touched == ghosts.touched));
    if (!seen.is_refused)
        keep(t, key, (Place){.waits = waits, .touched = ghosts.touched});
    return waits;
}
