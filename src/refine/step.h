/* step.h: what the implementation can do next.
 *
 * Without fusion each atomic step of the flow graph, each invocation and each response is a
 * transition of its own. With it three groups of them become one transition, which changes nothing
 * that a client can see:
 *   - Steps on locals and on nodes that nobody else can reach (flow->is_local) run on at once after
 * the step before. No other thread can see or prevent them, so they commute with all steps of other
 * threads: the steps of this thread at such a point are a persistent set (Godefroid 1996), and the
 * search need not interleave them. A local loop that does not end is cut after some rounds and
 * explored step by step.
 *   - An invocation happens together with the first step of the operation that is not local. Taken
 *     alone it changes nothing but the order of events, and moving it later only adds "ends before
 *     begins" pairs: the history becomes harder to explain, never easier.
 *   - A response happens together with the last step, by the same argument the other way round. */
#ifndef HEDDLE_REFINE_STEP_H
#define HEDDLE_REFINE_STEP_H
#include "model/program.h"

typedef struct Successor {
    size_t state;    /* offset in the buffer of states */
    short thread;    /* 0-based */
    short operation; /* of the implementation; the one the thread is in */
    bool invokes, responds;
    bool is_fault;
    int64_t result; /* of a response */
    Fault fault;
    Place fault_place;
    int64_t fault_value;
    int first_edge, edge_count; /* the steps made, in the buffer of edges */
} Successor;

/* With fusion: a call that an idle thread could make and that would wait before its first step. */
typedef struct BlockedCall {
    short thread, operation;
    unsigned char arguments[64];
} BlockedCall;

typedef struct Stepper {
    const Program *program;
    const Model *model;
    bool fuse;
    Vec(Successor) out;
    Buffer states;
    Vec(BlockedCall) blocked;
    Vec(int) edges; /* indexes of program->edges */
    unsigned char *memory;
    Vec(unsigned char *) stack; /* spare copies of a state, by depth */
} Stepper;

/* The arguments of a call are left in their place in the thread block; the caller clears them. */
void stepper_init(Stepper *stepper, const Model *model, const Program *program, bool fuse);
void stepper_free(Stepper *stepper);
/* The initial states (several if init makes choices), as successors of nothing. */
void stepper_initial(Stepper *stepper);
/* All successors of a state, in a fixed order. fresh: data values that do not occur anywhere, for
 * new calls; MODEL_MAX_PARAMETERS of them, 0 where there are none left. */
void stepper_next(Stepper *stepper, const unsigned char *state, const unsigned char *fresh);
#endif
