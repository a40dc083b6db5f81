/* visited.h: the states that were met, each with the sets of explanations (sets.h) that it was met
 * with, as nodes of a tree of first visits. A node whose state was met before with a subset of its
 * set is dropped: whatever fails from it fails from the other, too (an antichain, as in
 * refine/worker). A state takes 16 bytes and a place in a table, a node 8: of a key 96 bits are
 * kept, so that of n states two are taken for one with probability n^2 / 2^97 (for 10^8 of them
 * 6 * 10^-14). */
#ifndef HEDDLE_STATES_VISITED_H
#define HEDDLE_STATES_VISITED_H
#include "guest/states/key.h"

#define VISITED_NONE UINT32_MAX

typedef struct VisitedStep { /* how a node was reached, for the script of an execution */
    uint32_t parent;         /* a node, or VISITED_NONE */
    int16_t call;            /* that began in the step, or -1 */
    uint16_t requests;       /* that it performed, but for plain accesses */
    uint8_t thread;
    uint8_t choice; /* of an operation's own choices; 1: a compare-exchange failed spuriously */
    uint16_t site;  /* 0, or 1 + the number of the plain access before which it stopped */
} VisitedStep;

/* The crew (crew.h) sees what the search adds. */
extern uint32_t visited_known_sets; /* sets from this number on are not known in this process */

/* PLAINLY: the states of nodes are looked up, not worked out. That takes 8 bytes more for a node,
 * and less time where many nodes have the same state. */
void visited_begin(bool plainly);
/* The number of the state with KEY; numbers count from 0. */
uint32_t visited_state(StatesKey key);
/* The state with KEY will be asked for: begins to fetch what that reads. */
void visited_expect(StatesKey key);
uint32_t visited_find(StatesKey key); /* the same, or VISITED_NONE */
uint32_t visited_states(void);        /* how many there are */
/* The turn (symmetry.h) of the copy of a node; sets of nodes are by slots. */
uint8_t visited_turn_of(uint32_t node);
/* Was STATE met with a subset of SET? If not, *LOOK tells which of its nodes that is known of: who
 * asks again with it, in any process of the search, looks at newer ones only. It begins as 0. */
typedef uint32_t VisitedLook;
bool visited_is_covered(uint32_t state, uint32_t set, VisitedLook *look);
/* Adds a node for STATE with SET, by which it is not covered. */
void visited_add(uint32_t state, uint32_t set, uint8_t turn, const VisitedStep *step);
bool visited_has_node(uint32_t state);
uint32_t visited_nodes(void);
VisitedStep visited_step(uint32_t node);
uint32_t visited_set_of(uint32_t node);
uint32_t visited_state_of(uint32_t node);
bool visited_is_first(uint32_t node); /* of its state */
uint64_t visited_bytes(void);
#endif
