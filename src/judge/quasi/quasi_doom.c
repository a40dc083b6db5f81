/* Which contents of a container can lead nowhere? Let all values that are put be different. What is
 * inside in p' leaves it one by one: from a queue the oldest first, from a stack the newest, from a
 * priority queue the smallest; others may come between. Taking is the only way out. So the takes of
 * what is inside stand in that order in p', and each must find a place.
 *
 * Count places among the takes (of their class, if they have one), from 1, and let K be the factor,
 * 0 if they keep their places. In p a take stands behind those that return before its call, and
 * before those that are called after its return; in p' at most K places from there. Where it is
 * late, it is known that it must come within so and so many places. If T places are filled, what is
 * inside goes to place T + 1 or later, one after the other: if that does not fit, the search is at
 * a dead end.
 *
 * What is not taken in the history stays, and so does all that is to be taken after it, unless
 * somebody else takes it: a take whose result is unknown; or, under kooo, a call after the end. Let
 * n be the operations of the class. Such a call stands at n + 1 or later in p, so at n + 1 - K or
 * later in p', and a take behind it at n + 2 - 2K or later in p. That can't be if more than 2K - 2
 * operations of the class are called after the take has returned.
 *
 * Under kooo a call after the end may also put a value for the second time. In p' it comes among
 * the last K puts at the earliest: from there on nothing is said; and nothing is said of a value
 * whose take may come after that (quasi_needs.c). */
#include "judge/quasi/quasi_internal.h"

/* Nobody takes anything: the takes that find nothing have the class of takes. Returns false if
 * there are none, or their classes differ. */
static bool find_class_of_nothing(Quasi *q)
{
    bool seen = false;
    for (uint32_t i = 0; i < q->ops.count; i++) {
        const QuasiOp *op = &q->ops.at[i];
        if (!op->move.finds_nothing)
            continue;
        if (seen && q->take_class != op->class)
            return false;
        q->take_class = op->class;
        seen = true;
    }
    return seen;
}

/* Are the shape, the operations and the values such that the above holds? */
static bool are_turns_known(Quasi *q)
{
    if (q->model->shape != SPEC_SHAPE_QUEUE && q->model->shape != SPEC_SHAPE_STACK &&
        q->model->shape != SPEC_SHAPE_PRIORITY)
        return false;
    q->takers_known = q->exchangeable = true;
    bool put_seen = false, take_seen = false;
    for (uint32_t i = 0; i < q->ops.count; i++) {
        const QuasiOp *op = &q->ops.at[i];
        q->exchangeable = q->exchangeable && op->certain &&
                          (op->move.puts || op->move.takes || op->move.finds_nothing);
        if (op->move.puts) {
            if (put_seen && q->put_class != op->class)
                return false;
            q->put_class = op->class;
            put_seen = true;
            continue;
        }
        if (op->known && !op->move.takes && !automaton_reads_only(q->inner, op->label))
            return false;
        q->takers_known = q->takers_known && op->certain;
        if (op->move.takes || !op->known) {
            if (take_seen && q->take_class != op->class)
                return false;
            q->take_class = op->class;
            take_seen = true;
        }
    }
    for (uint32_t e = 0; e < q->elements.count; e++) {
        const QuasiElement *element = &q->elements.at[e];
        if (element->put_count > 1 ||
            (element->takes != LINEARIZE_NONE && q->ops.at[element->takes].next != LINEARIZE_NONE))
            return false;
    }
    return put_seen && (take_seen || find_class_of_nothing(q));
}

/* Do places count this operation? */
static bool is_counted(const Quasi *q, const QuasiOp *op)
{
    return op->class == q->take_class &&
           (q->take_class != RELAX_NO_CLASS || (op->move.takes && op->certain));
}

void quasi_doom_start(Quasi *q, const uint32_t *events, size_t event_count)
{
    q->turns_known = are_turns_known(q);
    if (!q->turns_known)
        return;
    uint32_t factor = q->take_class == RELAX_NO_CLASS ? 0 : q->classes->factor[q->take_class];
    vec_reserve(&q->windows, q->ops.count + 1);
    vec_clear(&q->takes_returned);
    uint32_t returned = 0, all = 0, called_after = 0;
    for (size_t e = 0; e < event_count; e++) {
        const QuasiOp *op = &q->ops.at[events[e] / 2];
        vec_push(&q->takes_returned, returned);
        if (!is_counted(q, op))
            continue;
        if (events[e] & 1) {
            returned += op->happens;
        } else {
            uint32_t first = returned + 1;
            q->windows.at[events[e] / 2].first = first > factor ? first - factor : 1;
            all++;
        }
    }
    vec_push(&q->takes_returned, returned);
    for (size_t e = event_count; e-- > 0;) {
        const QuasiOp *op = &q->ops.at[events[e] / 2];
        if (!is_counted(q, op))
            continue;
        QuasiWindow *window = &q->windows.at[events[e] / 2];
        if (events[e] & 1) {
            window->last = all - called_after + factor;
            window->alone = called_after + 1 >= 2 * factor;
        } else {
            called_after += op->happens;
        }
    }
    quasi_needs_start(q);
}

/* Operations of a class, or of the takes, that surely happen and are in p, with the one read. */
static uint32_t count_placed(const Quasi *q, uint8_t class, bool takes)
{
    const QuasiPlace *place = q->place;
    uint32_t placed =
        takes ? q->takes_returned.at[place->at] : q->class[class].returned.at[place->at];
    for (size_t w = 0; w < place->words; w++)
        for (uint64_t open = place->open[w]; open; open &= open - 1) {
            uint32_t slot = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(open);
            uint32_t i = place->slot_ops[slot];
            const QuasiOp *op = &q->ops.at[i];
            if ((place->mask[w] & open & -open || i == q->x_index) && op->happens &&
                (takes ? is_counted(q, op) : op->class == class))
                placed++;
        }
    return placed;
}

/* Within how many places must a take be written, if it is late? 0: it is not. */
static uint32_t due_if_late(Quasi *q, uint32_t element, const QuasiDraft *draft)
{
    if (q->take_class == RELAX_NO_CLASS)
        return 0;
    const uint64_t *late;
    uint32_t count;
    if (draft && q->c == q->take_class) {
        late = draft->debts.late.at;
        count = draft->debts.late.count;
    } else {
        size_t block, end;
        quasi_find_block(q, q->from.at, q->take_class, &block, &end);
        late = q->from.at + block + 1;
        count = (uint32_t)q->from.at[block];
    }
    for (uint32_t i = 0; i < count; i++)
        if (quasi_move_of_label(q, debts_label(late[i])) == (element << 1 | 1))
            return q->classes->factor[q->take_class] - debts_age(late[i]);
    return 0;
}

bool quasi_is_doomed(Quasi *q, uint32_t inner, const QuasiDraft *draft)
{
    if (!q->turns_known)
        return false;
    bool kooo = q->classes->semantics == RELAX_KOOO;
    if (kooo && q->put_class != RELAX_NO_CLASS &&
        q->class[q->put_class].total - count_placed(q, q->put_class, false) <
            q->classes->factor[q->put_class])
        return false;
    if (!quasi_needs_are_met(q, q->written, draft))
        return true;
    size_t count;
    const uint64_t *content = automaton_state(q->inner, inner, &count);
    uint32_t place = count_placed(q, 0, true), takes = 0;
    bool stays = false;
    for (size_t i = 0; i < count; i++) {
        size_t next = q->model->shape == SPEC_SHAPE_STACK ? count - 1 - i : i;
        uint32_t element = quasi_element_of(q, (Value){content[next]});
        uint32_t take =
            element == QUASI_NO_ELEMENT ? LINEARIZE_NONE : q->elements.at[element].takes;
        if (element != QUASI_NO_ELEMENT && q->elements.at[element].maybe_again)
            continue;
        if (take == LINEARIZE_NONE) {
            stays = q->takers_known;
            continue;
        }
        const QuasiWindow *window = &q->windows.at[take];
        uint32_t due = due_if_late(q, element, draft);
        takes++;
        place = MAX(place + 1, window->first);
        if ((stays && (window->alone || !kooo)) || place > window->last || (due && takes > due))
            return true;
    }
    return false;
}
