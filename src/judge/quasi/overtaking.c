/* If all operations of the class are the same call (deq()) and the specification is deterministic,
 * the places of p determine p': at each place of the class the specification gives its own result.
 * The operations of p are then found in p' by their results. What p' gives that no operation of p
 * has is still to come; and p' is continued until it has given all results of p. */
#include "judge/quasi/overtaking.h"
#include <stdlib.h>
#include <string.h>

typedef struct Turns {
    const OvertakingInput *input;
    uint8_t class;
    uint32_t places[OVERTAKING_MOST]; /* operations of the class in the order of p */
    uint32_t place_count;
    OvertakingOther turns[OVERTAKING_MOST]; /* p' */
    uint32_t turn_count;
    uint32_t state;
} Turns;

/* Lets the specification make CALL with any result; false if it can't, or in several ways. */
static bool make_turn(Turns *t, SpecCall call, Value *result)
{
    Automaton *automaton = t->input->inner;
    const Spec *spec = automaton_spec(automaton);
    call.result = VALUE_UNKNOWN;
    size_t words;
    const uint64_t *content = automaton_state(automaton, t->state, &words);
    uint64_t *copy = malloc((words + 1) * sizeof *copy);
    if (!copy)
        die("out of memory");
    if (words)
        memcpy(copy, content, words * sizeof *copy);
    SpecSteps steps = {0};
    spec_steps_clear(&steps, spec, &call);
    spec->step(spec, copy, words, &call, &steps);
    bool one = steps.results.count == 1;
    if (one) {
        *result = steps.results.at[0];
        t->state = automaton_intern(automaton, steps.words.at, steps.words.count);
    }
    spec_steps_free(&steps);
    free(copy);
    return one;
}

/* The operation of the class that has RESULT and is not found yet. */
static uint32_t find_op(const Turns *t, Value result)
{
    const Spec *spec = automaton_spec(t->input->inner);
    for (uint32_t i = 0; i < t->place_count; i++) {
        uint32_t op = t->places[i];
        bool found = false;
        for (uint32_t j = 0; j < t->turn_count; j++)
            found |= t->turns[j].op == op;
        if (!found && spec_result_fits(spec, &t->input->calls[op], result))
            return op;
    }
    return OVERTAKING_NOBODY;
}

static bool add_turn(Turns *t, const SpecCall *call)
{
    OvertakingOther turn;
    if (t->turn_count == OVERTAKING_MOST || !make_turn(t, *call, &turn.result))
        return false;
    turn.op = find_op(t, turn.result);
    t->turns[t->turn_count++] = turn;
    return true;
}

static bool same_call(const SpecCall *a, const SpecCall *b)
{
    return a->method == b->method && a->count == b->count &&
           (!a->count || !memcmp(a->arguments, b->arguments, a->count * sizeof(Value)));
}

static bool run_turns(Turns *t)
{
    const OvertakingInput *input = t->input;
    t->state = automaton_initial(input->inner);
    for (uint32_t i = 0; i < input->count; i++) {
        uint32_t op = input->order[i];
        if (input->class[op] == t->class) {
            if (t->place_count == OVERTAKING_MOST)
                return false;
            t->places[t->place_count++] = op;
            if (!same_call(&input->calls[op], &input->calls[t->places[0]]))
                return false;
        }
    }
    for (uint32_t i = 0; i < input->count; i++) {
        uint32_t op = input->order[i];
        Value ignored;
        if (input->class[op] == t->class ? !add_turn(t, &input->calls[op])
                                         : !make_turn(t, input->calls[op], &ignored))
            return false;
    }
    uint32_t found = 0;
    for (uint32_t j = 0; j < t->turn_count; j++)
        found += t->turns[j].op != OVERTAKING_NOBODY;
    while (t->place_count && found < t->place_count) {
        if (!add_turn(t, &input->calls[t->places[0]]))
            return false;
        found += t->turns[t->turn_count - 1].op != OVERTAKING_NOBODY;
    }
    return t->place_count > 0;
}

static uint32_t turn_of(const Turns *t, uint32_t op)
{
    uint32_t j = 0;
    while (t->turns[j].op != op)
        j++;
    return j;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* Where what TURN gives stands in p, from 0; what is not there can come after all that is, in the
 * order of p'. */
static uint32_t place_of(const Turns *t, uint32_t turn)
{
    uint32_t waiting = 0, place = 0;
    if (t->turns[turn].op == OVERTAKING_NOBODY) {
        for (uint32_t j = 0; j < turn; j++)
            waiting += t->turns[j].op == OVERTAKING_NOBODY;
        return t->place_count + waiting;
    }
    while (t->places[place] != t->turns[turn].op)
        place++;
    return place;
}

bool overtaking_find(const OvertakingInput *input, uint8_t class, Overtaking *worst)
{
    Turns t = {.input = input, .class = class};
    if (!run_turns(&t))
        return false;
    uint32_t most = 0, turn = 0;
    for (uint32_t j = 0; j < t.turn_count; j++) {
        uint32_t far = distance(j, place_of(&t, j));
        /* of those as far, one that is late: it was overtaken */
        if (far > most || (far == most && far && place_of(&t, turn) < turn)) {
            most = far;
            turn = j;
        }
    }
    if (!most)
        return false;
    uint32_t place = place_of(&t, turn);
    *worst = (Overtaking){.op = t.turns[turn].op,
                          .result = t.turns[turn].result,
                          .place = place + 1,
                          .turn = turn + 1};
    bool late = turn < place;
    for (uint32_t i = 0; late && i < MIN(place, t.place_count); i++) { /* in the order of p */
        uint32_t other = turn_of(&t, t.places[i]);
        if (other > turn)
            worst->others[worst->count++] = t.turns[other];
    }
    for (uint32_t j = 0; !late && j < turn; j++)
        if (place_of(&t, j) > place)
            worst->others[worst->count++] = t.turns[j];
    return true;
}
