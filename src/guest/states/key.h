/* key.h: which states are the same. The key of a state is a hash of 128 bits over
 *   - the words that differ from their first values (memory.h);
 *   - for each thread its call, the live bytes of its stack (step.c) but for those that only
 *     stretch a wait (explore/memory/scrub.h), and its request, in the order of their numbers, or
 * in one that does not depend on those (symmetry.h);
 *   - the heap blocks that these lead to, numbered in the order in which they are reached, with
 *     their contents: a pointer is hashed as (number, offset), so that states which differ only in
 *     where their blocks lie are the same;
 *   - what threads touched since their last visible steps; the number of elements inside.
 * A block that nothing leads to can't be accessed any more: it is dropped. Words are taken for
 * pointers by their values; that the program does the same wherever blocks lie is tested by
 * elsewhere.h. */
#ifndef HEDDLE_STATES_KEY_H
#define HEDDLE_STATES_KEY_H
#include "guest/states/present.h"

typedef struct StatesKey {
    uint64_t a, b;
} StatesKey;

/* The key of the present state, and symmetry_turn (symmetry.h); afterwards states_blocks[].number
 * says which blocks are reached. */
StatesKey states_key(void);
/* The key with threads in the order of their numbers; symmetry_turn is 0. */
StatesKey states_key_by_number(void);
/* Is KEY, of the present state, that with its threads at their slots by TURN? */
bool states_has_turn(StatesKey key, uint8_t turn);
/* After states_key: forgets what is not reached. */
void states_collect(void);
/* Finds out what only T can reach: that needs no record of being touched. ADDRESS will be asked
 * about. */
void states_look_for_private(int thread, const void *address);
/* After states_look_for_private: can only T reach ADDRESS? */
bool states_is_private(int thread, const void *address);
/* Is ADDRESS in a block that nobody but T can get to as long as T's stores are in its buffer? */
bool states_is_out_of_reach(int thread, uint64_t address);
#endif
