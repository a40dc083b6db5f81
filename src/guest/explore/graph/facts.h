/* facts.h: the facts that every decision of an exploration rests on, in one store: a fact is a
 * kind, a key and a value (record/facts_shared.h has the kinds). Values only grow; whoever learns
 * news calls for a new beginning, and the last pass is right, since nothing changed while it was
 * made: doc/proofs/facts.md. Facts that decisions use one by one are in facts/values.h.
 *
 * Forgetting, and what units of work carry, is written here once for all kinds. Facts belong to
 * this process; others learn them from units. */
#ifndef HEDDLE_EXPLORE_GRAPH_FACTS_H
#define HEDDLE_EXPLORE_GRAPH_FACTS_H
#include "base/common.h"
#include "record/facts_shared.h"

enum {                   /* of FACT_shared */
       STACK_ATOMIC = 1, /* it has locations, or is read in a loop: accesses of its owner count */
       STACK_FOREIGN = 2 /* other threads touch it */
};

/* By kind, the bits of all values that are known: 0, nothing is. Facts about the whole program
 * stand here; the others in granules (granules.h), in graphs.leaders, or in rows by address. */
extern uint64_t facts_met[FACT_KINDS];

/* Returns what is known of KEY; 0: nothing. */
uint64_t facts_of(FactKind kind, uint64_t key);
/* Joins VALUE with that. Returns whether it is news; false, too, if there is no room. */
bool facts_add(FactKind kind, uint64_t key, uint64_t value);
/* Adds it, and begins the exploration again if it is news. */
void facts_note(FactKind kind, uint64_t key, uint64_t value);
/* Is something known of KEY, or could it be? (Objects have few rows.) */
bool facts_have_room(FactKind kind, uint64_t key);
/* The key number I of the objects of KIND, in the order of their discovery; 0 after the last. */
uint64_t facts_object(FactKind kind, unsigned i);
void facts_forget(void); /* another program or test comes */

/* Writes all facts, after their head: returns the bytes, 0 if there are more than ROOM. */
size_t facts_get(unsigned char *to, size_t room);
/* Adds such facts to what is known here. False if they are damaged. */
MUST_USE bool facts_put(const unsigned char *from, size_t bytes);
/* Is anything known here that shapes the search tree and that FROM does not know? */
bool facts_are_more(const unsigned char *from, size_t bytes);

/* Layers above that keep something of it themselves; NULL: nobody does. */
typedef struct FactsHooks {
    uint64_t (*cells)(uint32_t granule); /* FACT_cells: eight masks, first to last */
    void (*split)(uint32_t granule, uint64_t cells);
    void (*put)(void); /* facts were put */
} FactsHooks;
extern FactsHooks facts_hooks;
#endif
