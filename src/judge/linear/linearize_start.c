/* The order of events and the slots of open operations, before a search of linearize.c. */
#include "judge/linear/linearize_internal.h"
#include <stdlib.h>
#include <string.h>

#define FEW 16u

static int by_position(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Operations stand in the order of their calls, so events are out of place by about as many as
 * overlap. False, with all events still there, if that takes too many moves. */
static bool sort_by_insertion(uint64_t *events, size_t count)
{
    size_t moves = 0, most = 16 * count;
    for (size_t i = 1; i < count && moves <= most; i++) {
        uint64_t event = events[i];
        size_t place = i;
        for (; place && events[place - 1] > event; place--)
            events[place] = events[place - 1];
        events[place] = event;
        moves += i - place;
    }
    return moves <= most;
}

void linearize_sort_events(Linearizer *z, const LinearizeProblem *problem)
{
    vec_clear(&z->sort);
    vec_clear(&z->events);
    vec_reserve(&z->sort, problem->count * 2 + 1);
    vec_reserve(&z->events, problem->count * 2 + 1);
    vec_reserve(&z->order, problem->count + 1);
    vec_reserve(&z->frames, MIN(problem->count + 1, FEW * 4));
    vec_reserve(&z->masks, MIN(problem->count + 1, FEW * 4) * 2);
    for (uint32_t i = 0; i < problem->count; i++) {
        if (linearize_ignored(problem, i))
            continue;
        vec_push(&z->sort, (uint64_t)problem->ops[i].called << 32 | i * 2);
        if (problem->ops[i].returned != LINEARIZE_PENDING)
            vec_push(&z->sort, (uint64_t)problem->ops[i].returned << 32 | i * 2 | 1);
    }
    if (!sort_by_insertion(z->sort.at, z->sort.count))
        qsort(z->sort.at, z->sort.count, sizeof *z->sort.at, by_position);
    for (size_t i = 0; i < z->sort.count; i++)
        vec_push(&z->events, (uint32_t)z->sort.at[i]);
}

/* Makes every label unknown to last_of_label. */
static void forget_labels(Linearizer *z, const LinearizeProblem *problem)
{
    size_t labels = z->by_label.count;
    for (uint32_t i = 0; i < problem->count; i++)
        labels = MAX(labels, (size_t)problem->ops[i].label + 1);
    bool again = ++z->round == 0;
    if (labels > z->by_label.count || again) {
        size_t from = again ? 0 : z->by_label.count;
        vec_reserve(&z->by_label, labels);
        memset(z->by_label.at + from, 0, (labels - from) * sizeof *z->by_label.at);
        z->by_label.count = labels;
        z->round += again;
    }
}

/* Notes NUMBER under LABEL and returns what was noted there before, or LINEARIZE_NONE. */
static uint32_t last_of_label(Linearizer *z, uint32_t label, uint32_t number)
{
    uint64_t before = z->by_label.at[label];
    z->by_label.at[label] = (uint64_t)z->round << 32 | number;
    return before >> 32 == z->round ? (uint32_t)before : LINEARIZE_NONE;
}

/* Which operations share their label with another that returns. */
static void find_siblings(Linearizer *z, const LinearizeProblem *problem)
{
    vec_reserve(&z->siblings, problem->count + 1);
    if (problem->count <= FEW) { /* no hashing for the histories of small tests */
        for (uint32_t i = 0; i < problem->count; i++) {
            z->siblings.at[i] = 0;
            for (uint32_t j = 0; j < problem->count && !z->siblings.at[i]; j++)
                z->siblings.at[i] = j != i && problem->ops[j].label == problem->ops[i].label;
        }
        return;
    }
    forget_labels(z, problem);
    for (uint32_t i = 0; i < problem->count; i++) {
        z->siblings.at[i] = 0;
        if (problem->ops[i].returned == LINEARIZE_PENDING)
            continue;
        uint32_t other = last_of_label(z, problem->ops[i].label, i);
        if (other != LINEARIZE_NONE)
            z->siblings.at[i] = z->siblings.at[other] = 1;
    }
}

void linearize_assign_slots(Linearizer *z, const LinearizeProblem *problem)
{
    vec_reserve(&z->slots, problem->count + 1);
    vec_reserve(&z->twins, problem->count + 1);
    uint32_t pending = 0, used;
    forget_labels(z, problem);
    for (size_t i = 0; i < z->events.count; i++) {
        uint32_t op = z->events.at[i] / 2;
        if (problem->ops[op].returned != LINEARIZE_PENDING)
            continue;
        z->slots.at[op] = pending;
        z->twins.at[op] = last_of_label(z, problem->ops[op].label, pending);
        pending++;
    }
    used = pending;
    find_siblings(z, problem);
    vec_clear(&z->slot_ops); /* first as a heap-free stack of free slots */
    for (size_t i = 0; i < z->events.count; i++) {
        uint32_t op = z->events.at[i] / 2;
        if (problem->ops[op].returned == LINEARIZE_PENDING)
            continue;
        if (z->events.at[i] & 1)
            vec_push(&z->slot_ops, z->slots.at[op]);
        else
            z->slots.at[op] = z->slot_ops.count ? vec_pop(&z->slot_ops) : used++;
    }
    z->slot_count = used;
    z->words = MAX(1u, (used + 63) / 64);
    vec_reserve(&z->slot_ops, used + 1);
    z->slot_ops.count = used;
    /* fixed masks: open, optional */
    vec_reserve(&z->fixed, z->words * 2);
    memset(z->fixed.at, 0, z->words * 2 * sizeof *z->fixed.at);
    z->open = z->fixed.at;
    z->optional = z->fixed.at + z->words;
    for (uint32_t i = 0; i < pending; i++)
        z->optional[i / 64] |= (uint64_t)1 << (i % 64);
}
