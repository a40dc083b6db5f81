/* copies.h: where copies of new states are written, once, to stay there: in the search to the
 * frontier, in a process of its crew (crew.h) to memory that the frontier lends that process, from
 * which the search takes them over. */
#ifndef HEDDLE_STATES_CREW_COPIES_H
#define HEDDLE_STATES_CREW_COPIES_H
#include "guest/states/state.h"

/* Makes *COPY one of the present state, valid until the next one is made. */
void copies_make(StatesCopy *copy);

/* ---- in the search ---- */

void copies_begin(uint32_t jobs); /* so many processes will be forked */
void copies_lend(uint32_t who);   /* memory is ready for WHO whenever it has filled the last one */
/* WHO has written a copy to AT: it has left the memory that it had before. */
void copies_note(uint32_t who, const char *at);
void copies_end(uint32_t who); /* WHO writes no more */

/* ---- in the crew ---- */

void copies_join(uint32_t self); /* this process is SELF of the crew */
/* Keeps COPY, the one that was made last, where it is. Returns where that is if it is memory that
 * was lent, else NULL. */
char *copies_keep(const StatesCopy *copy);
#endif
