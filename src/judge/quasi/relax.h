/* relax.h: relax(spec, Q): quasi linearizability as plain linearizability against a weaker
 * specification. Operations are in classes d, each with a factor Q(d); a serial run p is allowed
 * if some run p' that the specification allows is the same but for the order inside each class,
 * where no operation is displaced by more than Q(d) places.
 *
 * - slot: each class keeps its own places in the run: p' is p with the operations of each class
 *   permuted among the places of that class, none by more than Q(d). Operations outside every
 *   class stay where they are. (What Round-Up counts.)
 *
 * - kooo: slot, and causal: of a container, nothing is taken in p before it is put in p; and a run
 *   may end early: p is allowed if it can be continued by at most Q(d) more calls of each class d,
 *   of the kinds that occur in the history, with any results. For a queue with dequeues relaxed by
 *   k this is the k-out-of-order queue. The default.
 *
 * - def4: the definition of the papers, literally: only the order inside each class is compared;
 *   how classes interleave is free, and operations outside every class are not compared at all.
 *   No automaton with bounded memory does that, so the checker decides it by a search of its own
 *   (judge/quasi/def4.h); the Spec then only carries the classes.
 *
 * With all factors 0 slot and kooo are linearizability; def4 is not. */
#ifndef HEDDLE_QUASI_RELAX_H
#define HEDDLE_QUASI_RELAX_H
#include "judge/quasi/debts.h"
#include "judge/spec/automaton.h"

typedef enum RelaxSemantics { RELAX_KOOO, RELAX_SLOT, RELAX_DEF4 } RelaxSemantics;
bool relax_semantics_from_word(const char *word, RelaxSemantics *semantics);

#define RELAX_LARGEST DEBTS_LARGEST /* factor */
#define RELAX_CLASSES 8u
#define RELAX_NO_CLASS UINT8_MAX

/* FACTORS is "deq+deqmin:2,enq:0". NULL and a message if it can't be understood. The result lives
 * in ARENA, but holds memory of its own until spec_relax_free. */
Spec *spec_relax(Arena *arena, const Spec *inner, Str factors, RelaxSemantics semantics,
                 Error *error);
/* FACTORS with all operations of a built-in model that take something, in the place of the name
 * "takes"; in ARENA. NULL and a message if it is there and INNER has none, or none is known. */
const char *relax_expand_takes(Arena *arena, const Spec *inner, const char *factors, Error *error);
void spec_relax_free(Spec *relaxed); /* NULL and other specifications are allowed */

/* The parts of a relaxed specification (NULL for others) that def4 needs. */
typedef struct RelaxClasses {
    const Spec *inner;
    RelaxSemantics semantics;
    uint32_t count;
    uint32_t factor[RELAX_CLASSES];
} RelaxClasses;
const RelaxClasses *relax_classes(const Spec *spec);
uint8_t relax_class_of(const Spec *spec, uint16_t method); /* or RELAX_NO_CLASS */

/* For a search that reads p and writes p' itself (judge/quasi/quasi.h). The states of the relaxed
 * automaton are words: the number of values inside the container as p sees it << 32 | the state of
 * the inner automaton; those values, sorted, if causal; then for each class the words of its debts
 * (debts.h), with labels of the inner automaton. */
Automaton *relax_inner(const Spec *spec); /* numbers inner states and labels */
bool relax_is_causal(const Spec *spec);
/* Calls with unknown results, numbered: all that occur in labels of the relaxed automaton. */
uint32_t relax_invocation(const Spec *spec, const SpecCall *call);
uint32_t relax_invocation_count(const Spec *spec);
const SpecCall *relax_invocation_call(const Spec *spec, uint32_t invocation);
bool relax_same_invocation(const SpecCall *a, const SpecCall *b);
/* Lists what an invocation may give in a state of the inner automaton: the state after it, and the
 * label with the result. *count of them, valid until the next call. */
typedef struct RelaxGiven {
    uint32_t after, label;
} RelaxGiven;
const RelaxGiven *relax_given(const Spec *spec, uint32_t inner, uint32_t invocation, size_t *count);
#endif
