/* views.h: memory under rc11. The state of a search holds a summary of the graph so far (summary.h)
 * beside what the threads are at. Memory itself shows of each place the last message in
 * modification order: a plain access sees it, or races. An atomic read chooses one of the messages
 * that its thread may read, a store one of the places that its view allows: each is a way
 * (states_ways) to go on. Races are found by views: prints (memory.h) are not used.
 *
 * A place is made when memory is accessed atomically, and forgotten when it holds nothing that
 * threads have not all seen; one in a heap block that nobody can reach goes with the block. What is
 * not followed is refused by name: accesses of different sizes to the same bytes, or of 16 bytes;
 * local variables that threads share; waits inside a futex that could find several values; more
 * places or messages than there is room for. */
#ifndef HEDDLE_STATES_VIEWS_VIEWS_H
#define HEDDLE_STATES_VIEWS_VIEWS_H
#include "guest/runtime/request.h"
#include "guest/states/present.h"

extern bool views_used;      /* by this search */
extern uint32_t views_limit; /* most messages of a place, or 0 */
extern uint64_t views_held;  /* how often a write was not made because of that */

/* A search begins, which uses views or not; ANEW: of another program than before. */
void views_enter(bool used, bool anew);
void views_begin(void); /* the program is at its start */
/* Begins with a client, of whose threads those that MAY_CALL (bits) are there. */
void views_begin_client(uint32_t may_call);
/* In how many ways can T perform the atomic access Q? Performs it in one: the answer is in `reply`.
 */
uint32_t views_ways(int thread, const Request *q);
void views_perform(int thread, const Request *q, uint32_t way);
/* Is Q, of T, an access that views follow? (Not one of its own stack.) */
bool views_follow(int thread, const Request *q);
void views_fence(int thread, const Request *q);
/* The thread that runs makes a plain access, or frees memory. That is noted, on its stack, and
 * added to the summary when it has stopped (views_settle): a violation if it races. */
void views_run_begins(void);
void views_note_access(uint64_t at, size_t bytes, bool writes, const void *pc);
/* (An access that nothing orders after the allocation is a race, but for atomic loads.) */
void views_note_allocation(uint64_t at, size_t bytes, bool zeroed, const void *pc);
void views_note_free(uint64_t at, size_t bytes, const void *pc);
void views_settle(int thread);
void views_create(int parent, int child);
void views_join(int thread, int ended);
void views_end(int thread);
/* In how many ways can a call of T begin? Each says which calls that have returned it comes behind
 * (views_seen, by thread); MAY_CALL: the thread will begin another one. A call of T returns. */
uint32_t views_call_ways(int thread);
void views_call(int thread, uint32_t way, bool may_call);
void views_return(int thread);
uint32_t views_returned(int thread); /* calls that others have not all seen */
extern uint8_t views_seen[STATES_THREADS];
/* Since views_step_begins: calls, by thread, that every call which begins later comes behind. */
void views_step_begins(void);
extern uint32_t views_dropped[STATES_THREADS];

/* ---- of a state ---- */

size_t views_copy_bytes(void);
char *views_copy(char *to);
const char *views_restore(const char *from);
void views_forget(void);
/* Visits the words that may be pointers: names of places, values, what was touched. */
void views_each_word(void (*visit)(void *word));
/* The values of messages that are not in memory. */
void views_each_value(void (*visit)(uint64_t value));
/* For keys: the next place that is not put yet, in an order that depends on the state alone; the
 * first word of a block counts by the block's number. False: there is none that can be reached. */
bool views_next_place(void);
typedef uint64_t *(*ViewsPut)(uint64_t *at, uint64_t word);
/* Puts the name of that place, and the values of its older messages. */
uint64_t *views_put_place(uint64_t *at, ViewsPut put);
size_t views_words(void);
/* Behind all places: drops what was not put, and puts the rest. */
uint64_t *views_put(uint64_t *at, ViewsPut put);
#endif
