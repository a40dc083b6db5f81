#include "guest/states/answer/ends.h"
#include "guest/explore/graph/graph.h"
#include "guest/states/answer/graph.h"
#include "guest/states/steps/late.h"
#include "guest/states/views/views.h"
#include "guest/states/visited.h"

static void look_for_stuck(const StatesLimits *limits, void (*blame)(uint32_t node))
{
    if (late_used) {
        if (graph_may_be_stuck(limits->calls_end, late_is_plain))
            late_refuse();
        return;
    }
    uint32_t thread, node = graph_find_stuck(limits->calls_end, &thread);
    if (node == VISITED_NONE)
        return;
    blame(node);
    op_violation(VIOLATION_STUCK, NULL,
                 "a call of thread %u never returns, whatever the calls under way do", thread);
}

/* Looks for a thread of a program that waits or loops for ever. */
static void look_for_dead(StatesResult *result, void (*blame)(uint32_t node))
{
    ProgressDead why = PROGRESS_ALIVE;
    uint32_t thread = 0, node = graph_find_dead(&result->endless, &why, &thread);
    if (node == VISITED_NONE)
        return;
    blame(node);
    result->loops = true;
    result->looping = thread;
    if (why == PROGRESS_WAITS)
        op_violation(VIOLATION_DEADLOCK, NULL, "thread %u waits for ever, whatever others do",
                     thread);
    if (why == PROGRESS_QUIET)
        op_violation(VIOLATION_LIVELOCK, NULL, "nothing will ever change any more");
    op_violation(VIOLATION_LIVELOCK, NULL, "thread %u loops for ever, whatever others do: %s",
                 thread,
                 why == PROGRESS_LOOPS ? "it can't come to its end any more"
                                       : "what it tries to change is never free");
}

void ends_look(const StatesClient *client, const StatesLimits *limits, uint64_t used,
               StatesResult *result, void (*blame)(uint32_t node))
{
    if (client->program) {
        if (!views_held) /* else a thread may only wait for room */
            look_for_dead(result, blame);
        return;
    }
    bool wants_class = !limits->calls_end && !limits->lag;
    bool apart =
        wants_class && limits->stuck && limits->jobs > 1 && graph_ask_class(client->threads, used);
    if (limits->stuck && !(limits->views && (views_held || result->held)))
        look_for_stuck(limits, blame);
    if (wants_class)
        result->progress = apart ? graph_asked_class() : graph_class(client->threads, used);
}
