/* stored.h: what the liveness analysis finds out about the runtime's own functions. It is the same
 * for every program, so it is computed when Heddle is built and kept inside the runtime
 * (heddle_rt.o), in a section that is not loaded. The linker copies the section into every program
 * under test, where liveness_analyse finds it: four fifths of its work are done then.
 *
 * Why the stored facts are those that the analysis of the program would compute. What is known of a
 * function depends on its own instructions and on what is known of the functions that it calls or
 * jumps to, by name or by their code. A function of the runtime is stored if it is closed: all that
 * it reaches by direct calls and jumps lies in the runtime (section heddle_text), but for stubs
 * that lead into shared libraries. So its facts are those of any other program, provided that
 *  - the code is the same: the facts travel with it in one file, so they can't be out of date; the
 *    functions of heddle_text must have the same names, places and sizes. (A program that defines a
 *    function of the runtime itself, whose symbols are weak, differs here);
 *  - the stubs are stubs: no function of the program has one of their names;
 *  - the analysis is the same: its source has the checksum (STORED_VERSION) that is stored;
 *  - the program performs no inline assembly, for then other registers count as well
 *    (performed.h), and functions lend objects (lent.h) in the rounds that are allowed.
 * Otherwise all is computed; tests/suites/45_liveness.sh compares the two tables byte by byte.
 *
 * Functions are numbered by their place among those of heddle_text, and addresses are distances
 * from its begin. */
#ifndef HEDDLE_INSTRUMENT_LIVENESS_STORED_H
#define HEDDLE_INSTRUMENT_LIVENESS_STORED_H
#include "tool/instrument/liveness/frame.h"
#include "tool/instrument/liveness/wanted.h"

typedef struct StoredFrame { /* of a function that has been analysed */
    FrameLent lent;
    uint32_t function;
    int32_t arguments; /* as StackFrame.arguments */
    uint32_t first_entry, entry_count;
    uint8_t ok, lends; /* the function is understood; `lent` tells what it does with objects */
    uint8_t unused[6];
} StoredFrame;

typedef struct StoredEdge { /* functions; sorted */
    uint32_t from, to;
} StoredEdge;

struct Stored {
    uint32_t first; /* number of the runtime's first function in the image */
    uint32_t function_count, frame_count;
    uint64_t base;        /* address of heddle_text */
    const uint8_t *flags; /* by function: STORED_* */
    const StoredFrame *frames;
    int32_t *frame_of;         /* by function: index of frames, or -1 */
    const StoredEdge *calls;   /* from closed functions to such as reach fiber_yield */
    const StoredEdge *callees; /* from analysed functions to such, by their code */
    uint32_t call_count, callee_count;
    const LivenessEntry *entries;
    const LivenessRange *ranges;
};

enum {                    /* flags of a function */
       STORED_CLOSED = 1, /* it is stored */
       STORED_REACHES = 2
}; /* fiber_yield */

/* The facts that IMAGE contains, in ARENA and as long as IMAGE is open; NULL if there are none, or
 * they are not those of its code. */
const Stored *stored_find(Arena *arena, const Image *image);
/* Returns what is known of function number FUNCTION of the image: STORED_*. */
static inline uint8_t stored_flags(const Stored *stored, uint32_t function)
{
    uint32_t f = function - stored->first; /* large if it lies before them */
    return f < stored->function_count ? stored->flags[f] : 0;
}
/* Returns the frame of function number FUNCTION of the image; NULL if none is stored. */
const StoredFrame *stored_frame(const Stored *stored, uint32_t function);

/* Returns, by stored frame, whether its function may stand on a thread's stack: it is one of SEEDS
 * (by function of the image), or these lead to it. */
const bool *stored_include(Arena *arena, const Stored *stored, const bool *seeds);

/* Finds out which functions of IMAGE, a program that consists of nothing but the runtime, can be
 * stored: fills in `is` of WANTED for those that are to be analysed, and returns by function
 * whether it is closed. */
const bool *stored_choose(Arena *arena, const Image *image, WantedFunctions *wanted);

/* StoredInput is what an analysis of the runtime alone has found out; stored_write writes it to
 * PATH, as the contents of the section. */
typedef struct StoredInput {
    const bool *closed;
    const WantedFunctions *wanted;
    const StackFrame *frames;
    size_t frame_count;
    const uint32_t *first_entry; /* by frame; the last one's end follows */
    const LivenessEntry *entries;
    const LivenessRange *ranges;
    size_t range_count;
} StoredInput;
MUST_USE bool stored_write(Arena *arena, const Image *image, const StoredInput *input,
                           const char *path, Error *error);
#endif
