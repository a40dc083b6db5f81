#include "guest/harness/check/done.h"
#include "base/hash.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/scale/units.h"
#include "guest/explore/scale/workers.h"

static UnitsShared *units; /* NULL: nothing is written down */

void done_setup(Link *link)
{
    units = link->units.mode == UNITS_OFF ? NULL : &link->units;
}

bool done_is_kept(void)
{
    return units != NULL;
}

static bool has_bit(const unsigned char *bits, uint64_t test)
{
    return bits[test / 8] >> test % 8 & 1;
}

static void set_bit(unsigned char *bits, uint64_t test)
{
    bits[test / 8] |= (unsigned char)(1u << test % 8);
}

DoneState done_look(uint64_t test)
{
    if (!units)
        return DONE_NO;
    ASSERT(test < UNITS_TESTS);
    bool elsewhere = units->shards && hash_mix(test + 1) % units->shards != units->shard;
    return elsewhere || has_bit(units->tests.done, test) ? DONE_YES
           : has_bit(units->tests.put_off, test)         ? DONE_PUT_OFF
                                                         : DONE_NO;
}

void done_end(uint64_t test, const UnitCounts *of_test)
{
    if (!units)
        return;
    units_lock();
    set_bit(units->tests.done, test);
    units->tests.count = MAX(units->tests.count, test + 1);
    UnitCounts *all = &units->slots[workers_slot()].counts;
#define X(name) all->name += of_test->name;
    UNIT_COUNTS(X)
#undef X
    units_unlock();
}

void done_put_off(uint64_t test, uint64_t budget)
{
    if (!units)
        return;
    units_lock();
    set_bit(units->tests.put_off, test);
    units->tests.count = MAX(units->tests.count, test + 1);
    units->tests.budget = MAX(units->tests.budget, budget);
    units_unlock();
}

uint64_t done_budget(void)
{
    return units ? units->tests.budget : 0;
}

bool done_is_shared(void)
{
    return units && units->mode == UNITS_WAIT;
}

/* A moment later; true if the search is to end. */
static bool is_told_to_stop(void)
{
    exploration.stopped |= exploration.poll && exploration.poll();
    if (!exploration.stopped)
        units_nap();
    return exploration.stopped;
}

uint64_t done_take(void)
{
    if (!done_is_shared())
        return workers_take_piece();
    for (;;) {
        UnitTests *tests = &units->tests;
        uint64_t test = UINT64_MAX;
        units_lock();
        bool none = tests->first == tests->end;
        if (!none)
            test = tests->first++;
        tests->wants = none && !tests->no_more;
        none = tests->no_more;
        units_unlock();
        if (test != UINT64_MAX || none || is_told_to_stop())
            return test;
    }
}

void done_wait(void)
{
    if (!done_is_shared())
        return;
    units_lock();
    units->tests.idle = 1;
    units_unlock();
    while (!__atomic_load_n(&units->closed, __ATOMIC_ACQUIRE) && !is_told_to_stop())
        ;
}

void done_all(void)
{
    if (units)
        __atomic_store_n(&units->tests.all_done, 1, __ATOMIC_RELEASE);
}
