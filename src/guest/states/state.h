/* state.h: the present state of the program, and copies of it. Memory, stacks and requests are as
 * the threads left them; a copy holds all that belongs to the state (memory.h) and can be put
 * back. A thread between two calls is idle: its stack is always the same, and no part of the
 * state. */
#ifndef HEDDLE_STATES_STATE_H
#define HEDDLE_STATES_STATE_H
#include "guest/states/present.h"

/* Thread T stands between calls for the first time, at PLACE: this is what its stack looks like
 * there. */
void states_note_idle(int thread, uint32_t place);
/* T and U change places: each has the call, the request, the stack, the stores and the prints of
 * the other, and words that lead into a stack follow it. */
void states_exchange_threads(int t, int u);
bool states_begin_alike(void); /* idle threads differ only in where their stacks lie */
/* Puts a copy of the present state into TO, in place of what it holds. */
typedef Vec(char) StatesCopy;
void states_copy(StatesCopy *to);
size_t states_copy_bytes(void);            /* that a copy of the present state takes at most */
char *states_keep(const StatesCopy *copy); /* the bytes of it, in memory of their own */
void states_restore(const char *copy);
/* Does the same for the COPY that was restored last, if since then only steps were taken from it:
 * blocks that none of them has changed are not copied. */
void states_restore_again(const char *copy);
/* The words (memory.h) of a copy: how many it has, and their values. */
uint32_t states_copied_words(const char *copy);
uint64_t states_copied_word(const char *copy, uint32_t index);
/* How many heap blocks it has; one of them: those at higher addresses have higher numbers. */
uint32_t states_copied_blocks(const char *copy);
StatesBlock states_copied_object(const char *copy, uint32_t number);
/* Calls VISIT for each word below address END of the blocks of a copy that are not freed. */
void states_each_copied_word(const char *copy, uint64_t end,
                             void (*visit)(const StatesBlock *block, uint64_t at, uint64_t value,
                                           uint32_t nodes),
                             uint32_t nodes);
/* The heap block of a copy that VALUE points to, counted from 1, and where in it; 0: none. */
uint32_t states_copied_block(const char *copy, uint64_t value, uint64_t *offset);
int states_copied_call(const char *copy, uint32_t thread); /* StatesThread.call */
/* The parts (part.h) of a copy that was made in the crew (crew.h): from number FIRST on they have
 * the numbers here that NAMES says, + 1. */
void states_rename_parts(char *copy, uint32_t first, const uint32_t *names);
/* T accesses a thread-local variable. In a program (step.h) threads end: a violation if it is that
 * of one which has. */
void states_check_storage(int t, const char *address, size_t bytes, bool writes, const void *pc);
#endif
