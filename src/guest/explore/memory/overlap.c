#include "guest/explore/memory/overlap.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/blocks.h"
#include "guest/explore/memory/memory.h"

/* Has X been overwritten by a plain write, and is all that happened to it before THREAD's next
 * event? Then its memory has begun another life, as another object. */
static bool ended(const Location *x, int thread)
{
    const Clock *h = graph_tip(thread);
    if (x->writes == 1 || pool[x->co[x->writes - 1]].plain != 1)
        return false;
    for (int j = 1; j < x->writes; j++)
        if (!before(&pool[x->co[j]], h))
            return false;
    for (int j = 0; j < x->reads; j++)
        if (!before(&pool[x->read[j]], h))
            return false;
    return true;
}

static bool is_plain(const Location *x)
{
    for (int j = 1; j < x->writes; j++)
        if (pool[x->co[j]].plain != 1)
            return false;
    for (int j = 0; j < x->reads; j++)
        if (pool[x->read[j]].plain != 1)
            return false;
    return true;
}

static bool reaches_into(const char *address, unsigned size, const char *end)
{
    return end > address && end < address + size;
}

/* X and the access that comes overlap. Can it be avoided by doing plain ones in smaller pieces? */
static bool cut(const Location *x, const char *address, unsigned size)
{
    const char *from = x->address, *to = from + x->size;
    if (!is_plain(x) &&
        (reaches_into(from, x->size, address) || reaches_into(from, x->size, address + size)))
        return false;
    if (request.plain != 1 &&
        (reaches_into(address, size, from) || reaches_into(address, size, to)))
        return false;
    bool fresh = memory_cut(from);
    fresh |= memory_cut(to);
    fresh |= memory_cut(address);
    return memory_cut(address + size) || fresh;
}

/* Two atomic accesses that overlap without being equal are accesses to parts of a block (blocks.h).
 * Where plain ones race, they are events of pieces that do not overlap (pieces.h): a new boundary
 * was found. */
void overlap_meet(const Location *x, const char *address, unsigned size, int thread)
{
    DEBUG_ASSERT(address < x->address + x->size && x->address < address + size);
    bool races = facts_met[FACT_races] && memory_races_in(x->address, x->size);
    if (races && cut(x, address, size))
        finding_restart();
    if (!races && ended(x, thread))
        return;
    if (blocks_add(x->address, x->size, address, size))
        finding_restart();
    op_unsupported("atomic accesses of different sizes to memory that does not lie in 16 aligned "
                   "bytes (%u bytes at %p and %u bytes at %p)",
                   size, (const void *)address, x->size, (void *)x->address);
}
