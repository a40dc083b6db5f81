#include "guest/explore/scale/units.h"
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include "guest/explore/reduce/confirm/confirm.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/search/frames.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/search/revisit.h"
#include "guest/explore/scale/self.h"
#include "guest/explore/scale/ways.h"
#include "guest/explore/reduce/symmetry/placements.h"
#include "guest/explore/facts/values.h"
#include "guest/explore/scale/workers.h"
#include "guest/runtime/native.h"
#include "guest/runtime/pages.h"

#define WAIT_NS 50000

UnitsState units_mode;
UnitsSelf units_self;

void units_nap(void)
{
    struct timespec time = {.tv_nsec = WAIT_NS};
    const long arguments[6] = {(long)&time, 0, 0, 0, 0, 0};
    native_syscall(SYS_nanosleep, arguments);
}

void units_lock(void)
{
    while (__atomic_exchange_n(&units_self.shared->lock, 1, __ATOMIC_ACQUIRE))
        units_nap();
}

void units_unlock(void)
{
    __atomic_store_n(&units_self.shared->lock, 0, __ATOMIC_RELEASE);
}

static void note_refusal(void)
{
    units_self.shared->refuses_way = 1;
}

static void arrive(void);

void units_setup(UnitsShared *of_link, UnitsCount *count, uint32_t *flags)
{
    if (of_link->mode == UNITS_OFF)
        return;
    units_self.shared = of_link;
    units_self.mine = &units_self.shared->slots[0];
    units_self.count_all = count;
    units_self.driver_flags = flags;
    units_self.way = pages_reserve(sizeof *units_self.way * UNITS_WAY_BYTES);
    units_self.frozen = pages_reserve(UNITS_KNOWLEDGE_BYTES);
    search_way.taken = units_self.way;
    search_way.on_arrival = arrive;
    search_way.on_refusal = note_refusal;
    search_hooks.stopped = units_stop;
}

bool units_on(void)
{
    return units_self.shared != NULL;
}

bool units_are_divided(void)
{
    if (workers_have_divided() || options.check.enabled)
        return workers_have_divided();
    return units_self.shared && units_mode.apply ? !units_self.alone : !confirm_is_possible();
}

void units_use_slot(unsigned slot)
{
    if (units_self.shared)
        units_self.mine = &units_self.shared->slots[slot];
}

/* ---- writing down where the search stands ---- */

/* Writes the facts that are known now, and those for confirming reads; returns 0 if it does not
 * fit.
 */
static uint32_t get_knowledge(unsigned char *to)
{
    size_t facts = facts_get(to, UNITS_KNOWLEDGE_BYTES), confirms = 0;
    KnowledgeHead head;
    if (!facts)
        return 0;
    if (units_self.frozen_bytes) {
        confirms = units_self.frozen_bytes;
        if (facts + confirms > UNITS_KNOWLEDGE_BYTES)
            return 0;
        memcpy(to + facts, units_self.frozen, confirms);
    } else if (units_self.alone) {
        confirms = confirm_knowledge_get(to + facts, UNITS_KNOWLEDGE_BYTES - facts);
        if (!confirms)
            return 0;
    }
    memcpy(&head, to, sizeof head);
    head.confirms = (uint32_t)confirms;
    head.never_divided = units_self.never_divided;
    memcpy(to, &head, sizeof head);
    return (uint32_t)(facts + confirms);
}

/* The frames FLOOR..LENGTH-1 as the unit of SLOT. False, and nothing is changed, if the way is too
 * long; then the slot stays at an older place, which is as good. */
static bool put_unit(UnitSlot *slot, int floor, int length)
{
    DEBUG_ASSERT(floor >= 0 && floor <= length);
    static unsigned char buffer[UNITS_WAY_BYTES];
    static unsigned char knowledge[UNITS_KNOWLEDGE_BYTES];
    uint32_t bytes = ways_put(buffer, length);
    uint32_t knowledge_bytes = get_knowledge(knowledge);
    if ((length && !bytes) || !knowledge_bytes) {
        units_self.shared->longest = MAX(units_self.shared->longest, (uint32_t)length);
        return false;
    }
    memcpy(slot->way, buffer, bytes);
    memcpy(slot->knowledge, knowledge, knowledge_bytes);
    slot->head = (UnitHead){.has_way = 1,
                            .floor = floor,
                            .length = length,
                            .way_bytes = bytes,
                            .flags = *units_self.driver_flags,
                            .alone = units_self.alone,
                            .executions = exploration.earlier.executions + counts.executions,
                            .blocked = exploration.earlier.blocked + counts.blocked,
                            .left = length ? ways_part_left(floor, length) : 1};
    slot->head.knowledge_bytes = knowledge_bytes;
    units_count_test(&slot->head);
    slot->busy = 1;
    return true;
}

/* Writes the counts of this process into its slot. What all shares explore is the first one's. */
static void put_counts(void)
{
    if (units_self.test.number)
        return; /* they stand in the unit until the test has ended */
    units_self.count_all(&units_self.mine->counts);
    if (units_self.alone && units_self.shared->shard)
        units_self.mine->counts = (UnitCounts){0};
    if (units_mode.on_write)
        units_mode.on_write(units_self.shared, units_self.mine);
}

static bool put_own(int floor)
{
    if (units_self.alone && values_outdated)
        return false; /* what was decided on the way would be decided otherwise now */
    if (!frame_count && !units_mode.on_write)
        return false; /* an empty way would be the whole again; samples have none */
    bool fine = put_unit(units_self.mine, floor, frame_count);
    if (fine)
        put_counts();
    return fine;
}

void units_stop(void)
{
    if (!units_self.shared || !units_mode.apply || !units_self.working || search_way.replaying ||
        search_way.measuring)
        return;
    placements_check(false); /* what is written down is not looked at again */
    units_lock();
    put_own(exploration.floor);
    units_self.mine->answered = units_self.shared->ask;
    units_unlock();
}

/* Gives the oldest open frame to whoever waits for a unit elsewhere. */
static void give(void)
{
    int given = frames_oldest_open(exploration.floor);
    if (units_self.alone || units_self.test.number || given < 0 || given >= frame_count - 1 ||
        units_self.shared->gift.busy)
        return;
    units_lock();
    if (put_unit(&units_self.shared->gift, exploration.floor, given + 1)) {
        if (put_own(given + 1)) {
            exploration.floor = given + 1;
            __atomic_store_n(&units_self.shared->want, 0, __ATOMIC_RELAXED);
        } else {
            units_self.shared->gift.busy = 0;
        }
    }
    units_unlock();
}

/* Whoever counts nothing has no counts of what it did so far. */
static void drop_counts(void)
{
    counts = (ExploreCounts){0};
    revisit_count = 0;
}

/* The part of the tree that is left becomes the next unit of the queue, to be begun like any other:
 * shares walk down to it. */
static void put_back(void)
{
    if (units_self.shared->shard)
        drop_counts();
    if (!put_own(exploration.floor))
        return;
    UnitSlot *mine = units_self.mine;
    unsigned char *to = units_self.shared->queue;
    memcpy(to, &mine->head, sizeof mine->head);
    memcpy(to + sizeof mine->head, mine->way, mine->head.way_bytes);
    memcpy(to + sizeof mine->head + mine->head.way_bytes, mine->knowledge,
           mine->head.knowledge_bytes);
    units_self.shared->queue_read = 0;
    units_self.shared->queue_written = units_bytes(&mine->head);
    mine->busy = units_self.working = false;
    units_self.is_put_back = true;
}

/* Is there anybody who could take a part of the search? */
static bool can_be_shared(void)
{
    return !units_self.test.number && (units_self.shared->mode == UNITS_WAIT ||
                                       units_self.shared->shards || !workers_are_alone());
}

/* Enough is known: from here on the search can be divided. */
static void stop_learning(void)
{
    units_lock();
    units_self.frozen_bytes =
        (uint32_t)confirm_knowledge_get(units_self.frozen, UNITS_KNOWLEDGE_BYTES);
    units_self.alone = units_self.frozen_bytes ? UNIT_IS_DIVISIBLE : UNIT_IS_WHOLE;
    if (!units_self.alone) {
        confirm_stop_learning();
        if (units_self.shared->shards)
            put_back();
        else
            put_own(exploration.floor);
    }
    units_unlock();
}

void units_publish(void)
{
    if (LIKELY(!units_self.shared) || !units_mode.apply || !units_self.working ||
        search_way.replaying || search_way.measuring)
        return;
    if (UNLIKELY(units_self.alone == UNIT_IS_LEARNING) && can_be_shared() && !confirm_is_learning())
        stop_learning();
    if (units_self.is_put_back)
        return;
    if (units_self.mine->answered != __atomic_load_n(&units_self.shared->ask, __ATOMIC_RELAXED))
        units_stop();
    if (UNLIKELY(__atomic_load_n(&units_self.shared->want, __ATOMIC_RELAXED)))
        give();
}

bool units_split(int given, unsigned slot)
{
    if (!units_self.shared || !units_mode.apply)
        return true;
    if (units_self.alone)
        return false;
    units_lock();
    UnitSlot *other = &units_self.shared->slots[slot];
    bool fine = !other->busy && put_unit(other, exploration.floor, given + 1);
    if (fine) {
        other->answered = units_self.shared->ask;
        fine = put_own(given + 1);
        other->busy = fine;
    }
    units_unlock();
    return fine;
}

void units_unsplit(unsigned slot)
{
    if (!units_self.shared || !units_mode.apply)
        return;
    units_lock();
    units_self.shared->slots[slot].busy = 0;
    put_own(exploration.floor);
    units_unlock();
}

/* Writes what is known now into the first slot, whoever works in it, unless that has a unit and
 * will write it itself: the counts of an exploration that ends belong to this tree. Processes that
 * work at the same time know the same of it, since whatever shapes it makes all begin again. */
static void leave_knowledge(void)
{
    static unsigned char knowledge[UNITS_KNOWLEDGE_BYTES];
    UnitSlot *first = &units_self.shared->slots[0];
    uint32_t bytes = first->busy ? 0 : get_knowledge(knowledge);
    if (!bytes)
        return;
    memcpy(first->knowledge, knowledge, bytes);
    first->head = (UnitHead){.knowledge_bytes = bytes};
}

void units_finish(void)
{
    if (!units_self.shared || !units_mode.apply)
        return;
    units_lock();
    units_self.working = false;
    units_self.mine->busy = 0;
    if (units_self.alone) { /* the tree that was counted is that of what is known now */
        frame_count = 0;
        put_unit(units_self.mine, 0, 0);
        units_self.mine->busy = 0;
    }
    if (!units_self.test.number)
        leave_knowledge();
    if (units_self.alone && units_self.shared->shard)
        drop_counts();
    put_counts();
    units_self.mine->answered = units_self.shared->ask;
    units_unlock();
}

/* The search was divided and has met something new. What makes it begin again, and with which
 * knowledge, depends on the order in which one process meets it: so one process explores all of it,
 * from what was known before. */
static void give_up_division(void)
{
    if (!confirm_knowledge_put(units_self.frozen, units_self.frozen_bytes))
        way_refuse();
    units_self.frozen_bytes = 0;
    units_self.alone = UNIT_IS_WHOLE;
    units_self.shared->given_up +=
        units_self.shared->mode == UNITS_QUEUE; /* else the tool counts */
}

/* The whole exploration is our unit. */
static void put_root(void)
{
    frame_count = 0;
    put_unit(units_self.mine, 0, 0);
    units_self.mine->head.has_way = 0;
    units_self.mine->head.executions = units_self.mine->head.blocked = 0;
}

/* How an exploration begins. */
UnitAlone units_first_state(void)
{
    if (!confirm_is_possible())
        return UNIT_IS_DIVISIBLE;
    return units_self.never_divided ? UNIT_IS_WHOLE : UNIT_IS_LEARNING;
}

bool units_restart(void)
{
    search_way.replaying = search_way.arrived = search_way.skipped = search_way.measuring =
        units_self.has_present = false;
    search_way.depth = 0;
    units_self.working = true;
    if (!units_self.shared || !units_mode.apply)
        return true;
    if (units_self.test.number) {
        units_self.alone = units_first_state();
        units_restart_test();
        return true;
    }
    if (units_self.frozen_bytes)
        give_up_division();
    else
        units_self.alone = units_first_state();
    units_lock();
    if (units_self.shared->mode == UNITS_WAIT) { /* all ranks begin again */
        put_root();
        units_self.mine->busy = units_self.working = 0;
        units_self.shared->learnt = 1;
        units_unlock();
        return false;
    }
    units_self.shared->epoch++;
    units_self.shared->base = (UnitCounts){0}; /* sessions before this one counted another tree */
    units_self.shared->queue_read = units_self.shared->queue_written;
    for (unsigned i = 0; i < WORKERS_MOST; i++) {
        units_self.shared->slots[i].busy = 0;
        units_self.shared->slots[i].counts = (UnitCounts){0};
    }
    put_root();
    if (units_mode.on_write)
        units_mode.on_write(units_self.shared, units_self.mine);
    units_unlock();
    return true;
}

/* Is the unit of this process part of an epoch that is over? */
static bool is_void(void)
{
    return units_self.shared && units_self.shared->mode == UNITS_WAIT &&
           __atomic_load_n(&units_self.shared->wanted_epoch, __ATOMIC_ACQUIRE) !=
               units_self.shared->epoch;
}

bool units_is_void(void)
{
    return units_self.is_put_back || is_void();
}

bool units_abandon(void)
{
    if (units_self.is_put_back) {
        units_self.is_put_back = exploration.stopped = false;
        return true;
    }
    if (!is_void())
        return false;
    units_lock();
    units_self.shared->epoch = units_self.shared->wanted_epoch;
    units_self.shared->learnt = 0;
    units_self.shared->gift.busy = 0; /* it is of the tree that is void, like our own unit */
    units_self.shared->queue_read = units_self.shared->queue_written;
    units_self.mine->busy = units_self.working = 0;
    units_self.mine->counts = (UnitCounts){0};
    units_unlock();
    drop_counts();
    units_self.frozen_bytes = 0;
    search_way.depth = 0;
    exploration.stopped = false;
    return true;
}

/* ---- taking units ---- */

void units_take(const unsigned char *at)
{
    UnitHead *head = &units_self.present;
    memcpy(head, at, sizeof *head);
    ASSERT(at + units_bytes(head) <= units_self.shared->queue + units_self.shared->queue_written);
    ASSERT(head->length >= 0 && head->length <= (int)UNITS_WAY_BYTES && head->floor >= 0 &&
           head->floor <= head->length && head->way_bytes <= UNITS_WAY_BYTES &&
           head->knowledge_bytes <= UNITS_KNOWLEDGE_BYTES);
    units_self.mine->head = *head;
    memcpy(units_self.mine->way, at + sizeof *head, head->way_bytes);
    memcpy(units_self.mine->knowledge, at + sizeof *head + head->way_bytes, head->knowledge_bytes);
    units_self.mine->busy = 1;
}

/* The next unit of the queue becomes that of our slot. */
static bool take_from_queue(void)
{
    if (units_self.shared->queue_read >= units_self.shared->queue_written)
        return false;
    units_take(units_self.shared->queue + units_self.shared->queue_read);
    units_self.shared->queue_read += units_bytes(&units_self.present);
    return true;
}

/* CONFIRMS is what confirm.h had learnt where the unit was written down, in BYTES bytes. */
static void use_confirms(const unsigned char *confirms, uint32_t bytes)
{
    units_self.alone = (UnitAlone)units_self.present.alone;
    if (!units_self.alone && units_self.frozen_bytes == bytes &&
        !memcmp(units_self.frozen, confirms, bytes))
        return;
    if (!confirm_knowledge_put(confirms, bytes))
        way_refuse();
    units_self.frozen_bytes = 0;
    if (units_self.alone)
        return;
    units_self.frozen_bytes = bytes;
    memcpy(units_self.frozen, confirms, bytes);
    confirm_stop_learning();
}

void units_use_knowledge(void)
{
    const unsigned char *knowledge = units_self.mine->knowledge;
    size_t bytes = units_self.present.knowledge_bytes,
           facts = knowledge_fact_bytes(knowledge, bytes);
    KnowledgeHead head = {0};
    if (bytes && (!facts || !facts_put(knowledge, bytes)))
        way_refuse();
    if (facts)
        memcpy(&head, knowledge, sizeof head);
    units_self.never_divided = head.never_divided;
    *units_self.driver_flags |= units_self.present.flags;
    if (head.confirms) {
        use_confirms(knowledge + facts, head.confirms);
        return;
    }
    units_self.frozen_bytes = 0;
    units_self.alone = units_first_state();
    confirm_begin(false);
}

void units_follow(void)
{
    DEBUG_ASSERT(units_self.shared);
    if (!units_self.has_present)
        return;
    units_self.has_present = false;
    if (!ways_read(units_self.mine->way, &units_self.present, units_self.way))
        way_refuse();
    search_way.length = units_self.present.length;
    units_self.present_floor = units_self.present.floor;
    search_way.replaying = units_self.present.length > 0;
    search_way.next_frame = 0;
    search_way.skipped = search_way.arrived = false;
    units_self.kept_counts = counts;
    units_self.kept_revisits = revisit_count;
    if (units_self.alone && !units_self.test.number)
        exploration.earlier = (ExploreCounts){.executions = units_self.present.executions,
                                              .blocked = units_self.present.blocked};
}

bool units_begin(void)
{
    if (!units_self.shared || !units_mode.apply)
        return true;
    if (units_self.test.number) {
        units_begin_test();
        return true;
    }
    units_self.working = false;
    for (;;) {
        units_lock();
        bool found = take_from_queue();
        units_unlock();
        if (found)
            break;
        if (units_self.shared->mode != UNITS_WAIT ||
            __atomic_load_n(&units_self.shared->closed, __ATOMIC_ACQUIRE))
            return false;
        if (exploration.poll && exploration.poll() && !units_abandon()) {
            exploration.stopped = true;
            return false;
        }
        units_nap();
    }
    units_self.has_present = units_self.working = true;
    units_use_knowledge();
    return true;
}

bool units_begin_samples(void)
{
    bool begun = units_self.shared && units_mode.apply && units_begin();
    units_self.has_present = false;
    return begun;
}

UnitSamples *units_samples(void)
{
    return units_self.shared && units_mode.apply ? &units_self.shared->samples : NULL;
}

/* The way is at its end: counts are as they were before it. */
static void arrive(void)
{
    search_way.replaying = search_way.arrived = search_way.skipped = false;
    frames_drop(search_way.length);
    exploration.floor = units_self.present_floor;
    search_way.decided = false;
    frame_draws.lowest = INT_MAX;
    counts = units_self.kept_counts;
    revisit_count = units_self.kept_revisits;
}
