#include "guest/explore/units.h"
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include "base/hash.h"
#include "guest/explore/confirm.h"
#include "guest/explore/explore.h"
#include "guest/explore/frames.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/revisit.h"
#include "guest/explore/units/ways.h"
#include "guest/explore/values.h"
#include "guest/explore/workers.h"
#include "guest/runtime/native.h"
#include "guest/runtime/pages.h"

#define WAIT_NS 50000
#define PREFIXES_A_SHARE 512

bool units_apply, units_replaying, units_skipped, units_arrived, units_measuring;
void (*units_on_write)(UnitsShared *shared, UnitSlot *mine);
const uint32_t *units_way;
int units_length, units_next_frame, units_depth;
/* The state of this process. */
typedef struct UnitsSelf {
    uint32_t *way; /* units_way, to be written */
    UnitsShared *shared;
    UnitSlot *mine;
    UnitsCount *count_all;
    uint32_t *driver_flags;
    UnitHead present;          /* of the unit that was taken and is not begun yet */
    bool has_present;          /* the unit that was taken brings a way along */
    int present_floor;         /* explore_floor when the way is at its end */
    ExploreCounts kept_counts; /* while a way is followed */
    uint64_t kept_revisits;
    bool working; /* it has a unit */
    bool decided; /* the present way down to units_depth has been looked at */
    UnitAlone alone;
    bool never_divided;    /* the unit that was taken asks for that */
    bool is_put_back;      /* the present unit is in the queue again */
    uint32_t frozen_bytes; /* not alone: what confirm.h had learnt before; 0: it does not apply */
    unsigned char *frozen;
    /* shares: */
    uint64_t prefixes;
    bool reached; /* units_depth, in this measurement */
} UnitsSelf;
static UnitsSelf self;

void units_nap(void)
{
    struct timespec time = {.tv_nsec = WAIT_NS};
    const long arguments[6] = {(long)&time, 0, 0, 0, 0, 0};
    native_syscall(SYS_nanosleep, arguments);
}

void units_lock(void)
{
    while (__atomic_exchange_n(&self.shared->lock, 1, __ATOMIC_ACQUIRE))
        units_nap();
}

void units_unlock(void)
{
    __atomic_store_n(&self.shared->lock, 0, __ATOMIC_RELEASE);
}

void units_setup(UnitsShared *of_link, UnitsCount *count, uint32_t *flags)
{
    if (of_link->mode == UNITS_OFF)
        return;
    self.shared = of_link;
    self.mine = &self.shared->slots[0];
    self.count_all = count;
    self.driver_flags = flags;
    self.way = pages_reserve(sizeof *self.way * UNITS_WAY_BYTES);
    self.frozen = pages_reserve(UNITS_KNOWLEDGE_BYTES);
    units_way = self.way;
}

bool units_on(void)
{
    return self.shared != NULL;
}

void units_use_slot(unsigned slot)
{
    if (self.shared)
        self.mine = &self.shared->slots[slot];
}

void units_refuse_way(void)
{
    self.shared->refuses_way = 1;
    units_replaying = false;
    op_unsupported("the work that was written down does not fit the program: it does not repeat "
                   "its steps");
}

/* ---- writing down where the search stands ---- */

/* Writes what is known now, of memory and for confirming reads; returns 0 if it does not fit. */
static uint32_t get_knowledge(unsigned char *to)
{
    size_t memory = memory_knowledge_get(to, UNITS_KNOWLEDGE_BYTES), confirms = 0;
    if (!memory)
        return 0;
    if (self.frozen_bytes) {
        confirms = self.frozen_bytes;
        if (memory + confirms > UNITS_KNOWLEDGE_BYTES)
            return 0;
        memcpy(to + memory, self.frozen, confirms);
    } else if (self.alone) {
        confirms = confirm_knowledge_get(to + memory, UNITS_KNOWLEDGE_BYTES - memory);
        if (!confirms)
            return 0;
    }
    uint32_t of_all[2] = {(uint32_t)confirms, self.never_divided};
    memcpy(to + offsetof(KnownMemory, confirms), of_all, sizeof of_all);
    return (uint32_t)(memory + confirms);
}

/* The frames FLOOR..LENGTH-1 as the unit of SLOT. False, and nothing is changed, if the way is too
 * long; then the slot stays at an older place, which is as good. */
static bool put_unit(UnitSlot *slot, int floor, int length)
{
    static unsigned char buffer[UNITS_WAY_BYTES];
    static unsigned char knowledge[UNITS_KNOWLEDGE_BYTES];
    uint32_t bytes = ways_put(buffer, length);
    uint32_t knowledge_bytes = get_knowledge(knowledge);
    if ((length && !bytes) || !knowledge_bytes) {
        self.shared->longest = MAX(self.shared->longest, (uint32_t)length);
        return false;
    }
    memcpy(slot->way, buffer, bytes);
    memcpy(slot->knowledge, knowledge, knowledge_bytes);
    slot->head = (UnitHead){.has_way = 1,
                            .floor = floor,
                            .length = length,
                            .way_bytes = bytes,
                            .flags = *self.driver_flags,
                            .alone = self.alone,
                            .executions = explore_earlier.executions + counts.executions,
                            .blocked = explore_earlier.blocked + counts.blocked,
                            .left = length ? ways_part_left(floor, length) : 1};
    slot->head.knowledge_bytes = knowledge_bytes;
    slot->busy = 1;
    return true;
}

/* Writes the counts of this process into its slot. What all shares explore is the first one's. */
static void put_counts(void)
{
    self.count_all(&self.mine->counts);
    if (self.alone && self.shared->shard)
        self.mine->counts = (UnitCounts){0};
    if (units_on_write)
        units_on_write(self.shared, self.mine);
}

static bool put_own(int floor)
{
    if (self.alone && values_outdated)
        return false; /* what was decided on the way would be decided otherwise now */
    bool fine = put_unit(self.mine, floor, frame_count);
    if (fine)
        put_counts();
    return fine;
}

void units_stop(void)
{
    if (!self.shared || !units_apply || !self.working || units_replaying || units_measuring)
        return;
    units_lock();
    put_own(explore_floor);
    self.mine->answered = self.shared->ask;
    units_unlock();
}

/* Gives the oldest open frame to whoever waits for a unit elsewhere. */
static void give(void)
{
    int given = frames_oldest_open(explore_floor);
    if (self.alone || given < 0 || given >= frame_count - 1 || self.shared->gift.busy)
        return;
    units_lock();
    if (put_unit(&self.shared->gift, explore_floor, given + 1)) {
        if (put_own(given + 1)) {
            explore_floor = given + 1;
            __atomic_store_n(&self.shared->want, 0, __ATOMIC_RELAXED);
        } else {
            self.shared->gift.busy = 0;
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
    if (self.shared->shard)
        drop_counts();
    if (!put_own(explore_floor))
        return;
    UnitSlot *mine = self.mine;
    unsigned char *to = self.shared->queue;
    memcpy(to, &mine->head, sizeof mine->head);
    memcpy(to + sizeof mine->head, mine->way, mine->head.way_bytes);
    memcpy(to + sizeof mine->head + mine->head.way_bytes, mine->knowledge,
           mine->head.knowledge_bytes);
    self.shared->queue_read = 0;
    self.shared->queue_written = units_bytes(&mine->head);
    mine->busy = self.working = false;
    self.is_put_back = true;
}

/* Is there anybody who could take a part of the search? */
static bool can_be_shared(void)
{
    return self.shared->mode == UNITS_WAIT || self.shared->shards || !workers_are_alone();
}

/* Enough is known: from here on the search can be divided. */
static void stop_learning(void)
{
    units_lock();
    self.frozen_bytes = (uint32_t)confirm_knowledge_get(self.frozen, UNITS_KNOWLEDGE_BYTES);
    self.alone = self.frozen_bytes ? UNIT_IS_DIVISIBLE : UNIT_IS_WHOLE;
    if (!self.alone) {
        confirm_stop_learning();
        if (self.shared->shards)
            put_back();
        else
            put_own(explore_floor);
    }
    units_unlock();
}

void units_publish(void)
{
    if (LIKELY(!self.shared) || !units_apply || !self.working || units_replaying || units_measuring)
        return;
    if (UNLIKELY(self.alone == UNIT_IS_LEARNING) && can_be_shared() && !confirm_is_learning())
        stop_learning();
    if (self.is_put_back)
        return;
    if (self.mine->answered != __atomic_load_n(&self.shared->ask, __ATOMIC_RELAXED))
        units_stop();
    if (UNLIKELY(__atomic_load_n(&self.shared->want, __ATOMIC_RELAXED)))
        give();
}

bool units_split(int given, unsigned slot)
{
    if (!self.shared || !units_apply)
        return true;
    if (self.alone)
        return false;
    units_lock();
    UnitSlot *other = &self.shared->slots[slot];
    bool fine = !other->busy && put_unit(other, explore_floor, given + 1);
    if (fine) {
        other->answered = self.shared->ask;
        fine = put_own(given + 1);
        other->busy = fine;
    }
    units_unlock();
    return fine;
}

void units_unsplit(unsigned slot)
{
    if (!self.shared || !units_apply)
        return;
    units_lock();
    self.shared->slots[slot].busy = 0;
    put_own(explore_floor);
    units_unlock();
}

void units_finish(void)
{
    if (!self.shared || !units_apply)
        return;
    units_lock();
    self.working = false;
    self.mine->busy = 0;
    if (self.alone) { /* the tree that was counted is that of what is known now */
        frame_count = 0;
        put_unit(self.mine, 0, 0);
        self.mine->busy = 0;
    }
    if (self.alone && self.shared->shard)
        drop_counts();
    put_counts();
    self.mine->answered = self.shared->ask;
    units_unlock();
}

/* The search was divided and has met something new. What makes it begin again, and with which
 * knowledge, depends on the order in which one process meets it: so one process explores all of it,
 * from what was known before. */
static void give_up_division(void)
{
    if (!confirm_knowledge_put(self.frozen, self.frozen_bytes))
        units_refuse_way();
    self.frozen_bytes = 0;
    self.alone = UNIT_IS_WHOLE;
    self.shared->given_up += self.shared->mode == UNITS_QUEUE; /* else the tool counts */
}

/* The whole exploration is our unit. */
static void put_root(void)
{
    frame_count = 0;
    put_unit(self.mine, 0, 0);
    self.mine->head.has_way = 0;
    self.mine->head.executions = self.mine->head.blocked = 0;
}

/* How an exploration begins. */
static UnitAlone first_state(void)
{
    if (!confirm_is_possible())
        return UNIT_IS_DIVISIBLE;
    return self.never_divided ? UNIT_IS_WHOLE : UNIT_IS_LEARNING;
}

bool units_restart(void)
{
    units_replaying = units_arrived = units_skipped = units_measuring = self.has_present = false;
    units_depth = 0;
    self.working = true;
    if (!self.shared || !units_apply)
        return true;
    if (self.frozen_bytes)
        give_up_division();
    else
        self.alone = first_state();
    units_lock();
    if (self.shared->mode == UNITS_WAIT) { /* all ranks begin again */
        put_root();
        self.mine->busy = self.working = 0;
        self.shared->learnt = 1;
        units_unlock();
        return false;
    }
    self.shared->epoch++;
    self.shared->base = (UnitCounts){0}; /* sessions before this one counted another tree */
    self.shared->queue_read = self.shared->queue_written;
    for (unsigned i = 0; i < WORKERS_MOST; i++) {
        self.shared->slots[i].busy = 0;
        self.shared->slots[i].counts = (UnitCounts){0};
    }
    put_root();
    if (units_on_write)
        units_on_write(self.shared, self.mine);
    units_unlock();
    return true;
}

/* Is the unit of this process part of an epoch that is over? */
static bool is_void(void)
{
    return self.shared && self.shared->mode == UNITS_WAIT &&
           __atomic_load_n(&self.shared->wanted_epoch, __ATOMIC_ACQUIRE) != self.shared->epoch;
}

bool units_is_void(void)
{
    return self.is_put_back || is_void();
}

bool units_abandon(void)
{
    if (self.is_put_back) {
        self.is_put_back = explore_stopped = false;
        return true;
    }
    if (!is_void())
        return false;
    units_lock();
    self.shared->epoch = self.shared->wanted_epoch;
    self.shared->learnt = 0;
    self.shared->queue_read = self.shared->queue_written;
    self.mine->busy = self.working = 0;
    self.mine->counts = (UnitCounts){0};
    units_unlock();
    drop_counts();
    self.frozen_bytes = 0;
    units_depth = 0;
    explore_stopped = false;
    return true;
}

/* ---- taking units ---- */

/* The next unit of the queue becomes that of our slot. */
static bool take_from_queue(void)
{
    if (self.shared->queue_read >= self.shared->queue_written)
        return false;
    const unsigned char *at = self.shared->queue + self.shared->queue_read;
    memcpy(&self.present, at, sizeof self.present);
    ASSERT(self.shared->queue_read + units_bytes(&self.present) <= self.shared->queue_written);
    ASSERT(self.present.length >= 0 && self.present.length <= (int)UNITS_WAY_BYTES &&
           self.present.floor >= 0 && self.present.floor <= self.present.length &&
           self.present.way_bytes <= UNITS_WAY_BYTES &&
           self.present.knowledge_bytes <= UNITS_KNOWLEDGE_BYTES);
    self.mine->head = self.present;
    memcpy(self.mine->way, at + sizeof self.present, self.present.way_bytes);
    memcpy(self.mine->knowledge, at + sizeof self.present + self.present.way_bytes,
           self.present.knowledge_bytes);
    self.mine->busy = 1;
    self.shared->queue_read += units_bytes(&self.present);
    return true;
}

/* CONFIRMS is what confirm.h had learnt where the unit was written down, in BYTES bytes. */
static void use_confirms(const unsigned char *confirms, uint32_t bytes)
{
    self.alone = (UnitAlone)self.present.alone;
    if (!self.alone && self.frozen_bytes == bytes && !memcmp(self.frozen, confirms, bytes))
        return;
    if (!confirm_knowledge_put(confirms, bytes))
        units_refuse_way();
    self.frozen_bytes = 0;
    if (self.alone)
        return;
    self.frozen_bytes = bytes;
    memcpy(self.frozen, confirms, bytes);
    confirm_stop_learning();
}

static void use_knowledge(void)
{
    const unsigned char *knowledge = self.mine->knowledge;
    size_t bytes = self.present.knowledge_bytes, memory = units_memory_bytes(knowledge, bytes);
    KnownMemory all = {0};
    if (bytes && (!memory || !memory_knowledge_put(knowledge, bytes)))
        units_refuse_way();
    if (memory)
        memcpy(&all, knowledge, sizeof all);
    self.never_divided = all.never_divided;
    *self.driver_flags |= self.present.flags;
    if (all.confirms) {
        use_confirms(knowledge + memory, all.confirms);
        return;
    }
    self.frozen_bytes = 0;
    self.alone = first_state();
    confirm_begin(false);
}

void units_follow(void)
{
    if (!self.has_present)
        return;
    self.has_present = false;
    if (!ways_read(self.mine->way, &self.present, self.way))
        units_refuse_way();
    units_length = self.present.length;
    self.present_floor = self.present.floor;
    units_replaying = self.present.length > 0;
    units_next_frame = 0;
    units_skipped = units_arrived = false;
    self.kept_counts = counts;
    self.kept_revisits = revisit_count;
    if (self.alone)
        explore_earlier =
            (ExploreCounts){.executions = self.present.executions, .blocked = self.present.blocked};
}

bool units_begin(void)
{
    if (!self.shared || !units_apply)
        return true;
    self.working = false;
    for (;;) {
        units_lock();
        bool found = take_from_queue();
        units_unlock();
        if (found)
            break;
        if (self.shared->mode != UNITS_WAIT ||
            __atomic_load_n(&self.shared->closed, __ATOMIC_ACQUIRE))
            return false;
        if (explore_poll && explore_poll() && !units_abandon()) {
            explore_stopped = true;
            return false;
        }
        units_nap();
    }
    self.has_present = self.working = true;
    use_knowledge();
    return true;
}

bool units_begin_samples(void)
{
    bool begun = self.shared && units_apply && units_begin();
    self.has_present = false;
    return begun;
}

UnitSamples *units_samples(void)
{
    return self.shared && units_apply ? &self.shared->samples : NULL;
}

void units_arrive(void)
{
    units_replaying = units_arrived = units_skipped = false;
    frames_drop(units_length);
    explore_floor = self.present_floor;
    self.decided = false;
    frames_lowest = INT_MAX;
    counts = self.kept_counts;
    revisit_count = self.kept_revisits;
}

/* ---- shares ---- */

bool units_owns_way(void)
{
    if (units_measuring)
        return true;
    uint64_t hash = 1;
    for (int i = 0; i < MIN(frame_count, units_depth); i++)
        hash = hash_combine(hash, frames[i].taken);
    return hash % self.shared->shards == self.shared->shard;
}

bool units_leave(bool leaf)
{
    if (units_replaying)
        return false;
    if (frames_lowest < units_depth)
        self.decided = false;
    frames_lowest = INT_MAX;
    if (self.decided || (frame_count < units_depth && !leaf))
        return false;
    self.decided = true;
    self.prefixes++;
    self.reached |= !leaf;
    if (!units_measuring && units_owns_way())
        return false;
    frames_drop(MIN(frame_count, units_depth));
    return true;
}

bool units_find_depth(void (*search)(void))
{
    if (!self.shared->shards || units_depth || self.alone)
        return true;
    ExploreCounts before = counts;
    uint64_t revisits = revisit_count;
    units_measuring = true;
    do {
        units_depth += 2;
        self.prefixes = 0;
        self.reached = self.decided = false;
        frames_lowest = INT_MAX;
        explore_begin();
        search();
    } while (!explore_stopped && self.reached &&
             self.prefixes < (uint64_t)PREFIXES_A_SHARE * self.shared->shards);
    units_measuring = self.decided = false;
    frames_lowest = INT_MAX;
    self.shared->depth = (uint32_t)units_depth;
    counts = before;
    revisit_count = revisits;
    return !explore_stopped;
}
