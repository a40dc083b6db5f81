#include "guest/explore/scale/known.h"
#include "guest/explore/reduce/symmetry/groups.h"
#include <string.h>
#include "guest/explore/memory/blocks.h"
#include "guest/explore/memory/cells.h"
#include "guest/explore/memory/locals.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/returned.h"
#include "guest/explore/reduce/symmetry/alike.h"
#include "guest/explore/reduce/symmetry/pasts.h"
#include "guest/explore/reduce/waiting/arrivals.h"
#include "guest/explore/reduce/waiting/reused.h"
#include "record/units_shared.h"

static bool is_worth_telling(const Granule *g)
{
    return g->promoted || g->cuts || g->shared || g->blocks || reused_is_known(g) ||
           (g->cells && memory_cells[g->cells].next);
}

size_t known_get(unsigned char *to, size_t room)
{
    KnownMemory all = {.stacks_shared = memory_stacks_shared,
                       .promoted = memory_promoted,
                       .has_wide = locations_any_wide,
                       .checkpoints = options.checkpoints,
                       .many_threads = graph_many_threads,
                       .told_apart = alike_refused};
    size_t used = sizeof all;
    arrivals_get(&all.arrivals);
    reused_get(&all);
    groups_get(all.alike);
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

bool known_put(const unsigned char *from, size_t bytes)
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
    locations_any_wide |= all.has_wide != 0;
    options.checkpoints &= all.checkpoints;
    graph_many_threads |= all.many_threads != 0;
    arrivals_put(&all.arrivals);
    groups_put(all.alike);
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
            cells_add(g, known.cells[i]);
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

bool known_more(const unsigned char *from, size_t bytes)
{
    KnownMemory all;
    bytes = units_memory_bytes(from, bytes);
    if (!bytes)
        return true;
    memcpy(&all, from, sizeof all);
    bool more = (memory_stacks_shared & ~all.stacks_shared) || memory_promoted > all.promoted ||
                (locations_any_wide && !all.has_wide) ||
                (graph_many_threads && !all.many_threads) || (alike_refused && !all.told_apart) ||
                (all.checkpoints && !options.checkpoints) || arrivals_know_more(&all.arrivals) ||
                reused_knows_more(&all);
    for (uint32_t i = 1; i <= granule_count && !more; i++)
        more = !is_known_there(&granules[i], from, bytes);
    return more;
}
