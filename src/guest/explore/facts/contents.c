#include "guest/explore/facts/contents.h"
#include "guest/explore/memory/memory.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/facts/values_table.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/search/ghost.h"
#include "guest/explore/memory/cells.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/undo.h"
#include "guest/runtime/fiber.h"

#define MOST_WATCHED 512
#define SLOT_COUNT (4 * MOST_WATCHED)
#define MOST_WANTED 16

/* Known.plain */
enum { PLAIN_NOT, PLAIN_WATCHED, PLAIN_ATOMIC };

typedef struct Place {
    char *address;
    uint32_t size;
} Place;

uint32_t contents_watched;
static uint16_t slots[SLOT_COUNT]; /* by granule: numbers in the table of values.h */
static Place wanted[MOST_WANTED];
static unsigned wanted_count;
static bool wanted_badly; /* nothing is known of what one of them holds */
/* The stretch that a ghost makes now, and where the log of it begins. */
static ContentsStretch *present;
static uint32_t present_log;
static uint32_t access_log; /* where the log of its present access begins */
static int present_next;    /* the choice that comes next */

static uint32_t slot_of(uintptr_t granule)
{
    return (uint32_t)hash_mix(granule) % SLOT_COUNT;
}

static bool overlap(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

static uint64_t content_of(const Known *k)
{
    uint64_t content = 0;
    memcpy(&content, k->address, k->size);
    return content;
}

void contents_set_up_pass(bool are_made)
{
    if (contents_watched)
        memset(slots, 0, sizeof slots);
    contents_watched = 0;
    values_lock();
    for (uint32_t n = 1; are_made && n <= values_table->filled; n++) {
        Known *k = &values_table->known[n];
        if (k->plain == PLAIN_NOT || contents_watched == MOST_WATCHED)
            continue;
        uint32_t i = slot_of((uintptr_t)k->address >> 3);
        while (slots[i])
            i = (i + 1) % SLOT_COUNT;
        slots[i] = (uint16_t)n;
        contents_watched++;
    }
    values_unlock();
}

/* Needs no lock: contents stay, and are written before they are counted. */
static bool has_content(const Known *k, uint64_t content)
{
    uint32_t count = __atomic_load_n(&k->count, __ATOMIC_ACQUIRE), i = 0;
    while (i < count && k->value[i] != content)
        i++;
    return i < count;
}

/* Writes down what entry NUMBER holds now. */
static void note(uint32_t number)
{
    DEBUG_ASSERT(number && number <= values_table->filled);
    Known *k = &values_table->known[number];
    uint64_t content = content_of(k);
    if (LIKELY(k->wide || has_content(k, content)))
        return;
    values_lock();
    uint32_t i = values_find_value(k, content);
    if (i == k->count && !k->wide) {
        values_grows(k->used & VALUES_ALL);
        values_table->version++;
        k->wide = i == MOST_VALUES;
        if (!k->wide) {
            k->value[i] = content;
            __atomic_store_n(&k->count, i + 1, __ATOMIC_RELEASE);
        }
    }
    values_unlock();
}

void contents_note_start(void)
{
    for (uint32_t i = 0; contents_watched && i < SLOT_COUNT; i++)
        if (slots[i])
            note(slots[i]);
}

/* Bytes of one granule were written. */
static void note_in_granule(uintptr_t granule, const char *address, size_t bytes)
{
    for (uint32_t i = slot_of(granule); slots[i]; i = (i + 1) % SLOT_COUNT) {
        const Known *k = &values_table->known[slots[i]];
        if (overlap(k->address, k->size, address, bytes))
            note(slots[i]);
    }
}

void contents_note_writes(int t)
{
    for (uint32_t q = threads[t].resumed_at; q < undo_count; q++) {
        const LogEntry *entry = &undo_log[q];
        if (entry->thread != t || entry->dead || entry->kind == LOG_READ)
            continue;
        uintptr_t first = (uintptr_t)entry->address >> 3;
        uintptr_t last = ((uintptr_t)entry->address + entry->size - 1) >> 3;
        note_in_granule(first, entry->address, entry->size);
        if (last != first)
            note_in_granule(last, entry->address, entry->size);
    }
}

/* A location was met that begins at ADDRESS. */
static void note_location_in(uintptr_t granule, const char *address, unsigned size)
{
    for (uint32_t i = slot_of(granule); slots[i]; i = (i + 1) % SLOT_COUNT) {
        Known *k = &values_table->known[slots[i]];
        if (k->plain == PLAIN_ATOMIC || !overlap(k->address, k->size, address, size))
            continue;
        values_lock();
        values_grows(k->used & VALUES_ALL);
        k->plain = PLAIN_ATOMIC;
        values_unlock();
    }
}

void contents_note_location(const char *address, unsigned size)
{
    for (unsigned i = 0; i < size; i += 8)
        note_location_in(((uintptr_t)address >> 3) + i / 8, address, size);
}

/* ---- what ghosts read ---- */

/* The watched place of exactly these bytes, or NULL. */
static Known *find_watched(const char *address, size_t bytes)
{
    for (uint32_t i = slot_of((uintptr_t)address >> 3); slots[i]; i = (i + 1) % SLOT_COUNT) {
        Known *k = &values_table->known[slots[i]];
        if (k->address == address && k->size == bytes)
            return k;
    }
    return NULL;
}

/* Has the ghost put these bytes there itself on this stretch, by writing or by reading them? */
static bool is_its_own(const char *address, size_t bytes)
{
    size_t covered = 0;
    for (uint32_t q = present_log; q < undo_count; q++) {
        const LogEntry *entry = &undo_log[q];
        if (entry->kind == LOG_READ || !overlap(address, bytes, entry->address, entry->size))
            continue;
        if ((char *)entry->address <= address &&
            (char *)entry->address + entry->size >= address + bytes)
            return true;
        covered = 1; /* in part: nothing is said about that */
    }
    present->failed |= covered;
    return covered;
}

static void want(char *address, unsigned bytes)
{
    for (unsigned i = 0; i < wanted_count; i++)
        if (wanted[i].address == address && wanted[i].size == bytes)
            return;
    if (wanted_count < MOST_WANTED)
        wanted[wanted_count++] = (Place){address, bytes};
}

/* The number of the content that the next read with COUNT contents gets. */
static int choose(int count)
{
    DEBUG_ASSERT(count > 0);
    int i = present_next++;
    if (i == CONTENTS_CHOICES) {
        present->failed = true;
        return 0;
    }
    if (i == present->choices) {
        present->chosen[present->choices] = 0;
        present->of[present->choices++] = (uint8_t)count;
    }
    present->failed |= present->of[i] != count;
    return present->failed ? 0 : present->chosen[i];
}

/* The ghost ends here. */
static void stop_ghost(void)
{
    request.kind = REQUEST_STOP;
    fiber_abandon();
}

/* Memory that the ghost is about to read gets the content that is chosen. */
static void supply(char *address, size_t bytes)
{
    if (is_its_own(address, bytes))
        return;
    int count;
    const Known *k = find_watched(address, bytes);
    const uint64_t *contents =
        k && k->plain == PLAIN_WATCHED ? values_use_at(address, (unsigned)bytes, &count) : NULL;
    if (contents) {
        uint64_t content = contents[count > 1 ? choose(count) : 0];
        if (!memcmp(address, &content, bytes))
            return; /* a constant perhaps, which nobody can write */
        undo_save(address, (unsigned)bytes);
        undo_log[undo_count - 1].kind = LOG_NOTE;
        memcpy(address, &content, bytes);
        return;
    }
    bool is_known = ghost_has_touched(fiber_current, access_log);
    present->is_bound |= is_known;
    present->failed |= !is_known && k;
    if (!k)
        want(address, (unsigned)bytes);
    wanted_badly |= !is_known;
}

static void meet_access(const void *address, size_t bytes, bool writes, const void *pc, bool holds)
{
    (void)pc;
    char *at = (char *)(uintptr_t)address;
    if (!holds) {
        present->accesses = hash_combine(present->accesses + writes, (uintptr_t)address);
        present->accesses = hash_combine(present->accesses, bytes);
        access_log = undo_count;
        present->meets_null = contents_is_null(address);
        if (present->meets_null)
            stop_ghost();
        return;
    }
    if (((uintptr_t)address & 7) + bytes > 8 || fiber_of_stack(address) >= 0)
        present->failed = true;
    else
        supply(at, bytes);
    if (present->failed)
        stop_ghost();
}

void contents_step(int t, ContentsStretch *stretch)
{
    present = stretch;
    present_log = undo_count;
    present_next = 0;
    stretch->accesses = 0;
    stretch->meets_null = false;
    if (graphs.pasts_on) { /* they follow plain accesses themselves */
        ghost_step(t, threads[t].count - 1);
        stretch->is_bound |= undo_count > present_log;
        stretch->failed |= !ghost_touches_nothing_new(t, undo_count);
        return;
    }
    memory_state.trace = meet_access;
    heap_limits.unchecked = true; /* what is not there in the present graph may be in others */
    ghost_step(t, threads[t].count - 1);
    heap_limits.unchecked = false;
    memory_state.trace = NULL;
    stretch->failed |= present_next < stretch->choices;
}

bool contents_next(ContentsStretch *stretch)
{
    while (stretch->choices) {
        int last = stretch->choices - 1;
        if (++stretch->chosen[last] < stretch->of[last])
            return true;
        stretch->choices--;
    }
    return false;
}

void contents_want_nothing(void)
{
    wanted_count = 0;
    wanted_badly = false;
}

bool contents_are_wanted(void)
{
    return wanted_badly;
}

void contents_watch_wanted(void)
{
    bool is_new = false;
    values_lock();
    for (unsigned i = 0; i < wanted_count && contents_watched + i < MOST_WATCHED; i++) {
        Known *k = values_entry_at(wanted[i].address, wanted[i].size);
        if (!k || k->plain != PLAIN_NOT)
            continue;
        k->plain = k->count ? PLAIN_ATOMIC : PLAIN_WATCHED;
        is_new = true;
    }
    values_unlock();
    if (is_new)
        finding_restart();
}
