/* asked.c: apart from campaign.c, since the two languages of programs have the same names. */
#include "asked.h"
#include "../random/engine.h"

void asked_begin(const char *engine, const char *table)
{
    engine_set(engine, table, "", 2000);
}

void asked_promised(int asks)
{
    engine_ask_promised(asks);
}

unsigned long long asked_key(const int *memory, const long long *told, int threads)
{
    unsigned long long key = 0;
    for (int l = 0; l < 3; l++)
        key = key * 4 + (unsigned)memory[l];
    for (int t = 1; t <= threads; t++)
        key = (key ^ (unsigned long long)told[t]) * 0x9E3779B97F4A7C15u, key ^= key >> 29;
    return key;
}

long long asked_told(const int *registers)
{
    const int64_t all[REGISTERS] = {registers[0], registers[1], registers[2], registers[3]};
    return told_of(all);
}

static void take_outcomes(Asked *result, const Judged *found, int threads)
{
    result->keys = 0;
    for (int i = 0; i < found->outcomes && i < 4096; i++) {
        const Outcome *o = &found->outcome[i];
        int memory[3] = {o->variable[0], o->variable[1], o->variable[2]};
        long long told[THREADS];
        for (int t = 0; t < THREADS; t++)
            told[t] = o->told[t];
        result->key[result->keys++] = asked_key(memory, told, threads);
    }
}

const Asked *asked(const char *text, int way, int number)
{
    static Program program;
    static Answer answer;
    static Asked result;
    memset(&result, 0, sizeof result);
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
        result.promised = answer.promised;
        result.possible = answer.buffering_possible;
        result.impossible = answer.buffering_impossible;
        result.impossible_lse = answer.buffering_impossible_lse;
    }
    take_outcomes(&result, &answer.found, program.threads - 1);
    oracle_free(&answer.found);
    oracle_free(&answer.states);
    return &result;
}
