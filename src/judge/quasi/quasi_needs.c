/* This file answers what must be in p' before an element may be put there. Say that x comes before
 * y for certain, x << y, if x stands before y in every p' that can still come of any p. Two
 * operations of one class with factor K: if 2K more of the class lie between them in real time
 * (quasi_doom.c). A put and a take: if at some moment K(put) puts lie between the put's return and
 * that moment, and K(take) takes between that moment and the take's call, for then the places that
 * both can move to are on different sides of it; and the other way round. With factor 0 that is
 * real time itself.
 *
 *  - Queue: take w << take z. Then w is put before z.
 *  - Stack: take z << take w, put w << take z. If w were put after z, it would lie on z when z is
 *    taken: then w is put before z.
 *  - Priority queue, z smaller than w: take w << take z. As long as z is inside, w is not taken:
 *    then w is taken before z is put.
 *
 * What is never taken counts as taken after all (unless somebody unknown may take it). Needs that
 * hold anyway, since put w << put z, or take w << put z, are left out.
 *
 * Where elements can be exchanged, more can be asked for without loss. Say that x is no later than
 * y if it is called and returns before y is, or does.
 *
 *  - Queue: put w and take w no later than put z and take z. Then it is enough to look for p and p'
 *    in which w is put and taken before z (turns.h).
 *  - Stack: put w no later than put z, take z no later than take w, and both puts return before
 *    both takes are called. Then it is enough to look for p' in which w does not lie on z. For
 *    suppose it does: p' has put z, put w, take w, take z. Exchange w and z there; and in p the
 *    puts, if z's is first, and the takes, if w's is. p still respects real time; all puts of the
 *    two come before their takes, so it is causal; and in each class the two are in the same order
 *    in p and p' afterwards, which makes no displacement larger than the larger one was. The
 *    relation is a partial order, and in every sequence that was changed, fewer pairs stand the
 *    other way round than before (as in turns.h): so all pairs can be put right. */
#include "judge/quasi/quasi_internal.h"

#define FAR UINT32_MAX /* there are not so many operations */
#define NOT_KNOWN (QUASI_NO_ELEMENT - 1)
#define MOST_BACK 96u /* elements put before, and after, that are looked at: needs are a help */

/* The position at which the K-th operation of A's class that is called after A's return has
 * returned. */
static uint32_t kth_return(const Quasi *q, uint32_t a, uint32_t k)
{
    const LinearizeOp *ops = q->problem->ops;
    if (!k)
        return ops[a].returned;
    const QuasiClass *class = &q->class[q->ops.at[a].class];
    uint32_t found[2 * RELAX_LARGEST], count = 0;
    for (size_t i = class->called.at[q->returns.at[a]]; i < class->by_call.count; i++) {
        uint32_t op = class->by_call.at[i], at = count;
        if (count == k && ops[op].called > found[k - 1])
            break;
        if (!q->ops.at[op].happens || (count == k && ops[op].returned >= found[k - 1]))
            continue;
        if (count < k)
            count++;
        else
            at--;
        for (; at && found[at - 1] > ops[op].returned; at--)
            found[at] = found[at - 1];
        found[at] = ops[op].returned;
    }
    return count == k ? found[k - 1] : FAR;
}

/* The position of the call of the K-th operation, counted back, that returns before B's call. */
static uint32_t kth_call(const Quasi *q, uint32_t b, uint32_t k)
{
    const LinearizeOp *ops = q->problem->ops;
    if (!k)
        return ops[b].called;
    const QuasiClass *class = &q->class[q->ops.at[b].class];
    for (uint32_t i = q->ops.at[b].rank; i-- > 0;) {
        uint32_t op = class->by_call.at[i];
        if (q->ops.at[op].happens && ops[op].returned < ops[b].called && !--k)
            return ops[op].called;
    }
    return 0;
}

static uint32_t factor_of(const Quasi *q, uint32_t op)
{
    uint8_t class = q->ops.at[op].class;
    return class == RELAX_NO_CLASS ? 0 : q->classes->factor[class];
}

/* x << y for operations of one class, and for those of two. */
static bool before_in_class(const Quasi *q, uint32_t x, uint32_t y)
{
    return q->moments.at[x].after_twice < q->problem->ops[y].called;
}
static bool before_across(const Quasi *q, uint32_t x, uint32_t y)
{
    if (q->ops.at[x].class == q->ops.at[y].class)
        return before_in_class(q, x, y);
    return q->moments.at[x].after < q->moments.at[y].before;
}

/* May a take take what a call after the end has put for the second time? Not from a queue or a
 * priority queue, without loss: of two puts of one value the one in the history comes first in p,
 * so it may in p' as well (exchanging the two there changes no word, and uncrosses them); the same
 * goes for takes; and the first that is put is the first that is taken. In a stack it may lie on
 * the first. Such a call puts something in p' at place n + 1 - K of the n puts at the earliest;
 * that is after a take if K puts are called after the moment that the take can't move beyond. */
static void find_puts_again(Quasi *q)
{
    uint32_t factor = q->put_class == RELAX_NO_CLASS ? 0 : q->classes->factor[q->put_class];
    for (uint32_t e = 0; e < q->elements.count; e++) {
        QuasiElement *element = &q->elements.at[e];
        if (!factor || q->classes->semantics != RELAX_KOOO || element->takes == LINEARIZE_NONE ||
            q->model->shape != SPEC_SHAPE_STACK)
            continue;
        const QuasiClass *class = &q->class[q->put_class];
        uint32_t later = 0;
        for (size_t i = class->by_call.count; i-- > 0 && later < factor;) {
            uint32_t op = class->by_call.at[i];
            if (q->problem->ops[op].called < q->moments.at[element->takes].after)
                break;
            later += q->ops.at[op].happens;
        }
        element->maybe_again = later < factor;
    }
}

/* Is w taken, and z not before it? */
static bool taken_first(const Quasi *q, const QuasiElement *w, const QuasiElement *z)
{
    if (w->takes == LINEARIZE_NONE || w->maybe_again || z->maybe_again)
        return false;
    if (z->takes != LINEARIZE_NONE)
        return before_in_class(q, w->takes, z->takes);
    return q->takers_known &&
           (q->windows.at[w->takes].alone || q->classes->semantics != RELAX_KOOO);
}

/* The operation of w that must come before the put of z, or LINEARIZE_NONE. */
static uint32_t need_of(const Quasi *q, const QuasiElement *w, const QuasiElement *z)
{
    switch (q->model->shape) {
    case SPEC_SHAPE_QUEUE:
        if (taken_first(q, w, z) && !before_in_class(q, w->puts, z->puts))
            return w->puts;
        break;
    case SPEC_SHAPE_STACK:
        if (taken_first(q, z, w) && before_across(q, w->puts, z->takes) &&
            !before_in_class(q, w->puts, z->puts))
            return w->puts;
        break;
    case SPEC_SHAPE_PRIORITY:
        if (value_compare(q->model->values, z->value, w->value) < 0 && taken_first(q, w, z) &&
            !before_across(q, w->takes, z->puts))
            return w->takes;
        break;
    default:
        break;
    }
    return LINEARIZE_NONE;
}

static bool no_later(const LinearizeOp *ops, uint32_t x, uint32_t y)
{
    if (x == LINEARIZE_NONE || y == LINEARIZE_NONE)
        return y == LINEARIZE_NONE; /* not taken: after all others */
    return ops[x].called <= ops[y].called && ops[x].returned <= ops[y].returned;
}

/* Can the put of w be asked for before that of z? */
static bool may_ask(const Quasi *q, const QuasiElement *w, const QuasiElement *z)
{
    const LinearizeOp *ops = q->problem->ops;
    return q->exchangeable && q->model->shape == SPEC_SHAPE_QUEUE && !w->maybe_again &&
           !z->maybe_again && no_later(ops, w->puts, z->puts) && no_later(ops, w->takes, z->takes);
}

bool quasi_goes_first(const Quasi *q, uint32_t w, uint32_t z)
{
    return may_ask(q, &q->elements.at[w], &q->elements.at[z]);
}

/* Can it be asked for that W is not put while Z is inside? */
static bool may_ban(const Quasi *q, const QuasiElement *w, const QuasiElement *z)
{
    const LinearizeOp *ops = q->problem->ops;
    if (!q->exchangeable || q->model->shape != SPEC_SHAPE_STACK || w->takes == LINEARIZE_NONE ||
        z->takes == LINEARIZE_NONE || w->maybe_again || z->maybe_again)
        return false;
    uint32_t puts = MAX(ops[w->puts].returned, ops[z->puts].returned);
    uint32_t takes = MIN(ops[w->takes].called, ops[z->takes].called);
    return puts < takes && no_later(ops, w->puts, z->puts) && no_later(ops, z->takes, w->takes);
}

/* Can what must come first not do so? */
static void check_pair(Quasi *q, const QuasiElement *w, const QuasiElement *z)
{
    switch (q->model->shape) {
    case SPEC_SHAPE_QUEUE:
        if (taken_first(q, w, z) && before_in_class(q, z->puts, w->puts))
            quasi_note_contradiction(q, w->takes, z->takes);
        break;
    case SPEC_SHAPE_STACK:
        if (taken_first(q, z, w) && before_across(q, w->puts, z->takes) &&
            before_in_class(q, z->puts, w->puts))
            quasi_note_contradiction(q, z->takes, w->takes);
        break;
    case SPEC_SHAPE_PRIORITY:
        if (value_compare(q->model->values, z->value, w->value) < 0 && taken_first(q, w, z) &&
            before_across(q, z->puts, w->takes))
            quasi_note_contradiction(q, w->takes, z->takes);
        break;
    default:
        break;
    }
}

void quasi_needs_start(Quasi *q)
{
    vec_clear(&q->bans);
    vec_clear(&q->need_first);
    vec_clear(&q->needs);
    vec_clear(&q->put_order);
    vec_clear(&q->label_moves);
    vec_reserve(&q->moments, q->ops.count + 1);
    for (uint32_t i = 0; i < q->ops.count; i++) {
        const QuasiOp *op = &q->ops.at[i];
        if (!op->certain || op->move.element == QUASI_NO_ELEMENT)
            continue;
        uint32_t factor = factor_of(q, i);
        q->moments.at[i] = (QuasiMoments){.after = kth_return(q, i, factor),
                                          .after_twice = kth_return(q, i, 2 * factor),
                                          .before = kth_call(q, i, factor)};
        if (op->move.puts)
            vec_push(&q->put_order, i);
    }
    find_puts_again(q);
    /* operations stand in the order of their calls: what matters is near */
    vec_reserve(&q->need_first, q->elements.count + 1);
    vec_reserve(&q->ban_first, q->elements.count + 1);
    for (uint32_t e = 0; e < q->elements.count; e++)
        q->need_first.at[e] = q->ban_first.at[e] = (QuasiNeeds){0, 0};
    for (size_t i = 0; i < q->put_order.count; i++) {
        uint32_t element = q->ops.at[q->put_order.at[i]].move.element;
        QuasiNeeds *needs = &q->need_first.at[element];
        needs->first = (uint32_t)q->needs.count;
        q->ban_first.at[element].first = (uint32_t)q->bans.count;
        size_t from = i > MOST_BACK ? i - MOST_BACK : 0;
        for (size_t j = from; j < q->put_order.count && j <= i + MOST_BACK; j++) {
            uint32_t other = q->ops.at[q->put_order.at[j]].move.element;
            const QuasiElement *w = &q->elements.at[other], *z = &q->elements.at[element];
            if (i == j)
                continue;
            uint32_t need = may_ask(q, w, z) ? w->puts : need_of(q, w, z);
            if (need != LINEARIZE_NONE && !before_across(q, need, z->puts))
                vec_push(&q->needs, need);
            if (may_ban(q, z, w) && !before_in_class(q, z->puts, w->puts))
                vec_push(&q->bans, other);
            check_pair(q, w, z);
        }
        needs->end = (uint32_t)q->needs.count;
        q->ban_first.at[element].end = (uint32_t)q->bans.count;
    }
}

/* Returns what a label does, as a number: results are spelled in several ways, elements are not. */
static uint32_t move_number(QuasiMove move)
{
    return move.puts || move.takes ? move.element << 1 | move.takes : QUASI_NO_ELEMENT;
}

uint32_t quasi_move_of_label(Quasi *q, uint32_t label)
{
    while (q->label_moves.count <= label)
        vec_push(&q->label_moves, NOT_KNOWN);
    if (q->label_moves.at[label] == NOT_KNOWN) {
        const SpecCall *call = automaton_call(q->inner, label);
        q->label_moves.at[label] = move_number(quasi_move_of(q, call, call->result));
    }
    return q->label_moves.at[label];
}

static bool has_move(Quasi *q, const uint64_t *entries, uint32_t count, uint32_t move)
{
    for (uint32_t i = 0; i < count; i++)
        if (quasi_move_of_label(q, debts_label(entries[i])) == move)
            return true;
    return false;
}

/* Is the operation in p', once the present step is made? */
static bool is_written(Quasi *q, uint32_t op, const QuasiDraft *draft)
{
    const QuasiOp *of = &q->ops.at[op];
    bool placed = op == q->x_index || quasi_is_placed(q, q->place, op);
    if (of->class == RELAX_NO_CLASS)
        return placed;
    uint32_t move = move_number(of->move);
    if (draft && of->class == q->c)
        return placed ? !has_move(q, draft->debts.late.at, draft->debts.late.count, move)
                      : has_move(q, draft->debts.promised.at, draft->debts.promised.count, move);
    size_t block, end;
    quasi_find_block(q, q->from.at, of->class, &block, &end);
    const uint64_t *words = q->from.at + block;
    uint32_t late = (uint32_t)words[0], promised = (uint32_t)(words[0] >> 32);
    return placed ? !has_move(q, words + 1, late, move)
                  : has_move(q, words + 1 + late, promised, move);
}

bool quasi_needs_are_met(Quasi *q, uint32_t label, const QuasiDraft *draft)
{
    uint32_t move = quasi_move_of_label(q, label), element = move >> 1;
    if (move == QUASI_NO_ELEMENT || move & 1)
        return true;
    QuasiNeeds needs = q->need_first.at[element];
    for (uint32_t i = needs.first; i < needs.end; i++)
        if (!is_written(q, q->needs.at[i], draft))
            return false;
    QuasiNeeds bans = q->ban_first.at[element];
    for (uint32_t i = bans.first; i < bans.end; i++) {
        const QuasiElement *other = &q->elements.at[q->bans.at[i]];
        if (is_written(q, other->puts, draft) && !is_written(q, other->takes, draft))
            return false;
    }
    return true;
}
