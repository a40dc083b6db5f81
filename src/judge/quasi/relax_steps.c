/* The relaxed automaton. A run p is read place by place while p' is written in lockstep. Of each
 * class it remembers the operations that p has had and p' has not (late) and those that p' has had
 * and p has not (promised); there are equally many. At a place of class d with factor K:
 *   - the operation x read is one that was promised, or else it is written now, or becomes late;
 *   - the operation y written is x, or one that is late, or a new promise;
 *   - what stays late or promised gets one place older, and at age K it must go.
 * Exact, by construction: a sequence of such choices that leaves nothing late or promised is the
 * same as a permutation p' of p inside the places of each class with displacements of at most K.
 * Two choices are left out, both without loss: a promised label is always used by the first x that
 * fits it (exchange it with the later operation of the same label: its displacement only shrinks),
 * and never is a promise made of the label that is being read (write x itself, and let the other
 * take x's later place, which is within K of it too since both lie in the K places that follow).
 *
 * Promises are made of the invocations that occur in the history (the automaton's labels), with the
 * results that the specification gives. For kooo the state also holds the values inside the
 * container as p sees it: x may take v only if v is there. A state is accepting if nothing is late
 * or promised; for kooo, if it can get there by at most K more calls of each class. */
#include "judge/quasi/relax_internal.h"
#include <stdlib.h>
#include <string.h>

RelaxState *relax_state_take(Relax *relax)
{
    if (relax->depth == relax->scratch.count) {
        RelaxState *state = calloc(1, sizeof *state);
        if (!state)
            die("out of memory");
        vec_push(&relax->scratch, state);
    }
    return relax->scratch.at[relax->depth++];
}

void relax_state_give_back(Relax *relax)
{
    relax->depth--;
}

void relax_state_decode(Relax *relax, const uint64_t *words, RelaxState *state)
{
    state->inner = (uint32_t)words[0];
    size_t inside = (size_t)(words[0] >> 32);
    words++;
    vec_clear(&state->inside);
    vec_reserve(&state->inside, inside + 2);
    if (inside)
        memcpy(state->inside.at, words, inside * sizeof *words);
    state->inside.count = inside;
    words += inside;
    for (uint32_t c = 0; c < relax->classes.count; c++) {
        debts_read(words, &state->classes[c]);
        words += debts_words(words);
    }
}

static void state_copy(Relax *relax, RelaxState *to, const RelaxState *from)
{
    to->inner = from->inner;
    vec_clear(&to->inside);
    vec_reserve(&to->inside, from->inside.count + 2);
    if (from->inside.count)
        memcpy(to->inside.at, from->inside.at, from->inside.count * sizeof(uint64_t));
    to->inside.count = from->inside.count;
    for (uint32_t c = 0; c < relax->classes.count; c++)
        debts_copy(&to->classes[c], &from->classes[c]);
}

typedef void EmitState(void *context, const RelaxState *state, Value result);
typedef struct Emitter {
    Relax *relax;
    SpecSteps *steps;
} Emitter;

static void emit_to_steps(void *context, const RelaxState *state, Value result)
{
    Emitter *emitter = context;
    Relax *relax = emitter->relax;
    vec_clear(&relax->words);
    vec_push(&relax->words, (uint64_t)state->inside.count << 32 | state->inner);
    for (size_t i = 0; i < state->inside.count; i++)
        vec_push(&relax->words, state->inside.at[i]);
    for (uint32_t c = 0; c < relax->classes.count; c++) {
        vec_reserve(&relax->words, relax->words.count + DEBTS_WORDS);
        relax->words.count += debts_write(&state->classes[c], relax->words.at + relax->words.count);
    }
    spec_emit(emitter->steps, relax->words.at, relax->words.count, result);
}

/* The states that a step of the inner specification leads to, copied out of the automaton's way. */
typedef struct InnerStates {
    uint32_t few[16], *at;
    size_t count;
} InnerStates;

static void inner_states(Relax *relax, uint32_t state, uint32_t label, InnerStates *out)
{
    const uint32_t *found = automaton_step(relax->inner, state, label, &out->count);
    out->at = out->few;
    if (out->count > COUNT_OF(out->few) && !(out->at = malloc(out->count * sizeof *out->at)))
        die("out of memory");
    if (out->count)
        memcpy(out->at, found, out->count * sizeof *found);
}

static void inner_states_free(InnerStates *states)
{
    if (states->at != states->few)
        free(states->at);
}

const RelaxGiven *relax_find_given(Relax *relax, uint32_t inner, uint32_t invocation, size_t *count)
{
    bool absent;
    uint64_t *known = hashmap_put(&relax->given_index, (uint64_t)inner << 32 | invocation, &absent);
    if (absent) {
        size_t place = relax->given.count, words;
        const Spec *model = relax->classes.inner;
        SpecCall call = relax->invocations.at[invocation];
        const uint64_t *content = automaton_state(relax->inner, inner, &words);
        vec_reserve(&relax->from, words + 1);
        if (words)
            memcpy(relax->from.at, content, words * sizeof *content);
        spec_steps_clear(&relax->steps, model, &call);
        model->step(model, relax->from.at, words, &call, &relax->steps);
        const SpecSteps *steps = &relax->steps;
        for (size_t i = 0; i < steps->results.count; i++) {
            SpecCall given = call;
            given.result = steps->results.at[i];
            uint32_t after =
                automaton_intern(relax->inner, vec_from(&steps->words, steps->offsets.at[i]),
                                 (size_t)steps->offsets.at[i + 1] - steps->offsets.at[i]);
            vec_push(&relax->given, (RelaxGiven){after, automaton_label(relax->inner, &given)});
        }
        *known = (uint64_t)place << 32 | steps->results.count;
    }
    *count = (size_t)(*known & UINT32_MAX);
    return relax->given.at + (*known >> 32);
}

/* x is placed in p with this result: false if that is not causal. Keeps state->inside. */
static bool place(Relax *relax, RelaxState *state, const SpecCall *call, Value result)
{
    if (!relax->causal)
        return true;
    SpecCall placed = *call;
    placed.result = result.word == SPEC_DONE.word ? VALUE_NONE : result;
    Value value;
    SpecRole role = relax->classes.inner->role(relax->classes.inner, &placed, &value);
    uint64_t *at = state->inside.at;
    size_t count = state->inside.count, i = 0;
    while (i < count && at[i] < value.word)
        i++;
    if (role == SPEC_ROLE_PUT) {
        memmove(at + i + 1, at + i, (count - i) * sizeof *at);
        at[i] = value.word;
        state->inside.count++;
    } else if (role == SPEC_ROLE_TAKE) {
        if (i == count || at[i] != value.word)
            return false;
        memmove(at + i, at + i + 1, (count - i - 1) * sizeof *at);
        state->inside.count--;
    }
    return true;
}

typedef struct Move {
    Relax *relax;
    uint32_t class;
    EmitState *emit;
    void *context;
} Move;

/* The place is filled; hand the state on if nothing is overdue. LATE, PROMISED: were they added? */
static void finish(const Move *move, RelaxState *state, bool late, bool promised, Value result)
{
    uint32_t factor = move->relax->classes.factor[move->class];
    if (debts_pass(&state->classes[move->class], late, promised, factor))
        move->emit(move->context, state, result);
}

/* A promise of INVOCATION with RESULT is worth making under slot only if the history has it. */
static bool occurs(Relax *relax, const SpecCall *invocation, Value result)
{
    if (relax->classes.semantics == RELAX_KOOO)
        return true;
    for (size_t i = 0; i < relax->recorded.count; i++) {
        const SpecCall *call = &relax->recorded.at[i];
        if (call->method == invocation->method && call->count == invocation->count &&
            (!call->count ||
             !memcmp(call->arguments, invocation->arguments, call->count * sizeof(Value))) &&
            spec_result_fits(relax->classes.inner, call, result))
            return true;
    }
    return false;
}

bool relax_same_invocation(const SpecCall *a, const SpecCall *b)
{
    return a->method == b->method && a->count == b->count &&
           (!a->count || !memcmp(a->arguments, b->arguments, a->count * sizeof(Value)));
}

uint32_t relax_find_invocation(const Relax *relax, const SpecCall *call)
{
    uint32_t i = 0;
    while (i < relax->invocations.count && !relax_same_invocation(&relax->invocations.at[i], call))
        i++;
    ASSERT(i < relax->invocations.count); /* every label of the automaton is there */
    return i;
}

/* Writes something other than x: each operation that is late, each new promise. STATE is after the
 * reading of x; X is not NULL if x has become late just now (it is the last late entry). */
static void write_other(const Move *move, const RelaxState *state, const SpecCall *x, Value result)
{
    Relax *relax = move->relax;
    const DebtList *late = &state->classes[move->class].late;
    RelaxState *next = relax_state_take(relax);
    Debts *to = &next->classes[move->class];
    uint32_t old = late->count - (x ? 1 : 0);
    for (uint32_t i = 0; i < old; i++) {
        uint32_t label = debts_label(late->at[i]);
        if (debts_repeats(late, old, i))
            continue;
        InnerStates states;
        inner_states(relax, state->inner, label, &states);
        for (size_t s = 0; s < states.count; s++) {
            state_copy(relax, next, state);
            next->inner = states.at[s];
            debts_remove(&to->late, i);
            finish(move, next, x != NULL, false, result);
        }
        inner_states_free(&states);
    }
    for (size_t v = 0; v < relax->invocations.count; v++) {
        SpecCall call = relax->invocations.at[v];
        if (relax->class_of.at[call.method] != move->class)
            continue;
        size_t count;
        relax_find_given(relax, state->inner, (uint32_t)v, &count);
        for (size_t s = 0; s < count; s++) {
            size_t again;
            RelaxGiven step = relax_find_given(relax, state->inner, (uint32_t)v, &again)[s];
            Value given = automaton_call(relax->inner, step.label)->result;
            if ((x && relax_same_invocation(x, &call) && x->result.word != VALUE_UNKNOWN.word &&
                 spec_result_fits(relax->classes.inner, x, given)) ||
                !occurs(relax, &call, given))
                continue;
            state_copy(relax, next, state);
            next->inner = step.after;
            if (debts_add(&to->promised, step.label))
                finish(move, next, x != NULL, true, result);
        }
    }
    relax_state_give_back(relax);
}

/* x becomes late with this result, which p then shows. */
static void read_late(const Move *move, const RelaxState *state, const SpecCall *x, Value result)
{
    Relax *relax = move->relax;
    if (!relax->classes.factor[move->class])
        return;
    RelaxState *next = relax_state_take(relax);
    state_copy(relax, next, state);
    if (place(relax, next, x, result) &&
        debts_add(&next->classes[move->class].late, automaton_label(relax->inner, x)))
        write_other(move, next, x, result);
    relax_state_give_back(relax);
}

/* x itself is written: after STATE, with each result that fits. */
static void write_itself(Relax *relax, const RelaxState *state, const SpecCall *x, const Move *move,
                         EmitState *emit, void *context)
{
    RelaxState *next = relax_state_take(relax);
    InnerStates states = {.count = 0};
    states.at = states.few;
    uint32_t invocation = 0;
    size_t count;
    bool known = x->result.word != VALUE_UNKNOWN.word;
    if (known) {
        inner_states(relax, state->inner, automaton_label(relax->inner, x), &states);
        count = states.count;
    } else {
        invocation = relax_find_invocation(relax, x);
        relax_find_given(relax, state->inner, invocation, &count);
    }
    for (size_t s = 0; s < count; s++) {
        Value result = x->result;
        state_copy(relax, next, state);
        if (known) {
            next->inner = states.at[s];
        } else {
            size_t again;
            RelaxGiven given = relax_find_given(relax, state->inner, invocation, &again)[s];
            next->inner = given.after;
            result = automaton_call(relax->inner, given.label)->result;
        }
        if (!place(relax, next, x, result))
            continue;
        if (move)
            finish(move, next, false, false, result);
        else
            emit(context, next, result);
    }
    inner_states_free(&states);
    relax_state_give_back(relax);
}

/* All ways to read x at a place of its class. */
static void read_in_class(const Move *move, const RelaxState *state, const SpecCall *x)
{
    Relax *relax = move->relax;
    const Spec *inner = relax->classes.inner;
    const DebtList *promised = &state->classes[move->class].promised;
    bool known = x->result.word != VALUE_UNKNOWN.word, was_promised = false;
    RelaxState *next = relax_state_take(relax);
    for (uint32_t i = 0; i < promised->count; i++) {
        SpecCall promise = *automaton_call(relax->inner, debts_label(promised->at[i]));
        if (debts_repeats(promised, promised->count, i) || !relax_same_invocation(&promise, x) ||
            !spec_result_fits(inner, x, promise.result))
            continue;
        state_copy(relax, next, state);
        debts_remove(&next->classes[move->class].promised, i);
        was_promised = true;
        if (place(relax, next, x, promise.result))
            write_other(move, next, NULL, promise.result);
    }
    relax_state_give_back(relax);
    if (known && was_promised)
        return;
    write_itself(relax, state, x, move, NULL, NULL);
    if (known || !relax->causal) {
        read_late(move, state, x, x->result);
        return;
    }
    /* what it will have taken is settled now: something inside, or nothing */
    SpecCall guess = *x;
    for (size_t i = 0; i < state->inside.count; i++) {
        guess.result = (Value){state->inside.at[i]};
        if (!i || state->inside.at[i - 1] != state->inside.at[i])
            read_late(move, state, &guess, guess.result);
    }
    guess.result = VALUE_NONE;
    read_late(move, state, &guess, guess.result);
}

static void read_any(Relax *relax, const RelaxState *state, const SpecCall *call, EmitState *emit,
                     void *context)
{
    uint8_t class = relax->class_of.at[call->method];
    Move move = {relax, class, emit, context};
    if (class != RELAX_NO_CLASS)
        read_in_class(&move, state, call);
    else
        write_itself(relax, state, call, NULL, emit, context);
}

void relax_initial(const Spec *spec, SpecSteps *steps)
{
    Relax *relax = spec->data;
    RelaxState *state = relax_state_take(relax);
    state->inner = automaton_initial(relax->inner);
    vec_clear(&state->inside);
    for (uint32_t c = 0; c < relax->classes.count; c++)
        state->classes[c].late.count = state->classes[c].promised.count = 0;
    Emitter emitter = {relax, steps};
    emit_to_steps(&emitter, state, SPEC_DONE);
    relax_state_give_back(relax);
}

void relax_step(const Spec *spec, const uint64_t *words, size_t count, const SpecCall *call,
                SpecSteps *steps)
{
    (void)count;
    Relax *relax = spec->data;
    RelaxState *state = relax_state_take(relax);
    relax_state_decode(relax, words, state);
    Emitter emitter = {relax, steps};
    read_any(relax, state, call, emit_to_steps, &emitter);
    relax_state_give_back(relax);
}

static bool is_settled(Relax *relax, const RelaxState *state)
{
    for (uint32_t c = 0; c < relax->classes.count; c++)
        if (state->classes[c].late.count || state->classes[c].promised.count)
            return false;
    return true;
}

/* Where nothing is owed, p' stands where p does: what waits there may wait here. */
bool relax_may_wait(const Spec *spec, const uint64_t *words, size_t count, const SpecCall *call)
{
    (void)count;
    Relax *relax = spec->data;
    RelaxState *state = relax_state_take(relax);
    relax_state_decode(relax, words, state);
    bool waits = is_settled(relax, state) &&
                 automaton_waits(relax->inner, state->inner, automaton_label(relax->inner, call));
    relax_state_give_back(relax);
    return waits;
}

/* Can the run be continued to a settled state? LEFT: calls that each class may still make. */
typedef struct Completion {
    Relax *relax;
    uint32_t left[RELAX_CLASSES];
    bool found;
} Completion;

static void complete(Completion *completion, const RelaxState *state);

static void complete_from(void *context, const RelaxState *state, Value result)
{
    (void)result;
    Completion *completion = context;
    if (!completion->found)
        complete(completion, state);
}

static void complete(Completion *completion, const RelaxState *state)
{
    Relax *relax = completion->relax;
    if (is_settled(relax, state)) {
        completion->found = true;
        return;
    }
    for (uint32_t c = 0; c < relax->classes.count; c++) /* each place settles at most one of each */
        if (state->classes[c].late.count > completion->left[c])
            return;
    for (size_t v = 0; v < relax->invocations.count && !completion->found; v++) {
        SpecCall call = relax->invocations.at[v];
        uint8_t class = relax->class_of.at[call.method];
        if (class == RELAX_NO_CLASS || !completion->left[class])
            continue;
        completion->left[class]--;
        read_any(relax, state, &call, complete_from, completion);
        completion->left[class]++;
    }
}

bool relax_accepts(const Spec *spec, const uint64_t *words, size_t count)
{
    (void)count;
    Relax *relax = spec->data;
    RelaxState *state = relax_state_take(relax);
    relax_state_decode(relax, words, state);
    bool accepts = is_settled(relax, state);
    if (!accepts && relax->classes.semantics == RELAX_KOOO) {
        Completion completion = {.relax = relax};
        memcpy(completion.left, relax->classes.factor, sizeof completion.left);
        complete(&completion, state);
        accepts = completion.found;
    }
    relax_state_give_back(relax);
    return accepts;
}
