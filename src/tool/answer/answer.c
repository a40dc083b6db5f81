#include "tool/answer/answer.h"
#include <string.h>
#include "record/memory_model.h"

int answer_exit_status(const Answer *answer)
{
    if (answer->internal)
        return 4;
    if (answer->verdict == VERDICT_VIOLATED && answer->known)
        return 0;
    static const int statuses[] = {
        [VERDICT_HOLDS] = 0, [VERDICT_VIOLATED] = 1, [VERDICT_INCONCLUSIVE] = 3};
    return statuses[answer->verdict];
}

const char *answer_load_buffering(const Answer *answer)
{
    uint64_t bits = answer->outcome.buffering;
    uint64_t promised = answer->outcome.promised;
    if (answer->verdict == VERDICT_HOLDS && promised != OUTCOME_PROMISED_NOT_ASKED)
        return promised == OUTCOME_PROMISED_NONE ? "impossible" : "explored";
    if (answer->verdict != VERDICT_HOLDS || !answer->model ||
        strcmp(answer->model, model_word(MODEL_RC11)) != 0)
        return NULL;
    if (bits & OUTCOME_BUFFERING_POSSIBLE)
        return "possible";
    /* where states of sc decide under rc11, all that races are seq_cst accesses
     * (guest/states/strong.h) */
    bool all = bits & OUTCOME_BUFFERING_SOUGHT || answer->outcome.states;
    if (answer->outcome.by_views)
        return "unknown";
    return all && !(bits & OUTCOME_BUFFERING_UNSURE) ? "impossible" : "unknown";
}

const char *answer_load_buffering_lse(const Answer *answer)
{
    const char *pairs = answer_load_buffering(answer);
    uint64_t bits = answer->outcome.buffering;
    if (!pairs)
        return NULL;
    bool all = bits & OUTCOME_BUFFERING_SOUGHT && !answer->outcome.states;
    bool holds = !strcmp(pairs, "impossible") && all &&
                 !(bits & (OUTCOME_BUFFERING_EXCLUSIVE | OUTCOME_BUFFERING_POSSIBLE));
    return holds ? "impossible" : "unknown";
}
