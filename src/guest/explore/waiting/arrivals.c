#include "guest/explore/waiting/arrivals.h"
#include <string.h>
#include "guest/explore/finding.h"
#include "guest/explore/ghost.h"
#include "guest/explore/ops.h"
#include "guest/explore/scrub.h"

bool arrivals_have_turns;
static KnownArrivals known; /* first the barriers that are known, in the order of their discovery */

void arrivals_reset(void)
{
    known = (KnownArrivals){0};
}

void arrivals_get(KnownArrivals *to)
{
    *to = known;
}

void arrivals_put(const KnownArrivals *from)
{
    known = *from;
}

bool arrivals_know_more(const KnownArrivals *from)
{
    return memcmp(&known, from, sizeof known) != 0;
}

/* The entry of the barrier at ADDRESS, or the one that will be its own; NULL: there is no room. */
static KnownBarrier *find(uintptr_t address)
{
    for (int i = 0; i < KNOWN_BARRIERS; i++)
        if (!known.barriers[i].address || known.barriers[i].address == address)
            return &known.barriers[i];
    return NULL;
}

int64_t op_arrival_turn(const void *object, unsigned count, const void *pc)
{
    const int64_t any = operations_turn(count, 0, false);
    KnownBarrier *barrier = arrivals_have_turns && op_active() ? find((uintptr_t)object) : NULL;
    if (!barrier)
        return any;
    ThreadSet self = thread_bit((int)op_self());
    bool looks = !scrub_result_is_dead(pc);
    if (!(barrier->threads & self) || barrier->looks < looks) {
        if (ghost_runs()) /* what the thread itself does not do is not learnt */
            return any;
        barrier->address = (uintptr_t)object;
        barrier->threads |= self;
        barrier->looks |= looks;
        op_begin_again();
    }
    if ((unsigned)__builtin_popcountll(barrier->threads) > count)
        return any;
    unsigned rank = (unsigned)__builtin_popcountll(barrier->threads & (self - 1)) + 1;
    return operations_turn(count, rank, barrier->looks);
}
