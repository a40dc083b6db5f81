/* operations.h: memory orders and read-modify-write operations by number, as events and records
 * carry them. */
#ifndef HEDDLE_RECORD_OPERATIONS_H
#define HEDDLE_RECORD_OPERATIONS_H

/* The numbers are those of <stdatomic.h> and of the __tsan_atomic* calls. */
enum { ORDER_RELAXED, ORDER_CONSUME, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL, ORDER_SEQ_CST };
typedef enum RmwOp {
    RMW_EXCHANGE,
    RMW_ADD,
    RMW_SUB,
    RMW_AND,
    RMW_OR,
    RMW_XOR,
    RMW_NAND,
    RMW_NONE /* op_await: read only */
} RmwOp;
/* What op_await waits for: compare the value read (sign-extended from its size) with an operand. */
typedef enum AwaitTest { AWAIT_EQ, AWAIT_NE, AWAIT_GT, AWAIT_GE } AwaitTest;
#endif
