#include "guest/states/steps/perform.h"
#include "guest/states/memory.h"
#include <string.h>
#include "guest/entry/sync/word.h"
#include "guest/explore/graph/finding.h"
#include "guest/states/buffers.h"
#include "guest/states/steps/written.h"
#include "guest/states/transcript.h"
#include "guest/states/views/views.h"

static void poke(void *address, unsigned size, uint64_t value)
{
    states_will_write(address, size);
    states_poke(address, size, value);
}

static uint64_t narrow(uint64_t value, unsigned size)
{
    return size >= 8 ? value : value & ((UINT64_C(1) << (8 * size)) - 1);
}

bool perform_await_holds(int t, const Request *q)
{
    uint64_t seen[2];
    buffers_read(t, q->address, MIN(q->size, 8u), seen);
    return operations_goes_on((AwaitTest)q->test) ||
           word_test((AwaitTest)q->test, seen[0], q->size, (int64_t)q->expected);
}

bool perform_cas_fits(const Request *q)
{
    return states_peek(q->address, q->size) == narrow(q->expected, q->size) &&
           (q->size < 16 || states_peek((char *)q->address + 8, 8) == q->expected_high);
}

static void write_operand(const Request *q)
{
    poke(q->address, MIN(q->size, 8u), q->operand);
    if (q->size == 16)
        poke((char *)q->address + 8, 8, q->operand_high);
}

static void modify(const Request *q, uint64_t old)
{
    if (q->op == RMW_EXCHANGE) {
        written_in_vain |= old == narrow(q->operand, q->size);
        write_operand(q);
        return;
    }
    if (q->size == 16)
        op_unsupported("--unbounded does not know arithmetic on atomic objects of 16 bytes");
    poke(q->address, q->size, word_apply((RmwOp)q->op, old, q->operand));
}

/* Leaves in `reply` what T sees at the address of Q. */
static void read_for(int t, const Request *q)
{
    if (LIKELY(!states_buffers[t].count)) {
        reply.value = states_peek(q->address, q->size);
        reply.value_high = q->size == 16 ? states_peek((char *)q->address + 8, 8) : 0;
        return;
    }
    uint64_t value[2];
    buffers_read(t, q->address, q->size, value);
    reply.value = value[0];
    reply.value_high = value[1];
}

void perform_request(int t, const Request *q, uint32_t way, bool private)
{
    if (q->kind == REQUEST_CHOOSE)
        reply.value = way;
    transcript_add((uint64_t) private << 32 | way);
    if (UNLIKELY(views_used) && q->kind == REQUEST_FENCE)
        views_fence(t, q);
    if (!request_is_access(q))
        return;
    bool buffered = !private && buffers_take(q);
    if (private && states_in_area((uintptr_t)q->address))
        states_hide((uintptr_t)q->address, q->size, request_can_write(q));
    states_check_atomic(t, q->address, q->size, request_can_write(q), q->plain == 1, q->pc);
    if (q->plain == 1) { /* the thread performs it itself */
        if (buffered)
            buffers_expect(q);
        else if (!private)
            states_touch(q->address, q->size, q->kind != REQUEST_LOAD);
        return;
    }
    if (UNLIKELY(views_used) && views_follow(t, q)) {
        views_perform(t, q, way);
        transcript_add(reply.value);
        return;
    }
    if (q->kind != REQUEST_STORE && !q->plain &&
        !buffers_overlap(t, (uintptr_t)q->address, q->size))
        states_check_initialised(q->address, q->size, q->pc);
    read_for(t, q);
    transcript_add(reply.value ^ reply.value_high << 1);
    reply.success = false;
    if (buffered) {
        buffers_add(t, q);
    } else if (q->kind == REQUEST_STORE) {
        write_operand(q);
    } else if (q->kind == REQUEST_CAS) {
        reply.success = perform_cas_fits(q) && !way;
        if (reply.success)
            write_operand(q);
        written_in_vain |= !reply.success;
    } else if (q->kind == REQUEST_RMW || (q->kind == REQUEST_AWAIT && q->op != RMW_NONE)) {
        modify(q, reply.value);
    }
    if (!private && !buffered)
        states_touch(q->address, q->size,
                     q->kind == REQUEST_CAS ? reply.success : request_can_write(q));
}
