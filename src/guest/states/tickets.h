/* tickets.h: numbers that grow for ever, of which only differences matter. A program says so by
 * starting them at HD_TICKET(0), a number that no other value has: every aligned half word between
 * TICKETS_BASE and TICKETS_BASE + TICKETS_WINDOW, wherever it lies, is a ticket. A state is moved
 * so that its smallest ticket is less than the modulus above the base: equal states meet again.
 *
 * That the program does the same with all tickets larger by a multiple of the modulus is tested at
 * each step, as for addresses (elsewhere.h). The modulus is found by that: 1 at first, then larger
 * ones until no step differs. */
#ifndef HEDDLE_STATES_TICKETS_H
#define HEDDLE_STATES_TICKETS_H
#include "guest/states/key.h"
#include "record/layout.h"

extern uint32_t tickets_modulus;

/* Looks for tickets in the present state, a start. */
void tickets_look(void);
/* Moves the present state by its tickets, and gives its key; afterwards as after states_key. */
StatesKey tickets_key(void);
/* Adds a multiple of the modulus to all tickets of the present state: which one, SEED says. */
void tickets_shift(uint64_t seed);
/* Takes the next modulus to try; false: there is none. */
bool tickets_try_next(void);
#endif
