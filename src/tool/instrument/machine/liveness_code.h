/* liveness_code.h: the machine code of one function in the few terms that the liveness analysis
 * needs: which registers and which memory an instruction reads and writes, and where control goes.
 *
 * Only instructions whose effect is known to the byte are described exactly (moves, pushes, address
 * computations, ...). Of all others it is assumed that they read every register and all memory that
 * they name, change it, and overwrite nothing for good. */
#ifndef HEDDLE_INSTRUMENT_MACHINE_LIVENESS_CODE_H
#define HEDDLE_INSTRUMENT_MACHINE_LIVENESS_CODE_H
#include "base/vec.h"
#include "tool/instrument/machine/liveness_image.h"

/* Registers by their number in the machine code. */
enum { REG_AX, REG_CX, REG_DX, REG_BX, REG_SP, REG_BP, REG_SI, REG_DI, REG_R8, REG_R15 = 15 };
#define REG_NONE (-1)
#define REG_UNKNOWN                                                                                \
    (-2) /* a base that is no general register: the instruction pointer, a segment */
#define REG_COUNT 16
#define CODE_NOWHERE UINT32_MAX
#define CODE_PARTS 4
#define REG_BIT(r) ((uint16_t)(1u << (r)))
#define CALLEE_SAVED                                                                               \
    ((uint16_t)(REG_BIT(REG_BX) | REG_BIT(REG_BP) | REG_BIT(12) | REG_BIT(13) | REG_BIT(14) |      \
                REG_BIT(15)))

typedef enum CodeKind {
    CODE_OTHER,   /* reads what it names; changes what it names */
    CODE_NOTHING, /* no effect on registers or memory */
    CODE_MOVE,    /* 8 bytes from register or memory to register or memory */
    CODE_SET,     /* writes dst or memory with something that is no address of the stack */
    CODE_ADDRESS, /* lea: dst = address of the memory operand */
    CODE_ADD,     /* dst += immediate */
    CODE_COMPARE, /* reads only */
    CODE_PUSH,    /* of register src, memory, or an immediate */
    CODE_POP,     /* into register dst */
    CODE_LEAVE,
    CODE_STRING, /* movs, stos, ...: memory at rsi and rdi of unknown length */
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
    CodeMemory memory;
    int64_t immediate;
    uint16_t reads, changes, kills, /* registers: all kinds; kills: all 8 bytes, whatever happens */
        flows;                      /* registers whose value goes somewhere unknown */
    uint16_t callee_reads;          /* CODE_CALL: what the callee may read of those that are not
                                       callee-saved (performed.h fills it in) */
    uint32_t landing;               /* CODE_CALL: where an exception goes on, or CODE_NOWHERE */
    uint32_t target;                /* FLOW_BRANCH, FLOW_JUMP: index of an instruction */
    uint32_t callee;                /* CODE_CALL, FLOW_TAIL: function, or IMAGE_NO_FUNCTION */
    const char *callee_name;        /* of the function, or the stub's; NULL if it can't be known */
} Code;

typedef struct CodeFunction {
    uint32_t function;
    bool has_handlers; /* exceptions may go on at places that are not known */
    bool is_odd; /* it calls setjmp or its like, has an instruction that is not described, or runs
                    off its end */
    uint32_t parts[CODE_PARTS], part_count; /* the function itself, and what was moved away */
    Vec(Code) code;       /* by address within each part; parts one after the other */
    Vec(uint32_t) labels; /* where FLOW_TABLE may go */
} CodeFunction;

typedef struct CodeReader CodeReader;
CodeReader *code_reader_new(Arena *arena, const Image *image);
void code_reader_free(CodeReader *reader);
/* Fills OUT with the function's code. False if there is something in it that defies analysis. */
bool code_read(CodeReader *reader, uint32_t function, CodeFunction *out);
/* Reads odd functions and long ones as well: a path from a call of setjmp is told once, and an
 * instruction that is not described may change all registers that calls do not preserve. */
bool code_follow(CodeReader *reader, uint32_t function, CodeFunction *out);
void code_free(CodeFunction *function);
/* Is it one of the functions of libc, libstdc++ or the runtime that do not come back? They take no
 * arguments on the stack. Missing one costs precision, never truth. */
bool code_never_returns(const char *name);
#endif
