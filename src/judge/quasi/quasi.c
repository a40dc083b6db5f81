/* The rules of judge/quasi/relax_steps.c: at a place of class d with factor K, one operation is
 * read from p and one of the same class is written to p'; what was read and not written is late,
 * what was written and not read is promised; whatever stays gets older, and must go at age K. What
 * is known of the history leaves out, without loss:
 *
 *  - Promises that can't be kept. With D places left, a promise is kept only by an operation that
 *    is not in the order yet and before which fewer than D operations of its class must come; or,
 *    under kooo, by a call after the end, if fewer than D operations of the class are left.
 *  - States with more late (or promised) operations due within D places than D: a place takes one.
 *
 * The values inside the container, as p sees it, follow from which operations are in the order, but
 * for those that need not happen or whose result is unknown: what these have moved is in the state.
 * A state is words: the inner state, a block for each class (relax.h), and for each element that
 * such operations moved, element << 32 | 2^31 + times put - times taken. */
#include "judge/quasi/quasi_internal.h"
#include <stdlib.h>
#include <string.h>

#define NET_ZERO 0x80000000u

uint32_t quasi_initial(Quasi *q)
{
    uint64_t words[1 + RELAX_CLASSES] = {automaton_initial(q->inner)};
    return interner_number(&q->states, words, 1 + q->classes->count);
}

bool quasi_reads_only(const Quasi *q, uint32_t op)
{
    return q->ops.at[op].class == RELAX_NO_CLASS && q->ops.at[op].known &&
           automaton_reads_only(q->inner, q->ops.at[op].label);
}

static uint32_t inner_state(const Quasi *q, uint32_t state)
{
    size_t count;
    return (uint32_t)interner_words(&q->states, state, &count)[0];
}

bool quasi_allows_read(Quasi *q, uint32_t state, uint32_t op)
{
    size_t count;
    automaton_step(q->inner, inner_state(q, state), q->ops.at[op].label, &count);
    return count > 0;
}

static bool bit(const uint64_t *mask, uint32_t slot)
{
    return mask[slot / 64] >> (slot % 64) & 1;
}

bool quasi_is_placed(const Quasi *q, const QuasiPlace *place, uint32_t op)
{
    uint32_t slot = place->slots[op];
    return q->returns.at[op] < place->at ||
           (bit(place->open, slot) && place->slot_ops[slot] == op && bit(place->mask, slot));
}

int64_t quasi_times_inside(const Quasi *q, const QuasiPlace *place, uint32_t element)
{
    int64_t times = 0;
    for (uint32_t i = q->elements.at[element].puts; i != LINEARIZE_NONE; i = q->ops.at[i].next)
        times += quasi_is_placed(q, place, i);
    for (uint32_t i = q->elements.at[element].takes; i != LINEARIZE_NONE; i = q->ops.at[i].next)
        times -= quasi_is_placed(q, place, i);
    for (size_t i = q->moved_at; i < q->from.count; i++)
        if (q->from.at[i] >> 32 == element)
            times += (int64_t)(q->from.at[i] & UINT32_MAX) - NET_ZERO;
    return times;
}

/* May the operation be put into p with this move? Nothing is taken that is not there. */
static bool is_causal(const Quasi *q, QuasiMove move)
{
    if (!move.takes || !q->causal)
        return true;
    return move.element != QUASI_NO_ELEMENT && quasi_times_inside(q, q->place, move.element) > 0;
}

/* Which operations of the class may be read next, and how many must come before each? */
static void find_reach(Quasi *q)
{
    const QuasiClass *class = &q->class[q->c];
    const QuasiPlace *place = q->place;
    vec_clear(&q->reach);
    uint32_t placed = class->returned.at[place->at] + q->x->happens;
    for (size_t w = 0; w < place->words; w++)
        for (uint64_t left = place->open[w]; left; left &= left - 1) {
            uint32_t slot = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(left);
            uint32_t op = place->slot_ops[slot];
            if (q->ops.at[op].class != q->c || op == q->x_index)
                continue;
            if (bit(place->mask, slot))
                placed += q->ops.at[op].happens;
            else
                vec_push(&q->reach, (QuasiReach){op, 0});
        }
    q->left = class->total - placed;
    for (size_t i = class->called.at[place->at]; i < class->by_call.count; i++) {
        uint32_t op = class->by_call.at[i], need = q->ops.at[op].before;
        need -= class->returned.at[place->at];
        for (size_t w = 0; need && w < place->words; w++)
            for (uint64_t open = place->open[w]; open; open &= open - 1) {
                uint32_t slot = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(open);
                uint32_t other = place->slot_ops[slot];
                need -= q->ops.at[other].class == q->c && q->ops.at[other].happens &&
                        (other == q->x_index || bit(place->mask, slot)) &&
                        q->problem->ops[other].returned < q->problem->ops[op].called;
            }
        if (need >= q->factor)
            break;
        vec_push(&q->reach, (QuasiReach){op, need});
    }
}

/* Can what was promised be read within this many places? */
static bool can_be_kept(const Quasi *q, uint32_t label, uint32_t places)
{
    if (q->left < places && q->classes->semantics == RELAX_KOOO)
        return true;
    const SpecCall *promise = automaton_call(q->inner, label);
    for (size_t i = 0; i < q->reach.count; i++) {
        const QuasiOp *op = &q->ops.at[q->reach.at[i].op];
        if (q->reach.at[i].need < places &&
            (op->label == label || (relax_same_invocation(op->call, promise) &&
                                    spec_result_fits(q->model, op->call, promise->result))))
            return true;
    }
    return false;
}

static void draft_copy(QuasiDraft *to, const QuasiDraft *from)
{
    to->inner = from->inner;
    debts_copy(&to->debts, &from->debts);
}

/* Notes what x has moved, if the order does not tell. Appends to q->words. */
static void add_moved(Quasi *q, QuasiMove move)
{
    bool noted = q->x->certain || move.element == QUASI_NO_ELEMENT || !q->causal;
    for (size_t i = q->moved_at; i < q->from.count; i++) {
        uint64_t word = q->from.at[i];
        if (!noted && word >> 32 >= move.element) {
            uint64_t mine =
                word >> 32 == move.element ? word : (uint64_t)move.element << 32 | NET_ZERO;
            bool same = mine == word;
            mine = move.puts ? mine + 1 : mine - 1;
            if ((mine & UINT32_MAX) != NET_ZERO)
                vec_push(&q->words, mine);
            noted = true;
            if (same)
                continue;
        }
        vec_push(&q->words, word);
    }
    if (!noted)
        vec_push(&q->words,
                 ((uint64_t)move.element << 32 | NET_ZERO) + (move.puts ? 1 : UINT64_MAX));
}

/* The state after x. DRAFT: of its class, or NULL if x has none, and INNER is all that changes. */
static void emit(Quasi *q, uint32_t inner, const QuasiDraft *draft, QuasiMove move)
{
    vec_clear(&q->words);
    vec_push(&q->words, inner);
    size_t from = 1;
    if (quasi_is_doomed(q, inner, draft))
        return;
    if (draft) {
        for (; from < q->block_at; from++)
            vec_push(&q->words, q->from.at[from]);
        vec_reserve(&q->words, q->words.count + DEBTS_WORDS);
        q->words.count += debts_write(&draft->debts, q->words.at + q->words.count);
        from = q->block_end;
    }
    for (; from < q->moved_at; from++)
        vec_push(&q->words, q->from.at[from]);
    add_moved(q, move);
    uint32_t state = interner_number(&q->states, q->words.at, q->words.count);
    for (size_t i = q->out_first; i < q->out->count; i++)
        if (q->out->at[i] == state)
            return;
    vec_push(q->out, state);
}

/* The place is filled; LATE, PROMISED: one was added, the last. */
static void finish(Quasi *q, QuasiDraft *draft, bool late, bool promised, QuasiMove move)
{
    const DebtList *list = &draft->debts.promised;
    if (!debts_pass(&draft->debts, late, promised, q->factor))
        return;
    for (uint32_t i = 0; i < list->count; i++)
        if (!can_be_kept(q, debts_label(list->at[i]), q->factor - debts_age(list->at[i])))
            return;
    emit(q, draft->inner, draft, move);
}

/* Promises of one invocation. */
static void write_promises(Quasi *q, const QuasiDraft *draft, uint32_t invocation, bool x_is_late,
                           QuasiMove move)
{
    size_t count, again;
    const SpecCall *call = relax_invocation_call(q->spec, invocation);
    relax_given(q->spec, draft->inner, invocation, &count);
    for (size_t s = 0; s < count; s++) {
        RelaxGiven given = relax_given(q->spec, draft->inner, invocation, &again)[s];
        Value result = automaton_call(q->inner, given.label)->result;
        if ((x_is_late && q->x->known && relax_same_invocation(q->x->call, call) &&
             spec_result_fits(q->model, q->x->call, result)) ||
            !can_be_kept(q, given.label, q->factor))
            continue;
        QuasiDraft next;
        draft_copy(&next, draft);
        next.inner = given.after;
        q->written = given.label;
        if (debts_add(&next.debts.promised, given.label))
            finish(q, &next, x_is_late, true, move);
    }
}

/* Writes something other than x: each operation that is late, each promise that can be kept. If x
 * has become late just now, it is the last late entry. */
static void write_other(Quasi *q, const QuasiDraft *draft, bool x_is_late, QuasiMove move)
{
    const DebtList *late = &draft->debts.late;
    uint32_t old = late->count - x_is_late;
    for (uint32_t i = 0; i < old; i++) {
        uint32_t label = debts_label(late->at[i]);
        if (debts_repeats(late, old, i))
            continue;
        size_t count, again;
        automaton_step(q->inner, draft->inner, label, &count);
        for (size_t s = 0; s < count; s++) {
            QuasiDraft next;
            draft_copy(&next, draft);
            next.inner = automaton_step(q->inner, draft->inner, label, &again)[s];
            debts_remove(&next.debts.late, i);
            q->written = label;
            finish(q, &next, x_is_late, false, move);
        }
    }
    if (q->left < q->factor && q->classes->semantics == RELAX_KOOO) {
        for (uint32_t v = 0; v < relax_invocation_count(q->spec); v++)
            if (relax_class_of(q->spec, relax_invocation_call(q->spec, v)->method) == q->c)
                write_promises(q, draft, v, x_is_late, move);
        return;
    }
    for (size_t i = 0; i < q->reach.count; i++) {
        uint32_t invocation = q->ops.at[q->reach.at[i].op].invocation;
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = q->ops.at[q->reach.at[j].op].invocation == invocation;
        if (!seen)
            write_promises(q, draft, invocation, x_is_late, move);
    }
}

static void read_late(Quasi *q, const QuasiDraft *draft, uint32_t label, QuasiMove move)
{
    if (!is_causal(q, move))
        return;
    QuasiDraft next;
    draft_copy(&next, draft);
    if (debts_add(&next.debts.late, label))
        write_other(q, &next, true, move);
}

/* x itself is written, with each result that fits. DRAFT is NULL if x has no class. */
static void write_itself(Quasi *q, uint32_t inner, const QuasiDraft *draft)
{
    const QuasiOp *x = q->x;
    size_t count, again;
    if (x->known && !is_causal(q, x->move))
        return;
    if (x->known)
        automaton_step(q->inner, inner, x->label, &count);
    else
        relax_given(q->spec, inner, x->invocation, &count);
    for (size_t s = 0; s < count; s++) {
        QuasiMove move = x->move;
        uint32_t after;
        q->written = x->label;
        if (x->known) {
            after = automaton_step(q->inner, inner, x->label, &again)[s];
        } else {
            RelaxGiven given = relax_given(q->spec, inner, x->invocation, &again)[s];
            after = given.after;
            q->written = given.label;
            move = quasi_move_of(q, x->call, automaton_call(q->inner, given.label)->result);
            if (!is_causal(q, move))
                continue;
        }
        if (draft) {
            QuasiDraft next;
            draft_copy(&next, draft);
            next.inner = after;
            finish(q, &next, false, false, move);
        } else {
            emit(q, after, NULL, move);
        }
    }
}

/* x becomes late, and what it will have taken is settled now: something inside, or nothing. */
static void guess_late(Quasi *q, const QuasiDraft *draft)
{
    SpecCall guess = *q->x->call;
    for (uint32_t e = 0; e < q->elements.count; e++) {
        guess.result = q->elements.at[e].value;
        QuasiMove move = quasi_move_of(q, &guess, guess.result);
        if (move.takes)
            read_late(q, draft, automaton_label(q->inner, &guess), move);
    }
    guess.result = VALUE_NONE;
    read_late(q, draft, automaton_label(q->inner, &guess), quasi_move_of(q, &guess, VALUE_NONE));
}

/* All ways to read x at a place of its class. */
static void read_in_class(Quasi *q)
{
    const QuasiOp *x = q->x;
    QuasiDraft draft;
    const DebtList *promised = &draft.debts.promised;
    draft.inner = (uint32_t)q->from.at[0];
    debts_read(q->from.at + q->block_at, &draft.debts);
    find_reach(q);
    bool was_promised = false;
    for (uint32_t i = 0; i < promised->count; i++) {
        SpecCall promise = *automaton_call(q->inner, debts_label(promised->at[i]));
        if (debts_repeats(promised, promised->count, i) ||
            !relax_same_invocation(&promise, x->call) ||
            !spec_result_fits(q->model, x->call, promise.result))
            continue;
        was_promised = true;
        QuasiMove move = x->known ? x->move : quasi_move_of(q, x->call, promise.result);
        if (!is_causal(q, move))
            continue;
        QuasiDraft next;
        draft_copy(&next, &draft);
        debts_remove(&next.debts.promised, i);
        write_other(q, &next, false, move);
    }
    if (x->known && was_promised)
        return;
    write_itself(q, draft.inner, &draft);
    if (x->known || !q->causal)
        read_late(q, &draft, x->label, x->move);
    else
        guess_late(q, &draft);
}

void quasi_find_block(const Quasi *q, const uint64_t *words, uint32_t class, size_t *block,
                      size_t *end)
{
    *block = *end = 1;
    for (uint32_t c = 0; c <= class && c < q->classes->count; c++) {
        *block = *end;
        *end += debts_words(words + *block);
    }
}

void quasi_load_state(Quasi *q, const QuasiPlace *place, uint32_t state)
{
    size_t count, block;
    const uint64_t *words = interner_words(&q->states, state, &count);
    vec_reserve(&q->from, count);
    memcpy(q->from.at, words, count * sizeof *words);
    q->from.count = count;
    q->place = place;
    quasi_find_block(q, q->from.at, RELAX_CLASSES, &block, &q->moved_at);
}

void quasi_steps(Quasi *q, const QuasiPlace *place, uint32_t state, uint32_t op,
                 QuasiStates *states)
{
    quasi_load_state(q, place, state);
    q->x = &q->ops.at[op];
    q->x_index = op;
    q->c = q->x->class;
    q->out = states;
    q->out_first = states->count;
    if (q->c == RELAX_NO_CLASS) {
        write_itself(q, (uint32_t)q->from.at[0], NULL);
        return;
    }
    q->factor = q->classes->factor[q->c];
    quasi_find_block(q, q->from.at, q->c, &q->block_at, &q->block_end);
    read_in_class(q);
}

static int by_word(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

uint32_t quasi_automaton_state(Quasi *q, const QuasiPlace *place, uint32_t state)
{
    quasi_load_state(q, place, state);
    vec_clear(&q->words);
    vec_push(&q->words, q->from.at[0]);
    for (uint32_t e = 0; q->causal && e < q->elements.count; e++) {
        int64_t times = quasi_times_inside(q, place, e);
        for (int64_t i = 0; i < times; i++)
            vec_push(&q->words, q->elements.at[e].value.word);
    }
    size_t inside = q->words.count - 1;
    if (inside > 1)
        qsort(q->words.at + 1, inside, sizeof *q->words.at, by_word);
    q->words.at[0] |= (uint64_t)inside << 32;
    for (size_t i = 1; i < q->moved_at; i++)
        vec_push(&q->words, q->from.at[i]);
    return automaton_intern(q->problem->automaton, q->words.at, q->words.count);
}

bool quasi_accepts(Quasi *q, const QuasiPlace *place, uint32_t state)
{
    quasi_load_state(q, place, state);
    if (q->moved_at == 1 + (size_t)q->classes->count)
        return true; /* nothing is late or promised */
    return q->classes->semantics == RELAX_KOOO && quasi_can_be_completed(q, place, state);
}
