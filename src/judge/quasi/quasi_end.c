/* kooo: can the run be continued by at most K calls of each class, of the kinds that occur in the
 * history and with any results, so that nothing stays late or promised?
 *
 * These calls have no order among each other, so in p they may be sorted, inside each class, by
 * their places in p': exchanging two that are crossed makes no displacement larger than the larger
 * one was. Sorted, they are read from p in the order in which they are written to p'. So at a place
 * of a class the call that is read is the one promised first; and if none is promised (so that
 * nothing is late either), it is written at once. What remains to be tried is what is written.
 *
 * Sorting may break causality: a call after the end takes what another one puts. If, and only if,
 * that stands in the way the automaton is asked, which tries everything. */
#include "judge/quasi/quasi_internal.h"
#include <string.h>

typedef struct End {
    Quasi *q;
    const QuasiPlace *place;
    bool not_causal; /* that stood in the way */
    Interner visited;
    Vec(uint64_t) work; /* the states on the path, one after the other */
} End;

/* A state is: the inner state, the blocks, the calls left of each class, then the elements that
 * calls after the end have put and taken: element << 1 | it was taken. */
static bool complete(End *end, size_t from, size_t count);

/* One place of class C: INNER is the state after what was written there, DEBTS are what is owed
 * after it, not yet aged. READ is the label that was read. */
typedef struct EndPlace {
    uint32_t c, inner, read;
    bool promised_added; /* the last of the promises is new */
    Debts debts;
} EndPlace;

/* Is what is read there to be taken? MOVED: what calls after the end have done. */
static bool is_causal(const End *end, QuasiMove move, const uint64_t *moved, size_t count)
{
    const Quasi *q = end->q;
    if (!q->causal || !move.takes)
        return true;
    if (move.element == QUASI_NO_ELEMENT)
        return false;
    int64_t times = quasi_times_inside(q, end->place, move.element);
    for (size_t i = 0; i < count; i++)
        if (moved[i] >> 1 == move.element)
            times += moved[i] & 1 ? -1 : 1;
    return times > 0;
}

static bool go_on(End *end, size_t from, size_t count, EndPlace *next)
{
    Quasi *q = end->q;
    if (!debts_pass(&next->debts, false, next->promised_added, q->classes->factor[next->c]))
        return false;
    const SpecCall *read = automaton_call(q->inner, next->read);
    QuasiMove move = quasi_move_of(q, read, read->result);
    size_t block, block_end, all, to = from + count;
    vec_reserve(&end->work, to + count + DEBTS_WORDS + 8);
    const uint64_t *old = end->work.at + from;
    quasi_find_block(q, old, next->c, &block, &block_end);
    quasi_find_block(q, old, RELAX_CLASSES, &all, &all);
    size_t moved = all + q->classes->count;
    if (!is_causal(end, move, old + moved, count - moved)) {
        end->not_causal = true;
        return false;
    }
    end->work.count = to;
    vec_push(&end->work, next->inner);
    for (size_t i = 1; i < block; i++)
        vec_push(&end->work, end->work.at[from + i]);
    end->work.count += debts_write(&next->debts, end->work.at + end->work.count);
    for (size_t i = block_end; i < all; i++)
        vec_push(&end->work, end->work.at[from + i]);
    for (uint32_t c = 0; c < q->classes->count; c++)
        vec_push(&end->work, end->work.at[from + all + c] - (c == next->c));
    size_t first_moved = end->work.count;
    for (size_t i = moved; i < count; i++)
        vec_push(&end->work, end->work.at[from + i]);
    if (q->causal && move.element != QUASI_NO_ELEMENT)
        vec_push(&end->work, (uint64_t)move.element << 1 | move.takes);
    debts_sort(end->work.at + first_moved, (uint32_t)(end->work.count - first_moved));
    return complete(end, to, end->work.count - to);
}

/* All ways to fill a place of class C. */
static bool fill_place(End *end, size_t from, size_t count, uint32_t c)
{
    Quasi *q = end->q;
    size_t block, block_end;
    quasi_find_block(q, end->work.at + from, c, &block, &block_end);
    uint32_t inner = (uint32_t)end->work.at[from], oldest = 0;
    EndPlace now = {.c = c};
    debts_read(end->work.at + from + block, &now.debts);
    DebtList *late = &now.debts.late, *promised = &now.debts.promised;
    for (uint32_t i = 1; i < promised->count; i++)
        if (debts_age(promised->at[i]) > debts_age(promised->at[oldest]))
            oldest = i;
    size_t steps, again;
    bool settled = !promised->count;
    if (!settled) {
        now.read = debts_label(promised->at[oldest]);
        debts_remove(promised, oldest);
    }
    for (uint32_t i = 0; i < late->count; i++) { /* one that is late is written */
        uint32_t label = debts_label(late->at[i]);
        automaton_step(q->inner, inner, label, &steps);
        for (size_t s = 0; s < steps; s++) {
            EndPlace next = now;
            next.inner = automaton_step(q->inner, inner, label, &again)[s];
            debts_remove(&next.debts.late, i);
            if (go_on(end, from, count, &next))
                return true;
        }
    }
    for (uint32_t v = 0; v < relax_invocation_count(q->spec); v++) { /* or another call */
        if (relax_class_of(q->spec, relax_invocation_call(q->spec, v)->method) != c)
            continue;
        relax_given(q->spec, inner, v, &steps);
        for (size_t s = 0; s < steps; s++) {
            RelaxGiven given = relax_given(q->spec, inner, v, &again)[s];
            EndPlace next = now;
            next.inner = given.after;
            next.promised_added = !settled;
            if (settled)
                next.read = given.label;
            else if (!debts_add(&next.debts.promised, given.label))
                continue;
            if (go_on(end, from, count, &next))
                return true;
        }
    }
    return false;
}

static bool complete(End *end, size_t from, size_t count)
{
    Quasi *q = end->q;
    const uint64_t *words = end->work.at + from;
    size_t block, block_end, all;
    quasi_find_block(q, words, RELAX_CLASSES, &block, &all);
    if (all == 1 + (size_t)q->classes->count)
        return true;                                   /* nothing is late or promised */
    for (uint32_t c = 0; c < q->classes->count; c++) { /* a place settles one at most */
        quasi_find_block(q, words, c, &block, &block_end);
        if ((words[block] & UINT32_MAX) > words[all + c])
            return false;
    }
    size_t known = end->visited.entries.count;
    if (interner_number(&end->visited, words, count) < known)
        return false;
    /* first where something waits, then calls that only change the state */
    for (int settled = 0; settled < 2; settled++)
        for (uint32_t c = 0; c < q->classes->count; c++) {
            quasi_find_block(q, end->work.at + from, c, &block, &block_end);
            if ((block_end == block + 1) == settled && end->work.at[from + all + c] &&
                fill_place(end, from, count, c))
                return true;
        }
    return false;
}

bool quasi_can_be_completed(Quasi *q, const QuasiPlace *place, uint32_t state)
{
    End end = {.q = q, .place = place};
    quasi_load_state(q, place, state);
    for (size_t i = 0; i < q->moved_at; i++)
        vec_push(&end.work, q->from.at[i]);
    for (uint32_t c = 0; c < q->classes->count; c++)
        vec_push(&end.work, q->classes->factor[c]);
    bool found = complete(&end, 0, end.work.count);
    interner_free(&end.visited);
    vec_free(&end.work);
    if (!found && end.not_causal)
        return automaton_accepts(q->problem->automaton, quasi_automaton_state(q, place, state));
    return found;
}
