/* engine.h: the engine, asked about programs one after the other (server.h is the other end). */
#ifndef HEDDLE_RANDOM_ENGINE_H
#define HEDDLE_RANDOM_ENGINE_H
#include "oracle.h"

typedef struct Answer {
    enum { ENDED, GIVEN_UP /* inconclusive */, TOO_LONG, CRASHED } how;
    unsigned kind; /* of the first violation that is not that threads are stuck; 0: there is none */
    long executions, blocked, stuck;
    Judged found; /* its outcomes */
    char said[400];
} Answer;

/* Starts PROGRAM (interp.c, built), whose table of dead stack bytes is TABLE. */
bool engine_start(const char *program, const char *table, long ms);
void engine_stop(void);
/* KEYS: HEDDLE_DEBUG, beside the model. */
void engine_explore(const Program *program, Model model, const char *keys, Answer *answer);
#endif
