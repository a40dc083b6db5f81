#include "guest/states/steps/rounds.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/request.h"
#include "guest/states/present.h"
#include "guest/states/part.h"
#include "guest/states/steps/written.h"

/* Returns the request of thread T if it waits for a later one of ROUNDS, else NULL. */
static Request *request_about(uint32_t t, const uint32_t *rounds)
{
    Request *q = &states_thread[t].request;
    bool is_about = states_has_stack[t] && (int)t != fiber_current && q->address == rounds &&
                    q->kind == REQUEST_AWAIT;
    return is_about ? q : NULL;
}

void rounds_forget(uint32_t *counter, uint32_t *rounds, uint32_t each)
{
    uint64_t low = *rounds;
    if (!low)
        return;
    uint64_t least = *rounds;
    for (uint32_t t = states_first; t <= states_threads; t++) {
        const Request *q = request_about(t, rounds);
        if (q)
            least = MIN(least, MAX(q->expected, low - 1));
    }
    for (uint32_t t = states_first; t <= states_threads; t++) {
        Request *q = request_about(t, rounds);
        if (!q)
            continue;
        q->expected = MAX(q->expected, low - 1) - least;
        part_forget((int)t); /* another part, with the same stack */
    }
    written_note_change(); /* made smaller, they may be what they were before the step */
    states_will_write(counter, sizeof *counter);
    states_will_write(rounds, sizeof *rounds);
    *counter -= (uint32_t)least * each;
    *rounds -= (uint32_t)least;
}
