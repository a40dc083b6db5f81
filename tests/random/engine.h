/* engine.h: the engine, asked about programs one after the other (server.h is the other end). */
#ifndef HEDDLE_RANDOM_ENGINE_H
#define HEDDLE_RANDOM_ENGINE_H
#include "oracle.h"

typedef struct Answer {
    enum { ENDED, GIVEN_UP /* inconclusive */, TOO_LONG, CRASHED } how;
    bool hangs;    /* TOO_LONG, without computing */
    unsigned kind; /* of the first violation that is not that threads are stuck; 0: there is none */
    long executions, blocked, stuck;
    int promised; /* OutcomePromised, where engine_ask_promised was called */
    bool buffering_possible, buffering_impossible, buffering_impossible_lse; /* server.h */
    Judged found;                                                            /* its outcomes */
    bool asks_states, by_states; /* with states=views: whether they have decided: */
    unsigned states_kind;        /* as `kind`, but for KIND_STUCK */
    Judged states;
    char said[400];
} Answer;

/* PROGRAM (interp.c, built) is started when it is needed, with more of HEDDLE_DEBUG; TABLE is its
 * table of dead stack bytes, MS the CPU time of an exploration. */
void engine_set(const char *program, const char *table, const char *keys, long ms);
void engine_stop(void);
/* Of a program that print.c has printed: number N of it is explored from now on (-1: not one of
 * these). */
void engine_set_number(int n);
void engine_ask_promised(bool asks); /* from now on */
/* WAY: see server.h. */
void engine_explore(const Program *program, Model model, int way, Answer *answer);
/* How often reduction number I (record/reductions.h) has left something out in all explorations so
 * far, and in how many of them. */
typedef struct RuleCount {
    long times, explorations;
} RuleCount;
RuleCount engine_rule(int i);
/* With a runtime that has mutants: number N is on from now on (0: none), in explorations to come.
 */
void engine_set_mutant(int n);
bool engine_has_reached(int n); /* has the last exploration come to where N matters? */
#endif
