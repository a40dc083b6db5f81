/* operations.h: memory orders and read-modify-write operations by number, as events and records
 * carry them. */
#ifndef HEDDLE_RECORD_OPERATIONS_H
#define HEDDLE_RECORD_OPERATIONS_H
#include <stdbool.h>
#include <stdint.h>

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
    RMW_NONE,  /* op_await: read only */
    RMW_NEGATE /* an instruction of assembly; it has no operand */
} RmwOp;
/* The conditions that op_await waits for: compare the value read (sign-extended from its size) with
 * an operand. AWAIT_FREE is AWAIT_EQ, but also ends at the word of a lock that was destroyed, so
 * that its use is found and not taken for a wait; AWAIT_ANY does not wait. AWAIT_STILL is AWAIT_EQ
 * of a value that the thread has just read there: where it does not hold, the thread could as well
 * have read the other value before, which is explored, too. So an exploration leaves a graph in
 * which it does not hold (the thread is never stuck), and whatever takes each step for good
 * (schedules, replays, states) goes on with the value that was found. AWAIT_TOLD is AWAIT_GE in the
 * same way: the thread waits until a time-out, which is explored as a choice of its own. AWAIT_TURN
 * is the order in which threads arrive at a barrier, see operations_turn. */
typedef enum AwaitTest {
    AWAIT_EQ,
    AWAIT_NE,
    AWAIT_GT,
    AWAIT_GE,
    AWAIT_FREE,
    AWAIT_ANY,
    AWAIT_STILL,
    AWAIT_TOLD,
    AWAIT_TURN
} AwaitTest;
/* Does a thread for which it does not hold go on in another execution? */
static inline bool operations_goes_on(AwaitTest test)
{
    return test == AWAIT_STILL || test == AWAIT_TOLD;
}

/* The first word of a destroyed lock: a number that no lock reaches otherwise, plus the
 * thread that destroyed it. It is positive, so that AWAIT_GT and AWAIT_GE end at it, too. */
#define OPERATIONS_DEAD INT32_C(0x7DEAD000)
static inline bool operations_is_dead(uint64_t word)
{
    return (word & ~(uint64_t)0xFF) == (uint64_t)OPERATIONS_DEAD;
}

/* The operand of AWAIT_TURN: COUNT threads count a word up in each round (it is never reset). RANK
 * 0 may do so at any time; RANK r > 0 only as number r of its round or, if LAST_IS_FREE, as number
 * r - 1 or as the last one. Threads of the ranks 1 to COUNT, each once a round, then come in one
 * order, and if LAST_IS_FREE in COUNT orders: number p is rank p or p + 1; once it is p + 1, rank
 * p + 1 has come, so number p + 1 is p + 2, and so on; the rank that was passed over comes last. */
static inline int64_t operations_turn(uint32_t count, unsigned rank, bool last_is_free)
{
    return (int64_t)((uint64_t)count << 16 | (uint64_t)last_is_free << 15 | rank);
}
static inline uint32_t operations_turn_count(int64_t operand)
{
    return (uint32_t)((uint64_t)operand >> 16);
}
static inline bool operations_is_turn(uint64_t word, int64_t operand)
{
    uint32_t count = operations_turn_count(operand), rank = operand & 0x7fff;
    if (!rank || !count || operations_is_dead(word))
        return true;
    uint32_t number = (uint32_t)word % count + 1;
    return number == rank || ((operand & 0x8000) && (number + 1 == rank || number == count));
}
#endif
