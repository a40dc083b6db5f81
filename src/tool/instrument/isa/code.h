/* code.h: one instruction of machine code in the few terms that the analyses need, whatever the
 * processor: which registers and which memory it reads and writes, and where control goes.
 *
 * Only instructions whose effect is known to the byte are described exactly (moves, pushes, address
 * computations, ...). Of all others it is assumed that they read every register and all memory that
 * they name, change it, and overwrite nothing for good. */
#ifndef HEDDLE_INSTRUMENT_ISA_CODE_H
#define HEDDLE_INSTRUMENT_ISA_CODE_H
#include "base/common.h"

/* Registers by their number in the machine code; sets of them. */
typedef uint64_t RegSet;
#define REG_NONE (-1)
#define REG_UNKNOWN                                                                                \
    (-2)             /* a base that is no general register: the instruction pointer, a segment */
#define REG_COUNT 32 /* the most that a processor has */
#define CODE_NOWHERE UINT32_MAX
#define REG_BIT(r) (UINT64_C(1) << (r))

typedef enum CodeKind {
    CODE_OTHER,   /* reads what it names; changes what it names */
    CODE_NOTHING, /* no effect on registers or memory */
    CODE_MOVE,    /* 8 bytes from register or memory to register or memory */
    CODE_PAIR,    /* 8 bytes each between two registers and memory */
    CODE_SET,     /* writes dst or memory with something that is no address of the stack */
    CODE_ADDRESS, /* dst = address of the memory operand */
    CODE_ADD,     /* dst += immediate */
    CODE_COMPARE, /* reads only */
    CODE_PUSH,    /* of register src, memory, or an immediate */
    CODE_POP,     /* into register dst */
    CODE_LEAVE, /* the stack pointer is that of the caller's frame, whose frame pointer is popped */
    CODE_STRING, /* moves, fills, ... memory of unknown length, of which registers name the begin */
    CODE_CALL
} CodeKind;

typedef enum CodeFlow {
    FLOW_NEXT,        /* to the next instruction only (a call comes back) */
    FLOW_BRANCH,      /* there, and to `target` */
    FLOW_JUMP,        /* to `target` */
    FLOW_TABLE,       /* an indirect jump: to the function's case labels, or out of it */
    FLOW_TAIL,        /* out of the function, to function `callee` (or a stub) */
    FLOW_BRANCH_TAIL, /* conditionally */
    FLOW_RETURN,
    FLOW_END /* nowhere */
} CodeFlow;

typedef struct CodeMemory {
    int8_t base, index; /* registers, REG_NONE or REG_UNKNOWN */
    uint16_t bytes;     /* 0: the instruction has no memory operand */
    uint16_t loaded; /* of these, as far as that is known better: moves with extension, vectors */
    int64_t displacement;
    bool reads, writes, kills; /* kills: all `bytes` are overwritten, whatever happens */
} CodeMemory;

typedef struct Code {
    uint64_t address;
    uint8_t length, kind, flow;
    int8_t dst, src; /* registers or REG_NONE */
    bool leader;     /* control can come here other than from the instruction before */
    bool is_plain;   /* all that it does is told here: it computes with general registers, flags and
                        its memory operand, and can't fault but by that operand */
    bool reads_flags, writes_flags;
    bool is_direct;         /* a call or jump to the address that is its immediate */
    bool is_thread_local;   /* its operand is in memory of the thread's own */
    bool is_locked;         /* it has the prefix of atomic instructions, or is one of them */
    bool is_page;           /* dst = immediate, the page of an address whose rest is added later */
    bool is_thread_pointer; /* dst = where memory of the thread's own begins */
    bool copies, fills;     /* CODE_STRING: from one place to another; to one. Others only look */
    int8_t string_from, string_to; /* CODE_STRING: the registers that name these, or REG_NONE */
    int8_t pair[2];                /* CODE_PAIR: the registers; REG_NONE: it is 0 that is stored */
    bool saves_vectors; /* it stores vector registers that calls preserve: the caller's, perhaps */
    CodeMemory memory;
    int64_t immediate;
    int64_t step; /* is added to the base of the memory operand, whose displacement counts from the
                     base as it was before */
    RegSet reads, changes, kills, /* registers: all kinds; kills: all 8 bytes, whatever happens */
        flows;                    /* registers whose value goes somewhere unknown */
    RegSet callee_reads;          /* CODE_CALL: what the callee may read of those that are not
                                    callee-saved (performed.h fills it in) */
    uint32_t landing;             /* CODE_CALL: where an exception goes on, or CODE_NOWHERE */
    uint32_t target;              /* FLOW_BRANCH, FLOW_JUMP: index of an instruction */
    uint32_t callee;              /* CODE_CALL, FLOW_TAIL: function, or IMAGE_NO_FUNCTION */
    const char *callee_name;      /* of the function, or the stub's; NULL if it can't be known */
} Code;
#endif
