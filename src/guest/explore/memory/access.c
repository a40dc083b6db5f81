#include "guest/explore/memory/access.h"
#include <string.h>
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/blocks.h"
#include "guest/explore/memory/cells.h"
#include "guest/explore/memory/locals.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/races.h"
#include "guest/explore/memory/shown.h"
#include "guest/explore/memory/undo.h"
#include "guest/runtime/fiber.h"

static void cell_write(uint32_t c, int t, void *address, unsigned bytes)
{
    DEBUG_ASSERT(bytes && bytes <= 8 && memory_cells[c].mask);
    Cell *cell = &memory_cells[c];
    LogEntry *entry = undo_push();
    entry->kind = LOG_WRITE;
    entry->cell = c;
    entry->address = address;
    entry->size = (uint8_t)bytes;
    entry->old = 0;
    if (LIKELY(bytes == 8)) /* without a call */
        memcpy(&entry->old, address, 8);
    else
        memcpy(&entry->old, address, bytes);
    entry->thread = (uint8_t)t;
    entry->tag = (EventIndex)threads[t].count;
    entry->dead = 0;
    entry->old_writer = cell->writer;
    entry->old_has_write = cell->has_write;
    entry->old_tag = cell->write_tag;
    entry->old_readers = cell->readers;
    cell->writer = (uint8_t)t;
    cell->has_write = 1;
    cell->write_tag = entry->tag;
    cell->readers = 0;
}

static void cell_read(uint32_t c, int t, void *address, unsigned bytes)
{
    Cell *cell = &memory_cells[c];
    LogEntry *entry = undo_push();
    entry->kind = LOG_READ;
    entry->cell = c;
    entry->address = address;
    entry->size = (uint8_t)bytes;
    entry->thread = (uint8_t)t;
    entry->tag = (EventIndex)threads[t].count;
    entry->dead = 0;
    entry->old_tag = cell->read_tag[t];
    entry->old_readers = cell->readers & thread_bit(t);
    cell->readers |= thread_bit(t);
    cell->read_tag[t] = entry->tag;
}

/* Nothing new: the same thread did the same since its last event. */
static inline bool repeats(const Cell *cell, int t, bool writes)
{
    EventIndex tag = (EventIndex)threads[t].count;
    if (cell->has_write && cell->writer == t && cell->write_tag == tag)
        return !writes || !cell->readers;
    return !writes && (cell->readers >> t & 1) && cell->read_tag[t] == tag;
}

static void touch_cell(uint32_t c, int t, char *address, unsigned bytes, bool writes,
                       const void *pc)
{
    if (!memory_state.races_off && repeats(&memory_cells[c], t, writes)) {
        if (UNLIKELY(graphs.validates))
            undo_validate_touched(c, t);
        return; /* and the bytes are in the log since this thread's last event */
    }
    if (!memory_state.races_off) {
        race_check_cell(&memory_cells[c], graph_tip(t), t, writes, address, bytes, pc, false);
        if (!memory_cells[c].has_write && in_heap(address)) /* else the writer comes later */
            race_check_allocation(address, graph_tip(t), t, pc);
    }
    if (writes)
        cell_write(c, t, address, bytes);
    else
        cell_read(c, t, address, bytes);
}

/* Splits cell C of G into what MASK has of it and the rest, with the same accesses. Log entries
 * from before know only one of the two, so that undoing them would leave the other behind: the
 * search begins again with both, unless it undoes nothing (a replay) or runs the program from its
 * start in order to go back. Where races promote memory, search and replay must promote the same
 * parts, so both begin again. What a ghost touches says nothing of the program: it takes the whole
 * cell, and what is undone with it is all of one cell. */
static void split(Granule *g, uint32_t c, uint8_t mask)
{
    DEBUG_ASSERT(memory_cells[c].mask & mask && memory_cells[c].mask & (uint8_t)~mask);
    bool used = memory_cells[c].has_write || memory_cells[c].readers;
    if (used && memory_state.races_off)
        return;
    cells_add(g, memory_cells[c].mask & (uint8_t)~mask);
    Cell *rest = &memory_cells[g->cells], *cell = &memory_cells[c];
    cell->mask &= mask;
    if (!used)
        return;
    if (!races_are_errors() || (options.checkpoints && !memory_undoes_nothing()))
        finding_restart();
    const Cell part = *rest;
    *rest = *cell;
    rest->mask = part.mask;
    rest->next = part.next;
}

/* One access inside one granule. The cells it overlaps are split so that each is inside or outside.
 */
static void touch_granule(Granule *g, char *address, unsigned bytes, bool writes, const void *pc)
{
    DEBUG_ASSERT(bytes && ((uintptr_t)address & 7) + bytes <= 8 && fiber_current >= 0);
    int t = fiber_current;
    unsigned offset = (uintptr_t)address & 7;
    uint8_t mask = (uint8_t)(((1u << bytes) - 1) << offset);
    if (LIKELY(g->cells && memory_cells[g->cells].mask == mask)) {
        touch_cell(g->cells, t, address, bytes, writes, pc);
    } else {
        uint8_t left = mask;
        for (uint32_t c = g->cells; c; c = memory_cells[c].next) {
            uint8_t common = memory_cells[c].mask & mask;
            if (common && common != memory_cells[c].mask)
                split(g, c, mask);
            left &= (uint8_t)~common;
        }
        if (left) /* bytes never seen before, in runs */
            for (unsigned b = 0; b < 8; b++)
                if (left >> b & 1) {
                    unsigned e = b;
                    while (e < 8 && (left >> e & 1))
                        e++;
                    cells_add(g, (uint8_t)(((1u << (e - b)) - 1) << b));
                    b = e;
                }
        for (uint32_t c = g->cells; c; c = memory_cells[c].next)
            if (memory_cells[c].mask & mask) { /* the whole cell, but for ghosts */
                uint8_t common = memory_cells[c].mask & mask;
                unsigned first = (unsigned)__builtin_ctz(common);
                unsigned end = 32 - (unsigned)__builtin_clz(common);
                touch_cell(c, t, address - offset + first, end - first, writes, pc);
            }
    }
    if (writes)
        undo_note_stack_write(address);
}

/* ---- plain accesses that meet events ---- */

/* Does memory hold something that no event of X gave it? Then, on a stack, it is another object by
 * now: the frame of X has ended, and not every compiler tells of all writes to a new frame. */
static bool is_overwritten(const Location *x)
{
    if (fiber_of_stack(x->address) < 0)
        return false;
    for (int j = x->writes - 1; j >= 0; j--) {
        uint64_t words[2] = {write_value(x->co[j], x), graph_value_high(x->co[j], x)};
        if (memcmp(x->address, words, x->size) == 0)
            return false;
    }
    return true;
}

/* A plain read of a location that has events: without a race, what it must see is the last write in
 * coherence order; memory is made to hold it, unless it is another object's by now. */
static void read_location(Location *x)
{
    if (UNLIKELY(locals_on) && locals_holds(x))
        return;
    if (UNLIKELY(shown_on) && shown_is_known(x) ? !shown_is_stale(x) : !is_overwritten(x))
        shown_put(x);
}

/* A plain access to a part of X. Unless that is a block, it counts as one to all of it. */
static void check_part(const Location *x, int t, bool writes, char *address, unsigned bytes,
                       const void *pc)
{
    char *base;
    unsigned size;
    if (LIKELY(!facts_met[FACT_blocks]) || !blocks_find(x->address, &base, &size)) {
        address = x->address;
        bytes = x->size;
    }
    race_check_events(x, graph_tip(t), t, writes, address, bytes, pc, false);
}

/* True if there are events: a write then becomes one, too, at the next hook. */
static bool meet_events(LocationId first, char *address, unsigned bytes, bool writes,
                        const void *pc)
{
    int t = fiber_current;
    bool met = false;
    for (LocationId l = first; l; l = locations[l].next) {
        Location *x = &locations[l];
        if (!memory_has_events(x))
            continue;
        if (address >= x->address + x->size || x->address >= address + bytes)
            continue;
        if (!memory_state.races_off)
            check_part(x, t, writes, address, bytes, pc);
        if (memory_hooks.met)
            memory_hooks.met(x);
        read_location(x); /* a write may cover a part of it only */
        met = true;
    }
    return met;
}

/* True if a write meets locations with events, and so becomes a store of each. */
static bool access_granule(char *address, unsigned bytes, bool writes, const void *pc)
{
    Granule *g = &granules[granules_get(address)];
    bool met = UNLIKELY(g->locations) && meet_events(g->locations, address, bytes, writes, pc);
    if (UNLIKELY(
            facts_met[FACT_wide])) { /* a 16-byte location may reach in from the granule before */
        uint32_t before_it = granules_find(address - 8);
        met |= before_it && meet_events(granules[before_it].locations, address, bytes, writes, pc);
    }
    touch_granule(g, address, bytes, writes, pc);
    return met && writes;
}

bool access_granules(char *address, size_t bytes, bool writes, const void *pc)
{
    char *const start = address;
    const size_t size = bytes;
    bool met = false;
    if (UNLIKELY(memory_state.trace))
        memory_state.trace(start, size, writes, pc, false);
    while (bytes) {
        unsigned piece = (unsigned)MIN(bytes, 8 - ((uintptr_t)address & 7));
        met |= access_granule(address, piece, writes, pc);
        address += piece;
        bytes -= piece;
    }
    if (UNLIKELY(memory_state.trace) && !writes) /* now memory holds what events wrote there */
        memory_state.trace(start, size, false, pc, true);
    return met;
}

void access_check_promoted(char *address, size_t bytes, bool writes, const void *pc)
{
    if (!races_are_errors() || memory_state.races_off)
        return;
    while (bytes) {
        unsigned offset = (uintptr_t)address & 7;
        unsigned piece = (unsigned)MIN(bytes, (size_t)8 - offset);
        Granule *g = &granules[granules_get(address)];
        if (g->promoted & ((1u << piece) - 1) << offset) {
            for (LocationId l = g->locations; l; l = locations[l].next)
                if (memory_has_events(&locations[l]))
                    race_check_events(&locations[l], graph_tip(fiber_current), fiber_current,
                                      writes, address, piece, pc, false);
            touch_granule(g, address, piece, writes, pc);
        }
        address += piece;
        bytes -= piece;
    }
}
