#include "guest/states/steps/offers.h"
#include "guest/states/buffers.h"
#include "guest/states/progress.h"

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

uint32_t offers_inside(void)
{
    uint32_t inside = 0;
    for (uint32_t t = states_first; t <= states_threads; t++)
        inside |= (uint32_t)(states_thread[t].call >= 0) << t;
    return client->program && states_elements ? inside | PROGRESS_OVER : inside;
}

uint32_t offers_blocked(void)
{
    uint32_t blocked = 0;
    for (uint32_t t = states_first; t <= states_threads; t++)
        if (states_thread[t].call >= 0 && !states_buffers[t].count &&
            states_thread[t].request.kind != REQUEST_JOIN && !states_ways((int)t))
            blocked |= 1u << t;
    return blocked;
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

bool offers_call(uint32_t thread, uint32_t call)
{
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
    if (is_held_up(thread)) {
        result->lagged++;
        return false;
    }
    return true;
}

uint32_t offers_ways(uint32_t t)
{
    return states_thread[t].call == STATES_IDLE && !client->program ? client->calls
                                                                    : states_ways((int)t);
}
