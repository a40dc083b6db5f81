#include "guest/explore/rest.h"
#include <string.h>
#include "guest/explore/checkpoint.h"
#include "guest/explore/explore.h"
#include "guest/explore/frames.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/ops.h"
#include "guest/explore/symmetry/alike.h"
#include "guest/explore/units.h"

bool rest_completes;
static bool is_off;                   /* nothing turns it on again */
static ThreadSet used;                /* threads of which some rest uses the results ... */
static uint64_t results[MAX_THREADS]; /* ... and these, in every execution so far */

void op_note_claim(void)
{
    is_off = true;
    if (alike_active && alike_met)
        alike_refuse();
}

/* Does main touch nothing but its own stack between its event A and its next one, B? The only word
 * of the runtime that it writes is the claim of the thread that it joins. A plain access is in the
 * log: the first one after an event always is. */
static bool is_silent(const Event *a, const Event *b)
{
    unsigned claims = 0;
    if (a->heap_used != b->heap_used || a->heap_count != b->heap_count)
        return false;
    for (uint32_t i = b->log_position; i-- > a->log_position;) {
        const LogEntry *entry = &undo_log[i];
        if (entry->dead || entry->thread != 0 || entry->tag != b->index)
            continue;
        if (entry->kind != LOG_BYTES || entry->size != 4 || ++claims > 1)
            return false;
    }
    return claims == (b->kind == EVENT_JOIN);
}

/* Notes that a rest uses the result of thread T; false if it was another one before. */
static bool note_result(int t)
{
    uint64_t result = last_event(t)->value;
    if (!(used >> t & 1)) {
        used |= thread_bit(t);
        results[t] = result;
    }
    return results[t] == result;
}

/* Does somebody look at complete graphs? */
static bool is_looked_at(void)
{
    return explore_on_complete || explore_held || !options.checkpoints;
}

/* Or is the way through the search given? */
static bool is_watched(void)
{
    return is_looked_at() || frames_draw || units_replaying || options.preemptions >= 0 ||
           options.schedules;
}

void rest_observe(void)
{
    const Event *end = threads[0].count ? last_event(0) : NULL;
    if (is_off || !end || end->kind != EVENT_END || !end->test || is_watched())
        return;
    ThreadSet rest = thread_bit(0);
    for (int i = end->index; i > 0; i--) {
        Event *a = thread_event(0, i - 1);
        const Event *b = thread_event(0, i);
        if ((a->kind != EVENT_JOIN && a->kind != EVENT_CREATE) || a->rest || !is_silent(a, b))
            return;
        if (b->kind == EVENT_JOIN && b->test) {
            rest |= thread_bit(b->other);
            is_off = !note_result((int)b->other);
        }
        if (is_off)
            return;
        a->rest = rest;
        if (a->kind == EVENT_CREATE)
            return;
    }
}

/* All threads but main have ended, with the results that REST, a rest of main's, knows? */
static bool has_known_results(ThreadSet rest)
{
    for (ThreadSet left = rest & ~thread_bit(0); left; left &= left - 1) {
        int t = thread_first(left);
        if (last_event(t)->value != results[t])
            return false;
    }
    return true;
}

/* Need main not run, with a rest that uses the results of the threads in REST? */
static bool is_needless(ThreadSet rest, ThreadSet others)
{
    if (others)
        return true;
    if ((threads_created & ~threads_ended) != thread_bit(0))
        return false; /* the others wait: it must be seen what main does then */
    is_off = !has_known_results(rest);
    rest_completes = !is_off;
    return rest_completes;
}

bool rest_is_needless(ThreadSet others)
{
    return !is_off && !is_watched() && is_needless(last_event(0)->rest, others);
}

/* ---- executions that are sampled ---- */

#define MOST_STACK 4096
static struct {     /* main at the request of the last event before its rest */
    ThreadSet rest; /* as Event.rest; 0: none is known */
    uint32_t bytes, other;
    int index;
    HeapCursor cursor;
    char stack[MOST_STACK];
} sample;

void rest_forget_samples(void)
{
    sample.rest = 0;
}

void rest_observe_sample(void)
{
    const Event *end = threads[0].count ? last_event(0) : NULL;
    if (is_off || sample.rest || !end || end->kind != EVENT_END || !end->test || is_looked_at())
        return;
    ThreadSet rest = thread_bit(0);
    int i = end->index;
    for (; i > 0 && thread_event(0, i)->kind != EVENT_CREATE; i--) {
        const Event *b = thread_event(0, i);
        if ((b->kind != EVENT_JOIN && b != end) || !is_silent(thread_event(0, i - 1), b))
            return;
        if (b->kind == EVENT_JOIN && b->test) {
            rest |= thread_bit(b->other);
            is_off = !note_result((int)b->other);
        }
    }
    const Event *a = thread_event(0, i);
    if (is_off || a->kind != EVENT_CREATE || a->snapshot_bytes > MOST_STACK)
        return;
    sample.rest = rest;
    sample.index = i;
    sample.other = (uint32_t)a->other;
    sample.cursor = (HeapCursor){a->heap_used, a->heap_count};
    sample.bytes = a->snapshot_bytes;
    memcpy(sample.stack, snapshot_buffer + a->snapshot, sample.bytes);
}

bool rest_is_known_of_sample(void)
{
    if (!sample.rest || threads[0].count - 1 != sample.index || is_off || is_looked_at())
        return false;
    const Event *a = last_event(0);
    return a->kind == EVENT_CREATE && a->other == sample.other &&
           a->heap_used == sample.cursor.used && a->heap_count == sample.cursor.count &&
           a->snapshot_bytes == sample.bytes &&
           !memcmp(snapshot_buffer + a->snapshot, sample.stack, sample.bytes);
}

bool rest_is_needless_in_sample(ThreadSet others)
{
    return !is_off && is_needless(sample.rest, others);
}
