/* assembly.c: instructions of inline assembly, performed as events:
 * tool/instrument/machine/assembly.h has put a call of heddle__assembly (x86_64/assembly.S) in
 * their place. The registers and flags of the program lie in memory meanwhile; what the instruction
 * does to them is done there, as the processor's manual has it. Flags that it leaves undefined, and
 * the adjust flag, keep their values. */
#include "guest/entry/assembly.h"
#include <string.h>
#include "guest/entry/guest.h"
#include "guest/entry/sync/word.h"
#include "guest/runtime/request.h"

enum { RAX = 0, RCX = 1, RDX = 2, RBX = 3 };
enum {
    FLAG_CARRY = 1,
    FLAG_PARITY = 4,
    FLAG_ZERO = ASSEMBLY_FLAG_ZERO,
    FLAG_SIGN = 128,
    FLAG_OVERFLOW = 2048
};

/* rdi as it was, and the instruction with its number: what travels from the program to
 * heddle__assembly. */
GUEST extern struct AssemblyCall heddle__asm;
struct AssemblyCall {
    uint64_t rdi;
    uint32_t code;
    int32_t number;
} heddle__asm;

_Static_assert(offsetof(AssemblyState, flags) == ASSEMBLY_FRAME_STATE_FLAGS &&
                   sizeof(AssemblyState) == ASSEMBLY_FRAME_STATE_BYTES,
               "the frame of heddle__assembly has another layout");

void heddle__perform(AssemblyState *state, const void *pc);

static uint64_t cut(uint64_t value, unsigned size)
{
    DEBUG_ASSERT(size == 1 || size == 2 || size == 4 || size == 8);
    return size == 8 ? value : value & ((UINT64_C(1) << 8 * size) - 1);
}

/* A register of 4 bytes is extended by zeros; smaller ones are a part that changes alone. */
static void put(uint64_t *to, uint64_t value, unsigned size)
{
    if (size >= 4)
        *to = cut(value, size);
    else
        memcpy(to, &value, size);
}

static void set_flags(AssemblyState *state, uint64_t which, uint64_t values)
{
    state->flags = (state->flags & ~which) | (values & which);
}

static uint64_t result_flags(uint64_t result, unsigned size)
{
    bool sign = result >> (8 * size - 1) & 1, even = !__builtin_parity((unsigned)(result & 255));
    return (result ? 0 : FLAG_ZERO) | (sign ? FLAG_SIGN : 0) | (even ? FLAG_PARITY : 0);
}

#define FLAGS_OF_RESULT (FLAG_ZERO | FLAG_SIGN | FLAG_PARITY | FLAG_OVERFLOW)

static void flags_of_sum(AssemblyState *state, uint64_t a, uint64_t b, unsigned size, bool carry)
{
    uint64_t sum = cut(a + b, size), over = ~(a ^ b) & (a ^ sum);
    uint64_t values = result_flags(sum, size) | (sum < a ? FLAG_CARRY : 0) |
                      (over >> (8 * size - 1) & 1 ? FLAG_OVERFLOW : 0);
    set_flags(state, FLAGS_OF_RESULT | (carry ? FLAG_CARRY : 0), values);
}

static void flags_of_difference(AssemblyState *state, uint64_t a, uint64_t b, unsigned size,
                                bool carry)
{
    uint64_t difference = cut(a - b, size), over = (a ^ b) & (a ^ difference);
    uint64_t values = result_flags(difference, size) | (a < b ? FLAG_CARRY : 0) |
                      (over >> (8 * size - 1) & 1 ? FLAG_OVERFLOW : 0);
    set_flags(state, FLAGS_OF_RESULT | (carry ? FLAG_CARRY : 0), values);
}

static void flags_of_bits(AssemblyState *state, uint64_t result, unsigned size)
{
    set_flags(state, FLAGS_OF_RESULT | FLAG_CARRY, result_flags(result, size));
}

/* ---- memory; before main and after it as the processor does it ---- */

static uint64_t load(const void *address, unsigned size, const void *pc)
{
    if (op_active())
        return op_load(address, size, ORDER_ACQUIRE, pc);
    uint64_t value = 0;
    memcpy(&value, address, size);
    return value;
}

static void store(void *address, unsigned size, uint64_t value, const void *pc)
{
    if (op_active())
        op_store(address, size, cut(value, size), ORDER_RELEASE, pc);
    else
        memcpy(address, &value, size);
}

static uint64_t change(void *address, unsigned size, RmwOp op, uint64_t operand, const void *pc)
{
    if (op_active())
        return cut(op_rmw(address, size, op, operand, ORDER_SEQ_CST, pc), size);
    uint64_t old = load(address, size, pc);
    store(address, size, word_apply(op, old, operand), pc);
    return old;
}

/* Stores DESIRED where EXPECTED is found; returns what was found. */
static uint64_t exchange_if(void *address, unsigned size, uint64_t expected, uint64_t desired,
                            const void *pc)
{
    uint64_t found = expected;
    if (op_active()) {
        op_cas(address, size, &found, desired, ORDER_SEQ_CST, ORDER_SEQ_CST, false, pc);
    } else {
        found = load(address, size, pc);
        if (found == expected)
            store(address, size, desired, pc);
    }
    return found;
}

static void compare_exchange(AssemblyState *state, unsigned size, uint64_t desired, const void *pc)
{
    uint64_t expected = cut(state->registers[RAX], size);
    uint64_t found = exchange_if(state->address, size, expected, desired, pc);
    flags_of_difference(state, expected, found, size, true);
    if (found != expected)
        put(&state->registers[RAX], found, size);
}

/* Sixteen bytes: rdx:rax is compared, rcx:rbx written. */
static void compare_exchange_wide(AssemblyState *state, const void *pc)
{
    uint64_t *r = state->registers, found[2], expected[2] = {r[RAX], r[RDX]};
    if (op_active()) {
        request.kind = REQUEST_CAS;
        request.op = RMW_EXCHANGE;
        request.order = request.failure_order = ORDER_SEQ_CST;
        request.weak = false;
        request.size = 16;
        request.plain = 0;
        request.address = state->address;
        request.operand = r[RBX];
        request.operand_high = r[RCX];
        request.expected = r[RAX];
        request.expected_high = r[RDX];
        request.pc = pc;
        request_submit();
        found[0] = reply.value;
        found[1] = reply.value_high;
    } else {
        memcpy(found, state->address, 16);
        if (found[0] == r[RAX] && found[1] == r[RDX])
            memcpy(state->address, (uint64_t[]){r[RBX], r[RCX]}, 16);
    }
    bool same = found[0] == expected[0] && found[1] == expected[1];
    set_flags(state, FLAG_ZERO, same ? FLAG_ZERO : 0);
    if (!same) {
        r[RAX] = found[0];
        r[RDX] = found[1];
    }
}

/* Eight bytes: edx:eax is compared, ecx:ebx written. */
static void compare_exchange_pair(AssemblyState *state, const void *pc)
{
    uint64_t *r = state->registers;
    uint64_t expected = cut(r[RAX], 4) | r[RDX] << 32, desired = cut(r[RBX], 4) | r[RCX] << 32;
    uint64_t found = exchange_if(state->address, 8, expected, desired, pc);
    set_flags(state, FLAG_ZERO, found == expected ? FLAG_ZERO : 0);
    if (found != expected) {
        r[RAX] = cut(found, 4);
        r[RDX] = found >> 32;
    }
}

/* Tests bit OFFSET of the operand and leaves it in the carry flag; all but bt then change the bit.
 * An offset in a register has a sign and may lie beyond the operand: the words around it are meant
 * then, as of an array. */
static void change_bit(AssemblyState *state, AssemblyOp op, unsigned size, int64_t offset,
                       const void *pc)
{
    int64_t bits = 8 * (int64_t)size, bit = offset & (bits - 1);
    void *address = (char *)state->address + (offset - bit) / 8;
    uint64_t mask = UINT64_C(1) << bit, old = 0;
    if (op == ASSEMBLY_BIT_TEST)
        old = load(address, size, pc);
    else if (op == ASSEMBLY_BIT_SET)
        old = change(address, size, RMW_OR, mask, pc);
    else if (op == ASSEMBLY_BIT_RESET)
        old = change(address, size, RMW_AND, cut(~mask, size), pc);
    else
        old = change(address, size, RMW_XOR, mask, pc);
    set_flags(state, FLAG_CARRY, old & mask ? FLAG_CARRY : 0);
}

/* The counter of cycles, at one a nanosecond of the thread's virtual clock. */
static void read_clock(AssemblyState *state)
{
    uint64_t now = time_cycles();
    state->registers[RAX] = now & UINT32_MAX;
    state->registers[RDX] = now >> 32;
}

void heddle__perform(AssemblyState *state, const void *pc)
{
    assembly_perform(state, heddle__asm.code, heddle__asm.number, pc);
}

void assembly_perform(AssemblyState *state, uint32_t code, int32_t immediate, const void *pc)
{
    unsigned size = ASSEMBLY_CODE_SIZE(code), number = ASSEMBLY_CODE_REGISTER(code);
    uint64_t *reg = number < 16 ? &state->registers[number] : NULL;
    uint64_t operand = reg ? *reg : (uint64_t)(int64_t)immediate, old;
    operand = size < 16 ? cut(operand, size ? size : 8) : operand;
    AssemblyOp op = (AssemblyOp)ASSEMBLY_CODE_OP(code);
    switch (op) {
    case ASSEMBLY_FENCE:
        if (op_active())
            op_fence(ORDER_SEQ_CST, pc);
        break;
    case ASSEMBLY_LOAD:
        put(reg, load(state->address, size, pc), size);
        break;
    case ASSEMBLY_STORE:
        store(state->address, size, operand, pc);
        break;
    case ASSEMBLY_EXCHANGE:
        put(reg, change(state->address, size, RMW_EXCHANGE, operand, pc), size);
        break;
    case ASSEMBLY_CAS:
        compare_exchange(state, size, operand, pc);
        break;
    case ASSEMBLY_CAS_WIDE:
        compare_exchange_wide(state, pc);
        break;
    case ASSEMBLY_CAS_PAIR:
        compare_exchange_pair(state, pc);
        break;
    case ASSEMBLY_FETCH_ADD:
        old = change(state->address, size, RMW_ADD, operand, pc);
        flags_of_sum(state, old, operand, size, true);
        put(reg, old, size);
        break;
    case ASSEMBLY_ADD:
        old = change(state->address, size, RMW_ADD, operand, pc);
        flags_of_sum(state, old, operand, size, true);
        break;
    case ASSEMBLY_SUB:
        old = change(state->address, size, RMW_SUB, operand, pc);
        flags_of_difference(state, old, operand, size, true);
        break;
    case ASSEMBLY_INC:
        old = change(state->address, size, RMW_ADD, 1, pc);
        flags_of_sum(state, old, 1, size, false);
        break;
    case ASSEMBLY_DEC:
        old = change(state->address, size, RMW_SUB, 1, pc);
        flags_of_difference(state, old, 1, size, false);
        break;
    case ASSEMBLY_NOT: /* changes no flag */
        change(state->address, size, RMW_XOR, cut(UINT64_MAX, size), pc);
        break;
    case ASSEMBLY_NEGATE:
        old = change(state->address, size, RMW_NEGATE, 0, pc);
        flags_of_difference(state, 0, old, size, true);
        break;
    case ASSEMBLY_AND:
    case ASSEMBLY_OR:
    case ASSEMBLY_XOR: {
        RmwOp bits = op == ASSEMBLY_AND ? RMW_AND : op == ASSEMBLY_OR ? RMW_OR : RMW_XOR;
        old = change(state->address, size, bits, operand, pc);
        flags_of_bits(state, cut(word_apply(bits, old, operand), size), size);
        break;
    }
    case ASSEMBLY_COMPARE:
        flags_of_difference(state, load(state->address, size, pc), operand, size, true);
        break;
    case ASSEMBLY_BIT_TEST:
    case ASSEMBLY_BIT_SET:
    case ASSEMBLY_BIT_RESET:
    case ASSEMBLY_BIT_FLIP: {
        int64_t last = 8 * (int64_t)size - 1, sign = INT64_C(1) << last;
        int64_t extended = size == 8 ? (int64_t)operand : ((int64_t)operand ^ sign) - sign;
        change_bit(state, op, size, reg ? extended : immediate & last, pc);
        break;
    }
    case ASSEMBLY_FENCE_STORES: /* the processor orders the rest by itself, C11 does not */
        if (op_active())
            op_fence(ORDER_RELEASE, pc);
        break;
    case ASSEMBLY_FENCE_LOADS:
        if (op_active())
            op_fence(ORDER_ACQUIRE, pc);
        break;
    case ASSEMBLY_LOAD_OWN: {
        const char *from = (const char *)__builtin_thread_pointer() + (uintptr_t)state->address;
        uint64_t value = 0;
        if (op_active())
            op_plain_read(from, size, pc);
        memcpy(&value, from, size);
        put(reg, value, size);
        break;
    }
    case ASSEMBLY_CLOCK_PLACE:
        op_note_identity();
        state->registers[RCX] = guest_self(); /* the processor, as for sched_getcpu */
        read_clock(state);
        break;
    case ASSEMBLY_CLOCK:
        read_clock(state);
        break;
    case ASSEMBLY_OP_COUNT:
        break;
    }
}
