/* asked.c: apart from campaign.c, since the two languages of programs have the same names. */
#include "asked.h"
#include "../random/engine.h"

void asked_begin(const char *engine, const char *table)
{
    engine_set(engine, table, "", 2000);
}

Asked asked(const char *text, int way, int number)
{
    static Program program;
    static Answer answer;
    Asked result = {ASKED_NO_ANSWER, 0, 0, 0};
    const char *wrong = program_parse(text, &program);
    if (wrong) {
        fprintf(stderr, "can't be read at %s: %s\n", wrong, text);
        exit(2);
    }
    engine_set_number(number);
    engine_explore(&program, MODEL_RC11, way, &answer);
    if (answer.how == CRASHED)
        result.how = ASKED_CRASHED;
    if (answer.how == ENDED) {
        result.how = answer.stuck || answer.kind ? ASKED_WAITS : ASKED_ANSWERED;
        result.possible = answer.buffering_possible;
        result.impossible = answer.buffering_impossible;
        result.impossible_lse = answer.buffering_impossible_lse;
    }
    oracle_free(&answer.found);
    oracle_free(&answer.states);
    return result;
}
