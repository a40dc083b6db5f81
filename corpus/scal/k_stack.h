/* The k-stack of T. A. Henzinger, C. M. Kirsch, H. Payer, A. Sezgin and A. Sokolova (Quantitative Relaxation of Concurrent
 * Data Structures, POPL 2013): a list of segments with K cells; elements are pushed into a free cell of the segment at
 * the top and popped from any of its cells. A pop that finds the top segment empty marks it, looks again, and unlinks it
 * or takes the mark back; a push finds out in committed() whether its segment was unlinked meanwhile.
 *
 * -DREPAIRED  committed() reads the mark once. Scal read it twice, as here: if the mark is set at the first read and taken
 *             back before the second, neither branch is right and the push puts its element into the stack once more
 *             (Round-Up, section VI.D). */
#include "tagged.h"

struct segment {
    struct segment *next; /* never changes once the segment is on the stack */
    atomic_int deleted;   /* pops that try to unlink it */
    _Atomic(Tagged) cells[K];
};
struct stack {
    _Atomic(Tagged) top;
};

static struct segment *segment_of(Tagged t)
{
    return (struct segment *)(uintptr_t)tagged_value(t);
}

static void stack_init(struct stack *s)
{
    atomic_init(&s->top, tagged_next((uintptr_t)calloc(1, sizeof(struct segment)), 0));
}

/* Some cell of the segment that is empty (or not empty), and what it held; if there is none, one of the other kind. */
static _Atomic(Tagged) *find_cell(Tagged segment, bool empty, Tagged *found)
{
    unsigned first = random_place(K), cell = 0;
    for (unsigned i = 0; i < K; i++) {
        cell = (first + i) % K;
        *found = atomic_load(&segment_of(segment)->cells[cell]);
        if (!tagged_value(*found) == empty)
            break;
    }
    return &segment_of(segment)->cells[cell];
}

/* Two looks with the same result show a moment at which all cells were empty. */
static bool is_empty(Tagged segment)
{
    Tagged seen[K];
    for (unsigned i = 0; i < K; i++) {
        seen[i] = atomic_load(&segment_of(segment)->cells[i]);
        if (tagged_value(seen[i]))
            return false;
    }
    for (unsigned i = 0; i < K; i++)
        if (atomic_load(&segment_of(segment)->cells[i]) != seen[i])
            return false;
    return true;
}

static void try_add_segment(struct stack *s, Tagged top)
{
    if (top != atomic_load(&s->top))
        return;
    struct segment *fresh = calloc(1, sizeof *fresh);
    fresh->next = segment_of(top);
    if (!atomic_compare_exchange_strong(&s->top, &top, tagged_next((uintptr_t)fresh, top)))
        free(fresh);
}

static void try_remove_segment(struct stack *s, Tagged top)
{
    struct segment *segment = segment_of(top);
    if (top != atomic_load(&s->top) || !segment->next)
        return;
    atomic_fetch_add(&segment->deleted, 1);
    if (is_empty(top) && atomic_compare_exchange_strong(&s->top, &top, tagged_next((uintptr_t)segment->next, top)))
        return;
    atomic_fetch_sub(&segment->deleted, 1);
}

/* Is the new element where pops will find it? If not it is taken back. */
static bool committed(struct stack *s, Tagged top, _Atomic(Tagged) *cell, Tagged element)
{
    if (atomic_load(cell) != element)
        return true; /* it was popped */
#ifdef REPAIRED
    if (atomic_load(&segment_of(top)->deleted) == 0)
        return true;
#else
    if (atomic_load(&segment_of(top)->deleted) == 0)
        return true;
    else if (atomic_load(&segment_of(top)->deleted) > 0)
#endif
    {
        /* a change of the top's version makes the pop fail that wants to unlink the segment */
        Tagged now = atomic_load(&s->top);
        if (tagged_value(now) == tagged_value(top) &&
            atomic_compare_exchange_strong(&s->top, &now, tagged_next(tagged_value(now), now)))
            return true;
        return !atomic_compare_exchange_strong(cell, &element, tagged_next(0, element));
    }
    return false;
}

static void stack_push(struct stack *s, int value)
{
    for (;;) {
        Tagged top = atomic_load(&s->top), found;
        _Atomic(Tagged) *cell = find_cell(top, true, &found);
        if (top != atomic_load(&s->top))
            continue;
        if (tagged_value(found)) {
            try_add_segment(s, top);
            continue;
        }
        Tagged element = tagged_next((uint64_t)value, found);
        if (atomic_compare_exchange_strong(cell, &found, element) && committed(s, top, cell, element))
            return;
    }
}

static bool stack_pop(struct stack *s, int *value)
{
    for (;;) {
        Tagged top = atomic_load(&s->top), found;
        _Atomic(Tagged) *cell = find_cell(top, false, &found);
        if (top != atomic_load(&s->top))
            continue;
        if (tagged_value(found)) {
            *value = (int)tagged_value(found);
            if (atomic_compare_exchange_strong(cell, &found, tagged_next(0, found)))
                return true;
        } else if (segment_of(top)->next) {
            try_remove_segment(s, top);
        } else if (is_empty(top) && top == atomic_load(&s->top)) {
            return false;
        }
    }
}
