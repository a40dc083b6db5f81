/* automaton.h: a specification made fast. States and labels (a call with its result) are numbered
 * when first seen, exactly (by content, not by hash), and every step taken is remembered, so that
 * histories that share an automaton share its work. No allocation once a step is known. */
#ifndef HEDDLE_SPEC_AUTOMATON_H
#define HEDDLE_SPEC_AUTOMATON_H
#include "judge/spec/spec.h"

typedef struct Automaton Automaton;

Automaton *automaton_new(const Spec *spec); /* SPEC must outlive it */
void automaton_free(Automaton *automaton);  /* NULL is allowed */
const Spec *automaton_spec(const Automaton *automaton);
size_t automaton_memory(const Automaton *automaton);

uint32_t automaton_initial(const Automaton *automaton);
/* The number of a label; equal calls get equal numbers. */
uint32_t automaton_label(Automaton *automaton, const SpecCall *call);
/* The call of a label; its arguments live as long as the automaton. */
const SpecCall *automaton_call(const Automaton *automaton, uint32_t label);
bool automaton_reads_only(const Automaton *automaton, uint32_t label); /* SPEC_READS */

/* The states that LABEL may lead to from STATE: *count of them, valid until the next call. */
const uint32_t *automaton_step(Automaton *automaton, uint32_t state, uint32_t label, size_t *count);
/* May a call with this label (its result unknown) wait for ever in STATE? */
bool automaton_waits(Automaton *automaton, uint32_t state, uint32_t label);
bool automaton_accepts(Automaton *automaton, uint32_t state);
const uint64_t *automaton_state(const Automaton *automaton, uint32_t state, size_t *words);
/* The number of a state given as words. */
uint32_t automaton_intern(Automaton *automaton, const uint64_t *words, size_t count);
#endif
