#include "guest/states/steps/offers.h"
#include "guest/explore/memory/scrub.h"
#include "guest/runtime/fiber.h"
#include "guest/states/present.h"
#include "guest/states/progress.h"
#include "guest/states/views/views.h"

static const StatesClient *client;
static const StatesLimits *limits;
static StatesResult *result;
static uint32_t depth;

void offers_begin(const StatesClient *wanted, const StatesLimits *bounds, uint32_t most,
                  StatesResult *out)
{
    client = wanted;
    limits = bounds;
    depth = most;
    result = out;
}

static uint32_t threads_inside(void)
{
    uint32_t inside = 0;
    for (uint32_t t = states_first; t <= states_threads; t++)
        inside |= (uint32_t)(states_thread[t].call >= 0) << t;
    return client->program && states_elements ? inside | PROGRESS_OVER : inside;
}

static uint32_t blocked_threads(void)
{
    uint32_t blocked = 0;
    for (uint32_t t = states_first; t <= states_threads; t++)
        if (states_thread[t].call >= 0 && !states_buffers[t].count &&
            states_thread[t].request.kind != REQUEST_JOIN && !states_ways((int)t))
            blocked |= 1u << t;
    return blocked;
}

/* Threads that wait for another to end count if that one does. */
static uint32_t perpetual_threads(void)
{
    uint32_t found = 0, before;
    if (!client->program)
        return 0;
    for (uint32_t t = states_first; t <= states_threads; t++)
        if (states_thread[t].call >= 0 && scrub_is_perpetual(fibers[t].sp, fibers[t].base))
            found |= 1u << t;
    do {
        before = found;
        for (uint32_t t = states_first; t <= states_threads; t++) {
            const Request *q = &states_thread[t].request;
            if (states_thread[t].call >= 0 && q->kind == REQUEST_JOIN &&
                q->operand < STATES_THREADS && (found >> q->operand & 1))
                found |= 1u << t;
        }
    } while (found != before);
    return found;
}

void offers_describe(uint8_t *inside, uint8_t *blocked, uint8_t *perpetual)
{
    *inside = (uint8_t)threads_inside();
    *blocked = (uint8_t)blocked_threads();
    *perpetual = (uint8_t)perpetual_threads();
}

/* The lag: calls of others that returned during the call of a thread. */
static bool is_held_up(uint32_t thread)
{
    for (uint32_t t = states_first; t <= states_threads && limits->lag; t++)
        if (t != thread && states_thread[t].call != STATES_IDLE &&
            states_thread[t].overtaken >= limits->lag)
            return true;
    return false;
}

bool offers_call(uint32_t thread, uint32_t way)
{
    uint32_t call = way % client->calls;
    if (!client->may_call(thread, states_thread[thread].place, call))
        return false;
    if (limits->elements && states_elements >= limits->elements &&
        client->change(call, false, VALUE_UNKNOWN) > 0) {
        result->refused++;
        return false;
    }
    if (states_buffers[thread].calls + 1 >= depth && buffers_used) {
        result->held++;
        return false;
    }
    if (views_used && views_returned((int)thread) + 1 >= depth) {
        result->held++;
        return false;
    }
    if (is_held_up(thread)) {
        result->lagged++;
        return false;
    }
    return true;
}

uint32_t offers_ways(uint32_t t)
{
    if (states_thread[t].call != STATES_IDLE || client->program)
        return states_ways((int)t);
    return client->calls * (views_used ? views_call_ways((int)t) : 1);
}

bool offers_store(uint32_t t)
{
    const Request *q = &states_thread[t].request;
    return states_thread[t].call >= 0 && q->kind == REQUEST_STORE && !q->plain &&
           views_follow((int)t, q) && states_ways((int)t);
}
