/* wanted.h: the functions that can be on a thread's stack at a request: those from which
 * fiber_yield can be reached by direct calls and jumps, or that call through pointers, and which
 * are instrumented or can be reached from such a function. One that is missed only lacks entries in
 * the table of dead bytes (liveness.h). */
#ifndef HEDDLE_INSTRUMENT_LIVENESS_WANTED_H
#define HEDDLE_INSTRUMENT_LIVENESS_WANTED_H
#include "base/arena.h"
#include "tool/instrument/liveness/code.h"

/* Bytes of code: smaller functions are analysed if analysed ones call them, since objects are lent
 * to them. */
#define WANTED_SMALL 256

typedef struct WantedEdge { /* a call or a jump */
    uint32_t from, to;
} WantedEdge;

typedef struct WantedFunctions {
    bool *is;          /* by function */
    bool *reaches;     /* by function: fiber_yield can be reached from it */
    bool *called;      /* by function: it can be reached from an instrumented one */
    WantedEdge *edges; /* of all functions whose calls are not stored */
    size_t edge_count;
    uint32_t context_switch; /* heddle__switch */
    uint32_t other_switch;   /* fiber_pass_baton: in a debugger, where no states are compared */
} WantedFunctions;

typedef struct Stored Stored; /* tool/instrument/liveness/stored.h */

/* STORED knows some of the runtime's functions, or is NULL: of those `is` stays false, and their
 * code is not looked at. */
WantedFunctions wanted_find(Arena *arena, const Image *image, CodeReader *code,
                            const Stored *stored);
/* Closes SET, by function, under the edges, towards callees or callers. */
void wanted_spread(const WantedFunctions *wanted, bool *set, bool to_callees);
#endif
