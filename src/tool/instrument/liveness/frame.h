/* frame.h: what a function does with its stack frame, found by following the values of its
 * registers and slots forwards from the entry.
 *
 * Places in the frame are named by their distance from the canonical frame address (CFA), the value
 * of the stack pointer before the call that entered the function: the frame lies below it, with the
 * return address at its end if calls push that; arguments passed on the stack lie from 0 on.
 *
 * A value is an address in the frame (one of at most four, or perhaps none), the value that a
 * register had on entry which is restored before the function returns, or something else. An
 * address that goes where it can't be followed has escaped: the object that it belongs to may be
 * read at any time. Something else is never the address of an object that has not escaped, so
 * memory reached through it needs no thought.
 *
 * An address that is passed to a function which gives it back (lent.h) is lent: it has not
 * escaped. */
#ifndef HEDDLE_INSTRUMENT_LIVENESS_FRAME_H
#define HEDDLE_INSTRUMENT_LIVENESS_FRAME_H
#include "tool/instrument/liveness/code.h"
#include "tool/instrument/liveness/objects.h"
#include "record/liveness_table.h"

#define FRAME_ADDRESSES 4
#define FRAME_ARGUMENTS_UNKNOWN INT32_MAX
#define FRAME_NOWHERE INT16_MAX

#define FRAME_LENT_BYTES 64 /* of an object that is lent, from the address that is passed on */
#define FRAME_LENT_ARGUMENTS 6

/* A function has done this with the objects whose addresses are its arguments, in registers. Bit b
 * of a mask: the byte at distance b from the address. */
typedef struct FrameLent {
    uint8_t kept;    /* bit a: of argument a nothing is known, it may be kept */
    int8_t returned; /* the argument that it returns, if it does, or -1 */
    uint64_t needs[FRAME_LENT_ARGUMENTS];   /* read on some path before they are written */
    uint64_t passes[FRAME_LENT_ARGUMENTS];  /* not overwritten on some path to a return */
    uint64_t touched[FRAME_LENT_ARGUMENTS]; /* read or written on some path */
} FrameLent;

/* A call lends an object: one of the function's own frame, or one that it was lent itself. */
typedef struct FrameLoan {
    uint32_t code;
    int8_t argument; /* by whose address the function was lent it, or -1: it is its own */
    int16_t place;   /* and begins here, */
    uint16_t bytes;  /* and has so many from there on */
    uint64_t needs, passes, touched;
} FrameLoan;

/* The effect of one instruction to the frame. */
typedef struct FrameEffect {
    int16_t read[FRAME_ADDRESSES]; /* each of these places may be read */
    uint8_t read_count;
    bool reads_all;
    bool reached;
    uint16_t read_bytes;
    uint16_t kill_bytes; /* that many bytes at `kill` are overwritten for certain */
    int16_t kill;
    int16_t write[FRAME_ADDRESSES]; /* each of these places may be written; a hook announces that */
    uint8_t write_count;
    uint16_t write_bytes;
    bool elsewhere; /* it writes memory, or reads it by a register, that may not be the frame's */
    uint16_t own;   /* CODE_CALL, bit a: argument a is an address in the frame, and not kept */
    int8_t lent;    /* the argument through whose address it reads or writes, or -1 */
    uint64_t lent_read, lent_killed, lent_touched;
} FrameEffect;

/* The frame at a call. */
typedef struct FrameCall {
    uint32_t code;
    int16_t sp;
    RegSet entry;                      /* registers that hold the caller's value */
    RegSet frame_pointer;              /* the bit of the frame pointer, if it is one */
    int16_t saved[LIVENESS_REGISTERS]; /* a slot with the caller's value, or FRAME_NOWHERE */
} FrameCall;

typedef struct StackFrame {
    CodeFunction code;
    bool ok; /* false: nothing below is valid, the function is not understood */
    bool all_escaped;
    RegSet entry_used;    /* registers whose value on entry is used other than by saving it */
    int32_t bytes;        /* places are >= -bytes */
    int32_t arguments;    /* bytes of stack arguments it may read, or FRAME_ARGUMENTS_UNKNOWN */
    uint64_t *escaped;    /* bit b: the byte at b - bytes */
    FrameEffect *effects; /* by instruction */
    Vec(FrameCall) calls;
    Vec(FrameLoan) loans; /* by instruction, ascending within a block */
    FrameLent lent;
} StackFrame;

/* Answers what is known of callees, by function number of the image. */
typedef struct FrameCallees {
    const void *context;
    /* Bytes of stack arguments that it may read. */
    int32_t (*arguments)(const void *context, uint32_t function);
    /* Tells what it does with objects that it is lent; NULL if that is not known. */
    const FrameLent *(*lent)(const void *context, uint32_t function);
} FrameCallees;

/* Analyses FRAME, whose `code` is given; can be called again when CALLEES tells other things. */
void frame_analyse(Arena *arena, StackFrame *frame, const Image *image, ObjectReader *objects,
                   const FrameCallees *callees);
void frame_free(StackFrame *frame);

/* Where the function's own bytes end: behind them is its return address, or its caller's frame. */
static inline int32_t frame_end(const Isa *isa)
{
    return -isa->return_bytes;
}
static inline bool frame_bit(const StackFrame *frame, const uint64_t *bits, int32_t place)
{
    DEBUG_ASSERT(place >= -frame->bytes && place < 0);
    uint32_t b = (uint32_t)(place + frame->bytes);
    return bits[b / 64] >> (b % 64) & 1;
}
static inline void frame_set_bit(const StackFrame *frame, uint64_t *bits, int32_t place)
{
    uint32_t b = (uint32_t)(place + frame->bytes);
    bits[b / 64] |= UINT64_C(1) << (b % 64);
}
#endif
