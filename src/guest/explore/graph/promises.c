#include "guest/explore/graph/promises.h"
#include <string.h>
#include "guest/explore/graph/graph.h"

enum { MOST_TIMES = 3 };
PromisesState promises;

static bool is_same_load(const Promise *a, const Promise *b)
{
    return a->pc == b->pc && a->address == b->address && a->size == b->size;
}

static bool is_among(const Promise *all, unsigned count, const Promise *p)
{
    for (unsigned i = 0; i < count; i++)
        if (is_same_load(&all[i], p) && all[i].value == p->value)
            return true;
    return false;
}

void promises_note(const Event *load, const Event *store)
{
    const Location *x = &locations[load->location];
    Promise p = {.pc = load->pc, .value = store->value, .address = x->address, .size = x->size};
    if (load->part || store->part || x->size > 8) {
        promises.lacks = true;
        return;
    }
    if (is_among(promises.all, promises.count, &p) ||
        is_among(promises.found, promises.found_count, &p))
        return;
    if (promises.count + promises.found_count == MOST_PROMISES) {
        promises.lacks = true;
        return;
    }
    promises.found[promises.found_count++] = p;
}

bool promises_take(void)
{
    bool any = promises.found_count > 0;
    for (unsigned i = 0; i < promises.found_count; i++) {
        unsigned at = promises.count;
        for (unsigned k = 0; k < promises.count; k++)
            if (is_same_load(&promises.all[k], &promises.found[i]))
                at = k + 1;
        memmove(&promises.all[at + 1], &promises.all[at],
                (promises.count - at) * sizeof promises.all[0]);
        promises.all[at] = promises.found[i];
        promises.count++;
    }
    promises.found_count = 0;
    return any;
}

bool promises_were_asked(void)
{
    for (unsigned i = 0; i < promises.count; i++)
        if (!promises.all[i].asked)
            return false;
    return true;
}

bool promises_is_made(const Event *e, const Promise **which)
{
    if (e->kind != EVENT_CHOOSE || !(e->expected & PROMISE_WORD) || !e->value)
        return false;
    *which = &promises.all[(e->expected & ~PROMISE_WORD) + e->value - 1];
    return true;
}

bool promises_any_made(void)
{
    const Promise *which;
    for (int i = 0; i < order_count; i++)
        if (promises_is_made(&pool[order[i]], &which))
            return true;
    return false;
}

/* A thread gets so many promises for each load and location, so that loops end. */
unsigned promises_of(int thread, const void *address, unsigned size, const void *pc,
                     unsigned *first)
{
    const Promise load = {
        .pc = (uintptr_t)pc, .address = (char *)(uintptr_t)address, .size = (uint8_t)size};
    unsigned count = 0, made = 0;
    for (unsigned k = 0; k < promises.count; k++)
        if (is_same_load(&promises.all[k], &load)) {
            *first = count++ ? *first : k;
            promises.all[k].asked = true;
        }
    for (int i = 0; count && i < threads[thread].count; i++) {
        const Promise *which;
        made += promises_is_made(thread_event(thread, i), &which) && is_same_load(which, &load);
    }
    if (made < MOST_TIMES)
        return count;
    promises.lacks = true;
    return 0;
}
