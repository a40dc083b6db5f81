/* shares.c: --shard: which leaves of the search tree belong to this process (units.h). */
#include <limits.h>
#include "base/hash.h"
#include "guest/explore/search/frames.h"
#include "guest/explore/search/revisit.h"
#include "guest/explore/scale/self.h"

#define PREFIXES_A_SHARE 512

bool units_owns_way(void)
{
    if (units_measuring)
        return true;
    uint64_t hash = 1;
    for (int i = 0; i < MIN(frame_count, units_depth); i++)
        hash = hash_combine(hash, frames[i].taken);
    return hash % units_self.shared->shards == units_self.shared->shard;
}

bool units_leave(bool leaf)
{
    if (units_replaying)
        return false;
    if (frames_lowest < units_depth)
        units_self.decided = false;
    frames_lowest = INT_MAX;
    if (units_self.decided || (frame_count < units_depth && !leaf))
        return false;
    units_self.decided = true;
    units_self.prefixes++;
    units_self.reached |= !leaf;
    if (!units_measuring && units_owns_way())
        return false;
    frames_drop(MIN(frame_count, units_depth));
    return true;
}

bool units_find_depth(void (*search)(void))
{
    if (!units_self.shared->shards || units_depth || units_self.alone || units_self.test.number)
        return true;
    ExploreCounts before = counts;
    uint64_t revisits = revisit_count;
    units_measuring = true;
    do {
        units_depth += 2;
        units_self.prefixes = 0;
        units_self.reached = units_self.decided = false;
        frames_lowest = INT_MAX;
        explore_begin();
        search();
    } while (!explore_stopped && units_self.reached &&
             units_self.prefixes < (uint64_t)PREFIXES_A_SHARE * units_self.shared->shards);
    units_measuring = units_self.decided = false;
    frames_lowest = INT_MAX;
    units_self.shared->depth = (uint32_t)units_depth;
    counts = before;
    revisit_count = revisits;
    return !explore_stopped;
}
