/* present.h: the state of the program in which it is, as data: its threads, the words, heap blocks
 * and stores that belong to it beside the stacks, and what the step that is made has touched. The
 * layers above change it (memory.h, buffers.h), copy it (state.h), name it (key.h) and take steps
 * (step.h).
 *
 * What belongs to a state outside of stacks is
 *   words    every aligned word outside heap and stacks that a thread ever wrote, with the value
 *            that it had at the start; the list grows during a search, and a word at its first
 *            value counts as absent, so that keys made before it was found stay right;
 *   blocks   heap objects, in an area of their own, sorted by address. A block that nothing points
 *            to is forgotten (key.h); a freed one stays, as freed, while something points to it, so
 *            that a use after free is seen; malloc takes the lowest gap;
 *   prints   the plain accesses that each thread made since its last visible step. A plain access
 *            of another thread that conflicts with one of them is a race: under sc both places in
 *            the code become visible steps (sites), and the search begins again. */
#ifndef HEDDLE_STATES_PRESENT_H
#define HEDDLE_STATES_PRESENT_H
#include <string.h>
#include "base/vec.h"
#include "guest/explore/graph/thread_set.h"
#include "guest/runtime/request.h"
#include "record/layout.h"

/* Threads 0 to STATES_THREADS - 1; 0 is main. */
#define STATES_THREADS 7
#define STATES_BLOCKS 1024
#define STATES_AREA (HEAP_BASE + (MAX_THREADS - 1) * HEAP_SLOT)

typedef struct StatesWord {
    uint64_t *address;
    uint64_t initial;
} StatesWord;
typedef Vec(StatesWord) StatesWords;
extern StatesWords states_words;

typedef struct StatesBlock {
    uint64_t at;
    uint32_t bytes;
    uint16_t number; /* while keys are made: in the order in which blocks are reached; 0: not yet */
    uint8_t freed, zeroed;
    uint64_t pc; /* of the allocation */
} StatesBlock;
extern StatesBlock states_blocks[STATES_BLOCKS];
extern uint32_t states_block_count, states_most_blocks;
/* A block came or went, or something was written to one, since states_restore has set it to false.
 */
extern bool states_blocks_changed;

typedef struct StatesPrint {
    uint64_t at;
    uint32_t bytes;
    uint16_t writes;
    uint16_t after; /* how many stores were in the thread's buffer (buffers.h) */
    const void *pc;
} StatesPrint;
#define STATES_PRINTS 512
typedef struct StatesPrints {
    uint32_t count;
    StatesPrint at[STATES_PRINTS];
} StatesPrints;
extern StatesPrints states_prints[STATES_THREADS];

typedef struct StatesAccess {
    uint64_t at;
    uint32_t bytes;
    bool writes;
} StatesAccess;
/* A step that is made, or was made last, has touched this beside its prints: its visible access.
 * Of several steps that are one move (steps/late.h) the visible
 * access and what is hidden are those of the last one. */
typedef struct StatesTouched {
    bool everything; /* it has to be taken for that */
    bool writes;
    uint32_t bytes; /* 0: no visible access so far */
    uint64_t at;
    uint64_t decisions;  /* see states_decide */
    uint32_t new_blocks; /* that it has allocated, for steps/late.h */
    uint64_t new_block[4];
    uint32_t hidden; /* accesses to blocks that only its thread could reach then: */
    StatesAccess hidden_at[8];
} StatesTouched;
extern StatesTouched states_touched;
void states_touch(const void *address, unsigned bytes, bool writes);
/* The step that is made accesses a block that only its thread can reach. */
static inline void states_hide(uint64_t at, uint32_t bytes, bool writes)
{
    StatesTouched *touched = &states_touched;
    if (touched->hidden == COUNT_OF(touched->hidden_at))
        touched->everything = true;
    else
        touched->hidden_at[touched->hidden++] = (StatesAccess){at, bytes, writes};
}
/* The step that is made has asked whether only its thread can reach a block. What it does depends
 * on the answers; `decisions` has a bit for each, the last one lowest, behind a first bit of 1. */
static inline void states_decide(bool is_private)
{
    states_touched.everything |= states_touched.decisions >> 63;
    states_touched.decisions = states_touched.decisions << 1 | is_private;
}

/* Do several threads run? If not, nothing races and nothing is a visible step. */
extern bool states_concurrent;
extern ThreadSet states_stacks_shared; /* stacks (by thread) that another thread accesses */
/* The thread, if it stands inside a frame or a call of its own: its stack is part of the state. */
extern bool states_has_stack[STATES_THREADS];

enum { STATES_IDLE = -1, STATES_ENDED = -2 }; /* StatesThread.call */

typedef struct StatesThread {
    Request request; /* where it stands, if it is inside a call */
    uint64_t result; /* what it has ended with, until it is joined */
    int32_t call;    /* the number of the call that it makes; STATES_IDLE; of a program (step.h): 0,
                        STATES_ENDED, or STATES_IDLE if it was not created */
    uint32_t place;  /* the calls that it has still to begin (StatesClient.next_place) */
    uint32_t overtaken; /* calls of others that returned during its call, where they are counted */
} StatesThread;

/* Threads states_first to states_threads take steps: from 1 on they call operations; in a program
 * main, thread 0, is one of them. */
extern uint32_t states_first, states_threads;
extern StatesThread states_thread[STATES_THREADS];
extern uint32_t states_elements; /* put and not taken; in a program 1: it has ended */
extern uint32_t states_lag;      /* up to which StatesThread.overtaken is counted; 0: not at all */

/* ---- stores that wait (buffers.h) ---- */

enum { BUFFERS_STORES = 24, BUFFERS_CALLS = 8 };

typedef struct BufferedStore {
    uint64_t at;
    uint64_t value[2];
    uint32_t bytes; /* up to 16; 0: the memory was freed since */
    uint32_t plain;
    const void *pc;
} BufferedStore;

typedef struct StatesBuffer {
    uint32_t count, calls;
    uint8_t left[BUFFERS_CALLS];  /* by call that has ended, the oldest first: how many stores must
                                     be flushed before it is over */
    int8_t change[BUFFERS_CALLS]; /* of the number of elements, by that */
    BufferedStore at[BUFFERS_STORES];
} StatesBuffer;

extern bool buffers_used;                           /* by the model of this search */
extern StatesBuffer states_buffers[STATES_THREADS]; /* empty unless buffers_used */
/* Called for words, each time with what it returned for the word before, or CARRIED: a place to put
 * words at, or a hash. */
typedef uint64_t (*StatesVisit)(uint64_t carried, uint64_t word);
/* Visits the words of stores in the buffer of T. */
static inline __attribute__((always_inline)) uint64_t
buffers_each_word(uint32_t t, uint64_t carried, StatesVisit visit)
{
    const StatesBuffer *b = &states_buffers[t];
    for (uint32_t i = 0; i < b->count; i++) {
        carried = visit(carried, b->at[i].at);
        carried = visit(carried, b->at[i].value[0]);
        if (b->at[i].bytes > 8)
            carried = visit(carried, b->at[i].value[1]);
    }
    return carried;
}

/* ---- words and blocks ---- */

static inline bool states_in_area(uint64_t address)
{
    return address - STATES_AREA < HEAP_SLOT;
}
/* By address: where the block was that was found there last. It may be wrong by now, and is looked
 * at before it is believed. */
#define STATES_GUESSES 256
extern uint16_t states_guess[STATES_GUESSES];
/* Finds the block that ADDRESS lies in, or just behind, and notes it in states_guess; or NULL. */
StatesBlock *states_find_block(uint64_t address);
/* Returns the block that ADDRESS lies in, or just behind; or NULL. */
static inline StatesBlock *states_block_of(uint64_t address)
{
    if (LIKELY(!states_in_area(address)))
        return NULL;
    uint32_t i = states_guess[address / 16 % STATES_GUESSES];
    if (LIKELY(i < states_block_count && address - states_blocks[i].at <= states_blocks[i].bytes))
        return &states_blocks[i];
    return states_find_block(address);
}
/* Does the same for a pointer that is packed with a tag in the top or bottom 16 bits. */
StatesBlock *states_packed_pointee(uint64_t word, unsigned *shift, uint64_t *tag);
/* Returns the block that WORD points to: as it is, or packed. *shift and *tag say how:
 * address = (word & ~tag) >> shift. */
static inline StatesBlock *states_pointee(uint64_t word, unsigned *shift, uint64_t *tag)
{
    *shift = 0;
    *tag = 0;
    if (LIKELY(word < STATES_AREA))
        return NULL;
    StatesBlock *block = states_block_of(word);
    return LIKELY(block != NULL) ? block : states_packed_pointee(word, shift, tag);
}
/* A byte for every 8 bytes of a block, with a bit for each that was written. */
extern unsigned char *states_area_written;
static inline unsigned char *states_written(const StatesBlock *block)
{
    return &states_area_written[(block->at - STATES_AREA) / 8];
}
/* Blocks come or go other than by malloc and free: heap_block_at must know. */
void states_publish_block(const StatesBlock *block);

#define TICKETS_WINDOW (UINT32_C(1) << 20)
extern bool tickets_used; /* a word of the state has held a ticket (tickets.h) */
/* Does WORD hold one? If it is the first that is seen, the search begins again. */
static inline bool tickets_is(uint64_t word)
{
    return (uint32_t)word - TICKETS_BASE < TICKETS_WINDOW ||
           (uint32_t)(word >> 32) - TICKETS_BASE < TICKETS_WINDOW;
}
/* Tells that a write, or a look for tickets, has listed a word, which takes much of the stack. */
extern bool states_listed_word;
/* A thread reads there: a ticket that nothing has written yet is in the state all the same. (It is
 * not written by that: who waits for a ticket that never comes waits for ever.) */
void states_note_read(const void *address, size_t bytes);
/* The explorer writes for a thread. */
void states_will_write(void *address, size_t bytes);
/* The value in memory, of 8 bytes at most; writes such a value. (Most have 4 or 8: no call is made
 * for those.) */
static inline uint64_t states_peek(const void *address, unsigned size)
{
    uint64_t value = 0;
    if (LIKELY(size >= 8))
        memcpy(&value, address, 8);
    else if (LIKELY(size == 4))
        memcpy(&value, address, 4);
    else
        memcpy(&value, address, size);
    return value;
}
static inline void states_poke(void *address, unsigned size, uint64_t value)
{
    if (LIKELY(size == 8))
        memcpy(address, &value, 8);
    else if (LIKELY(size == 4))
        memcpy(address, &value, 4);
    else
        memcpy(address, &value, size);
}
#endif
