/* load_buffering.h: is rc11 enough for hardware? rc11 forbids cycles of program order and
 * reads-from; ARMv8, POWER and RISC-V, and IMM (Podkopaev, Lahav, Vafeiadis, POPL 2019), which is
 * weaker than all of them, do not. Where no execution has a read that a later write could answer
 * there, what holds under rc11 holds under IMM, too. doc/proofs/load_buffering.md has the criterion
 * and the argument. It looks at each write once, when it is added, and at its porf prefix alone. */
#ifndef HEDDLE_EXPLORE_LOAD_BUFFERING_H
#define HEDDLE_EXPLORE_LOAD_BUFFERING_H
#include "guest/explore/graph/graph.h"

/* Bits of what was seen in any graph. */
enum {
    BUFFERING_READ = 1, /* a read could be answered by a write behind it */
    /* another thread has read a write that is not ordered after a read-modify-write before it in
     * its thread but by that being a pair of exclusive accesses */
    BUFFERING_EXCLUSIVE = 2
};

typedef struct BufferingState {
    unsigned seen; /* of these */
    /* The events of the first BUFFERING_READ, in the order of the cycle: the load, a store behind
     * it in its thread, the access that reads that store, the store that could answer the load. */
    uint64_t cycle[4];
    bool is_sought; /* set before the exploration begins */
    /* Threads that have, in any graph: */
    ThreadSet loose;     /* an atomic write that is not ordered after all reads before it */
    ThreadSet late;      /* one that may overtake a load, as far as the graph has its loads */
    ThreadSet early;     /* of LOOSE: a load that may be overtaken */
    ThreadSet exclusive; /* of LOOSE: a read-modify-write without acquire */
    /* a loose, a late write that was read by a thread that it does not synchronise with */
    ThreadSet loose_read, late_read;
    ThreadSet leads;      /* an atomic write, or what comes before one by creation or joining */
    ThreadSet rounds;     /* an effect-free iteration with several reads that was left out */
    ThreadSet iterations; /* iterations that rules left out which leave out more than those */
} BufferingState;
extern BufferingState buffering;

void buffering_check_write(const Event *write); /* WRITE is added, and has its clocks */
void buffering_check_read(const Event *read);   /* READ has got a write to read from */
/* The events of THREAD from FROM on are an iteration that is left out. */
void buffering_note_left(int thread, int from);
/* Might iterations that were left out contain a read that a later write could answer, or what reads
 * the store behind it? SINGLE: read-modify-writes are single instructions. */
bool buffering_is_unsure(bool single);

static inline void buffering_note_write(const Event *write)
{
    if (UNLIKELY(buffering.is_sought))
        buffering_check_write(write);
}
static inline void buffering_note_read(const Event *read)
{
    if (UNLIKELY(buffering.is_sought) &&
        (buffering.loose & (thread_bit(read->thread) | thread_bit(pool[read->rf].thread))))
        buffering_check_read(read);
}
#endif
