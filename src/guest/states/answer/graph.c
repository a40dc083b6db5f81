#include "guest/states/answer/graph.h"
#include <stdlib.h>
#include "guest/states/answer/script.h"
#include "guest/states/crew/question.h"
#include "guest/states/progress.h"
#include "guest/states/room.h"
#include "guest/states/present.h"
#include "guest/states/symmetry.h"
#include "guest/states/visited.h"
#include "record/hooks.h"

/* Is T, whose call returns on no path from NODE (STUCK, by slots), not allowed to wait there? Asked
 * where no call under way returns on any path: from each state in which one is stuck, those that
 * can return lead to such a state. Before that a call that will return may be what T waits for. */
static bool is_stuck(uint8_t stuck, uint32_t node, uint32_t t)
{
    uint32_t slot = turn_slot(visited_turn_of(node), t);
    return (stuck >> slot & 1) &&
           !sets_may_wait(visited_set_of(node), slot, script_call_in(node, t));
}

uint32_t graph_find_stuck(bool calls_end, uint32_t *thread)
{
    uint8_t *stuck = malloc(visited_states() + 1u);
    uint32_t found = VISITED_NONE;
    bool any = progress_find_stuck(states_threads, calls_end, stuck);
    for (uint32_t node = 0; any && node < visited_nodes() && found == VISITED_NONE; node++) {
        uint32_t state = visited_state_of(node);
        uint8_t here = progress_inside(state) == stuck[state] ? stuck[state] : 0;
        for (uint32_t t = states_first; here && t <= states_threads && found == VISITED_NONE; t++)
            if (is_stuck(here, node, t)) {
                found = node;
                *thread = t;
            }
    }
    free(stuck);
    return found;
}

bool graph_may_be_stuck(bool calls_end, bool (*counts)(uint32_t state))
{
    uint8_t *stuck = malloc(visited_states() + 1u);
    uint32_t state = 0;
    progress_find_stuck(states_threads, calls_end, stuck);
    while (state < visited_states() && !(stuck[state] && counts(state)))
        state++;
    free(stuck);
    return state < visited_states();
}

uint32_t graph_find_dead(bool *endless, ProgressDead *why, uint32_t *thread)
{
    uint8_t *dead = malloc(2 * (visited_states() + 1u)), *threads = dead + visited_states() + 1;
    uint32_t node = 0;
    *endless = progress_find_dead(dead, threads);
    while (node < visited_nodes() && !dead[visited_state_of(node)])
        node++;
    bool found = node < visited_nodes();
    if (found) {
        *why = (ProgressDead)dead[visited_state_of(node)];
        *thread = threads[visited_state_of(node)];
    }
    free(dead);
    return found ? node : VISITED_NONE;
}

StatesProgress graph_class(uint32_t thread_count, uint64_t used)
{
    return room_fits(used, progress_class_bytes(thread_count)) ? progress_class(thread_count)
                                                               : STATES_PROGRESS_UNKNOWN;
}

static uint32_t work_out_class(uint32_t thread_count)
{
    return progress_class(thread_count);
}

bool graph_ask_class(uint32_t thread_count, uint64_t used)
{
    enum { MANY = 1 << 16 };
    if ((!hooks.eager_workers && visited_states() < MANY) ||
        !room_fits(used, progress_stuck_bytes() + progress_class_bytes(thread_count)))
        return false;
    progress_list(); /* once, for both */
    question_ask(work_out_class, thread_count);
    return true;
}

StatesProgress graph_asked_class(void)
{
    StatesProgress class = (StatesProgress)question_answer();
    progress_drop_list();
    return class;
}
