/* lanes.h: gathers and masked moves of AVX, performed lane by lane on the registers that watch.S
 * has saved: each lane is a plain access like any other, in the order of the lanes. */
#ifndef HEDDLE_ENTRY_X86_64_LANES_H
#define HEDDLE_ENTRY_X86_64_LANES_H
#include "record/link.h"

/* For watch.S: what the processor needs to save its vector registers, in bytes; and which of its
 * states that are (0: only those of fxsave). */
extern uint64_t lanes_state_bytes, lanes_state_mask;
void lanes_setup(void);
/* Makes all vector registers zero, and no exception flag is set. */
void lanes_clear(void);
/* Performs WATCH, whose lanes are at BASE (its base, its displacement and, without indexes in a
 * vector, its index) on STATE, which has the format of xsave. [switch] */
void lanes_perform(const LinkWatch *watch, uint64_t base, unsigned char *state);
#endif
