#include "guest/harness/check/tally.h"
#include <stdlib.h>
#include "base/hash.h"
#include "guest/explore/graph/graph.h"
#include "judge/graph/ordering.h"

typedef struct Tally {
    uint64_t tests, histories, rejected, distinct, distinct_rejected, sequences, conflicts,
        conflicts_allowed;
    uint64_t partial, partial_rejected;
} Tally;

#define MOST_SEQUENCES (UINT64_C(1) << 53)
static Tally present, kept;
static HashMap seen; /* one hash of a history -> another, with the lowest bit: it was rejected */

void tally_begin(void)
{
    present = (Tally){0};
    hashmap_clear(&seen);
}

/* ---- what is distinct ---- */

static Hash128 hash_of(const GraphHistory *history)
{
    Hash128 h = hash128_add((Hash128){1, 2}, history->called, history->returned);
    for (uint32_t k = 0; k < history->count; k++) {
        h = hash128_add(h, history->returned >> k & 1 ? history->word[k] : 0, k);
        h = hash128_add(h, history->order.successors[2 * k], history->order.successors[2 * k + 1]);
    }
    return hash128_mix(h);
}

static uint64_t count_sequences(const GraphHistory *history)
{
    Ordering ordering = {.count = history->count};
    for (uint32_t i = 0; i < history->count; i++)
        for (uint32_t j = 0; j < history->count; j++)
            if (i != j && history->order.successors[2 * i + 1] >> (2 * j) & 1)
                ordering.next[i] |= ordering.after[i] |= (uint64_t)1 << j;
    return ordering_count(&ordering, history->returned, MOST_SEQUENCES);
}

/* Whether a history is rejected may depend on more than its results and order: under weak models
 * also on what a client could add. It counts as rejected if one of its executions is. */
static void add_distinct(const GraphHistory *history, bool rejected)
{
    Hash128 hash = hash_of(history);
    bool is_new;
    uint64_t *known = hashmap_put(&seen, hash.low, &is_new), mark = hash.high & ~UINT64_C(1);
    if (!is_new && (*known ^ mark) >> 1)
        die("internal error: two histories have one hash");
    if (is_new) {
        *known = mark;
        present.distinct++;
        present.sequences = MIN(MOST_SEQUENCES, present.sequences + count_sequences(history));
    }
    present.distinct_rejected += rejected && !(*known & 1);
    *known |= rejected;
}

/* ---- conflicts ---- */

enum { BLOCK_BYTES = 16 };

/* Collects the accesses of calls as ordering points: their places in modification order say which
 * of two that conflict is earlier. Where accesses of several sizes meet, each byte is a location of
 * its own. */
static uint32_t collect_points(const GraphHistory *history, OrderingPoint *points, uint32_t room)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < history->count; k++) {
        if (!(history->called >> k & 1))
            continue;
        const Event *call = &pool[history->call[k]];
        for (int i = call->index + 1; i < threads[call->thread].count; i++) {
            const Event *e = thread_event(call->thread, i);
            if (e->kind == EVENT_MARK && e->other == k)
                break;
            if (!IS_ACCESS(e->kind) || is_merge_read(e))
                continue;
            for (unsigned left = event_bytes(e); left; left &= left - 1) {
                ASSERT(count < room);
                points[count++] = (OrderingPoint){
                    .call = k,
                    .location = e->location * BLOCK_BYTES + (uint32_t)__builtin_ctz(left),
                    .write = e->kind == EVENT_WRITE ? e->co : -1,
                    .read = e->kind == EVENT_READ ? rf_position(e) : -1};
                if (!facts_met[FACT_blocks]) /* every access is to all of its location */
                    break;
            }
        }
    }
    return count;
}

/* Program order between the calls of a thread, and of main's with all others. */
static void add_threads(const GraphHistory *history, Ordering *ordering)
{
    for (uint32_t i = 0; i < history->count; i++)
        for (uint32_t j = 0; j < history->count; j++) {
            if (i == j || !(history->returned >> i & 1) || !(history->called >> j & 1))
                continue;
            const Event *a = &pool[history->call[i]], *b = &pool[history->call[j]];
            bool of_main = !a->thread || !b->thread;
            if ((a->thread == b->thread && a->index < b->index) ||
                (a->thread != b->thread && of_main && before(&pool[history->ret[i]], &b->porf)))
                ordering->next[i] |= (uint64_t)1 << j;
        }
}

static bool is_serializable(const GraphHistory *history)
{
    static OrderingPoint *points;
    uint32_t room = (uint32_t)order_count * BLOCK_BYTES, cycle[ORDERING_MOST];
    points = realloc(points, sizeof *points * MAX(room, 1u));
    if (!points)
        die("out of memory");
    Ordering ordering;
    ordering_relate_many(&ordering, history->count, points, collect_points(history, points, room));
    add_threads(history, &ordering);
    ordering_close(&ordering);
    return !ordering_cycle(&ordering, cycle);
}

/* ---- sums ---- */

void tally_add(const GraphHistory *history, bool rejected)
{
    present.histories++;
    present.rejected += rejected;
    add_distinct(history, rejected);
    if (is_serializable(history))
        return;
    present.conflicts++;
    present.conflicts_allowed += !rejected;
}

void tally_keep(void)
{
    kept.tests++;
    kept.histories += present.histories;
    kept.rejected += present.rejected;
    kept.distinct += present.distinct;
    kept.distinct_rejected += present.distinct_rejected;
    kept.sequences = MIN(MOST_SEQUENCES, kept.sequences + present.sequences);
    kept.conflicts += present.conflicts;
    kept.conflicts_allowed += present.conflicts_allowed;
    tally_begin();
}

void tally_keep_partial(void)
{
    kept.partial += present.histories;
    kept.partial_rejected += present.rejected;
    tally_begin();
}

void tally_publish(OutcomeMessage *outcome)
{
#define ADD(field, from) __atomic_add_fetch(&outcome->all_##field, kept.from, __ATOMIC_RELAXED)
    ADD(tests, tests);
    ADD(histories, histories);
    ADD(rejected, rejected);
    ADD(distinct, distinct);
    ADD(distinct_rejected, distinct_rejected);
    ADD(sequences, sequences);
    ADD(conflicts, conflicts);
    ADD(conflicts_allowed, conflicts_allowed);
    ADD(partial, partial);
    ADD(partial_rejected, partial_rejected);
#undef ADD
}
