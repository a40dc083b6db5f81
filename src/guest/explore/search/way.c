#include "guest/explore/search/way.h"
#include <limits.h>
#include "base/hash.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/search/frames.h"

SearchWay search_way;

void way_refuse(void)
{
    search_way.replaying = false;
    search_way.on_refusal();
    op_unsupported("the work that was written down does not fit the program: it does not repeat "
                   "its steps");
}

bool way_is_owned(void)
{
    if (search_way.measuring)
        return true;
    uint64_t hash = 1;
    for (int i = 0; i < MIN(frame_count, search_way.depth); i++)
        hash = hash_combine(hash, frames[i].taken);
    return hash % search_way.shards == search_way.shard;
}

bool way_leave(bool leaf)
{
    if (search_way.replaying)
        return false;
    if (frame_draws.lowest < search_way.depth)
        search_way.decided = false;
    frame_draws.lowest = INT_MAX;
    if (search_way.decided || (frame_count < search_way.depth && !leaf))
        return false;
    search_way.decided = true;
    search_way.prefixes++;
    search_way.reached |= !leaf;
    if (!search_way.measuring && way_is_owned())
        return false;
    frames_drop(MIN(frame_count, search_way.depth));
    return true;
}
