/* walk.h: the state of the analysis of one function: values of registers and slots, and
 * what has escaped. For frame.c. */
#ifndef HEDDLE_INSTRUMENT_LIVENESS_WALK_H
#define HEDDLE_INSTRUMENT_LIVENESS_WALK_H
#include "tool/instrument/liveness/frame.h"

#define MAX_FRAME 8192

typedef enum ValueKind { VALUE_OTHER, VALUE_ENTRY, VALUE_STACK } ValueKind;

typedef struct WalkValue {
    uint8_t kind;
    uint8_t count;                  /* STACK: number of possible places */
    bool certain;                   /* STACK: it is one of them */
    int8_t reg;                     /* ENTRY: of which register */
    int16_t place[FRAME_ADDRESSES]; /* ascending */
} WalkValue;

typedef struct LivenessWalk { /* the analysis of one function */
    Arena *arena;
    StackFrame *frame;
    const Image *image;
    const Isa *isa;
    ObjectReader *reader;
    const FrameCallees *callees;
    StackObjects objects;
    bool objects_known; /* `objects` has been asked for */
    bool failed, grew, record;
    bool lost_landing;  /* a landing pad was entered in a way that is not understood */
    int32_t landing_sp; /* the stack pointer at landing pads, 0 before the first */
    uint32_t at;        /* the present instruction */
    int registers;      /* as many as the processor has */
    size_t slot_count;
    WalkValue *state;   /* registers, then slots from the lowest place on */
    WalkValue *states;  /* at leaders */
    uint32_t *state_of; /* by instruction */
    bool *pending;      /* by instruction: a leader to be looked at again */
    bool *entered;      /* by instruction: the leader has a state */
} LivenessWalk;

static inline WalkValue *walk_slots(const LivenessWalk *w)
{
    return w->state + w->registers;
}
WalkValue walk_other(void);
WalkValue walk_address(int32_t place);
bool walk_same(const WalkValue *a, const WalkValue *b);
/* A value that is A or B. */
WalkValue walk_join(LivenessWalk *w, const WalkValue *a, const WalkValue *b);
/* V + BY. */
WalkValue walk_shift(LivenessWalk *w, WalkValue v, int64_t by);
/* The described variables of the function. */
StackObjects *walk_objects(LivenessWalk *w);
/* The whole frame escapes; or all that V may be the address of. */
void walk_escape_all(LivenessWalk *w);
void walk_escape(LivenessWalk *w, const WalkValue *v);
/* V, if it is an argument of the function, is not followed any more: it counts as kept. */
void walk_keep(LivenessWalk *w, const WalkValue *v);
/* V goes where it is not followed. */
void walk_lose(LivenessWalk *w, const WalkValue *v);
/* The slot with the byte at PLACE; NULL if it is outside the frame. */
WalkValue *walk_slot(LivenessWalk *w, int32_t place);
/* BYTES at PLACE get value V, perhaps (weak) or certainly. */
void walk_store(LivenessWalk *w, int32_t place, int32_t bytes, const WalkValue *v, bool weak);
/* The eight bytes at PLACE. */
WalkValue walk_load(LivenessWalk *w, int32_t place);
/* Something reads BYTES at PLACE and may pass on what it finds. */
void walk_lose_slots(LivenessWalk *w, int32_t place, int32_t bytes);
/* Registers WHICH hold something that is not followed. */
void walk_forget_registers(LivenessWalk *w, RegSet which);
/* Call C has returned; IS_HOOK: from a function that keeps no address and leaves no register alone.
 */
void walk_after_call(LivenessWalk *w, const Code *c, bool is_hook);
/* Call C has performed an instruction of inline assembly (performed.h). */
void walk_keep_registers(LivenessWalk *w, const Code *c);
#endif
