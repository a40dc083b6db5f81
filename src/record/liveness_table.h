/* liveness_table.h: what the tool tells the explorer about the stack frames of the program under
 * test.
 *
 * An entry belongs to a call instruction, named by its return address, of a function that can stand
 * on a thread's stack while the thread waits for an answer. It describes the function's frame at
 * that point: how large it is, which of its bytes no path from there reads before writing them
 * (they are dead), which only stretch a wait (they are idle: tool/instrument/liveness/idle.h),
 * whether anybody looks at the result of the call, and what the function has done with the
 * callee-saved registers. All of it is a fact about the machine code, computed by liveness.c; a
 * call without entry is one of which nothing is known.
 *
 * A call of heddle__assembly performs an instruction of inline assembly, and keeps all registers in
 * its frame meanwhile (record/assembly_code.h). So entries tell about the others, too: those that
 * are not callee-saved, the flags, and the x87 and vector registers.
 *
 * The table is one block of memory: header, entries sorted by address, ranges. */
#ifndef HEDDLE_RECORD_LIVENESS_TABLE_H
#define HEDDLE_RECORD_LIVENESS_TABLE_H
#include "base/common.h"

#define LIVENESS_MAGIC 0x6865646c69766536u /* "hedlive6" */

/* The registers that functions restore, in the order in which heddle__switch leaves them on the
 * stack: on x86-64 these, on AArch64 x19 to x30. The last of those is the return address. */
enum { LIVENESS_R15, LIVENESS_R14, LIVENESS_R13, LIVENESS_R12, LIVENESS_RBX, LIVENESS_RBP };
#define LIVENESS_REGISTERS 12 /* the most that a processor has */

enum {                     /* LivenessEntry.saved */
       LIVENESS_KEPT = -1, /* the register still holds the caller's value */
       LIVENESS_LOST =
           -2 /* nobody will ask for the caller's value again, or its place is not known */
};

enum {                            /* LivenessEntry.more */
       LIVENESS_FLAGS_DEAD = 1,   /* after a call of heddle__assembly */
       LIVENESS_VECTORS_DEAD = 2, /* x87 and vector registers hold nothing of the function's */
       LIVENESS_VECTORS_NONE = 4, /* nor anything that they held when it was called */
       LIVENESS_PERFORMER = 8, /* it is the call within heddle__assembly: the rest of the entry has
                                  no meaning */
       LIVENESS_PERPETUAL = 16 /* from here on the function does not end, but by a failure */
};

typedef struct LivenessRange { /* bytes of a frame, counted from the stack pointer at the call */
    uint16_t offset, bytes;
} LivenessRange;

typedef struct LivenessEntry {
    uint64_t address;     /* of the instruction after the call */
    uint32_t first_range; /* its dead bytes are ranges first_range .. + range_count */
    uint16_t range_count;
    uint16_t frame_bytes; /* from the stack pointer at the call up to the caller's frame; the last
                             eight hold the function's own return address, if calls push it */
    int16_t saved[LIVENESS_REGISTERS]; /* where the caller's value is: offset like a range's, or see
                                          above; if it is KEPT the register is not the function's */
    uint16_t dead; /* bit r: the function has a value of its own in register r; it is dead */
    uint16_t idle; /* like dead: the value only stretches a wait */
    uint8_t result_is_dead; /* 1: what the call returns is never read */
    uint8_t idle_count;     /* the last of its ranges are idle, not dead */
    uint8_t more;           /* LIVENESS_FLAGS_DEAD and so on */
    uint8_t unused;         /* 0: equal tables have equal bytes */
    /* Registers that are not callee-saved, by the processor's numbers. The function does not read
     * these after the call ... */
    uint32_t others_dead;
    uint32_t others_passed; /* ... but may leave these to its caller as they are */
} LivenessEntry;

typedef struct LivenessTable {
    uint64_t magic;
    uint32_t entry_count, range_count;
    /* then LivenessEntry[entry_count], LivenessRange[range_count] */
} LivenessTable;

static inline const LivenessEntry *liveness_entries(const LivenessTable *table)
{
    return (const LivenessEntry *)(const void *)(table + 1);
}
static inline const LivenessRange *liveness_ranges(const LivenessTable *table)
{
    return (const LivenessRange *)(const void *)(liveness_entries(table) + table->entry_count);
}
static inline size_t liveness_bytes(const LivenessTable *table)
{
    return sizeof *table + table->entry_count * sizeof(LivenessEntry) +
           table->range_count * sizeof(LivenessRange);
}
#endif
