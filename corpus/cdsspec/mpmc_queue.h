/* A bounded queue of many producers and many consumers, who work on its slots in place: a writer prepares a slot,
 * fills it and publishes it, a reader fetches one, reads it and gives it back (mpmc_boundq_1_alt of D. Vyukov's Relacy
 * examples, which CDSSpec's experiment has). One word holds the numbers of both ends. A reader waits until as many
 * slots are published as were reserved before it, a writer until as many are given back; nobody can miss the moment,
 * for who comes later on the other side waits for him. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#ifndef MPMC_SLOTS
#define MPMC_SLOTS 4
#endif

/** @Structure_Define:
    @DeclareVar: int _unused;
    @InitVar: _unused = 0;
    @Happens_Before: Publish -> Fetch(Fetched) Consume -> Prepare(Prepared) */
struct mpmc_queue {
    int slots[MPMC_SLOTS];
    atomic_uint ends;           /* next to read: the upper half; next to write: the lower half */
    atomic_uint written, taken; /* how many were published; were given back */
};

static inline void mpmc_init(struct mpmc_queue *q)
{
    atomic_init(&q->ends, 0);
    atomic_init(&q->written, 0);
    atomic_init(&q->taken, 0);
}

/** @Method: Fetch
    @Ordering_Point_Set: Fetch_Empty | Fetch_There
    @HB_Condition: Fetched :: __RET__ != NULL
    @ID: q */
static inline int *mpmc_read_fetch(struct mpmc_queue *q)
{
    unsigned ends = atomic_load_explicit(&q->ends, memory_order_acquire), reading, writing;
    /** @Ordering_Point_Label_Check: ends >> 16 == (ends & 0xffff)
        @Label: Fetch_Empty */
    for (bool reserved = false; !reserved;) {
        reading = ends >> 16;
        writing = ends & 0xffff;
        if (reading == writing)
            return NULL;
        reserved = atomic_compare_exchange_weak_explicit(&q->ends, &ends, (reading + 1) << 16 | writing,
                                                         memory_order_acq_rel, memory_order_acquire);
        /** @Ordering_Point_Label_Check: !reserved && ends >> 16 == (ends & 0xffff)
            @Label: Fetch_Empty */
    }
    for (bool there = false; !there;) {
        there = atomic_load_explicit(&q->written, memory_order_acquire) == writing;
        /** @Ordering_Point_Label_Check: there
            @Label: Fetch_There */
    }
    return &q->slots[reading % MPMC_SLOTS];
}

/** @Method: Consume
    @Ordering_Point_Set: Consume_Point
    @ID: q */
static inline void mpmc_read_consume(struct mpmc_queue *q)
{
    atomic_fetch_add_explicit(&q->taken, 1, memory_order_release);
    /** @Ordering_Point_Label_Check: true
        @Label: Consume_Point */
}

/** @Method: Prepare
    @Ordering_Point_Set: Prepare_Full | Prepare_There
    @HB_Condition: Prepared :: __RET__ != NULL
    @ID: q */
static inline int *mpmc_write_prepare(struct mpmc_queue *q)
{
    unsigned ends = atomic_load_explicit(&q->ends, memory_order_acquire), reading, writing;
    /** @Ordering_Point_Label_Check: (ends & 0xffff) == (ends >> 16) + MPMC_SLOTS
        @Label: Prepare_Full */
    for (bool reserved = false; !reserved;) {
        reading = ends >> 16;
        writing = ends & 0xffff;
        if (writing == reading + MPMC_SLOTS)
            return NULL;
        reserved = atomic_compare_exchange_weak_explicit(&q->ends, &ends, reading << 16 | (writing + 1),
                                                         memory_order_acq_rel, memory_order_acquire);
        /** @Ordering_Point_Label_Check: !reserved && (ends & 0xffff) == (ends >> 16) + MPMC_SLOTS
            @Label: Prepare_Full */
    }
    for (bool there = false; !there;) {
        there = atomic_load_explicit(&q->taken, memory_order_acquire) == reading;
        /** @Ordering_Point_Label_Check: there
            @Label: Prepare_There */
    }
    return &q->slots[writing % MPMC_SLOTS];
}

/** @Method: Publish
    @Ordering_Point_Set: Publish_Point
    @ID: q */
static inline void mpmc_write_publish(struct mpmc_queue *q)
{
    atomic_fetch_add_explicit(&q->written, 1, memory_order_release);
    /** @Ordering_Point_Label_Check: true
        @Label: Publish_Point */
}
