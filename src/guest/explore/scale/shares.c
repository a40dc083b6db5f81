/* shares.c: --shard: which leaves of the search tree belong to this process (units.h). */
#include <limits.h>
#include "base/hash.h"
#include "guest/explore/search/frames.h"
#include "guest/explore/search/revisit.h"
#include "guest/explore/scale/self.h"

#define PREFIXES_A_SHARE 512

bool units_find_depth(void (*search)(void))
{
    search_way.shards = units_self.shared->shards;
    search_way.shard = units_self.shared->shard;
    if (!search_way.shards || search_way.depth || units_self.alone || units_self.test.number)
        return true;
    ExploreCounts before = counts;
    uint64_t revisits = revisit_count;
    search_way.measuring = true;
    do {
        search_way.depth += 2;
        search_way.prefixes = 0;
        search_way.reached = search_way.decided = false;
        frame_draws.lowest = INT_MAX;
        explore_begin();
        search();
    } while (!exploration.stopped && search_way.reached &&
             search_way.prefixes < (uint64_t)PREFIXES_A_SHARE * units_self.shared->shards);
    search_way.measuring = search_way.decided = false;
    frame_draws.lowest = INT_MAX;
    units_self.shared->depth = (uint32_t)search_way.depth;
    counts = before;
    revisit_count = revisits;
    return !exploration.stopped;
}
