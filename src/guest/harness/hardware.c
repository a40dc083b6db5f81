#include "guest/harness/hardware.h"
#include "guest/explore/graph/load_buffering.h"
#include "guest/explore/scale/units.h"
#include "guest/explore/scale/workers.h"

/* Samples and bounded searches do not see all executions; parts of explorations that other
 * processes, or earlier ones, have made are not known here. */
void hardware_begin(const Link *link)
{
    buffering.is_sought = model_forbids_races(options.model) && !options.schedules &&
                          options.preemptions < 0 && !units_on() && link->mode != LINK_REPLAY;
}

static void tell_cycle(OutcomeMessage *outcome)
{
    workers_lock();
    if (!(outcome->buffering & OUTCOME_BUFFERING_POSSIBLE)) {
        outcome->buffering_load = buffering.cycle[0];
        outcome->buffering_store = buffering.cycle[1];
        outcome->buffering_reader = buffering.cycle[2];
        outcome->buffering_answer = buffering.cycle[3];
        outcome->buffering |= OUTCOME_BUFFERING_POSSIBLE;
    }
    workers_unlock();
}

void hardware_end(OutcomeMessage *outcome)
{
    bool possible = buffering.seen & BUFFERING_READ;
    if (possible)
        tell_cycle(outcome);
    uint64_t bits = buffering.is_sought || possible ? OUTCOME_BUFFERING_SOUGHT : 0;
    if (buffering_is_unsure(false))
        bits |= OUTCOME_BUFFERING_UNSURE;
    if (buffering.seen & BUFFERING_EXCLUSIVE || buffering_is_unsure(true))
        bits |= OUTCOME_BUFFERING_EXCLUSIVE;
    __atomic_or_fetch(&outcome->buffering, bits, __ATOMIC_RELAXED);
}
