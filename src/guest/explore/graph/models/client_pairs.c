/* Which single edges a client can't add under rc11, because the graph would not be coherent: (a, b)
 * if something after the call of b is eco-before something before the return of a. With fewer words
 * for "after" and "before": of each thread, happens-before puts a first part before the return of
 * a, and a last part after the call of b. So an event is known by two sets of operations, and a
 * location by one walk along its coherence order. This is done for many executions of a test, the
 * rest of client_rc11.c only for few; for every execution a part is done that needs no
 * happens-before: with the accesses of b and of a themselves. */
#include <string.h>
#include "guest/explore/graph/models/client_internal.h"

static uint32_t before_return[CLIENT_EVENTS],
    after_call[CLIENT_EVENTS]; /* sets of operations, by event */

/* How many events of thread T do not come after CALL. */
static int events_not_after(const Event *call, int t)
{
    if (t == call->thread)
        return call->index + 1;
    int low = 0, high = threads[t].count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (before(call, &thread_event(t, middle)->hb))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Notes operation K of each thread at the last event before RET and at the first one after CALL. */
static void note_operation(const Event *call, const Event *ret, uint32_t k)
{
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int t = thread_first(left), count = threads[t].count, from = events_not_after(call, t);
        int end = MIN((int)ret->hb.at[t], count);
        if (end)
            before_return[client.base[t] + end - 1] |= 1u << k;
        if (from < count)
            after_call[client.base[t] + from] |= 1u << k;
    }
}

/* Spreads what is noted at one event of a thread to those before it, or after it. */
static void spread_operations(void)
{
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int t = thread_first(left), count = threads[t].count;
        uint32_t *to = before_return + client.base[t];
        for (int i = count - 1; i-- > 0;)
            to[i] |= to[i + 1];
        to = after_call + client.base[t];
        for (int i = 1; i < count; i++)
            to[i] |= to[i - 1];
    }
}

static int place_of(EventId id)
{
    return client.base[pool[id].thread] + pool[id].index;
}

/* Accesses that stand at one place of the coherence order: a write, or the reads of it. */
typedef struct CoherencePlace {
    uint32_t before_return, after_call;
} CoherencePlace;

static void add_access(CoherencePlace *place, EventId id)
{
    place->before_return |= before_return[place_of(id)];
    place->after_call |= after_call[place_of(id)];
}

static void pass(const CoherencePlace *place, uint32_t *earlier, uint32_t *bad)
{
    for (uint32_t left = *earlier ? place->before_return : 0; left; left &= left - 1)
        bad[__builtin_ctz(left)] |= *earlier;
    *earlier |= place->after_call;
}

void client_pairs_find(const EventId *calls, const EventId *returns, uint32_t count, uint32_t *bad)
{
    static CoherencePlace reads[CLIENT_EVENTS + 1]; /* of each write, in coherence order */
    memset(before_return, 0, sizeof *before_return * (size_t)client.n);
    memset(after_call, 0, sizeof *after_call * (size_t)client.n);
    memset(bad, 0, sizeof *bad * count);
    for (uint32_t k = 0; k < count; k++)
        note_operation(&pool[calls[k]], &pool[returns[k]], k);
    spread_operations();
    for (LocationId l = 1; l <= location_count; l++) {
        const Location *x = &locations[l];
        if (x->writes < 2) /* but for the initial one there is none: all reads are at one place */
            continue;
        memset(reads, 0, sizeof *reads * (size_t)x->writes);
        for (int i = 0; i < x->reads; i++)
            add_access(&reads[rf_position(&pool[x->read[i]])], x->read[i]);
        uint32_t earlier = 0; /* operations called before something at an earlier place */
        for (int p = 0; p < x->writes; p++) {
            CoherencePlace write = {0, 0};
            if (p)
                add_access(&write, x->co[p]);
            pass(&write, &earlier, bad);
            pass(&reads[p], &earlier, bad);
        }
    }
}

/* ---- accesses of the operations themselves ---- */

typedef struct OwnCalls {
    uint32_t of_thread[MAX_THREADS];                     /* sets of operations */
    int call[MODEL_CLIENT_MOST], ret[MODEL_CLIENT_MOST]; /* places in their thread */
} OwnCalls;

static void find_own(const EventId *calls, const EventId *returns, uint32_t count, OwnCalls *own)
{
    for (ThreadSet left = threads_created; left; left &= left - 1)
        own->of_thread[thread_first(left)] = 0;
    for (uint32_t k = 0; k < count; k++) {
        own->of_thread[pool[calls[k]].thread] |= 1u << k;
        own->call[k] = pool[calls[k]].index;
        own->ret[k] = pool[returns[k]].index;
    }
}

/* The operation of E, as a set; none if it belongs to no call. */
static uint32_t own_of(const OwnCalls *own, const Event *e)
{
    for (uint32_t left = own->of_thread[e->thread]; left; left &= left - 1) {
        int k = __builtin_ctz(left);
        if (e->index > own->call[k] && e->index < own->ret[k])
            return left & -left;
    }
    return 0;
}

void client_own_pairs_find(const EventId *calls, const EventId *returns, uint32_t count,
                           uint32_t *bad)
{
    uint32_t at[CLIENT_OWN_PLACES]; /* by client_key */
    OwnCalls own;
    find_own(calls, returns, count, &own);
    memset(bad, 0, sizeof *bad * count);
    for (LocationId l = 1; l <= location_count; l++) {
        const Location *x = &locations[l];
        if (x->writes <= CLIENT_FEW_WRITES || 2 * x->writes > CLIENT_OWN_PLACES)
            continue;
        for (int p = 0; p < x->writes; p++) {
            at[2 * p] = p ? own_of(&own, &pool[x->co[p]]) : 0;
            at[2 * p + 1] = 0;
        }
        for (int i = 0; i < x->reads; i++) {
            const Event *read = &pool[x->read[i]];
            at[client_key(read)] |= own_of(&own, read);
        }
        uint32_t earlier = 0;
        for (int place = 1; place < 2 * x->writes; place++) {
            for (uint32_t left = earlier ? at[place] : 0; left; left &= left - 1)
                bad[__builtin_ctz(left)] |= earlier;
            earlier |= at[place];
        }
    }
    for (uint32_t a = 0; a < count; a++)
        bad[a] &= ~(1u << a);
}
