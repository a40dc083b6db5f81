#include "guest/explore/memory/granules.h"
#include "guest/explore/reduce/symmetry/alike.h"
#include "guest/explore/reduce/symmetry/pasts.h"
#include "guest/explore/memory/locals.h"
#include <string.h>
#include "guest/explore/search/finding.h"
#include "guest/explore/memory/blocks.h"
#include "guest/explore/memory/returned.h"
#include "guest/explore/reduce/waiting/arrivals.h"
#include "guest/explore/reduce/waiting/reused.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/pages.h"
#include "record/units_shared.h"

#define MAX_GRANULES (1u << 24)
#define MAX_CELLS (1u << 24)

Granule *granules;
uint32_t granule_count, granule_mask;
uint32_t *granule_table;
Cell *memory_cells;
uint32_t memory_promoted, memory_most_promoted;
static uint32_t cell_count;

void granules_setup(void)
{
    granules = pages_reserve(sizeof(Granule) * MAX_GRANULES);
    memory_cells = pages_reserve(sizeof(Cell) * MAX_CELLS);
    granule_mask = 1023;
    granule_table = pages_alloc(sizeof(uint32_t) * (granule_mask + 1));
}

void granules_forget(void)
{
    for (uint32_t c = 1; c <= cell_count; c++)
        memory_cells[c].has_write = 0, memory_cells[c].readers = 0;
}

static void grow_table(void)
{
    uint32_t grown = granule_mask * 2 + 1;
    granule_table = pages_alloc(sizeof(uint32_t) * ((size_t)grown + 1));
    granule_mask = grown;
    for (uint32_t g = 1; g <= granule_count; g++) {
        uint32_t slot = granule_slot(granules[g].key);
        while (granule_table[slot])
            slot = (slot + 1) & granule_mask;
        granule_table[slot] = g;
    }
}

uint32_t granules_make(uintptr_t key, uint32_t slot)
{
    if (UNLIKELY(granule_count + 1 >= MAX_GRANULES))
        op_unsupported("the program touches more than %u MB of shared memory", MAX_GRANULES >> 17);
    uint32_t g = ++granule_count;
    granules[g] = (Granule){.key = key};
    granule_table[slot] = g;
    if (granule_count * 2 > granule_mask)
        grow_table();
    return g;
}

void granules_add_cell(Granule *g, uint8_t mask)
{
    if (UNLIKELY(cell_count + 1 >= MAX_CELLS))
        op_unsupported("the program touches too much shared memory");
    uint32_t c = ++cell_count;
    memory_cells[c] = (Cell){.mask = mask, .next = g->cells};
    g->cells = c;
}

uint32_t granules_cell_count(void)
{
    return cell_count;
}

void granules_forget_all(void)
{
    memset(granule_table, 0, sizeof *granule_table * ((size_t)granule_mask + 1));
    granule_count = cell_count = memory_promoted = 0;
}

void memory_promote(char *address, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        Granule *g = &granules[granules_get(address + i)];
        g->promoted |= (uint8_t)(1u << ((uintptr_t)(address + i) & 7));
    }
    const char *ends[2] = {address, address + bytes};
    for (int i = 0; i < 2; i++)
        if ((uintptr_t)ends[i] & 7)
            granules[granules_get(ends[i])].cuts |= (uint8_t)(1u << ((uintptr_t)ends[i] & 7));
    memory_promoted++;
    memory_most_promoted = MAX(memory_most_promoted, memory_promoted);
}

void memory_promote_read(char *address, unsigned bytes)
{
    int owner = fiber_of_stack(address);
    if (owner >= 0) {
        for (unsigned i = 0; i < bytes; i++)
            granules[granules_get(address + i)].shared |= STACK_ATOMIC;
        memory_stacks_shared |= thread_bit(owner);
    }
    memory_promote(address, bytes);
}

bool memory_cut(const char *address)
{
    unsigned b = (uintptr_t)address & 7;
    uint32_t g = b ? granules_find(address) : 0;
    if (!g || (granules[g].promoted >> (b - 1) & 3) != 3 || granules[g].cuts >> b & 1)
        return false;
    granules[g].cuts |= (uint8_t)(1u << b);
    return true;
}

bool memory_races_in(const char *address, size_t bytes)
{
    for (const char *end = address + bytes; address < end;) {
        uint32_t g = granules_find(address);
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
    uint32_t g = granules_find(address);
    unsigned offset = (uintptr_t)address & 7;
    unsigned end = (unsigned)MIN((size_t)8, offset + bytes), at = offset + 1;
    *races = g && granules[g].promoted >> offset & 1;
    while (at < end && (g && granules[g].promoted >> at & 1) == *races &&
           !(*races && granules[g].cuts >> at & 1))
        at++;
    return at - offset;
}

static bool is_worth_telling(const Granule *g)
{
    return g->promoted || g->cuts || g->shared || g->blocks || reused_is_known(g) ||
           (g->cells && memory_cells[g->cells].next);
}

size_t memory_knowledge_get(unsigned char *to, size_t room)
{
    KnownMemory all = {.stacks_shared = memory_stacks_shared,
                       .promoted = memory_promoted,
                       .has_wide = memory_has_wide,
                       .checkpoints = options.checkpoints,
                       .many_threads = graph_many_threads,
                       .told_apart = alike_refused};
    size_t used = sizeof all;
    arrivals_get(&all.arrivals);
    reused_get(&all);
    pasts_get_alike(all.alike);
    for (uint32_t i = 1; i <= granule_count; i++) {
        const Granule *g = &granules[i];
        if (!is_worth_telling(g))
            continue;
        KnownGranule known = {.key = g->key,
                              .promoted = g->promoted,
                              .cuts = g->cuts,
                              .shared = g->shared,
                              .blocks = g->blocks,
                              .again = g->again,
                              .first = g->first,
                              .blank = g->blank,
                              .looked = g->looked,
                              .atomic = g->atomic,
                              .again_by = g->again_by,
                              .first_by = g->first_by,
                              .freed_by = g->freed_by,
                              .read_by = g->read_by};
        for (uint32_t c = g->cells; c && known.cell_count < 8; c = memory_cells[c].next)
            known.cells[known.cell_count++] = memory_cells[c].mask;
        if (used + sizeof known > room)
            return 0;
        memcpy(to + used, &known, sizeof known);
        used += sizeof known;
        all.granules++;
    }
    memcpy(to, &all, sizeof all);
    return used;
}

bool memory_knowledge_put(const unsigned char *from, size_t bytes)
{
    KnownMemory all;
    bytes = units_memory_bytes(from, bytes);
    if (!bytes)
        return false;
    memcpy(&all, from, sizeof all);
    memory_stacks_shared |= all.stacks_shared;
    locals_on |= all.stacks_shared != 0;
    blocks_asked |= locals_on;
    memory_promoted = MAX(memory_promoted, all.promoted);
    memory_most_promoted = MAX(memory_most_promoted, memory_promoted);
    memory_has_wide |= all.has_wide != 0;
    options.checkpoints &= all.checkpoints;
    graph_many_threads |= all.many_threads != 0;
    arrivals_put(&all.arrivals);
    pasts_put_alike(all.alike);
    alike_refused |= all.told_apart != 0;
    for (size_t at = sizeof all; at < bytes; at += sizeof(KnownGranule)) {
        KnownGranule known;
        memcpy(&known, from + at, sizeof known);
        if (known.cell_count > 8)
            return false;
        Granule *g = &granules[granules_get((void *)(uintptr_t)(known.key << 3))];
        g->promoted |= known.promoted;
        g->cuts |= known.cuts;
        g->shared |= known.shared;
        g->blocks |= known.blocks;
        reused_learn(g, &known);
        returned_wanted |= (known.shared & STACK_FOREIGN) != 0;
        blocks_known |= known.blocks != 0;
        blocks_asked |= known.blocks != 0;
        for (int i = g->cells ? 0 : known.cell_count; i-- > 0;)
            granules_add_cell(g, known.cells[i]);
    }
    reused_put(&all);
    return true;
}

/* Does FROM know all of G that shapes the tree? */
static bool is_known_there(const Granule *g, const unsigned char *from, size_t bytes)
{
    KnownGranule known;
    if (!g->promoted && !g->cuts && !g->blocks && !reused_is_known(g))
        return true;
    for (size_t at = sizeof(KnownMemory); at < bytes; at += sizeof known) {
        memcpy(&known, from + at, sizeof known);
        if (known.key == g->key)
            return !(g->promoted & ~known.promoted) && !(g->cuts & ~known.cuts) &&
                   !(g->blocks & ~known.blocks) && reused_is_known_there(g, &known);
    }
    return false;
}

bool memory_knows_more(const unsigned char *from, size_t bytes)
{
    KnownMemory all;
    bytes = units_memory_bytes(from, bytes);
    if (!bytes)
        return true;
    memcpy(&all, from, sizeof all);
    bool more = (memory_stacks_shared & ~all.stacks_shared) || memory_promoted > all.promoted ||
                (memory_has_wide && !all.has_wide) || (graph_many_threads && !all.many_threads) ||
                (alike_refused && !all.told_apart) || (all.checkpoints && !options.checkpoints) ||
                arrivals_know_more(&all.arrivals) || reused_knows_more(&all);
    for (uint32_t i = 1; i <= granule_count && !more; i++)
        more = !is_known_there(&granules[i], from, bytes);
    return more;
}
