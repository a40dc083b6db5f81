/* strong.h: when the states of sc decide a program under rc11: if all that its threads race by are
 * seq_cst accesses (DRF-SC), mutexes aside. doc/proofs/seq_cst_races.md has the argument. */
#ifndef HEDDLE_STATES_STRONG_H
#define HEDDLE_STATES_STRONG_H
#include "guest/runtime/request.h"

/* Before a search under the model of `options`; ANEW: not one that goes on. If the states of sc may
 * decide under that model, it is sc until strong_end, with races as errors, and it is demanded that
 * races are by seq_cst accesses: any other access, or an unordered plain one, can't be followed. */
void strong_begin(bool anew);
void strong_end(void);
/* Between these: is the search one for that other model? */
extern bool strong_is_demanded;
/* Do the states of sc decide under the model of `options`, if that is so? */
bool strong_is_possible(void);
/* Are there states for that model, at all? */
bool states_know_model(void);
/* Has a search since strong_begin, in all its processes, met no other access? Asked of searches
 * under sc, too, which do not demand it. */
bool strong_was_kept(void);

/* A thread performs Q, an access to memory that others can reach. */
void strong_note(const Request *q);
#endif
