#include "guest/entry/sync/word.h"
#include "guest/entry/library/constructors.h"
#include "guest/entry/guest.h"
#include "guest/explore/graph/finding.h"
#include "guest/runtime/fiber.h"

/* Native accesses are not inlined: a frame in which a thread waits should have no local variable
 * whose address is taken (guest_put_word). */
static __attribute__((noinline)) void native_write(void *address, unsigned size, uint64_t value)
{
    DEBUG_ASSERT(size == 1 || size == 2 || size == 4 || size == 8);
    memcpy(address, &value, size);
}

static __attribute__((noinline)) uint64_t native_read(const void *address, unsigned size)
{
    DEBUG_ASSERT(size == 1 || size == 2 || size == 4 || size == 8);
    uint64_t value = 0;
    memcpy(&value, address, size);
    return value;
}

static int64_t sign_extend(uint64_t value, unsigned size)
{
    DEBUG_ASSERT(size && size <= 8);
    unsigned shift = 64 - 8 * size;
    return (int64_t)(value << shift) >> shift;
}

uint64_t word_apply(RmwOp op, uint64_t old, uint64_t operand)
{
    switch (op) {
    case RMW_EXCHANGE:
        return operand;
    case RMW_ADD:
        return old + operand;
    case RMW_SUB:
        return old - operand;
    case RMW_AND:
        return old & operand;
    case RMW_OR:
        return old | operand;
    case RMW_XOR:
        return old ^ operand;
    case RMW_NAND:
        return ~(old & operand);
    case RMW_NEGATE:
        return 0 - old;
    case RMW_NONE:
        return old;
    }
    return old;
}

bool word_test(AwaitTest test, uint64_t value, unsigned size, int64_t operand)
{
    int64_t found = sign_extend(value, size);
    return test == AWAIT_EQ      ? found == operand
           : test == AWAIT_STILL ? found == operand
           : test == AWAIT_NE    ? found != operand
           : test == AWAIT_GT    ? found > operand
           : test == AWAIT_FREE  ? found == operand || operations_is_dead(value)
           : test == AWAIT_ANY   ? true
           : test == AWAIT_TURN  ? operations_is_turn(value, operand)
                                 : found >= operand;
}

/* The address of a lock and its like comes from the program. */
static __attribute__((noinline)) void refuse_misaligned(const void *address, unsigned size,
                                                        const void *pc)
{
    op_violation(VIOLATION_MISUSE, pc,
                 "a lock, or its like, at the address %p, which is no multiple of %u", address,
                 size);
}

static void check_aligned(const void *address, unsigned size, const void *pc)
{
    if (UNLIKELY((uintptr_t)address & (size - 1)))
        refuse_misaligned(address, size, pc);
}

uint64_t word_load(const void *address, unsigned size, int order, const void *pc)
{
    if (op_active())
        check_aligned(address, size, pc);
    op_unannounced = true;
    return op_active() ? op_load(address, size, order, pc) : native_read(address, size);
}

void word_store(void *address, unsigned size, uint64_t value, int order, const void *pc)
{
    if (op_active())
        check_aligned(address, size, pc);
    op_unannounced = true;
    if (op_active())
        op_store(address, size, value, order, pc);
    else
        native_write(address, size, value);
}

void word_release(void *address, unsigned size, uint64_t value, const void *pc)
{
    if (op_active())
        check_aligned(address, size, pc);
    op_unannounced = true;
    if (op_active())
        op_release(address, size, value, pc);
    else
        native_write(address, size, value);
}

uint64_t word_rmw(void *address, unsigned size, RmwOp op, uint64_t operand, int order,
                  const void *pc)
{
    if (op_active())
        check_aligned(address, size, pc);
    op_unannounced = true;
    if (op_active())
        return op_rmw(address, size, op, operand, order, pc);
    uint64_t old = native_read(address, size);
    native_write(address, size, word_apply(op, old, operand));
    return old;
}

bool word_cas(void *address, unsigned size, uint64_t *expected, uint64_t desired, int success,
              int failure, const void *pc)
{
    DEBUG_ASSERT(expected && (size == 1 || size == 2 || size == 4 || size == 8));
    if (op_active())
        check_aligned(address, size, pc);
    op_unannounced = true;
    if (op_active())
        return op_cas(address, size, expected, desired, success, failure, false, pc);
    uint64_t old = native_read(address, size);
    if (old != *expected) {
        *expected = old;
        return false;
    }
    native_write(address, size, desired);
    return true;
}

uint64_t word_await(void *address, unsigned size, AwaitTest test, int64_t operand, RmwOp op,
                    uint64_t after, int order, const void *pc, const char *object, const char *verb)
{
    if (op_active())
        check_aligned(address, size, pc);
    op_unannounced = true;
    if (op_active())
        return op_await(address, size, test, operand, op, after, order, pc, object, verb);
    uint64_t old = native_read(address, size);
    bool holds = word_test(test, old, size, operand);
    if (!holds)
        constructors_explore();
    if (!holds)
        die("before main, or after it, the program waits for ever (%s, %s)", object, verb);
    native_write(address, size, word_apply(op, old, after));
    return old;
}

void word_check_alive(uint64_t found, const void *word, const char *object, const char *verb,
                      const void *pc)
{
    if (LIKELY(!operations_is_dead(found)) || !op_active())
        return;
    finding_set_partner((int)(found & 0xff), word, 4);
    op_violation(VIOLATION_MISUSE, pc, "%s of a %s that thread %u has destroyed", verb, object,
                 (unsigned)(found & 0xff));
}

void word_check_begun(const void *word, const char *object, const char *verb, const void *pc)
{
    op_unannounced = true;
    if (!op_active() || LIKELY(!op_is_blank(word, 4)))
        return;
    op_blame(BLAME_READ, word, 4);
    op_violation(VIOLATION_MISUSE, pc, "%s of a %s that was never initialised", verb, object);
}

uint64_t word_destroy(void *word, unsigned size, const char *object, const void *pc)
{
    DEBUG_ASSERT(object && (size == 4 || size == 8));
    uint64_t dead = (uint32_t)OPERATIONS_DEAD + guest_self();
    uint64_t found = word_await(word, size, AWAIT_ANY, 0, RMW_EXCHANGE, dead, ORDER_ACQUIRE, pc,
                                object, "destroy");
    word_check_alive(found, word, object, "destruction", pc);
    return found;
}

/* It is a pointer with a tag, as guest/states knows them: there it moves with the heap object that
 * it lies in. */
uint64_t word_life_mark(const void *object)
{
    return (uintptr_t)object | UINT64_C(0x6C6B) << 48;
}

void word_check_fresh(uint64_t found, const void *object, const char *name, const void *pc)
{
    if (found == word_life_mark(object) && op_active() && fiber_of_stack(object) < 0)
        op_violation(VIOLATION_MISUSE, pc,
                     "a %s is initialised that is initialised already, and was not destroyed since",
                     name);
}

void word_init(void *object, const void *image, size_t bytes, unsigned words, const void *pc)
{
    DEBUG_ASSERT(words && 4 * words <= bytes);
    for (unsigned i = 0; i < words; i++)
        word_store((uint32_t *)object + i, 4, ((const uint32_t *)image)[i], ORDER_RELAXED, pc);
    guest_store((uint32_t *)object + words, (const uint32_t *)image + words, bytes - 4 * words, pc);
}
