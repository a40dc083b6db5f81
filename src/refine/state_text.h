/* state_text.h: a state of an implementation in words, for counterexamples: what each global holds.
 * Nodes are numbered anew in every state, in the order in which they are met, and written out where
 * they are met first: `#1{value: a, next: #2{value: b, next: NULL}}`; the search may rename them
 * from one state to the next. */
#ifndef HEDDLE_REFINE_STATE_TEXT_H
#define HEDDLE_REFINE_STATE_TEXT_H
#include "model/program.h"

typedef struct StateNames { /* of the state -> of the counterexample; index 0 stays 0 */
    const int *threads;     /* by thread, from 1 */
    const int *values;      /* by data value: 256 */
} StateNames;

/* One string a global of the program's module. */
const char **state_texts(Arena *arena, const Program *program, const unsigned char *state,
                         const StateNames *names);
#endif
