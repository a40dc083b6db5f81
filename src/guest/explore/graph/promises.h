/* promises.h: values that a load may see before their store is there. rc11 has no execution in
 * which a load reads from a store behind it; where load_buffering.h finds that one could, the pair
 * (the load's place and location, the store's value) is collected here, and `run --model=imm'
 * explores the program with it: the load may get the value as if by a choice, and whoever looks at
 * a finished graph finds a store for it, or leaves the graph out (harness/promised.h).
 * doc/proofs/imm.md has the argument. */
#ifndef HEDDLE_EXPLORE_PROMISES_H
#define HEDDLE_EXPLORE_PROMISES_H
#include "base/common.h"

typedef struct Event Event;

enum { MOST_PROMISES = 64 };
/* Event.expected of a CHOOSE is, for a promise, this and the number of the first one that the
 * load has; Event.value counts from 1, 0 is no promise. */
#define PROMISE_WORD (UINT64_C(1) << 40)

typedef struct Promise {
    uint64_t pc, value;
    char *address;
    uint8_t size;
    bool asked; /* a thread came to the load; of another kind of read it never does */
} Promise;

typedef struct PromisesState {
    Promise all[MOST_PROMISES]; /* those of one load and location stand together */
    unsigned count;             /* that are made in this exploration */
    Promise found[MOST_PROMISES];
    unsigned found_count;
    bool collects; /* pairs go to `found' */
    bool makes;    /* loads get promises */
    bool lacks;    /* there was no room, or a thread would have got one too often */
} PromisesState;
extern PromisesState promises;

void promises_note(const Event *load, const Event *store); /* a pair */
/* Makes what was found part of `all': false if there is nothing new. */
bool promises_take(void);
/* How many the next load of THREAD has, at PC of ADDRESS; *FIRST is the number of the first. */
unsigned promises_of(int thread, const void *address, unsigned size, const void *pc,
                     unsigned *first);
/* Is E a load that got a promise? Then *WHICH. */
bool promises_is_made(const Event *e, const Promise **which);
bool promises_were_asked(void); /* all of them, by some thread */
bool promises_any_made(void);   /* in the present graph */
#endif
