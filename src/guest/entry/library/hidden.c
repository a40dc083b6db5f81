#include "guest/entry/library/hidden.h"
#include <stdio.h>
#include <sys/mman.h>
#include "guest/entry/copied.h"
#include "guest/entry/guest.h"
#include "guest/entry/kernel/kernel.h"
#include "guest/runtime/opaque.h"
#include "record/layout.h"

/* At HIDDEN_BASE, where reports look for names: by letter, then by a hash of an object's address
 * (addresses are the same in every execution; two objects in one slot only exclude each other). */
typedef struct State {
    uint32_t lock;
    uint32_t spare;
    uint64_t cell;
} State;
_Static_assert(sizeof(State) == HIDDEN_STEP, "record/layout.h knows the size");

static State *states(void)
{
    static State *table;
    if (table)
        return table;
    table = mmap((void *)HIDDEN_BASE, HIDDEN_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (table != (void *)HIDDEN_BASE)
        die("cannot map the hidden state at its fixed address");
    return table;
}

static State *state_of(const void *object)
{
    uint64_t hash = ((uintptr_t)object >> 4) * UINT64_C(0x9e3779b97f4a7c15);
    return &states()[HIDDEN_LETTERS + (hash >> 54)];
}

static void enter(State *state, bool atomic, bool writes, const void *pc)
{
    if (!op_active())
        return;
    op_await(&state->lock, 4, AWAIT_EQ, 0, RMW_EXCHANGE, guest_self() + 1,
             atomic ? ORDER_ACQUIRE : ORDER_RELAXED, pc, "library", "enter");
    if (atomic)
        return;
    if (writes)
        op_plain_write(&state->cell, sizeof state->cell, pc);
    else
        op_plain_read(&state->cell, sizeof state->cell, pc);
}

static void leave(State *state, bool atomic, const void *pc)
{
    if (op_active())
        op_store(&state->lock, 4, 0, atomic ? ORDER_RELEASE : ORDER_RELAXED, pc);
}

uint64_t *hidden_cell(char letter)
{
    return &states()[letter & 127].cell;
}

/* One call after the other, which orders nothing. */
static void enter_bare(State *state, const void *pc)
{
    if (op_active() && op_others_exist())
        op_await(&state->lock, 4, AWAIT_EQ, 0, RMW_EXCHANGE, guest_self() + 1, ORDER_RELAXED, pc,
                 "library", "enter");
}

static void leave_bare(State *state, const void *pc)
{
    if (op_active() && op_others_exist())
        op_store(&state->lock, 4, 0, ORDER_RELAXED, pc);
}

void hidden_enter(char letter, char how, const void *pc)
{
    DEBUG_ASSERT((letter & 127) == letter);
    if (how == 'o')
        enter_bare(&states()[letter & 127], pc);
    else if (how != 'h' || opaque_may_change(letter))
        enter(&states()[letter & 127], how == 'l', how == 'H', pc);
}

void hidden_leave(char letter, char how, const void *pc)
{
    if (how == 'o')
        leave_bare(&states()[letter & 127], pc);
    else if (how != 'h' || opaque_may_change(letter))
        leave(&states()[letter & 127], how == 'l', pc);
}

/* Output to the standard streams is dropped (stdio.c): nothing to order. */
static bool counts(const void *stream)
{
    return stream && stream != stdout && stream != stderr && stream != stdin;
}

void hidden_enter_stream(const void *stream, const void *pc)
{
    copied_note_object(stream);
    if (!counts(stream))
        return;
    enter(state_of(stream), true, true, pc);
    kernel_enter_stream(pc);
}

void hidden_leave_stream(const void *stream, const void *pc)
{
    if (!counts(stream))
        return;
    kernel_leave_stream(pc);
    leave(state_of(stream), true, pc);
}

/* Every fourth slot, so that a byte tells which. */
unsigned char hidden_lock_of(const void *object)
{
    return (unsigned char)((state_of(object) - states() - HIDDEN_LETTERS) / 4);
}

void hidden_lock(unsigned char lock, const void *pc)
{
    enter(&states()[HIDDEN_LETTERS + 4 * lock], true, true, pc);
}

void hidden_unlock(unsigned char lock, const void *pc)
{
    leave(&states()[HIDDEN_LETTERS + 4 * lock], true, pc);
}

void hidden_enter_object(const void *object, const void *pc)
{
    copied_note_object(object);
    if (object)
        enter(state_of(object), false, true, pc);
}

void hidden_leave_object(const void *object, const void *pc)
{
    if (object)
        leave(state_of(object), false, pc);
}

/* ---- the kernel ---- */

static bool file_locks_are_used; /* learnt, and kept */

/* The number of releases is in the cell of the same letter. */
void hidden_enter_kernel(const char *call, const void *pc)
{
    op_await(&states()['k'].lock, 4, AWAIT_EQ, 0, RMW_EXCHANGE, guest_self() + 1, ORDER_RELAXED, pc,
             call, "");
}

void hidden_leave_kernel(bool releases, const void *pc)
{
    if (releases && file_locks_are_used)
        op_rmw(&states()['k'].cell, 4, RMW_ADD, 1, ORDER_ACQ_REL, pc);
    op_store(&states()['k'].lock, 4, 0, ORDER_RELAXED, pc);
}

void hidden_use_file_locks(void)
{
    if (file_locks_are_used)
        return;
    file_locks_are_used = true;
    op_begin_again();
}

uint32_t hidden_acquire_kernel(const void *pc)
{
    return (uint32_t)op_rmw(&states()['k'].cell, 4, RMW_ADD, 0, ORDER_ACQ_REL, pc);
}

void hidden_await_kernel(uint32_t seen, const void *pc)
{
    op_await(&states()['k'].cell, 4, AWAIT_NE, seen, RMW_NONE, 0, ORDER_RELAXED, pc,
             "lock of a file", "wait for");
}

void hidden_note_stream(const void *pc)
{
    op_load(&states()['k'].spare, 4, ORDER_RELAXED, pc);
}

bool hidden_is_file_lock(uint64_t address)
{
    bool is = address == (uintptr_t)&states()['k'].cell;
    file_locks_are_used |= is;
    return is;
}

bool hidden_is_stream_note(uint64_t address)
{
    return address == (uintptr_t)&states()['k'].spare;
}
