#include "guest/explore/memory/memory.h"
#include <string.h>
#include "guest/explore/checkpoint.h"
#include "guest/explore/finding.h"
#include "guest/explore/memory/blocks.h"
#include "guest/explore/memory/pieces.h"
#include "guest/explore/spin.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/memory/deferred.h"
#include "guest/runtime/fiber.h"
#include "guest/explore/memory/divert.h"
#include "guest/explore/memory/heap.h"
#include "guest/runtime/mappings.h"
#include "guest/runtime/pages.h"
#include "record/units_shared.h"

#define MAX_GRANULES (1u << 24)
#define MAX_CELLS (1u << 24)

typedef struct Granule {
    uintptr_t key; /* address / 8 */
    uint32_t cells;
    LocationId locations;
    uint8_t promoted; /* bytes whose plain accesses are events */
    uint8_t cuts;     /* bit b: between bytes b - 1 and b, events of these end and begin */
    uint8_t shared;   /* a stack granule that other threads touch */
    uint8_t blocks;   /* blocks.c */
} Granule;

Cell *memory_cells;
bool memory_has_wide, memory_races_off;
ThreadSet memory_stacks_shared, memory_stack_written;
uint32_t memory_promoted;
MemoryTrace *memory_trace;
static Granule *granules;
static uint32_t granule_count, cell_count;
static uint32_t *table; /* open addressing: granule numbers */
static uint32_t table_mask;

void memory_setup(void)
{
    granules = pages_reserve(sizeof(Granule) * MAX_GRANULES);
    memory_cells = pages_reserve(sizeof(Cell) * MAX_CELLS);
    table_mask = 1023;
    table = pages_alloc(sizeof(uint32_t) * (table_mask + 1));
}

void memory_reset(void)
{
    for (uint32_t c = 1; c <= cell_count; c++)
        memory_cells[c].has_write = 0, memory_cells[c].readers = 0;
    memory_stack_written = 0;
    memory_races_off = false;
}

/* ---- granules ---- */

static inline uint32_t table_slot(uintptr_t key)
{
    return (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 40) & table_mask;
}

static void table_grow(void)
{
    uint32_t grown = table_mask * 2 + 1;
    table = pages_alloc(sizeof(uint32_t) * ((size_t)grown + 1));
    table_mask = grown;
    for (uint32_t g = 1; g <= granule_count; g++) {
        uint32_t slot = table_slot(granules[g].key);
        while (table[slot])
            slot = (slot + 1) & table_mask;
        table[slot] = g;
    }
}

uint32_t memory_find_granule(const void *address)
{
    uintptr_t key = (uintptr_t)address >> 3;
    uint32_t slot = table_slot(key);
    while (table[slot] && granules[table[slot]].key != key)
        slot = (slot + 1) & table_mask;
    return table[slot];
}

uint32_t memory_granule(const void *address)
{
    uintptr_t key = (uintptr_t)address >> 3;
    uint32_t slot = table_slot(key);
    for (; table[slot]; slot = (slot + 1) & table_mask)
        if (LIKELY(granules[table[slot]].key == key))
            return table[slot];
    if (UNLIKELY(granule_count + 1 >= MAX_GRANULES))
        op_unsupported("the program touches more than %u MB of shared memory", MAX_GRANULES >> 17);
    uint32_t g = ++granule_count;
    granules[g] = (Granule){.key = key};
    table[slot] = g;
    if (granule_count * 2 > table_mask)
        table_grow();
    return g;
}

LocationId memory_granule_locations(uint32_t granule)
{
    return granules[granule].locations;
}

void memory_set_granule_locations(uint32_t granule, LocationId first)
{
    granules[granule].locations = first;
}

uint8_t *memory_granule_blocks(uint32_t granule)
{
    return &granules[granule].blocks;
}

void memory_note_stack_write(const void *address)
{
    int owner = fiber_of_stack(address);
    if (UNLIKELY(owner >= 0) && owner != fiber_current)
        memory_stack_written |= thread_bit(owner);
}

void memory_promote(char *address, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        Granule *g = &granules[memory_granule(address + i)];
        g->promoted |= (uint8_t)(1u << ((uintptr_t)(address + i) & 7));
    }
    const char *ends[2] = {address, address + bytes};
    for (int i = 0; i < 2; i++)
        if ((uintptr_t)ends[i] & 7)
            granules[memory_granule(ends[i])].cuts |= (uint8_t)(1u << ((uintptr_t)ends[i] & 7));
    memory_promoted++;
}

void memory_promote_read(char *address, unsigned bytes)
{
    int owner = fiber_of_stack(address);
    if (owner >= 0) {
        for (unsigned i = 0; i < bytes; i++)
            granules[memory_granule(address + i)].shared = 1;
        memory_stacks_shared |= thread_bit(owner);
    }
    memory_promote(address, bytes);
}

bool memory_cut(const char *address)
{
    unsigned b = (uintptr_t)address & 7;
    uint32_t g = b ? memory_find_granule(address) : 0;
    if (!g || (granules[g].promoted >> (b - 1) & 3) != 3 || granules[g].cuts >> b & 1)
        return false;
    granules[g].cuts |= (uint8_t)(1u << b);
    return true;
}

bool memory_races_in(const char *address, size_t bytes)
{
    for (const char *end = address + bytes; address < end;) {
        uint32_t g = memory_find_granule(address);
        unsigned offset = (uintptr_t)address & 7;
        unsigned piece = (unsigned)MIN((size_t)(end - address), (size_t)8 - offset);
        if (g && granules[g].promoted & ((1u << piece) - 1) << offset)
            return true;
        address += piece;
    }
    return false;
}

unsigned memory_piece(const char *address, size_t bytes, bool *races)
{
    uint32_t g = memory_find_granule(address);
    unsigned offset = (uintptr_t)address & 7;
    unsigned end = (unsigned)MIN((size_t)8, offset + bytes), at = offset + 1;
    *races = g && granules[g].promoted >> offset & 1;
    while (at < end && (g && granules[g].promoted >> at & 1) == *races &&
           !(*races && granules[g].cuts >> at & 1))
        at++;
    return at - offset;
}

/* ---- races ---- */

/* The access that asks, if it is an event that is not made yet: else the report would show the
 * event before it. */
static OpBlame asking;

static struct {
    uintptr_t from, to;
} exempt[64];
static unsigned exempt_count;

void memory_exempt(const void *address, size_t bytes)
{
    ASSERT(exempt_count < COUNT_OF(exempt));
    exempt[exempt_count].from = (uintptr_t)address;
    exempt[exempt_count++].to = (uintptr_t)address + bytes;
}

static bool is_exempt(const char *address)
{
    for (unsigned i = 0; i < exempt_count; i++)
        if ((uintptr_t)address >= exempt[i].from && (uintptr_t)address < exempt[i].to)
            return true;
    return false;
}

static bool races_are_errors(void)
{
    return options.races == RACES_ERROR ||
           (options.races == RACES_DEFAULT && model_forbids_races(options.model));
}

/* Two unordered accesses meet: the model and who asks decide what is wrong with that. */
static void race_found(char *address, unsigned bytes, int self, int other, const void *pc,
                       bool with_free)
{
    if (memory_races_off || is_exempt(address))
        return;
    if (with_free) {
        finding_set_partner(other, address, bytes);
        op_violation(VIOLATION_USE_AFTER_FREE, pc,
                     "thread %d frees memory that thread %d may still access: "
                     "nothing orders the two",
                     self, other);
    }
    if (races_are_errors()) {
        finding_set_partner(other, address, bytes);
        finding_set_blame(asking);
        asking = BLAME_NOTHING;
        op_violation(VIOLATION_RACE, pc,
                     "threads %d and %d access the same memory, at least one writes, not both "
                     "atomically, and nothing orders them",
                     other, self);
    }
    asking = BLAME_NOTHING;
    /* this location becomes part of the graph, from the beginning */
    memory_promote(address, bytes);
    finding_restart();
}

static inline void check_cell(const Cell *cell, const Clock *h, int t, bool writes, char *address,
                              unsigned bytes, const void *pc, bool with_free)
{
    if (cell->has_write && cell->writer != t && cell->write_tag >= h->at[cell->writer])
        race_found(address, bytes, t, cell->writer, pc, with_free);
    if (writes)
        for (ThreadSet others = cell->readers & ~thread_bit(t); others; others &= others - 1) {
            int u = thread_first(others);
            if (cell->read_tag[u] >= h->at[u])
                race_found(address, bytes, t, u, pc, with_free);
        }
}

/* Does E, an event of X, access any of these bytes? */
static bool event_touches(const Event *e, const Location *x, const char *address, unsigned bytes)
{
    if (LIKELY(!e->part))
        return true;
    const char *from = x->address + block_part_offset(e->part);
    return !(e->merge && e->kind == EVENT_READ) && address < from + block_part_size(e->part, 0) &&
           from < address + bytes;
}

/* A plain access against the atomic events of a location. */
static void check_events(const Location *x, const Clock *h, int t, bool writes, char *address,
                         unsigned bytes, const void *pc, bool with_free)
{
    for (int j = 1; j < x->writes; j++) {
        const Event *e = &pool[x->co[j]];
        if (e->thread != t && !before(e, h) && checkpoint_reached(e) &&
            event_touches(e, x, address, bytes))
            race_found(address, bytes, t, e->thread, pc, with_free);
    }
    if (writes)
        for (int j = 0; j < x->reads; j++) {
            const Event *e = &pool[x->read[j]];
            if (e->thread != t && !before(e, h) && checkpoint_reached(e) &&
                event_touches(e, x, address, bytes))
                race_found(address, bytes, t, e->thread, pc, with_free);
        }
}

bool memory_is_used_plainly(const Location *x)
{
    return granules[x->granule].cells || UNLIKELY(x->size == 16);
}

/* Bytes of X, given as a mask, as bytes of its granule and of the next one. */
static void masks_of(const Location *x, unsigned bytes, uint8_t masks[2])
{
    unsigned in_granules = bytes << ((uintptr_t)x->address & 7);
    masks[0] = (uint8_t)in_granules;
    masks[1] = (uint8_t)(in_granules >> 8);
}

void memory_check_atomic(const Location *x, uint8_t part, const Clock *h, int t, bool writes,
                         const void *pc)
{
    uint8_t masks[2];
    char *address = x->address + block_part_offset(part);
    unsigned size = block_part_size(part, x->size);
    masks_of(x, block_part_bytes(part, x->size), masks);
    asking = writes ? BLAME_WRITE : BLAME_READ;
    for (uint32_t c = granules[x->granule].cells; c; c = memory_cells[c].next)
        if (memory_cells[c].mask & masks[0])
            check_cell(&memory_cells[c], h, t, writes, address, size, pc, false);
    uint32_t second = UNLIKELY(x->size == 16) ? memory_find_granule(x->address + 8) : 0;
    for (uint32_t c = second ? granules[second].cells : 0; c; c = memory_cells[c].next)
        if (memory_cells[c].mask & masks[1])
            check_cell(&memory_cells[c], h, t, writes, address, size, pc, false);
    asking = BLAME_NOTHING;
}

void memory_check_initialised(const Event *read, unsigned bytes)
{
    const Location *x = &locations[read->location];
    if (!in_heap(x->address) || options.uninitialised_ignored || heap_is_zeroed(x->address))
        return;
    if (read->plain == 1) /* it races; like those that do not, it may copy what has no meaning */
        return;
    uint8_t masks[2];
    masks_of(x, bytes, masks);
    uint8_t missing = masks[0];
    for (uint32_t c = granules[x->granule].cells; c; c = memory_cells[c].next)
        if (memory_cells[c].has_write)
            missing &= (uint8_t)~memory_cells[c].mask;
    const EventExtra *extra = &pool_extra[event_id(read)];
    if (missing && read->request == REQUEST_AWAIT && extra->object) {
        op_blame(BLAME_READ, x->address, x->size);
        op_violation(VIOLATION_MISUSE, (void *)read->pc, "%s of a %s that was never initialised",
                     extra->verb, extra->object);
    }
    if (missing) {
        op_blame(BLAME_READ, x->address, x->size);
        op_violation(VIOLATION_UNINITIALISED_READ, (void *)read->pc,
                     "an atomic read of heap memory that nothing has written yet");
    }
}

static bool is_written(const void *address, unsigned size)
{
    LocationId x = graph_find_location(address);
    uint32_t g = memory_find_granule(address);
    unsigned mask = ((1u << size) - 1) << ((uintptr_t)address & 7);
    for (uint32_t c = g ? granules[g].cells : 0; c; c = memory_cells[c].next)
        if (memory_cells[c].has_write && memory_cells[c].mask & mask)
            return true;
    return x && locations[x].writes > 1;
}

bool op_is_blank(const void *address, unsigned size)
{
    if (memory_divert || !in_heap(address) || options.uninitialised_ignored ||
        heap_is_zeroed(address) || is_written(address, size))
        return false;
    deferred_settle(); /* a plain write may be on its way */
    return !is_written(address, size);
}

static void make_cell(Granule *g, uint8_t mask)
{
    if (UNLIKELY(cell_count + 1 >= MAX_CELLS))
        op_unsupported("the program touches too much shared memory");
    uint32_t c = ++cell_count;
    memory_cells[c] = (Cell){.mask = mask, .next = g->cells};
    g->cells = c;
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
    memcpy(&entry->old, address, bytes);
    entry->thread = (uint8_t)t;
    entry->tag = (uint16_t)threads[t].count;
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

static void cell_read(uint32_t c, int t)
{
    Cell *cell = &memory_cells[c];
    LogEntry *entry = undo_push();
    entry->kind = LOG_READ;
    entry->cell = c;
    entry->address = NULL;
    entry->size = 0;
    entry->thread = (uint8_t)t;
    entry->tag = (uint16_t)threads[t].count;
    entry->dead = 0;
    entry->old_tag = cell->read_tag[t];
    entry->old_readers = cell->readers & thread_bit(t);
    cell->readers |= thread_bit(t);
    cell->read_tag[t] = entry->tag;
}

/* Nothing new: the same thread did the same since its last event. */
static inline bool repeats(const Cell *cell, int t, bool writes)
{
    uint16_t tag = (uint16_t)threads[t].count;
    if (cell->has_write && cell->writer == t && cell->write_tag == tag)
        return !writes || !cell->readers;
    return !writes && (cell->readers >> t & 1) && cell->read_tag[t] == tag;
}

static void touch_cell(uint32_t c, int t, char *address, unsigned bytes, bool writes,
                       const void *pc)
{
    if (!memory_races_off && repeats(&memory_cells[c], t, writes))
        return; /* and the bytes are in the log since this thread's last event */
    if (!memory_races_off)
        check_cell(&memory_cells[c], graph_tip(t), t, writes, address, bytes, pc, false);
    if (writes)
        cell_write(c, t, address, bytes);
    else
        cell_read(c, t);
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
            if (common && common != memory_cells[c].mask) {
                Cell *cell = &memory_cells[c];
                bool used = cell->has_write || cell->readers;
                make_cell(g, cell->mask & (uint8_t)~mask);
                memory_cells[c].mask = common;
                /* its log entries know only one of the two: begin again with both */
                if (used && !memory_races_off)
                    finding_restart();
            }
            left &= (uint8_t)~common;
        }
        if (left) /* bytes never seen before, in runs */
            for (unsigned b = 0; b < 8; b++)
                if (left >> b & 1) {
                    unsigned e = b;
                    while (e < 8 && (left >> e & 1))
                        e++;
                    make_cell(g, (uint8_t)(((1u << (e - b)) - 1) << b));
                    b = e;
                }
        for (uint32_t c = g->cells; c; c = memory_cells[c].next)
            if (memory_cells[c].mask & mask) {
                unsigned first = (unsigned)__builtin_ctz(memory_cells[c].mask);
                unsigned end = 32 - (unsigned)__builtin_clz(memory_cells[c].mask);
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
    for (int j = 0; j < x->writes; j++) {
        uint64_t words[2] = {write_value(x->co[j], x), graph_value_high(x->co[j], x)};
        if (memcmp(x->address, words, x->size) == 0)
            return false;
    }
    return true;
}

/* A plain read of a location that has events: without a race, what it must see is the last write in
 * coherence order; memory is made to hold it. */
static void read_location(Location *x)
{
    int last = x->writes - 1;
    while (last > 0 && !checkpoint_reached(&pool[x->co[last]]))
        last--;
    EventId w = x->co[last];
    uint64_t words[2] = {write_value(w, x), graph_value_high(w, x)};
    if (memcmp(x->address, words, x->size) == 0 || is_overwritten(x))
        return;
    undo_save(x->address, MIN(x->size, 8u));
    if (x->size == 16)
        undo_save(x->address + 8, 8);
    memcpy(x->address, words, x->size);
}

/* Does X have events? */
static bool in_use(const Location *x)
{
    if (LIKELY(!checkpoint_replaying))
        return x->writes > 1 || x->reads;
    for (int j = 1; j < x->writes; j++)
        if (checkpoint_reached(&pool[x->co[j]]))
            return true;
    for (int j = 0; j < x->reads; j++)
        if (checkpoint_reached(&pool[x->read[j]]))
            return true;
    return false;
}

/* A plain access to a part of X. Unless that is a block, it counts as one to all of it. */
static void check_part(const Location *x, int t, bool writes, char *address, unsigned bytes,
                       const void *pc)
{
    char *base;
    unsigned size;
    if (LIKELY(!blocks_known) || !blocks_find(x->address, &base, &size)) {
        address = x->address;
        bytes = x->size;
    }
    check_events(x, graph_tip(t), t, writes, address, bytes, pc, false);
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
        read_location(x); /* a write may cover a part of it only */
        met = true;
    }
    return met;
}

bool memory_location_in(const char *start, const char *end, unsigned number, char **address,
                        unsigned *size)
{
    /* one granule earlier: a 16-byte location may reach in */
    for (uintptr_t a = ((uintptr_t)start & ~(uintptr_t)7) - 8; a < (uintptr_t)end; a += 8) {
        uint32_t g = memory_find_granule((void *)a);
        for (LocationId l = g ? granules[g].locations : 0; l; l = locations[l].next) {
            const Location *x = &locations[l];
            if (in_use(x) && x->address + x->size > start && x->address < end && number-- == 0) {
                *address = x->address;
                *size = x->size;
                return true;
            }
        }
    }
    return false;
}

/* True if a write meets locations with events, and so becomes a store of each. */
static bool access_granule(char *address, unsigned bytes, bool writes, const void *pc)
{
    Granule *g = &granules[memory_granule(address)];
    bool met = UNLIKELY(g->locations) && meet_events(g->locations, address, bytes, writes, pc);
    if (UNLIKELY(memory_has_wide)) { /* a 16-byte location may reach in from the granule before */
        uint32_t before_it = memory_find_granule(address - 8);
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
        Granule *g = &granules[memory_granule(address)];
        if (g->promoted & ((1u << piece) - 1) << offset) {
            for (LocationId l = g->locations; l; l = locations[l].next)
                if (in_use(&locations[l]))
                    check_events(&locations[l], graph_tip(fiber_current), fiber_current, writes,
                                 address, piece, pc, false);
            touch_granule(g, address, piece, writes, pc);
        }
        address += piece;
        bytes -= piece;
    }
}

static inline void access_memory(char *address, size_t bytes, bool writes, const void *pc)
{
    if (LIKELY(!memory_promoted) || !memory_races_in(address, bytes)) {
        access_plain(address, bytes, writes, pc);
        return;
    }
    check_promoted(address, bytes, writes, pc);
    if (writes)
        pieces_write(address, bytes, pc);
    else
        pieces_read(address, bytes, pc);
}

/* Another thread touches T's stack: from now on T's own accesses there count as well. */
static void share_stack(int owner, char *address, size_t bytes)
{
    bool fresh = false;
    for (uintptr_t a = (uintptr_t)address & ~(uintptr_t)7; a < (uintptr_t)address + bytes; a += 8) {
        Granule *g = &granules[memory_granule((void *)a)];
        fresh |= !g->shared;
        g->shared = 1;
    }
    memory_stacks_shared |= thread_bit(owner);
    if (fresh && !memory_races_off)
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
    if (thread != owner) {
        share_stack(owner, address, size);
        return;
    }
    for (uintptr_t a = (uintptr_t)address & ~(uintptr_t)7; a < (uintptr_t)address + size; a += 8)
        granules[memory_granule((void *)a)].shared = 1;
    memory_stacks_shared |= thread_bit(owner);
}

/* Kept off the way of accesses to stacks that nobody shares. */
__attribute__((noinline)) static bool is_shared_stack(const char *address, size_t bytes)
{
    for (uintptr_t a = (uintptr_t)address & ~(uintptr_t)7; a < (uintptr_t)address + bytes; a += 8) {
        uint32_t g = memory_find_granule((const void *)a);
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
        if (LIKELY(!(memory_stacks_shared >> fiber_current & 1)))
            return false;
        return is_shared_stack(address, bytes);
    }
    if (in_heap(address))
        heap_check(address, bytes, writes, pc);
    else if (UNLIKELY((uintptr_t)address - STACK_BASE < (uintptr_t)MAX_THREADS * STACK_SLOT))
        share_stack(fiber_of_stack(address), address, bytes);
    else if (UNLIKELY(mappings_gone_count))
        memory_check_mapped(address, bytes, writes, pc);
    return true;
}

const MemoryDivert *memory_divert;

void op_plain_read(const void *address, size_t bytes, const void *pc)
{
    char *at = (char *)(uintptr_t)address;
    if (UNLIKELY(memory_divert != NULL)) {
        memory_divert->access(at, bytes, false, pc);
        return;
    }
    spin_note_read(address, bytes, pc);
    if (UNLIKELY(deferred.address)) {
        if (deferred_is_late(pc)) {
            Deferred store = deferred;
            deferred.address = NULL;
            op_plain_read(address, bytes, pc);
            deferred_resume_copy(&store);
            return;
        }
        deferred_flush();
    }
    if (is_shared(at, bytes, pc, false))
        access_memory(at, bytes, false, pc);
}

void op_plain_write(void *address, size_t bytes, const void *pc)
{
    if (UNLIKELY(memory_divert != NULL)) {
        memory_divert->access(address, bytes, true, pc);
        return;
    }
    if (UNLIKELY(deferred.address))
        deferred_flush();
    if (is_shared(address, bytes, pc, true)) {
        spin_writes++;
        access_memory(address, bytes, true, pc);
    }
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

static void check_free_granule(uint32_t g, uintptr_t address, const void *pc)
{
    int t = fiber_current;
    const Clock *h = graph_tip(t);
    for (uint32_t c = granules[g].cells; c; c = memory_cells[c].next)
        check_cell(&memory_cells[c], h, t, true, (char *)address, 8, pc, true);
    for (LocationId l = granules[g].locations; l; l = locations[l].next)
        check_events(&locations[l], h, t, true, locations[l].address, locations[l].size, pc, true);
}

void memory_check_free(char *address, size_t bytes, const void *pc)
{
    if (memory_races_off)
        return;
    uintptr_t first = (uintptr_t)address & ~(uintptr_t)7, end = (uintptr_t)address + bytes;
    if (bytes / 8 <= granule_count) {
        for (uintptr_t a = first; a < end; a += 8) {
            uint32_t g = memory_find_granule((void *)a);
            if (g)
                check_free_granule(g, a, pc);
        }
        return;
    }
    for (uint32_t g = 1; g <= granule_count; g++) /* more bytes than were ever touched */
        if (granules[g].key * 8 >= first && granules[g].key * 8 < end)
            check_free_granule(g, granules[g].key * 8, pc);
}

/* ---- what was discovered, as data ---- */

static bool is_worth_telling(const Granule *g)
{
    return g->promoted || g->cuts || g->shared || g->blocks ||
           (g->cells && memory_cells[g->cells].next);
}

size_t memory_knowledge_get(unsigned char *to, size_t room)
{
    KnownMemory all = {memory_stacks_shared, memory_promoted, memory_has_wide, options.checkpoints,
                       graph_many_threads};
    size_t used = sizeof all;
    memcpy(to, &all, sizeof all);
    for (uint32_t i = 1; i <= granule_count; i++) {
        const Granule *g = &granules[i];
        if (!is_worth_telling(g))
            continue;
        KnownGranule known = {.key = g->key,
                              .promoted = g->promoted,
                              .cuts = g->cuts,
                              .shared = g->shared,
                              .blocks = g->blocks};
        for (uint32_t c = g->cells; c && known.cell_count < 8; c = memory_cells[c].next)
            known.cells[known.cell_count++] = memory_cells[c].mask;
        if (used + sizeof known > room)
            return 0;
        memcpy(to + used, &known, sizeof known);
        used += sizeof known;
    }
    return used;
}

bool memory_knowledge_put(const unsigned char *from, size_t bytes)
{
    KnownMemory all;
    if (bytes < sizeof all || (bytes - sizeof all) % sizeof(KnownGranule))
        return false;
    memcpy(&all, from, sizeof all);
    memory_stacks_shared |= all.stacks_shared;
    memory_promoted = MAX(memory_promoted, all.promoted);
    memory_has_wide |= all.has_wide != 0;
    options.checkpoints &= all.checkpoints;
    graph_many_threads |= all.many_threads != 0;
    for (size_t at = sizeof all; at < bytes; at += sizeof(KnownGranule)) {
        KnownGranule known;
        memcpy(&known, from + at, sizeof known);
        if (known.cell_count > 8)
            return false;
        Granule *g = &granules[memory_granule((void *)(uintptr_t)(known.key << 3))];
        g->promoted |= known.promoted;
        g->cuts |= known.cuts;
        g->shared |= known.shared;
        g->blocks |= known.blocks;
        blocks_known |= known.blocks != 0;
        for (int i = g->cells ? 0 : known.cell_count; i-- > 0;)
            make_cell(g, known.cells[i]);
    }
    return true;
}
