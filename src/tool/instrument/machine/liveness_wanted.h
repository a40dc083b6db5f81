/* liveness_wanted.h: the functions that can be on a thread's stack at a request: those from which
 * fiber_yield can be reached by direct calls and jumps, or that call through pointers, and which
 * are instrumented or can be reached from such a function. One that is missed only lacks entries in
 * the table of dead bytes (liveness.h). */
#ifndef HEDDLE_INSTRUMENT_MACHINE_LIVENESS_WANTED_H
#define HEDDLE_INSTRUMENT_MACHINE_LIVENESS_WANTED_H
#include "base/arena.h"
#include "tool/instrument/machine/liveness_image.h"

typedef struct WantedFunctions {
    bool *is;                /* by function */
    uint32_t context_switch; /* heddle__switch */
    uint32_t other_switch;   /* fiber_pass_baton: in a debugger, where no states are compared */
} WantedFunctions;

WantedFunctions wanted_find(Arena *arena, const Image *image);
#endif
