/* memory.h: the program's memory while its states are explored. Every value, atomic or plain, is in
 * memory itself. What belongs to a state outside of stacks is
 *   words    every aligned word outside heap and stacks that a thread ever wrote, with the value
 *            that it had at the start; the list grows during a search, and a word at its first
 *            value counts as absent, so that keys made before it was found stay right;
 *   blocks   heap objects, in an area of their own, sorted by address. A block that nothing points
 *            to is forgotten (key.h); a freed one stays, as freed, while something points to it, so
 *            that a use after free is seen; malloc takes the lowest gap;
 *   prints   the plain accesses that each thread made since its last visible step. A plain access
 *            of another thread that conflicts with one of them is a race: under sc both places in
 *            the code become visible steps (sites), and the search begins again. */
#ifndef HEDDLE_STATES_MEMORY_H
#define HEDDLE_STATES_MEMORY_H
#include "base/vec.h"
#include "guest/explore/graph/thread_set.h"

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
extern uint32_t states_site_count;     /* plain accesses that are visible steps */
uint32_t states_site_index(const void *pc);
const void *states_site(uint32_t index);
/* The thread, if it stands inside a frame or a call of its own: its stack is part of the state. */
extern bool states_has_stack[STATES_THREADS];

/* From here on, until states_memory_leave, memory is the states': see memory_divert. Words get
 * their first values, the heap is empty. */
void states_memory_enter(void);
/* Forgets which stacks are shared and which plain accesses are steps: another test is explored, and
 * what it counts must not depend on those before. Call it before states_memory_enter. */
static inline void states_memory_forget(void)
{
    states_stacks_shared = 0;
    states_site_count = 0;
}
void states_memory_leave(void);
/* Puts everything back to the start, for another run. */
void states_memory_restart(void);

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

/* The explorer performs an atomic access for thread T (or a plain one, at a site): the same checks
 * as for plain ones. */
void states_check_atomic(int thread, void *address, unsigned size, bool writes, bool plain,
                         const void *pc);
/* An atomic read of thread T: a violation if nothing has written there yet. */
void states_check_initialised(const void *address, unsigned size, const void *pc);
/* The plain write that came just before the plain read at which a thread has stopped, or NULL. */
extern const void *states_late_write;
/* Thread T is about to run: what it did before its request, and what lies below its stack pointer,
 * has no influence any more. */
void states_run_begins(int thread);
/* Code of thread T that does not run (steps/repeat.h) makes a plain access, AT_SITE after a
 * request; allocates, frees. */
void states_repeat_access(int thread, char *address, size_t bytes, bool writes, bool at_site,
                          const void *pc);
void *states_allocate(size_t bytes, size_t alignment, bool zeroed, const void *pc);
/* False: the object was allocated before main, and is not to be freed here. */
bool states_release(int thread, void *address, const void *pc);
/* The explorer writes for a thread. */
void states_will_write(void *address, size_t bytes);
/* Called for words, each time with what it returned for the word before, or CARRIED: a place to put
 * words at, or a hash. */
typedef uint64_t (*StatesVisit)(uint64_t carried, uint64_t word);
#endif
