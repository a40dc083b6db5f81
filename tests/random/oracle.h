/* oracle.h: what a program of program.h may do, by definitions alone. Shares no code with the
 * engine, and nothing with it but the meaning of the language.
 *
 * sc, tso, pso: all states of a machine with store buffers (machine.c). rc11: all consistent graphs
 * by the axioms, built event by event (axioms.c); rounds of loops that repeat are bounded there. */
#ifndef HEDDLE_RANDOM_ORACLE_H
#define HEDDLE_RANDOM_ORACLE_H
#include "program.h"

typedef enum Model { MODEL_SC, MODEL_TSO, MODEL_PSO, MODEL_RC11, MODELS } Model;
static const char *const model_words[] = {"sc", "tso", "pso", "rc11"};

enum { /* what some execution does, as bits */
       KIND_ASSERTION = 1,
       KIND_RACE = 2,
       KIND_FREED = 4 /* use after free */,
       KIND_DOUBLE = 8 /* free */,
       KIND_INVALID = 16 /* free */,
       KIND_STUCK = 32
};
enum { NODES = THREADS * NODES_OF_THREAD, POINTER = 1000 /* value of a pointer to node 0 */ };

typedef struct Outcome {         /* of a complete execution */
    int16_t variable[VARIABLES]; /* pointers: POINTER + number of the node */
    int64_t told[THREADS];
} Outcome;
typedef struct Judged {
    unsigned kinds;
    bool too_large; /* nothing below is meant then */
    bool bounded;   /* some loop might go on: outcomes may be missing */
    Outcome *outcome;
    int outcomes, room;
    long states;
} Judged;

/* ROUNDS: times that a thread repeats loops, under rc11. MOST: states or graphs. */
void oracle_judge(const Program *program, Model model, int rounds, long most, Judged *judged);
/* rc11: do later stores of a thread continue its release sequences (C11), too (C++20: they do not)?
 */
extern bool oracle_c11;
void oracle_add(Judged *judged, const Outcome *outcome);
void oracle_sort(Judged *judged); /* and takes out what is there twice */
void oracle_free(Judged *judged);

/* ---- between the two ---- */

enum { LOCK_PLACE = VARIABLES + NODES * FIELDS, ARRIVED_PLACE = LOCK_PLACE + MUTEXES, PLACES };

/* One thread as it stands before a step that others may see. */
typedef struct Self {
    int16_t reg[REGISTERS];
    uint8_t pc, allocated;
    uint8_t phase;  /* of a step that takes several: a barrier */
    uint8_t passed; /* barriers */
    uint8_t created, begun, ended, failed;
} Self;

/* Takes local steps. BACK, if not NULL, counts rounds that are repeated. False: an assertion
 * failed. */
bool self_advance(const Program *program, int thread, Self *self, int *back);
/* The place that step S of SELF accesses; -1: it is a field of no node. */
int self_place(const Self *self, const Step *s);
static inline int16_t self_value(const Self *self, Value v)
{
    return (int16_t)((v.reg < 0 ? 0 : self->reg[v.reg]) + v.number);
}
static inline int node_of_place(int place)
{
    return place >= VARIABLES && place < LOCK_PLACE ? (place - VARIABLES) / FIELDS : -1;
}
static inline int node_of_value(int16_t pointer)
{
    return pointer - POINTER;
}
int self_new_node(const Program *program, int thread, Self *self, const Step *s);
bool code_has(const Code *code, int op);

void machine_judge(const Program *program, Model model, long most, Judged *judged);
void axioms_judge(const Program *program, int rounds, long most, Judged *judged);
/* Can the program still end, from these threads and this memory on, where every read sees the last
 * write? FREED: nodes, as bits. -1: too large. */
void machine_begin(const Program *program);
int machine_can_end(const Self *self, const int16_t *memory, uint32_t freed);
#endif
