/* opcodes.h: the instructions of the machine in machine.c. Operands a, b, c are those of Instr;
 * addresses are offsets in the machine's memory. */
#ifndef HEDDLE_MODEL_OPCODES_H
#define HEDDLE_MODEL_OPCODES_H

enum {
    I_PUSH,                /* a */
    I_PUSH_UNDER,          /* a goes below the top: value -> a, value */
    I_ADDRESS_LOCAL,       /* push locals + a */
    I_ADDRESS_LOCAL_UNDER, /* the same, below the top */
    I_LOAD_GLOBAL,         /* push the scalar at a, + b */
    I_LOAD_LOCAL,          /* push the scalar at locals + a, + b */
    I_LOAD,                /* address -> the scalar there, + b */
    I_STORE,               /* address, value -> ; stores value - b, checks b <= value <= c */
    I_INDEX,               /* address, index -> address + (index - c) * b; checks against a */
    I_NODE,                /* reference -> a + (reference - 1) * b + c; checks that it is alive */
    I_BIT_OR,
    I_BIT_XOR,
    I_BIT_AND,
    I_EQ,
    I_NE,
    I_LT,
    I_LE,
    I_GT,
    I_GE,
    I_SHIFT_LEFT,
    I_SHIFT_RIGHT,
    I_ADD,
    I_SUB,
    I_MUL,
    I_DIV,
    I_MOD,
    I_NOT,
    I_NEG,
    I_BIT_NOT,
    I_JUMP,          /* to a */
    I_JUMP_ZERO,     /* value -> ; to a if 0 */
    I_JUMP_NOT_ZERO, /* value -> ; to a if not 0 */
    I_AWAIT,         /* value -> ; blocked if 0 */
    I_ASSERT,        /* value -> ; fault if 0 */
    I_SELF,          /* push the thread */
    I_AVAILABLE,     /* push the number of free nodes of pool a */
    I_NEW,           /* push a new node of pool a */
    I_FREE,          /* reference -> ; frees it in pool a */
    I_CHOOSE_VALUE,  /* low, high -> any value between */
    I_CHOOSE_BRANCH, /* skips to any of the a instructions that follow */
    I_RETURN,        /* value -> ; ends the operation */
    I_RETURN_VOID,
    I_LEAVE, /* ends the step and the inlined function around it */
    I_END,   /* ends the step */
};
#endif
