/* look.h: the code of one function, followed along all its paths, for unannounced.c: where the
 * addresses lead that registers hold, and which call came last.
 *
 * Every instruction is reached: where control comes to a piece of code by a way that is not known
 * (the address of a label, an exception), registers that calls preserve may hold there what they
 * hold at any call, others anything. The second return of setjmp is like its first one. */
#ifndef HEDDLE_INSTRUMENT_UNANNOUNCED_LOOK_H
#define HEDDLE_INSTRUMENT_UNANNOUNCED_LOOK_H
#include <elfutils/libdw.h>
#include "tool/instrument/unannounced/overlooked.h"
#include "tool/instrument/unannounced/slots.h"

/* The kinds of memory that an address may lead to: a set. */
enum {
    TO_STACK = 1,
    TO_FRESH = 2,
    TO_RESULT = 4,
    TO_OTHER = 8,
    TO_CONSTANT = 16,
    TO_KNOWN = TO_FRESH | TO_OTHER /* to others: fresh memory may be, from some time on */
};
/* The last call, a set: the hook of a write, one that has been followed by a store, the
 * hook of a read (after that of a write with no store between, it belongs to a copy: the write
 * counts). */
enum { LAST_WRITE = 1, LAST_WRITTEN = 2, LAST_READ = 4, LAST_OTHER = 8 };

typedef struct State { /* at one instruction */
    uint8_t reg[REG_COUNT];
    uint8_t last;   /* 0: not reached yet */
    uint8_t loaded; /* bytes since then from memory that others may know; 255: that or more */
    Rooms rooms;    /* what the hooks since then allow */
    uint32_t call;  /* index of that last call, or CODE_NOWHERE */
    int32_t sp;     /* the stack pointer, from its value on entry; SP_UNKNOWN */
} State;

typedef struct Finder {
    Arena *arena;   /* for what is found */
    Arena *scratch; /* for the rest */
    Image *image;
    CodeReader *reader;
    Dwarf *dwarf;
    Escapes *out;
    Watches *watches;
    uint8_t
        *returns_memory; /* by function: stores through its first argument, and nobody is told */
    uint8_t *takes_structure; /* by function: by value, in memory */
    uint8_t *fills_fresh;     /* by function: some result of it is to stand in fresh memory;
                                 FILLS_SEEN: its stores there are watched */
    uint64_t handed_over;     /* the address of heddle__asm, 16 bytes; or 0 */
    bool clang;
    bool grew;
    bool report;
    bool fills; /* only stores to results are looked for, for fills_fresh */
    csh handle;
    cs_insn *instruction;
} Finder;

typedef struct Look { /* at one function */
    Finder *finder;
    const CodeFunction *function;
    State *states; /* by instruction */
    Slots slots;
    bool again;
    bool stores_result;
} Look;

/* Performs the instruction at INDEX on STATE, and reports what it finds (unannounced.c). */
void look_perform(Look *look, State *state, const Code *code, uint32_t index);
/* Performs instruction I on its state, and hands that on to those that may come next. */
void look_step(Look *look, uint32_t i);
/* Follows the function to all its instructions. FIRST_ARGUMENT: where its first argument leads. */
void look_follow(Look *look, uint8_t first_argument);
#endif
