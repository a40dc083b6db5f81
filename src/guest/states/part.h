/* part.h: what a thread inside a call contributes to a state: its stack and its request. Most steps
 * leave the other threads as they were, and few different parts meet in many states. So parts are
 * kept once and numbered (as the components of Holzmann's COLLAPSE), and what keys need to know of
 * a stack and its request, a hash of their words but for those that may point to heap blocks, is
 * worked out once.
 *
 * A part is a function of memory that only its thread changes, but where threads look into each
 * other's stacks: then all of them are forgotten whenever one runs. */
#ifndef HEDDLE_STATES_PART_H
#define HEDDLE_STATES_PART_H
#include <string.h>
#include "guest/runtime/fiber.h"
#include "guest/states/present.h"

typedef struct StatesScan {
    uint64_t a, b;    /* the hash of all other words, with their places, and of which of these are
                         equal */
    uint32_t count;   /* words that may point to a block, now or later */
    uint32_t firsts;  /* of these, at the beginning: each of the others is equal to one of them */
    uint32_t *word;   /* which of the stack, counted from the stack pointer */
    uint32_t room;    /* of `word` */
    uint32_t request; /* the words of the request that may point to a block: bits, see below */
} StatesScan;

/* Word I of a request, in the order of the bits of StatesScan.request. */
enum { PART_REQUEST_WORDS = 5 };
static inline uint64_t part_request_word(const Request *q, uint32_t i)
{
    return i == 0   ? (uintptr_t)q->address
           : i == 1 ? q->operand
           : i == 2 ? q->operand_high
           : i == 3 ? q->expected
                    : q->expected_high;
}

/* Where WORD leads, if that is a place in the stack of THREAD, counted from its base, or
 * PART_FIBER; else PART_NOT_OWN. */
#define PART_NOT_OWN UINT64_MAX
#define PART_FIBER (UINT64_MAX - 1)
static inline uint64_t part_own_place(uint32_t thread, uint64_t word)
{
    if (word - (STACK_BASE + (uint64_t)thread * STACK_SLOT) < STACK_SLOT)
        return word - (uintptr_t)fibers[thread].base + STACK_SLOT;
    return word == (uintptr_t)&fibers[thread] ? PART_FIBER : PART_NOT_OWN;
}
/* Blocks lie elsewhere (elsewhere.h): parts are not those of states that will be met again. */
extern bool part_is_elsewhere;
/* Returns what is known of the stack of thread T, which is inside a call. Valid until it runs. The
 * part gets a number, unless it is elsewhere or threads are interchangeable: the next step with the
 * same transcript need not look at the stack. */
const StatesScan *part_look(int thread);
extern const StatesScan *part_known[STATES_THREADS]; /* NULL: not looked at since it ran */
static inline const StatesScan *part_scan(int thread)
{
    return LIKELY(part_known[thread] != NULL) ? part_known[thread] : part_look(thread);
}
/* The number of the present part of T. */
uint32_t part_number(int thread);
/* A hash of the present part of T: other searches have the same for it. */
uint64_t part_sum(int thread);
/* In the crew (crew.h): new parts have numbers from PART_LOCAL on. */
#define PART_LOCAL (UINT32_C(1) << 31)
uint32_t part_local_count(void);
/* By local number: the number + 1 that the search has given the part since, or 0. part_number tells
 * that one then. */
extern const uint32_t *part_names;
bool part_tells_local(void); /* the part of some thread, as part_number tells it, is a local one */
/* The part NUMBER as bytes that mean the same in the search: part_export_bytes of them. part_import
 * gives the number that it has there. */
size_t part_export_bytes(uint32_t number);
void part_export(uint32_t number, char *to);
uint32_t part_import(const char *from);
extern uint32_t part_present[STATES_THREADS]; /* the number of its part + 1; 0: not known; or
                                                 PART_IDLE */
#define PART_IDLE UINT32_MAX
/* T's stack and request are those of part NUMBER from now on. */
void part_put_back(int thread, uint32_t number);
static inline void part_restore(int thread, uint32_t number)
{
    if (part_present[thread] != number + 1)
        part_put_back(thread, number);
}
/* T's stack is that of a thread between two calls, until it is forgotten. */
void part_note_idle(int thread);
static inline bool part_is_idle(int thread)
{
    return part_present[thread] == PART_IDLE;
}
/* T runs, or its stack was changed. */
void part_forget(int thread);
/* Only words that point to blocks were changed on the stack of T and in its request, equal ones
 * alike: where they are is still known. */
void part_note_moved(int thread);
void part_forget_all(void);
/* Drops all parts; numbers begin at 0 again. */
void part_begin(void);
uint64_t part_bytes(void); /* memory in use */
/* Visits the words of T's stack and its request that may point to a block, but for words of the
 * stack that are equal to others. Returns what VISIT did for the last one. */
static inline __attribute__((always_inline)) uint64_t
part_each_pointer(uint32_t t, const StatesScan *scan, uint64_t carried, StatesVisit visit)
{
    for (uint32_t i = 0; i < scan->firsts; i++) {
        uint64_t word;
        memcpy(&word, (const char *)fibers[t].sp + 8 * (size_t)scan->word[i], 8);
        carried = visit(carried, word);
    }
    for (uint32_t left = scan->request; left; left &= left - 1)
        carried = visit(
            carried, part_request_word(&states_thread[t].request, (uint32_t)__builtin_ctz(left)));
    return carried;
}
#endif
