/* slots.h: the places in the frame of a function that hold addresses, for unannounced.c: by how
 * they are named, relative to a register or to the stack pointer on entry. */
#ifndef HEDDLE_INSTRUMENT_UNANNOUNCED_SLOTS_H
#define HEDDLE_INSTRUMENT_UNANNOUNCED_SLOTS_H
#include "tool/instrument/liveness/code.h"

#define SLOTS_MOST 64
typedef struct Slot {
    int64_t displacement;
    int8_t base;
    uint8_t to; /* where the addresses lead that it may hold: a set, of unannounced.c */
} Slot;
typedef struct Slots {
    Slot at[SLOTS_MOST];
    size_t count;
} Slots;
/* The slot that MEMORY names where the stack pointer, register POINTER, is SP, from its value on
 * entry (SP_UNKNOWN: not known). NULL: there is none, and it was not asked to MAKE one, or they are
 * too many. */
Slot *slots_find(Slots *slots, int pointer, int32_t sp, const CodeMemory *memory, bool make);
#endif
