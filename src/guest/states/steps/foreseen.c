#include "guest/states/steps/foreseen.h"
#include "guest/states/buffers.h"
#include "guest/states/steps/offers.h"
#include "guest/states/tickets.h"
#include "guest/states/visited.h"

bool foreseen_compares;

void foreseen_compare(const StatesClient *client, const char *copy, uint32_t t,
                      const TakenStep *steps, uint32_t count)
{
    uint32_t offered = 0;
    states_restore(copy);
    bool is_idle = states_thread[t].call == STATES_IDLE && !client->program;
    uint32_t ways = offers_ways(t);
    for (uint32_t way = 0; way < ways; way++)
        offered += !is_idle || offers_call(t, way);
    foreseen_compares = true;
    bool fails = offered + (states_buffers[t].count != 0) != count;
    for (uint32_t i = 0; i < count && !fails; i++) {
        StatesDone done, foreseen = steps[i].done;
        states_restore(copy);
        states_step((int)t, steps[i].way, &done);
        bool as_far = done.requests == foreseen.requests && done.wrote == foreseen.wrote &&
                      done.site == foreseen.site && done.returned == foreseen.returned;
        fails =
            !taken_is_alike(&steps[i]) || (as_far && visited_find(tickets_key()) != steps[i].to);
    }
    foreseen_compares = false;
    if (fails)
        die("internal error: thread %u takes other steps than were foreseen", t);
    states_restore(copy);
}
