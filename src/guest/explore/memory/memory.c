#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/plain.h"
#include <string.h>
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/blocks.h"
#include "guest/explore/memory/cells.h"
#include "guest/explore/memory/locals.h"
#include "guest/explore/memory/overlap.h"
#include "guest/explore/memory/races.h"
#include "guest/explore/memory/shown.h"
#include "guest/explore/memory/returned.h"
#include "guest/explore/memory/pieces.h"
#include "guest/explore/memory/spin.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/memory/deferred.h"
#include "guest/runtime/fiber.h"
#include "guest/explore/memory/divert.h"
#include "guest/explore/memory/heap.h"
#include "guest/runtime/mappings.h"

bool memory_races_off, memory_is_supposed, memory_pauses;
MemoryHooks memory_hooks;
ThreadSet memory_stack_written;
MemoryTrace *memory_trace;

/* Facts of another process are known now. */
static void note_put(void)
{
    locals_on |= facts_met[FACT_stacks_shared] != 0;
    blocks_asked |= locals_on || facts_met[FACT_blocks];
    memory_note_promoted();
}

void memory_setup(void)
{
    graph_hooks.made = memory_note_atomic;
    graph_hooks.overlap = overlap_meet;
    facts_hooks = (FactsHooks){cells_get, cells_put, note_put};
    granules_setup();
    cells_setup();
}

void memory_reset(void)
{
    returned_reset();
    cells_forget();
    memory_stack_written = 0;
    memory_races_off = false;
    shown_forget();
}

void memory_forget(void)
{
    cells_forget_all();
    locals_on = false;
}

void memory_note_stack_write(const void *address)
{
    int owner = fiber_of_stack(address);
    if (UNLIKELY(owner >= 0) && owner != fiber_current)
        memory_stack_written |= thread_bit(owner);
}

static void cell_write(uint32_t c, int t, void *address, unsigned bytes)
{
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
    if (!memory_races_off && repeats(&memory_cells[c], t, writes)) {
        if (UNLIKELY(graph_validates))
            undo_validate_touched(c, t);
        return; /* and the bytes are in the log since this thread's last event */
    }
    if (!memory_races_off) {
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
    bool used = memory_cells[c].has_write || memory_cells[c].readers;
    if (used && memory_races_off)
        return;
    cells_add(g, memory_cells[c].mask & (uint8_t)~mask);
    Cell *rest = &memory_cells[g->cells], *cell = &memory_cells[c];
    cell->mask &= mask;
    if (!used)
        return;
    if (!races_are_errors() || (options.checkpoints && !memory_trace))
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
        memory_note_stack_write(address);
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

void memory_show(Location *x)
{
    int last = x->writes - 1;
    while (last > 0 && !graph_reached(&pool[x->co[last]]))
        last--;
    EventId w = x->co[last];
    uint64_t words[2] = {write_value(w, x), graph_value_high(w, x)};
    if (memcmp(x->address, words, x->size)) {
        undo_save(x->address, MIN(x->size, 8u));
        if (x->size == 16)
            undo_save(x->address + 8, 8);
        memcpy(x->address, words, x->size);
    }
    if (UNLIKELY(shown_on))
        shown_note(x);
}

/* A plain read of a location that has events: without a race, what it must see is the last write in
 * coherence order; memory is made to hold it, unless it is another object's by now. */
static void read_location(Location *x)
{
    if (UNLIKELY(locals_on) && locals_holds(x))
        return;
    if (UNLIKELY(shown_on) && shown_is_known(x) ? !shown_is_stale(x) : !is_overwritten(x))
        memory_show(x);
}

/* Does X have events? */
static bool in_use(const Location *x)
{
    if (LIKELY(!graph_replaying))
        return x->writes > 1 || x->reads;
    for (int j = 1; j < x->writes; j++)
        if (graph_reached(&pool[x->co[j]]))
            return true;
    for (int j = 0; j < x->reads; j++)
        if (graph_reached(&pool[x->read[j]]))
            return true;
    return false;
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
        if (!in_use(x))
            continue;
        if (address >= x->address + x->size || x->address >= address + bytes)
            continue;
        if (!memory_races_off)
            check_part(x, t, writes, address, bytes, pc);
        if (memory_hooks.met)
            memory_hooks.met(x);
        read_location(x); /* a write may cover a part of it only */
        met = true;
    }
    return met;
}

Location *memory_location_with_events(const char *start, const char *end, unsigned i)
{
    /* one granule earlier: a 16-byte location may reach in */
    for (uintptr_t a = ((uintptr_t)start & ~(uintptr_t)7) - 8; a < (uintptr_t)end; a += 8) {
        uint32_t g = granules_find((void *)a);
        for (LocationId l = g ? granules[g].locations : 0; l; l = locations[l].next) {
            Location *x = &locations[l];
            if (in_use(x) && x->address + x->size > start && x->address < end && i-- == 0)
                return x;
        }
    }
    return NULL;
}

bool memory_location_in(const char *start, const char *end, unsigned number, char **address,
                        unsigned *size)
{
    const Location *x = memory_location_with_events(start, end, number);
    if (x) {
        *address = x->address;
        *size = x->size;
    }
    return x != NULL;
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

/* No byte of it is explored as an event. */
__attribute__((noinline)) static void access_plain(char *address, size_t bytes, bool writes,
                                                   const void *pc)
{
    Deferred range = {
        .address = address, .size = (unsigned)bytes, .plain = 1, .kind = DEFERRED_RANGE, .pc = pc};
    bool met = false;
    if (UNLIKELY(memory_trace))
        memory_trace(address, bytes, writes, pc, false);
    while (bytes) {
        unsigned piece = (unsigned)MIN(bytes, 8 - ((uintptr_t)address & 7));
        met |= access_granule(address, piece, writes, pc);
        address += piece;
        bytes -= piece;
    }
    if (UNLIKELY(memory_trace) && !writes) /* now memory holds what events wrote there */
        memory_trace(range.address, range.size, false, pc, true);
    if (UNLIKELY(met))
        deferred = range;
}

bool memory_access(char *address, unsigned bytes, bool writes, const void *pc)
{
    access_plain(address, bytes, writes, pc);
    bool met = deferred.address != NULL;
    deferred.address = NULL;
    return met;
}

/* Bytes that a loop reads (spin.h) are explored as events under every model; where races are
 * errors, what races is one all the same. */
static void check_promoted(char *address, size_t bytes, bool writes, const void *pc)
{
    if (!races_are_errors() || memory_races_off)
        return;
    while (bytes) {
        unsigned offset = (uintptr_t)address & 7;
        unsigned piece = (unsigned)MIN(bytes, (size_t)8 - offset);
        Granule *g = &granules[granules_get(address)];
        if (g->promoted & ((1u << piece) - 1) << offset) {
            for (LocationId l = g->locations; l; l = locations[l].next)
                if (in_use(&locations[l]))
                    race_check_events(&locations[l], graph_tip(fiber_current), fiber_current,
                                      writes, address, piece, pc, false);
            touch_granule(g, address, piece, writes, pc);
        }
        address += piece;
        bytes -= piece;
    }
}

static inline void access_memory(char *address, size_t bytes, bool writes, const void *pc)
{
    if (LIKELY(!facts_met[FACT_races]) || !memory_races_in(address, bytes)) {
        access_plain(address, bytes, writes, pc);
        return;
    }
    check_promoted(address, bytes, writes, pc);
    if (writes)
        pieces_write(address, bytes, pc);
    else
        pieces_read(address, bytes, pc);
}

static bool mark_stack(const char *address, size_t bytes, unsigned mark)
{
    bool fresh = false;
    for (uintptr_t a = (uintptr_t)address & ~(uintptr_t)7; a < (uintptr_t)address + bytes; a += 8) {
        Granule *g = &granules[granules_get((void *)a)];
        fresh |= granule_learn(g, FACT_shared, (uint8_t)mark);
    }
    facts_add(FACT_stacks_shared, 0, thread_bit(fiber_of_stack(address)));
    return fresh;
}

bool memory_mark_foreign(const char *address, size_t bytes)
{
    return mark_stack(address, bytes, STACK_FOREIGN);
}

void memory_note_foreign(const char *address, size_t bytes)
{
    if (memory_mark_foreign(address, bytes) && !memory_races_off)
        finding_restart();
}

/* An object on a stack is atomic: from now on its owner's plain accesses (its initialisation, when
 * the frame comes again) count as well. If another thread found it first, what its owner did before
 * must be known, too. */
void memory_note_atomic(char *address, unsigned size, int thread)
{
    int owner = fiber_of_stack(address);
    if (owner < 0)
        return;
    if (thread == owner)
        mark_stack(address, size, STACK_ATOMIC);
    locals_note_atomic(address, thread); /* first: the location is new only once */
    if (thread != owner)
        memory_note_foreign(address, size);
}

/* Kept off the way of accesses to stacks that nobody shares. */
__attribute__((noinline)) static bool is_shared_stack(const char *address, size_t bytes)
{
    for (uintptr_t a = (uintptr_t)address & ~(uintptr_t)7; a < (uintptr_t)address + bytes; a += 8) {
        uint32_t g = granules_find((const void *)a);
        if (g && granules[g].shared)
            return true;
    }
    return false;
}

/* False if the access needs no check: the thread's own stack, unless others use that part. */
static inline bool is_shared(char *address, size_t bytes, const void *pc, bool writes)
{
    Fiber *self = &fibers[fiber_current];
    if (address >= self->limit && address < self->base) {
        if (LIKELY(!(facts_met[FACT_stacks_shared] >> fiber_current & 1)))
            return false;
        returned_touch(address);
        return is_shared_stack(address, bytes);
    }
    if (in_heap(address))
        heap_check(address, bytes, writes, pc);
    else if (UNLIKELY((uintptr_t)address - STACK_BASE < (uintptr_t)MAX_THREADS * STACK_SLOT))
        memory_note_foreign(address, bytes), memory_check_storage(address, bytes, writes, pc);
    else if (UNLIKELY(fiber_near_storage(address)))
        memory_check_storage(address, bytes, writes, pc);
    else if (UNLIKELY(mappings_gone_count))
        memory_check_mapped(address, bytes, writes, pc);
    return true;
}

const MemoryDivert *memory_divert;

/* A read after a volatile one that is not over (deferred.h). */
static __attribute__((noinline)) void read_before_end(const void *address, size_t bytes,
                                                      const void *pc)
{
    Deferred store = deferred;
    deferred.address = NULL;
    op_plain_read(address, bytes, pc);
    deferred_resume_copy(&store);
}

/* These two are functions of their own so that op_plain_read and op_plain_write save no register
 * before they know where to go on: what they save stays below the frame of the program. Their own
 * frames hold nothing but that, so that they do not differ where the program's do not. */
static __attribute__((noinline)) void read_in_graph(const void *address, size_t bytes,
                                                    const void *pc)
{
    char *at = (char *)(uintptr_t)address;
    spin_note_read(address, bytes, pc);
    if (UNLIKELY(deferred.address)) {
        if (deferred_is_late(pc)) {
            read_before_end(address, bytes, pc);
            return;
        }
        deferred_flush();
    }
    if (is_shared(at, bytes, pc, false)) {
        if (UNLIKELY(memory_pauses))
            memory_pause(address, bytes);
        access_memory(at, bytes, false, pc);
    }
}

/* A volatile access of the thread comes before (deferred.h), whose end would put memory back over
 * what this one writes. */
static __attribute__((noinline)) void divert_after_volatile(char *address, size_t bytes,
                                                            bool writes, const void *pc)
{
    if (!writes && deferred_is_late(pc)) {
        Deferred store = deferred;
        deferred.address = NULL;
        memory_divert->access(address, bytes, false, pc);
        deferred_resume_copy(&store);
        return;
    }
    deferred_flush();
    memory_divert->access(address, bytes, writes, pc);
}

void op_plain_read(const void *address, size_t bytes, const void *pc)
{
    if (LIKELY(memory_divert == NULL))
        read_in_graph(address, bytes, pc);
    else if (UNLIKELY(deferred.address))
        divert_after_volatile((char *)(uintptr_t)address, bytes, false, pc);
    else
        memory_divert->access((char *)(uintptr_t)address, bytes, false, pc);
}

void op_forget_rounds(uint32_t *counter, uint32_t *rounds, uint32_t each)
{
    if (memory_divert)
        memory_divert->forget_rounds(counter, rounds, each);
}

static __attribute__((noinline)) void write_in_graph(void *address, size_t bytes, const void *pc)
{
    if (UNLIKELY(deferred.address))
        deferred_flush();
    if (is_shared(address, bytes, pc, true)) {
        spin_writes++;
        access_memory(address, bytes, true, pc);
    }
}

void op_plain_write(void *address, size_t bytes, const void *pc)
{
    if (LIKELY(memory_divert == NULL))
        write_in_graph(address, bytes, pc);
    else if (UNLIKELY(deferred.address))
        divert_after_volatile(address, bytes, true, pc);
    else
        memory_divert->access(address, bytes, true, pc);
}

void op_write(void *to, const void *from, size_t bytes)
{
    char *at = to;
    Fiber *self = fiber_current >= 0 ? &fibers[fiber_current] : NULL;
    if (UNLIKELY(memory_divert != NULL)) {
        if (self)
            memory_divert->write(to, bytes);
        memcpy(to, from, bytes);
        return;
    }
    bool own_stack = self && at >= self->limit && at < self->base;
    spin_writes += !own_stack;
    if (self && !own_stack)
        for (size_t done = 0; done < bytes; done += 8)
            undo_save(at + done, (unsigned)MIN(bytes - done, (size_t)8));
    if (LIKELY(bytes == 4)) /* without a call */
        memcpy(to, from, 4);
    else
        memcpy(to, from, bytes);
}

void memory_check_mapped(const char *address, size_t bytes, bool writes, const void *pc)
{
    if (!mappings_are_gone(address, bytes))
        return;
    op_blame(writes ? BLAME_WRITE : BLAME_READ, address, bytes);
    op_violation(VIOLATION_USE_AFTER_FREE, pc, "a %s of %zu byte%s at %p, which was unmapped",
                 writes ? "write" : "read", bytes, bytes == 1 ? "" : "s", (const void *)address);
}

void memory_report_ended(const char *address, size_t bytes, bool writes, int owner, const void *pc)
{
    op_blame(writes ? BLAME_WRITE : BLAME_READ, address, bytes);
    op_violation(VIOLATION_USE_AFTER_FREE, pc,
                 "a %s of %zu byte%s of a %slocal variable of thread %d, which has ended",
                 writes ? "write" : "read", bytes, bytes == 1 ? "" : "s",
                 fiber_of_stack(address) < 0 ? "thread-" : "", owner);
}

int memory_owner(const char *address)
{
    int owner = fiber_of_stack(address);
    return owner < 0 ? fiber_of_storage(address) : owner;
}

void memory_check_storage(const char *address, size_t bytes, bool writes, const void *pc)
{
    int owner = memory_owner(address);
    if (owner < 0 || owner == fiber_current || memory_races_off)
        return;
    if (fiber_of_stack(address) >= 0)
        returned_check(address, owner, pc);
    if (options.check.enabled)
        return;
    if (fiber_of_stack(address) < 0) /* what ended before must be known, too */
        facts_note(FACT_storage_shared, 0, thread_bit(owner));
    /* (exit does not end the blocks of its thread) */
    if (threads_ended >> owner & 1 && graph_reached(last_event(owner)) &&
        !last_event(owner)->success_order)
        memory_report_ended(address, bytes, writes, owner, pc);
}

void memory_check_end(int t)
{
    size_t bytes;
    ThreadSet shared = facts_met[FACT_storage_shared] | facts_met[FACT_stacks_shared];
    if (LIKELY(!(shared >> t & 1)) || memory_divert || options.check.enabled)
        return;
    char *begin = fiber_storage(t, &bytes);
    memory_check_free(begin, bytes, t, NULL);
    memory_check_free(fibers[t].limit, (size_t)(fibers[t].base - fibers[t].limit), t, NULL);
}
