/* relax_internal.h: what relax.c (making and describing a relaxed specification) and relax_steps.c
 * (its automaton) share. */
#ifndef HEDDLE_QUASI_RELAX_INTERNAL_H
#define HEDDLE_QUASI_RELAX_INTERNAL_H
#include "judge/spec/automaton.h"
#include "judge/quasi/relax.h"

typedef struct Relax {
    RelaxClasses classes;
    Arena *arena;
    Automaton *inner; /* numbers inner states and labels */
    bool causal;
    Vec(uint8_t) class_of;            /* by method */
    Vec(SpecCall) invocations;        /* distinct, of all classes; results unknown */
    Vec(SpecCall) recorded;           /* labels of the history */
    Vec(struct RelaxState *) scratch; /* states to work on; the first `depth` are in use */
    size_t depth;
    SpecSteps steps;
    Vec(uint64_t) from, words;
    HashMap given_index; /* inner state and invocation -> place in `given` << 32 | count */
    Vec(RelaxGiven) given;
} Relax;

/* A state, taken apart. */
typedef struct RelaxState { /* 8 kB: reused, never cleared as a whole */
    uint32_t inner;
    Vec(uint64_t) inside; /* causal: the container as p sees it, sorted */
    Debts classes[RELAX_CLASSES];
} RelaxState;

/* States to work on, in the manner of a stack. */
RelaxState *relax_state_take(Relax *relax);
void relax_state_give_back(Relax *relax);
void relax_state_decode(Relax *relax, const uint64_t *words, RelaxState *state);
/* These do the work of relax_given and relax_invocation. */
const RelaxGiven *relax_find_given(Relax *relax, uint32_t inner, uint32_t invocation,
                                   size_t *count);
uint32_t relax_find_invocation(const Relax *relax, const SpecCall *call);
/* The functions of the Spec. */
void relax_initial(const Spec *spec, SpecSteps *steps);
void relax_step(const Spec *spec, const uint64_t *words, size_t count, const SpecCall *call,
                SpecSteps *steps);
bool relax_may_wait(const Spec *spec, const uint64_t *words, size_t count, const SpecCall *call);
bool relax_accepts(const Spec *spec, const uint64_t *words, size_t count);
#endif
