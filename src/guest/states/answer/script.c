#include "guest/states/answer/script.h"
#include "guest/states/memory.h"
#include "guest/states/answer/way.h"

static Vec(const void *) flushed; /* places in the code, by their numbers */

uint16_t script_flush_number(const void *pc)
{
    size_t i = 0;
    while (i < flushed.count && flushed.at[i] != pc)
        i++;
    if (i == flushed.count)
        vec_push(&flushed, pc);
    return (uint16_t)i;
}

static uint16_t site_number(const void *pc)
{
    return pc ? (uint16_t)(states_site_index(pc) + 1) : 0;
}

VisitedStep script_step(uint32_t parent, uint32_t thread, uint32_t way, const StatesDone *done)
{
    return (VisitedStep){.parent = parent,
                         .call = done->call,
                         .requests = (uint16_t)MIN(done->requests, UINT16_MAX),
                         .thread = (uint8_t)thread,
                         .choice = done->call >= 0 ? 0 : (uint8_t)way,
                         .site = way == STATES_FLUSH ? script_flush_number(done->site)
                                                     : site_number(done->site)};
}

static void add_step(StatesResult *result, const VisitedStep *step)
{
    bool flushes = step->choice == (uint8_t)STATES_FLUSH;
    vec_push(&result->script, (SampleStep){.thread = step->thread,
                                           .requests = step->requests,
                                           .choice = flushes ? 0 : step->choice,
                                           .flushes = flushes,
                                           .stop_pc = flushes      ? flushed.at[step->site]
                                                      : step->site ? states_site(step->site - 1u)
                                                                   : NULL});
    if (step->call >= 0)
        vec_push(&result->calls, (StatesCall){step->thread, (uint32_t)step->call});
}

void script_write(StatesResult *result, uint32_t node, const VisitedStep *last)
{
    Way path = way_to(node);
    result->script.count = result->calls.count = 0;
    for (size_t i = 0; i < path.count; i++) {
        VisitedStep step = visited_step(path.at[i]);
        if (step.parent != VISITED_NONE)
            add_step(result, &step);
    }
    if (last)
        add_step(result, last);
    vec_free(&path);
}

uint32_t script_call_in(uint32_t node, uint32_t thread)
{
    VisitedStep step = visited_step(node);
    while (step.thread != thread || step.call < 0)
        step = visited_step(step.parent);
    return (uint32_t)step.call;
}
