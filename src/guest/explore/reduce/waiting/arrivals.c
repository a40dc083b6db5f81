#include "guest/explore/reduce/waiting/arrivals.h"
#include "guest/explore/search/rules.h"
#include <string.h>
#include "guest/explore/graph/finding.h"
#include "guest/explore/search/ghost.h"
#include "guest/explore/search/ops.h"
#include "guest/explore/memory/scrub.h"
#include "guest/explore/reduce/symmetry/alike.h"
#include "guest/explore/reduce/symmetry/pasts.h"
#include "guest/explore/search/explore.h"

bool arrivals_have_turns, arrivals_any_watched, arrivals_any_counted;
static KnownArrivals known; /* first the barriers that are known, in the order of their discovery */

static void forget(void)
{
    known = (KnownArrivals){0};
    arrivals_any_watched = false;
    arrivals_any_counted = false;
}

void arrivals_get(KnownArrivals *to)
{
    *to = known;
}

void arrivals_put(const KnownArrivals *from)
{
    known = *from;
    arrivals_any_watched = known.watched[0].address != 0;
    arrivals_any_counted = known.counters[0].address != 0;
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
    KnownBarrier *barrier =
        arrivals_have_turns && op_active() && reduction_is_on(REDUCTION_barriers)
            ? find((uintptr_t)object)
            : NULL;
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
    op_note_identity(); /* threads that are alike have ranks that differ */
    REDUCTION_ACTS(barriers);
    unsigned rank = (unsigned)__builtin_popcountll(barrier->threads & (self - 1)) + 1;
    return operations_turn(count, rank, barrier->looks);
}

/* ---- locks that are tried ---- */

static KnownTried *find_word(KnownTried *table, uintptr_t address)
{
    for (int i = 0; i < KNOWN_TRIED; i++)
        if (!table[i].address || table[i].address == address)
            return &table[i];
    return NULL;
}

static KnownTried *find_tried(uintptr_t address)
{
    return find_word(known.tried, address);
}

KnownTried *arrivals_watched(const void *word)
{
    return find_word(known.watched, (uintptr_t)word);
}

void arrivals_watch(KnownTried *lock, const void *word)
{
    lock->address = (uintptr_t)word;
    arrivals_any_watched = true;
}

bool arrivals_add_thread(KnownTried *lock, int t)
{
    /* what one of several threads that are alike does is known of all of them, and of the rest */
    bool alike = alike_active && alike_met && alike_has_others(t);
    ThreadSet who = alike ? ~(ThreadSet)0 : thread_bit(t);
    bool is_new = (lock->threads & who) != who;
    lock->threads |= who;
    return is_new;
}

bool arrivals_nobody_looks(const Location *x, int t)
{
    const KnownTried *lock = find_tried((uintptr_t)x->address);
    return lock && !(lock->threads & ~thread_bit(t));
}

bool arrivals_is_tried(const Location *x)
{
    const KnownTried *lock = find_tried((uintptr_t)x->address);
    return lock && lock->threads;
}

bool arrivals_any_tried(void)
{
    return known.tried[0].address != 0;
}

void op_note_try(const void *word)
{
    pasts_note_lock(word);
    KnownTried *lock = arrivals_have_turns && op_active() ? find_tried((uintptr_t)word) : NULL;
    int self = (int)op_self();
    if (!lock || ghost_runs() || !arrivals_add_thread(lock, self))
        return;
    lock->address = (uintptr_t)word;
    op_begin_again();
}

/* ---- counters ---- */

KnownCounter *arrivals_counter(uintptr_t address)
{
    for (int i = 0; i < KNOWN_COUNTERS; i++)
        if (!known.counters[i].address || known.counters[i].address == address)
            return &known.counters[i];
    return NULL;
}

KnownCounter *arrivals_counter_at(uintptr_t address, unsigned size)
{
    for (int i = 0; i < KNOWN_COUNTERS && known.counters[i].address; i++) {
        KnownCounter *counter = &known.counters[i];
        if (address < counter->address + counter->size && counter->address < address + size)
            return counter;
    }
    return NULL;
}

/* ---- what the search asks ---- */

static void begin(bool anew)
{
    (void)anew;
    arrivals_have_turns =
        options.reductions && !options.plain_search && options.preemptions < 0 && !explore_held;
}

static void end(void)
{
    arrivals_have_turns = false;
}

const Rule barriers_rule = {.begin = begin, .end = end, .forget = forget};
