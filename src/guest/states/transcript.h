/* transcript.h: all that the program takes in during a step: the part of its thread (part.h), the
 * way in which it goes on, what it reads, and the addresses of the blocks that it allocates. The
 * code of a step is a function of that. So one of several steps with equal transcripts is enough to
 * find out whether the code depends on where blocks lie (elsewhere.h); some of the others are
 * tested as well, since their blocks are moved to other places. Searches of one program, which
 * makes the same calls by the same numbers, have the same transcripts. */
#ifndef HEDDLE_STATES_TRANSCRIPT_H
#define HEDDLE_STATES_TRANSCRIPT_H
#include "base/hash.h"

extern uint64_t transcript_sum; /* of the step that is made */

static inline void transcript_add(uint64_t word)
{
    transcript_sum = hash_combine(transcript_sum, word);
}
/* The step accesses this memory: what is there now. */
void transcript_add_memory(const void *at, size_t bytes);
/* THREAD begins a step. */
void transcript_begin(int thread, uint32_t way);
/* Is the step of this transcript, which SALT stands for, to be tested? */
bool transcript_wants_test(uint64_t salt);
/* The test of the step that was asked about last has shown no dependence. */
void transcript_note_passed(void);
#endif
