/* waits.h: who waits for what, in sentences. */
#ifndef HEDDLE_REPORT_EXPLAIN_WAITS_H
#define HEDDLE_REPORT_EXPLAIN_WAITS_H
#include "tool/report/explain/sleeps.h"
#include "tool/report/steps.h"

/* A violation that is being explained: its sentences so far. */
typedef struct Sentences {
    Names *names;
    Arena *arena;
    const Record *record;
    const Steps *steps;
    Sleeps sleeps;
    Vec(const char *) lines;
} Sentences;
const char *explain_step(Sentences *explain, uint32_t event); /* "T1's step 4" */
const char *explain_place(Names *names, uint64_t pc);         /* " at file.c:4", or "" */

/* The whole in one sentence: "T1 waits for ever for m, held by T2; T2 ..." */
const char *explain_waiting(Names *names, const Record *record);
/* Adds a sentence for each thread that has not ended. */
void explain_waits(Sentences *explain);
#endif
