#include "guest/explore/memory/locals.h"
#include <string.h>
#include "guest/explore/checkpoint.h"
#include "guest/explore/finding.h"
#include "guest/explore/ghost.h"
#include "guest/explore/memory/blocks.h"
#include "guest/explore/memory/deferred.h"
#include "guest/explore/memory/divert.h"
#include "guest/explore/memory/granules.h"
#include "guest/explore/memory/shown.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/request.h"

bool locals_on;

static bool is_own(const char *address)
{
    const Fiber *self = &fibers[fiber_current];
    return address >= self->limit && address < self->base;
}

void locals_note_atomic(const void *address, int thread)
{
    bool first = !locals_on && !memory_divert;
    locals_on |= first;
    blocks_asked |= first;
    if (first && fiber_of_stack(address) == thread)
        finding_restart();
}

bool locals_is_foreign(const char *address, unsigned bytes)
{
    for (uintptr_t a = (uintptr_t)address & ~(uintptr_t)7; a < (uintptr_t)address + bytes; a += 8) {
        uint32_t g = granules_find((const void *)a);
        if (g && granules[g].shared & STACK_FOREIGN)
            return true;
    }
    return false;
}

/* Racing bytes are restored after every event (deferred.h), so that memory does not follow. */
static bool is_promoted(const char *address, unsigned bytes)
{
    return memory_promoted && memory_races_in(address, bytes);
}

/* Does memory hold what write number PLACE of X wrote? */
static bool holds(const Location *x, int place)
{
    uint64_t words[2] = {write_value(x->co[place], x), graph_value_high(x->co[place], x)};
    return !memcmp(x->address, words, x->size);
}

static bool happened_before(const Location *x, const Clock *h)
{
    for (int p = 1; p < x->writes; p++)
        if (!before(&pool[x->co[p]], h) && checkpoint_reached(&pool[x->co[p]]))
            return false;
    for (int j = 0; j < x->reads; j++)
        if (!before(&pool[x->read[j]], h) && checkpoint_reached(&pool[x->read[j]]))
            return false;
    return true;
}

/* The place in X's coherence order of what T's last event on X wrote or read; 0 if it has none. */
static int last_own_place(const Location *x, int t)
{
    int place = 0, index = -1;
    for (int p = 1; p < x->writes; p++) {
        const Event *w = &pool[x->co[p]];
        if (w->thread == t && w->index > index && checkpoint_reached(w))
            index = w->index, place = p;
    }
    for (int j = 0; j < x->reads; j++) {
        const Event *r = &pool[x->read[j]];
        if (r->thread == t && r->index > index && checkpoint_reached(r))
            index = r->index, place = rf_position(r);
    }
    return place;
}

/* Other threads have touched X. Does its memory belong to another object of the present thread by
 * now? */
static bool is_gone(const Location *x)
{
    char *base;
    unsigned size;
    if (blocks_find(x->address, &base, &size))
        return false; /* memory may hold parts of several writes */
    for (int p = last_own_place(x, fiber_current); p < x->writes; p++)
        if (holds(x, p) && (!p || checkpoint_reached(&pool[x->co[p]])))
            return false;
    return happened_before(x, graph_tip(fiber_current));
}

bool locals_holds(const Location *x)
{
    return is_own(x->address) && !is_promoted(x->address, x->size) &&
           (!locals_is_foreign(x->address, x->size) || is_gone(x));
}

/* Has the present thread written to X without a word? When it runs again, the graph tells. */
static bool is_replaced(const Location *x)
{
    int t = fiber_current;
    if (UNLIKELY(checkpoint_replaying)) {
        const Event *next = thread_event(t, checkpoint_replayed[t]);
        return next->kind == EVENT_WRITE && next->plain == 1 && &locations[next->location] == x;
    }
    return locals_is_foreign(x->address, x->size) ? is_gone(x) : !holds(x, x->writes - 1);
}

/* Makes stores of what the present thread has written to locations in [start, end). It is kept
 * apart, as write_back is: their copies would hide what submit_own reads of the stack
 * (tool/instrument/machine/liveness.h). */
__attribute__((noinline)) static void adopt(char *start, char *end)
{
    const Location *x;
    for (unsigned i = 0; (x = memory_location_with_events(start, end, i)); i++) {
        if (!is_replaced(x))
            continue;
        Request later = request;
        deferred_submit(x->address, x->size, x->address, 1, request.pc);
        request = later;
    }
}

typedef struct Made { /* of a request: what memory needs of it when it is answered */
    char *address;
    uint64_t operand, operand_high;
    uint8_t kind, op, size;
} Made;

__attribute__((noinline)) static void write_back(const Made *made)
{
    uint64_t words[2] = {made->operand, made->operand_high};
    if (made->kind == REQUEST_LOAD || (made->kind == REQUEST_CAS && !reply.success) ||
        (made->kind == REQUEST_AWAIT && made->op == RMW_NONE))
        words[0] = reply.value, words[1] = reply.value_high;
    else if (made->kind == REQUEST_RMW || made->kind == REQUEST_AWAIT) {
        words[1] = made->size == 16 ? reply.value_high : 0;
        words[0] = graph_rmw_result(made->op, reply.value, made->operand, made->operand_high,
                                    made->size, &words[1]);
    }
    memcpy(made->address, words, made->size);
}

/* Kept apart: its frame is on the stack while others run. */
__attribute__((noinline)) static void submit_own(void)
{
    char *at = request.address;
    Made made = {at, request.operand, request.operand_high, request.kind, request.op, request.size};
    if (request.plain != 1 && !ghost_runs())
        adopt(at, at + request.size);
    blocks_submit_part();
    write_back(&made);
}

/* Other requests leave no frame behind: threads that wait are compared by their stacks. */
void locals_submit(void)
{
    bool access = request.kind >= REQUEST_LOAD && request.kind <= REQUEST_AWAIT && !memory_divert;
    if (access && is_own(request.address) && !is_promoted(request.address, request.size)) {
        submit_own();
        return;
    }
    if (access && fiber_of_stack(request.address) >= 0 && !is_own(request.address))
        memory_note_foreign(request.address, request.size);
    if (blocks_known)
        blocks_submit_part();
    else
        fiber_yield();
}
