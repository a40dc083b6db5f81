/* ops.c: the operations of ops.h as requests. Plain memory, allocation and findings are the
 * explorer's (guest/explore/memory/memory.c, guest/explore/graph/finding.c). */
#include "guest/runtime/request.h"
#include "guest/explore/search/ops.h"
#include "guest/explore/graph/facts.h"
#include "guest/explore/graph/promises.h"
#include "guest/explore/memory/divert.h"
#include <sys/mman.h>
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/deferred.h"
#include "guest/runtime/pages.h"
#include "guest/runtime/fiber.h"

bool op_unannounced;

bool op_active(void)
{
    return fiber_current >= 0;
}

unsigned op_self(void)
{
    return (unsigned)fiber_current;
}

/* At a fixed address, so that a record means the same places in another process. */
void *op_permanent(size_t bytes)
{
    static size_t used;
    if (!used)
        pages_reserve_at(PERMANENT_BASE, PERMANENT_BYTES, PROT_READ | PROT_WRITE,
                         "tables of the runtime");
    ASSERT(bytes < PERMANENT_BYTES - used - 64);
    void *at = (char *)PERMANENT_BASE + used;
    used += (bytes + 63) & ~(size_t)63;
    return at;
}

static unsigned choose(unsigned count, uint64_t word, ChoiceOfTime of_time, const void *pc);

static uint64_t promised; /* by the last call of get_promised that was true */
static __attribute__((noinline)) bool get_promised(const void *address, unsigned size, int order,
                                                   const void *pc)
{
    unsigned first = 0, count = promises_of(fiber_current, address, size, pc, &first);
    if (order != ORDER_RELAXED || !count)
        return false;
    unsigned which = choose(count + 1, PROMISE_WORD | first, CHOICE_PROGRAM, pc);
    promised = which ? promises.all[first + which - 1].value : 0;
    return which;
}

static uint64_t load(const void *address, unsigned size, int order, const void *pc)
{
    request.kind = REQUEST_LOAD;
    request.order = (uint8_t)order;
    request.size = (uint8_t)size;
    request.plain = 0;
    request.address = (void *)(uintptr_t)address;
    request.pc = pc;
    request_submit();
    return reply.value;
}

uint64_t op_load_by_promise(const void *address, unsigned size, int order, const void *pc)
{
    DEBUG_ASSERT(promises.makes && size <= 8);
    if (get_promised(address, size, order, pc))
        return promised;
    return load(address, size, order, pc);
}

void op_park(unsigned why, const void *pc)
{
    static uint32_t never;
    choose(1, PARKED_WORD | why, CHOICE_PROGRAM, pc);
    for (;;)
        op_await(&never, sizeof never, AWAIT_NE, 0, RMW_NONE, 0, ORDER_RELAXED, pc, "promise",
                 "wait");
}

uint64_t op_load(const void *address, unsigned size, int order, const void *pc)
{
    if (UNLIKELY(promises.makes))
        return op_load_by_promise(address, size, order, pc);
    return load(address, size, order, pc);
}

static void store(void *address, unsigned size, uint64_t value, int order, bool locked,
                  const void *pc)
{
    request.kind = REQUEST_STORE;
    request.order = (uint8_t)order;
    request.size = (uint8_t)size;
    request.plain = 0;
    request.locked = locked;
    request.address = address;
    request.operand = value;
    request.operand_high = 0;
    request.pc = pc;
    request_submit();
}

void op_store(void *address, unsigned size, uint64_t value, int order, const void *pc)
{
    store(address, size, value, order, false, pc);
}

void op_release(void *address, unsigned size, uint64_t value, const void *pc)
{
    store(address, size, value, ORDER_RELEASE, true, pc);
}

uint64_t op_rmw(void *address, unsigned size, RmwOp op, uint64_t operand, int order, const void *pc)
{
    request.kind = REQUEST_RMW;
    request.op = (uint8_t)op;
    request.order = (uint8_t)order;
    request.size = (uint8_t)size;
    request.plain = 0;
    request.address = address;
    request.operand = operand;
    request.operand_high = 0;
    request.pc = pc;
    request_submit();
    return reply.value;
}

bool op_cas(void *address, unsigned size, uint64_t *expected, uint64_t desired, int success,
            int failure, bool weak, const void *pc)
{
    request.kind = REQUEST_CAS;
    request.op = RMW_EXCHANGE;
    request.order = (uint8_t)success;
    request.failure_order = (uint8_t)failure;
    request.weak = weak;
    request.size = (uint8_t)size;
    request.plain = 0;
    request.address = address;
    request.operand = desired;
    request.operand_high = 0;
    request.expected = *expected;
    request.expected_high = 0;
    request.pc = pc;
    request_submit();
    if (!reply.success)
        *expected = reply.value;
    return reply.success;
}

void op_fence(int order, const void *pc)
{
    request.kind = REQUEST_FENCE;
    request.order = (uint8_t)order;
    request.address = NULL;
    request.pc = pc;
    request_submit();
}

uint64_t op_await(void *address, unsigned size, AwaitTest test, int64_t operand, RmwOp op,
                  uint64_t after, int order, const void *pc, const char *object, const char *verb)
{
    request.kind = REQUEST_AWAIT;
    request.op = (uint8_t)op;
    request.test = (uint8_t)test;
    request.order = (uint8_t)order;
    request.size = (uint8_t)size;
    request.plain = 0;
    request.address = address;
    request.operand = after;
    request.operand_high = 0;
    request.expected = (uint64_t)operand;
    request.expected_high = 0;
    request.pc = pc;
    request.object = object;
    request.verb = verb;
    request_submit();
    return reply.value;
}

static unsigned choose(unsigned count, uint64_t word, ChoiceOfTime of_time, const void *pc)
{
    request.kind = REQUEST_CHOOSE;
    request.order = ORDER_RELAXED;
    request.test = (uint8_t)of_time;
    request.address = NULL;
    request.operand = count;
    request.expected = word;
    request.pc = pc;
    request_submit();
    return (unsigned)reply.value;
}

unsigned op_choose(unsigned count, const void *pc)
{
    return count <= 1 ? 0 : choose(count, 0, CHOICE_PROGRAM, pc);
}

bool op_times_out(const void *pc)
{
    return !memory_divert && choose(2, 0, CHOICE_TIMES_OUT, pc);
}

void op_note_moves(void)
{
    if (op_active() && !memory_divert && facts_add(FACT_moves, 0, 1))
        op_begin_again();
}

bool op_knows_moves(void)
{
    return facts_met[FACT_moves];
}

void op_note_time_over(const void *pc)
{
    if (!memory_divert && op_active())
        choose(1, 0, CHOICE_TIME_OVER, pc);
}

void op_assumption_fails(const void *pc)
{
    static uint32_t never;
    if (memory_divert)
        op_unsupported_at(pc, "states do not follow heddle_assume");
    op_warning(OP_ASSUMED);
    choose(1, 0, CHOICE_FAILS, pc);
    for (;;)
        op_await(&never, sizeof never, AWAIT_NE, 0, RMW_NONE, 0, ORDER_RELAXED, pc, "assumption",
                 "wait");
}

unsigned op_turn(unsigned count, uint64_t word)
{
    return choose(count, word, CHOICE_PROGRAM, NULL);
}

static void mark(unsigned number, bool returns, bool lightly, uint64_t word, const void *pc)
{
    request.kind = REQUEST_MARK;
    request.op = lightly;
    request.order = ORDER_RELAXED;
    request.address = NULL;
    request.operand = number;
    request.expected = word;
    request.returns = returns;
    request.pc = pc;
    request_submit();
}

void op_mark(unsigned number, bool returns, uint64_t word, const void *pc)
{
    DEBUG_ASSERT(op_active() || !returns || number);
    mark(number, returns, false, word, pc);
}

void op_mark_lightly(unsigned number, bool returns, uint64_t word, const void *pc)
{
    mark(number, returns, true, word, pc);
}

unsigned op_create(void *(*function)(void *), void *argument, const void *pc)
{
    return op_create_alike(function, argument, false, NULL, pc);
}

unsigned op_create_alike(void *(*function)(void *), void *argument, bool alike, const void *name,
                         const void *pc)
{
    request.kind = REQUEST_CREATE;
    request.returns = alike;
    request.expected = (uintptr_t)name;
    request.order = ORDER_RELAXED;
    request.address = NULL;
    request.function = function;
    request.operand = (uintptr_t)argument;
    request.pc = pc;
    request_submit();
    return (unsigned)reply.value;
}

void *op_join(unsigned thread, bool wanted, const void *pc)
{
    request.kind = REQUEST_JOIN;
    request.returns = wanted;
    request.order = ORDER_RELAXED;
    request.address = NULL;
    request.operand = thread;
    request.pc = pc;
    request_submit();
    return (void *)(uintptr_t)reply.value;
}

/* (memory.h has a variable whose name functions here have for memory orders) */
void memory_check_end(int t);

static NORETURN void end_thread(void *result, bool ends_program, bool quiet, const void *pc)
{
    if (!ends_program)
        memory_check_end(fiber_current);
    request.quiet = quiet;
    request.ends_program = ends_program;
    request.kind = REQUEST_EXIT;
    request.order = ORDER_RELAXED;
    request.address = NULL;
    request.operand = (uintptr_t)result;
    request.pc = pc;
    request_submit();
    __builtin_unreachable();
}

void op_exit(void *result)
{
    end_thread(result, false, false, NULL);
}

/* The other threads go on: what they do could have come before. A status other than 0 tells the
 * world that something failed, whatever they do. */
void op_program_exit(int status, bool quiet, const void *pc)
{
    deferred_settle();
    finding_check_exit(status, pc);
    end_thread((void *)(intptr_t)status, true, quiet, pc);
}
