/* assembly_code.h: how an instruction of inline assembly is told to the runtime that performs it: a
 * number, put together by tool/instrument/machine/assembly.c and taken apart by
 * guest/entry/x86_64/assembly.c. */
#ifndef HEDDLE_RECORD_ASSEMBLY_CODE_H
#define HEDDLE_RECORD_ASSEMBLY_CODE_H

/* name, and the mnemonic without its size letter */
#define ASSEMBLY_OPS(X)                                                                            \
    X(FENCE, "mfence")                                                                             \
    X(LOAD, "mov")                                                                                 \
    X(STORE, "mov")                                                                                \
    X(EXCHANGE, "xchg")                                                                            \
    X(CAS, "cmpxchg")                                                                              \
    X(CAS_WIDE, "cmpxchg16b")                                                                      \
    X(CAS_PAIR, "cmpxchg8b")                                                                       \
    X(FETCH_ADD, "xadd")                                                                           \
    X(ADD, "add")                                                                                  \
    X(SUB, "sub")                                                                                  \
    X(AND, "and")                                                                                  \
    X(OR, "or")                                                                                    \
    X(XOR, "xor")                                                                                  \
    X(INC, "inc")                                                                                  \
    X(DEC, "dec")                                                                                  \
    X(NOT, "not")                                                                                  \
    X(NEGATE, "neg")                                                                               \
    X(COMPARE, "cmp")                                                                              \
    X(BIT_TEST, "bt")                                                                              \
    X(BIT_SET, "bts")                                                                              \
    X(BIT_RESET, "btr")                                                                            \
    X(BIT_FLIP, "btc")                                                                             \
    X(FENCE_STORES, "sfence")                                                                      \
    X(FENCE_LOADS, "lfence")                                                                       \
    X(LOAD_OWN, "mov") /* from thread-local memory */                                              \
    X(CLOCK, "rdtsc")                                                                              \
    X(CLOCK_PLACE, "rdtscp")
typedef enum AssemblyOp {
#define X(name, word) ASSEMBLY_##name,
    ASSEMBLY_OPS(X)
#undef X
        ASSEMBLY_OP_COUNT
} AssemblyOp;

/* The meaning of the instructions to other threads, by memory model (record/memory_model.h). */
typedef enum AssemblyMeaning {
    ASSEMBLY_IN_C11, /* fences only */
    ASSEMBLY_IN_SC,
    ASSEMBLY_IN_TSO /* a compare-exchange that fails is a load there, but the instruction is a
                       fence, too */
} AssemblyMeaning;

/* The stack of a thread while an instruction is performed, from the stack pointer of
 * heddle__assembly on (guest/entry/x86_64/assembly.S). */
enum {
    ASSEMBLY_FRAME_SAVED = 16, /* the image of fxsave; before it the distance of the registers */
    ASSEMBLY_FRAME_SAVED_BYTES = 512,
    ASSEMBLY_FRAME_VECTORS = 32,      /* in that image: x87 and vector registers ... */
    ASSEMBLY_FRAME_VECTORS_END = 416, /* ... to here; the processor does not write the rest */
    ASSEMBLY_FRAME_LEAST = ASSEMBLY_FRAME_SAVED + ASSEMBLY_FRAME_SAVED_BYTES, /* the distance is */
    ASSEMBLY_FRAME_MOST = ASSEMBLY_FRAME_LEAST + 8,                           /* one of these */
    ASSEMBLY_FRAME_STATE_FLAGS = 8 * 17, /* from the registers on: where the flags are ... */
    ASSEMBLY_FRAME_STATE_BYTES = 8 * 18  /* ... and the return address */
};

/* Is it a compare-exchange? It is a full fence even if it fails. */
#define ASSEMBLY_IS_CAS(op)                                                                        \
    ((op) == ASSEMBLY_CAS || (op) == ASSEMBLY_CAS_WIDE || (op) == ASSEMBLY_CAS_PAIR)
#define ASSEMBLY_FLAG_ZERO 64 /* of the flags: it succeeded */

#define ASSEMBLY_IMMEDIATE 16 /* in place of a register: the operand is a number */
/* REGISTER has the processor's number: rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15. */
#define ASSEMBLY_CODE(op, size, register_)                                                         \
    ((unsigned)(op) | (unsigned)(size) << 8 | (unsigned)(register_) << 16)
#define ASSEMBLY_CODE_OP(code) ((code)&255)
#define ASSEMBLY_CODE_SIZE(code) ((code) >> 8 & 255)
#define ASSEMBLY_CODE_REGISTER(code) ((code) >> 16 & 255)
#endif
