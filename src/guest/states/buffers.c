#include "guest/states/buffers.h"
#include "guest/states/memory.h"
#include <string.h>
#include "guest/explore/graph/finding.h"
#include "guest/explore/graph/models/buffers.h"
#include "guest/runtime/fiber.h"
#include "guest/states/key.h"
#include "guest/states/part.h"

uint32_t buffers_limit;
uint64_t buffers_full;
static BufferedStore expected; /* the plain store that the running thread makes; bytes 0: none */

void buffers_begin(void)
{
    memset(states_buffers, 0, sizeof states_buffers);
    expected.bytes = 0;
}

/* ---- what waits, what is put in ---- */

bool buffers_take(const Request *q)
{
    return buffers_used && states_concurrent && q->kind == REQUEST_STORE &&
           !buffers_request_drains(q);
}

static bool overlaps(const BufferedStore *s, uint64_t address, size_t bytes)
{
    return address < s->at + s->bytes && s->at < address + bytes;
}

/* A load that the newest store to its memory covers only in part waits until that is in memory. */
static bool is_split(const StatesBuffer *b, uint64_t address, size_t bytes)
{
    for (uint32_t i = b->count; i-- > 0;)
        if (overlaps(&b->at[i], address, bytes))
            return address < b->at[i].at || address + bytes > b->at[i].at + b->at[i].bytes;
    return false;
}

bool buffers_hold(int t, const Request *q)
{
    const StatesBuffer *b = &states_buffers[t];
    if (LIKELY(!b->count) || !states_concurrent)
        return false;
    if (buffers_request_drains(q))
        return true;
    if (q->kind == REQUEST_STORE) {
        buffers_full += b->count >= buffers_limit;
        return b->count >= buffers_limit;
    }
    return (q->kind == REQUEST_LOAD || q->kind == REQUEST_AWAIT) &&
           is_split(b, (uintptr_t)q->address, q->size);
}

/* ---- stores ---- */

static void append(int t, const BufferedStore *store)
{
    DEBUG_ASSERT(t >= 0 && t < STATES_THREADS && states_buffers[t].count < BUFFERS_STORES);
    StatesBuffer *b = &states_buffers[t];
    ASSERT(b->count < BUFFERS_STORES);
    b->at[b->count++] = *store;
    if (!states_in_area(store->at)) /* bytes of blocks count as written when they are */
        states_will_write((void *)store->at, store->bytes);
}

void buffers_add(int t, const Request *q)
{
    DEBUG_ASSERT(buffers_used && buffers_take(q));
    BufferedStore store = {.at = (uintptr_t)q->address,
                           .value = {q->operand, q->size == 16 ? q->operand_high : 0},
                           .bytes = q->size,
                           .plain = q->plain,
                           .pc = q->pc};
    if (q->size < 8)
        store.value[0] &= (UINT64_C(1) << (8 * q->size)) - 1;
    append(t, &store);
}

void buffers_expect(const Request *q)
{
    expected =
        (BufferedStore){.at = (uintptr_t)q->address, .bytes = q->size, .plain = 1, .pc = q->pc};
}

void buffers_read(int t, const void *address, unsigned size, uint64_t value[2])
{
    DEBUG_ASSERT(size && size <= 16);
    const StatesBuffer *b = &states_buffers[t];
    uint64_t from = (uintptr_t)address;
    value[0] = value[1] = 0;
    memcpy(value, address, size);
    for (uint32_t i = 0; i < b->count; i++) {
        const BufferedStore *s = &b->at[i];
        uint64_t first = MAX(s->at, from), end = MIN(s->at + s->bytes, from + size);
        if (first < end)
            memcpy((char *)value + (first - from), (const char *)s->value + (first - s->at),
                   end - first);
    }
}

bool buffers_overlap(int t, uint64_t address, size_t bytes)
{
    const StatesBuffer *b = &states_buffers[t];
    for (uint32_t i = 0; i < b->count; i++)
        if (overlaps(&b->at[i], address, bytes))
            return true;
    return expected.bytes && overlaps(&expected, address, bytes);
}

void buffers_forget(int t, uint64_t address, size_t bytes)
{
    StatesBuffer *b = &states_buffers[t];
    for (uint32_t i = 0; i < b->count; i++)
        if (overlaps(&b->at[i], address, bytes))
            b->at[i] = (BufferedStore){.pc = b->at[i].pc};
    if (expected.bytes && overlaps(&expected, address, bytes))
        expected.bytes = 0;
}

/* ---- the memory that a thread sees ---- */

static void exchange(BufferedStore *s)
{
    uint64_t other[2] = {0};
    memcpy(other, (void *)s->at, s->bytes);
    memcpy((void *)s->at, s->value, s->bytes);
    memcpy(s->value, other, sizeof other);
}

/* Holds what show put into memory, by store. */
static uint64_t shown[BUFFERS_STORES][2];

void buffers_show(int t)
{
    StatesBuffer *b = &states_buffers[t];
    for (uint32_t i = 0; i < b->count; i++) {
        memcpy(shown[i], b->at[i].value, sizeof shown[i]);
        exchange(&b->at[i]);
    }
    if (expected.bytes)
        memcpy(expected.value, (void *)expected.at, expected.bytes);
}

/* Is the store to a local variable that is gone? Nobody can look there any more, and its place may
 * hold something else. */
static bool has_gone(int t, const BufferedStore *s, bool ended)
{
    DEBUG_ASSERT(s >= states_buffers[t].at && s < states_buffers[t].at + BUFFERS_STORES);
    return fiber_of_stack((void *)s->at) == t && (ended || s->at < (uintptr_t)fibers[t].sp);
}

/* The compiler may use the place of a local variable again within its function, and does not
 * announce that. */
static void refuse_reuse(int t, const BufferedStore *s, const uint64_t *value)
{
    if (fiber_of_stack((void *)s->at) == t && memcmp((void *)s->at, value, s->bytes))
        op_unsupported("a store to a local variable of thread %d waits in its store buffer, while "
                       "the place of the variable is used for something else",
                       t);
}

void buffers_hide(int t, bool ended)
{
    StatesBuffer *b = &states_buffers[t];
    BufferedStore made = expected;
    expected.bytes = 0;
    if (made.bytes && has_gone(t, &made, ended))
        made = (BufferedStore){.pc = made.pc};
    if (made.bytes)
        exchange(&made);
    for (uint32_t i = b->count; i-- > 0;) {
        if (has_gone(t, &b->at[i], ended)) {
            b->at[i] = (BufferedStore){.pc = b->at[i].pc};
            continue;
        }
        refuse_reuse(t, &b->at[i], shown[i]);
        exchange(&b->at[i]);
    }
    if (made.bytes)
        append(t, &made);
}

/* ---- the way to memory ---- */

bool buffers_end_call(int t, int change)
{
    DEBUG_ASSERT(t >= 0 && t < STATES_THREADS);
    StatesBuffer *b = &states_buffers[t];
    if (!b->count)
        return false;
    ASSERT(b->calls < BUFFERS_CALLS);
    b->change[b->calls] = (int8_t)change;
    b->left[b->calls++] = (uint8_t)b->count;
    return true;
}

/* The oldest store of T is not in its buffer any more. Plain accesses that T made before it are
 * ordered before whatever sees it. SEEN: that somebody may. */
static void let_prints_go(int t, bool seen)
{
    StatesPrints *f = &states_prints[t];
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        if (!f->at[i].after && seen)
            continue;
        f->at[count] = f->at[i];
        f->at[count++].after = (uint16_t)MAX(f->at[i].after - 1, 0);
    }
    f->count = count;
}

static void write_to_memory(int t, BufferedStore *s)
{
    DEBUG_ASSERT(s->bytes <= 16);
    int owner = fiber_of_stack((void *)s->at);
    request = (Request){.kind = REQUEST_STORE, .plain = (uint8_t)s->plain, .pc = s->pc};
    request.size = (uint8_t)s->bytes;
    request.address = (void *)s->at;
    states_check_atomic(t, (void *)s->at, s->bytes, true, s->plain == 1, s->pc);
    states_touch((void *)s->at, s->bytes, true);
    states_will_write((void *)s->at, s->bytes);
    memcpy((void *)s->at, s->value, s->bytes);
    if (owner >= 0)
        part_forget(owner);
}

uint32_t buffers_flush(int t, int *change)
{
    DEBUG_ASSERT(buffers_used && states_buffers[t].count);
    StatesBuffer *b = &states_buffers[t];
    BufferedStore oldest = b->at[0];
    ASSERT(b->count);
    if (oldest.bytes)
        write_to_memory(t, &oldest);
    b->count--;
    memmove(b->at, b->at + 1, sizeof *b->at * b->count);
    let_prints_go(t, true);
    uint32_t over = 0;
    for (uint32_t i = 0; i < b->calls; i++)
        if (--b->left[i] == 0)
            *change += b->change[over++];
    b->calls -= over;
    memmove(b->left, b->left + over, b->calls);
    memmove(b->change, b->change + over, b->calls);
    return over;
}

/* Has a thread other than T accessed the memory of store S in its last step? */
static bool has_print_of_other(int t, const BufferedStore *s)
{
    for (int u = (int)states_first; u <= (int)states_threads; u++)
        for (uint32_t i = 0; u != t && i < states_prints[u].count; i++)
            if (overlaps(s, states_prints[u].at[i].at, states_prints[u].at[i].bytes))
                return true;
    return false;
}

/* Is the oldest store of T to be settled? */
static bool is_settled(int t)
{
    const StatesBuffer *b = &states_buffers[t];
    const BufferedStore *s = &b->at[0];
    if (!b->count || b->calls)
        return false;
    return !s->bytes || (!has_print_of_other(t, s) && states_is_out_of_reach(t, s->at));
}

/* Makes the oldest store of T. */
static void settle(int t)
{
    StatesBuffer *b = &states_buffers[t];
    const BufferedStore *s = &b->at[0];
    ASSERT(!b->calls); /* which would be over, or nearer to that */
    if (s->bytes) {
        states_will_write((void *)s->at, s->bytes);
        memcpy((void *)s->at, s->value, s->bytes);
    }
    b->count--;
    memmove(b->at, b->at + 1, sizeof *b->at * b->count);
    let_prints_go(t, false);
}

void buffers_settle(void)
{
    for (bool any = true; any;) { /* one may hold a pointer to where another goes */
        any = false;
        for (int t = (int)states_first; t <= (int)states_threads; t++)
            for (; is_settled(t); any = true)
                settle(t);
    }
}
