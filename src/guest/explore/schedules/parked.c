#include "guest/explore/schedules/parked.h"
#include "guest/explore/search/blocked.h"
#include <string.h>
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/pages.h"

#define MOST_PARKS (UINT32_C(1) << 20)

Parked parked_now;
static Park *parked_all; /* by parked_now.of */
static uint64_t last_serial;
static uint64_t standing[MAX_THREADS]; /* serial of the park whose stack is in place */

void parked_setup(void)
{
    parked_all = pages_reserve(sizeof(Park) * MOST_PARKS);
}

const Park *parked_at(int t)
{
    return parked_now.of[t] ? &parked_all[parked_now.of[t]] : NULL;
}

void parked_begin(void)
{
    memset(&parked_now, 0, sizeof parked_now);
    memset(standing, 0, sizeof standing);
}

/* ---- stopping ---- */

/* Makes the graph show that T is parked. */
static void show_park(int t)
{
    const Park *p = &parked_all[parked_now.of[t]];
    threads[t].pending = p->request;
    threads[t].live = LIVE_PENDING;
    if (threads[t].count) {
        last_event(t)->waits = p->waits;
        last_event(t)->wait_from = p->wait_from;
    }
}

static void add_park(int t, const Park *p)
{
    if (parked_now.count + 1 >= MOST_PARKS)
        op_unsupported("an execution of more than %u switches", MOST_PARKS);
    parked_now.of[t] = ++parked_now.count;
    parked_all[parked_now.count] = *p;
    parked_all[parked_now.count].serial = ++last_serial;
    checkpoints.top = p->snapshot + ((p->bytes + 15) & ~15u);
    show_park(t);
}

void parked_stop(int t, uint8_t waits, EventIndex wait_from)
{
    uint32_t bytes = (uint32_t)(fibers[t].base - (char *)fibers[t].sp);
    if (UNLIKELY(checkpoints.top + (uint64_t)bytes + 64 >= (UINT32_C(1) << 31)))
        op_unsupported("the stacks of one execution need too many checkpoints");
    memcpy(checkpoints.stacks + checkpoints.top, fibers[t].sp, bytes);
    add_park(t, &(Park){.snapshot = checkpoints.top,
                        .bytes = bytes,
                        .heap = heap_cursor[t],
                        .request = request,
                        .waits = waits,
                        .wait_from = wait_from});
    standing[t] = last_serial;
}

void parked_stop_before(int t, const Event *e, const Request *q)
{
    add_park(t, &(Park){.snapshot = e->snapshot,
                        .bytes = e->snapshot_bytes,
                        .heap = {e->heap_used, e->heap_count},
                        .request = *q,
                        .waits = WAITS_NOT});
}

void parked_restore(const Parked *then)
{
    parked_now = *then;
    for (ThreadSet left = threads_created & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left);
        if (parked_now.of[t])
            show_park(t);
        else
            threads[t].live = LIVE_YES;
    }
}

/* ---- going on ---- */

static void put_stack(int t, uint32_t snapshot, uint32_t bytes, HeapCursor heap)
{
    fibers[t].sp = fibers[t].base - bytes;
    memcpy(fibers[t].sp, checkpoints.stacks + snapshot, bytes);
    heap_cursor[t] = heap;
}

void parked_leave(int t)
{
    const Park *p = &parked_all[parked_now.of[t]];
    if (standing[t] != p->serial)
        put_stack(t, p->snapshot, p->bytes, p->heap);
    request = p->request;
    parked_now.of[t] = 0;
    standing[t] = 0;
    threads[t].live = LIVE_YES;
    if (threads[t].count)
        last_event(t)->waits = WAITS_NOT;
}

void parked_return(int t, const Event *e)
{
    put_stack(t, e->snapshot, e->snapshot_bytes, (HeapCursor){e->heap_used, e->heap_count});
    standing[t] = 0;
}

void parked_run(int t)
{
    standing[t] = 0;
}

/* ---- who can ---- */

static void last_value(const Location *x, uint64_t words[2])
{
    EventId last = x->co[x->writes - 1];
    words[0] = write_value(last, x);
    words[1] = graph_value_high(last, x);
}

static bool await_holds(const Request *q)
{
    Event probe = {.size = q->size, .test = q->test, .expected = q->expected, .part = q->part};
    uint64_t words[2] = {0, 0};
    LocationId l = graph_find_location(q->address);
    if (l && locations[l].size == q->size && (locations[l].writes > 1 || locations[l].reads))
        last_value(&locations[l], words);
    else
        memcpy(words, q->address, q->size);
    return graph_test_holds_for(&probe, words[0], words[1]);
}

bool parked_must_wait(const Request *q)
{
    if (q->kind == REQUEST_JOIN)
        return q->operand < MAX_THREADS && (threads_created >> q->operand & 1) &&
               !thread_can_be_joined((int)q->operand);
    return q->kind == REQUEST_AWAIT && !await_holds(q);
}

static bool is_able(int t)
{
    const Park *p = parked_at(t);
    if (!p)
        return true; /* it has not begun */
    if (p->waits == WAITS_CUT || parked_must_wait(&p->request))
        return false;
    return p->waits != WAITS_BLOCKED || !blocked_sees_last(t);
}

ThreadSet parked_able(int besides)
{
    ThreadSet able = 0;
    for (ThreadSet left = threads_created & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left);
        if (t != besides && is_able(t))
            able |= thread_bit(t);
    }
    return able;
}
