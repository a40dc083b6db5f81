/* A problem made ready for quasi.c: its operations and elements, and for every event how many
 * operations of each class were called and had returned before it. */
#include "judge/quasi/quasi_internal.h"
#include <stdlib.h>

Quasi *quasi_new(void)
{
    Quasi *quasi = calloc(1, sizeof *quasi);
    if (!quasi)
        die("out of memory");
    return quasi;
}

void quasi_free(Quasi *q)
{
    if (!q)
        return;
    vec_free(&q->ops);
    vec_free(&q->elements);
    hashmap_free(&q->element_index);
    vec_free(&q->returns);
    for (size_t c = 0; c < RELAX_CLASSES; c++) {
        vec_free(&q->class[c].by_call);
        vec_free(&q->class[c].returned);
        vec_free(&q->class[c].called);
    }
    interner_free(&q->states);
    vec_free(&q->from);
    vec_free(&q->words);
    vec_free(&q->reach);
    vec_free(&q->windows);
    vec_free(&q->takes_returned);
    vec_free(&q->moments);
    vec_free(&q->put_order);
    vec_free(&q->need_first);
    vec_free(&q->needs);
    vec_free(&q->ban_first);
    vec_free(&q->bans);
    vec_free(&q->label_moves);
    vec_free(&q->order);
    free(q);
}

size_t quasi_memory(const Quasi *q)
{
    size_t bytes = interner_memory(&q->states) + q->ops.capacity * sizeof(QuasiOp) +
                   automaton_memory(q->inner);
    for (size_t c = 0; c < RELAX_CLASSES; c++)
        bytes += (q->class[c].returned.capacity + q->class[c].called.capacity) * sizeof(uint32_t);
    return bytes;
}

bool quasi_applies(const LinearizeProblem *problem)
{
    const RelaxClasses *classes = relax_classes(automaton_spec(problem->automaton));
    return classes && classes->semantics != RELAX_DEF4 && !problem->before &&
           problem->stuck == LINEARIZE_NONE;
}

uint32_t quasi_element_of(const Quasi *q, Value value)
{
    uint64_t *known = hashmap_find(&q->element_index, value.word);
    return known ? (uint32_t)*known : QUASI_NO_ELEMENT;
}

/* VALUE: of the element, if there is one. */
static QuasiMove kind_of_move(const Quasi *q, const SpecCall *call, Value result, Value *value)
{
    QuasiMove move = {.element = QUASI_NO_ELEMENT};
    if (!q->model->role || !q->model->holds_elements)
        return move;
    SpecCall placed = *call;
    placed.result = result.word == SPEC_DONE.word ? VALUE_NONE : result;
    SpecRole role = q->model->role(q->model, &placed, value);
    move.takes = role == SPEC_ROLE_TAKE;
    move.puts = role == SPEC_ROLE_PUT;
    move.finds_nothing = role == SPEC_ROLE_EMPTY;
    return move;
}

QuasiMove quasi_move_of(const Quasi *q, const SpecCall *call, Value result)
{
    Value value;
    QuasiMove move = kind_of_move(q, call, result, &value);
    if (move.puts || move.takes)
        move.element = quasi_element_of(q, value);
    return move;
}

static QuasiMove add_element(Quasi *q, const SpecCall *call)
{
    Value value;
    QuasiMove move = kind_of_move(q, call, call->result, &value);
    if (!move.puts && !move.takes)
        return move;
    bool absent;
    uint64_t *known = hashmap_put(&q->element_index, value.word, &absent);
    if (absent) {
        *known = q->elements.count;
        vec_push(&q->elements, (QuasiElement){value, LINEARIZE_NONE, LINEARIZE_NONE, 0, 0, false});
    }
    move.element = (uint32_t)*known;
    q->elements.at[move.element].put_count += move.puts;
    return move;
}

static void load_ops(Quasi *q)
{
    vec_clear(&q->ops);
    vec_clear(&q->elements);
    hashmap_clear(&q->element_index);
    for (uint32_t i = 0; i < q->problem->count; i++) {
        const LinearizeOp *from = &q->problem->ops[i];
        const SpecCall *call = automaton_call(q->problem->automaton, from->label);
        QuasiOp op = {.call = call,
                      .label = automaton_label(q->inner, call),
                      .invocation = relax_invocation(q->spec, call),
                      .class = relax_class_of(q->spec, call->method),
                      .known = call->result.word != VALUE_UNKNOWN.word,
                      .happens = from->returned != LINEARIZE_PENDING && !from->optional};
        if (op.class != RELAX_NO_CLASS && !q->classes->factor[op.class])
            op.class = RELAX_NO_CLASS; /* it keeps its place */
        op.certain = op.known && op.happens;
        op.move = add_element(q, call);
        if (op.certain && op.move.element != QUASI_NO_ELEMENT) {
            QuasiElement *element = &q->elements.at[op.move.element];
            uint32_t *list = op.move.puts ? &element->puts : &element->takes;
            op.next = *list;
            *list = i;
        } else if (op.move.puts) {
            q->elements.at[op.move.element].perhaps_put++;
        }
        vec_push(&q->ops, op);
    }
}

void quasi_note_contradiction(Quasi *q, uint32_t a, uint32_t b)
{
    const LinearizeOp *ops = q->problem->ops;
    uint32_t last = a;
    for (uint32_t i = 0; b == LINEARIZE_NONE && i < q->ops.count; i++)
        if (ops[i].returned != LINEARIZE_PENDING && ops[i].returned > ops[last].returned)
            last = i;
    if (b != LINEARIZE_NONE && ops[b].returned > ops[a].returned)
        last = b;
    if (q->contradiction == LINEARIZE_NONE || ops[last].returned < ops[q->contradiction].returned)
        q->contradiction = last;
}

uint32_t quasi_contradiction(const Quasi *q)
{
    return q->contradiction;
}

bool quasi_order(const Quasi *q, const uint32_t **order, uint32_t *count)
{
    *order = q->order.at;
    *count = (uint32_t)q->order.count;
    return q->decided == VERDICT_HOLDS;
}

uint64_t quasi_ranked(const Quasi *q)
{
    return q->ranked;
}

/* For an element that was taken n times by some return, n puts must have been called before it, if
 * nothing is taken in p before it is put; else n at any time. */
static void check_elements(Quasi *q)
{
    const LinearizeOp *ops = q->problem->ops;
    for (uint32_t e = 0; e < q->elements.count; e++)
        for (uint32_t t = q->elements.at[e].takes; t != LINEARIZE_NONE; t = q->ops.at[t].next) {
            uint32_t taken = 0, put = 0;
            for (uint32_t i = q->elements.at[e].takes; i != LINEARIZE_NONE; i = q->ops.at[i].next)
                taken += ops[i].returned <= ops[t].returned;
            for (uint32_t i = q->elements.at[e].puts; i != LINEARIZE_NONE; i = q->ops.at[i].next)
                put += !q->causal || ops[i].called < ops[t].returned;
            if (taken > put + q->elements.at[e].perhaps_put)
                quasi_note_contradiction(q, t, t);
        }
}

void quasi_start(Quasi *q, const LinearizeProblem *problem, const LinearizeLimits *limits,
                 const uint32_t *events, size_t event_count)
{
    q->problem = problem;
    q->spec = automaton_spec(problem->automaton);
    q->classes = relax_classes(q->spec);
    q->model = q->classes->inner;
    q->inner = relax_inner(q->spec);
    q->causal = relax_is_causal(q->spec);
    q->contradiction = LINEARIZE_NONE;
    q->decided = VERDICT_INCONCLUSIVE;
    q->ranked = 0;
    vec_clear(&q->order);
    load_ops(q);
    check_elements(q);
    interner_clear(&q->states);
    vec_reserve(&q->returns, problem->count + 1);
    for (uint32_t i = 0; i < problem->count; i++)
        q->returns.at[i] = UINT32_MAX;
    for (uint32_t c = 0; c < q->classes->count; c++) {
        QuasiClass *class = &q->class[c];
        vec_clear(&class->by_call);
        vec_clear(&class->returned);
        vec_clear(&class->called);
        class->total = 0;
        uint32_t called = 0, returned = 0;
        for (size_t e = 0; q->classes->factor[c] && e <= event_count; e++) {
            vec_push(&class->returned, returned);
            vec_push(&class->called, called);
            if (e == event_count)
                break;
            uint32_t i = events[e] / 2;
            QuasiOp *op = &q->ops.at[i];
            if (op->class != c)
                continue;
            if (events[e] & 1) {
                returned += op->happens;
            } else {
                op->before = returned;
                op->rank = called++;
                vec_push(&class->by_call, i);
                class->total += op->happens;
            }
        }
    }
    for (size_t e = 0; e < event_count; e++)
        if (events[e] & 1)
            q->returns.at[events[e] / 2] = (uint32_t)e;
    quasi_doom_start(q, events, event_count);
    if (q->contradiction == LINEARIZE_NONE)
        quasi_ranks_start(q, limits);
}
