/* frontier.h: the nodes that wait to be expanded, in the order of their numbers, each with a copy
 * of its state. */
#ifndef HEDDLE_STATES_FRONTIER_H
#define HEDDLE_STATES_FRONTIER_H
#include "guest/states/state.h"

void frontier_begin(void);                  /* nothing waits; the next node is number 0 */
void frontier_push(const StatesCopy *copy); /* or NULL: the node needs none (steps/taken.h) */
/* Returns room for a copy of BYTES at most. If the next one that is pushed is there, it stays. */
char *frontier_room(size_t bytes);
/* Fetches the BYTES at AT, which will be written soon. */
static inline void frontier_expect_writes(const char *at, size_t bytes)
{
    enum { LINE = 64 };
    for (size_t i = 0; i < bytes; i += LINE)
        __builtin_prefetch(at + i, 1);
}
/* Memory of FRONTIER_LENT bytes to which a process of the crew (crew.h) writes copies, until it is
 * told to have left it. A copy there becomes that of the next node. */
#define FRONTIER_LENT ((size_t)1 << 20)
char *frontier_lend(void);
void frontier_push_lent(char *copy);
void frontier_note_left(char *lent);
char *frontier_copy(uint32_t node); /* of one that waits */
/* The copy of NODE, if it waits, will be asked for: begins to fetch it. */
void frontier_expect(uint32_t node);
void frontier_drop(uint32_t node); /* the first one: it is expanded */
/* Memory is scarce: copies that are far behind the first REACH ones go to a file without a name in
 * TMPDIR, or /tmp, if there can be one. */
void frontier_spill(uint32_t reach);
/* Gives back the memory of copies whose nodes are expanded. */
void frontier_give_back(void);
/* All nodes are expanded: returns memory of BYTES, until frontier_begin. Most of it is there
 * already. The rest is given back. */
void *frontier_use_again(size_t bytes);
uint64_t frontier_bytes(void); /* memory in use */
#endif
