#include "guest/states/steps/taken.h"
#include <string.h>
#include "base/interner.h"
#include "guest/states/present.h"
#include "guest/states/shelf.h"
#include "guest/states/steps/late.h"
#include "guest/states/symmetry.h"

#define EVERYTHING UINT32_MAX     /* is touched */
enum { WRITES = 1, VISIBLE = 2 }; /* of an access, below its bytes */

bool taken_used;
typedef struct Step {
    uint32_t to, kind, touched;
    uint8_t turn;
} Step;
typedef struct Kind { /* of a step */
    StatesDone done;
    uint32_t thread, way;
    bool apart;
    uint64_t decisions; /* memory.h */
} Kind;
typedef struct State {
    uint32_t first;                 /* its first step */
    uint32_t parent;                /* from which a step has led here first; of the start itself */
    uint32_t reached;               /* by this step */
    uint16_t count;                 /* of its steps */
    uint8_t waiting;                /* threads */
    uint8_t turn;                   /* of its first copy */
    bool met;                       /* a step has led here */
    bool known, ended;              /* the parent is; all steps were taken */
    uint8_t stores[STATES_THREADS]; /* in buffers, by thread */
} State;
static Shelf(Step) steps;
static Shelf(State) states;
static Vec(Kind) kinds;
static Interner kind_numbers; /* of `kinds` */
static Interner touches;      /* two words for each access */

void taken_begin(bool used)
{
    taken_used = used;
    shelf_clear(&steps);
    shelf_clear(&states);
    kinds.count = 0;
    interner_clear(&kind_numbers);
    interner_clear(&touches);
}

static State *state_at(uint32_t state)
{
    while (states.count <= state)
        shelf_push(&states, (State){0});
    return shelf_at(&states, state);
}

/* ---- what steps are like ---- */

static uint32_t number_kind(const Kind *kind)
{
    const StatesDone *done = &kind->done;
    uint64_t words[] = {(uint64_t)(uint16_t)done->call | (uint64_t)done->returned << 16 |
                            (uint64_t)done->late << 17 | (uint64_t)done->wrote << 18 |
                            (uint64_t)done->over << 32,
                        done->result.word,
                        done->ended | (uint64_t)done->requests << 32,
                        (uintptr_t)done->site,
                        kind->thread | (uint64_t)kind->apart << 8 | (uint64_t)kind->way << 32,
                        kind->decisions};
    uint32_t number = interner_number(&kind_numbers, words, COUNT_OF(words));
    if (number == kinds.count)
        vec_push(&kinds, *kind);
    return number;
}

/* The kind of a step that is like one of KIND, but of THREAD. */
static uint32_t kind_of(uint32_t kind, uint32_t thread)
{
    Kind other = kinds.at[kind];
    other.thread = thread;
    return number_kind(&other);
}

/* Numbers what the step that THREAD has just made has touched. */
static uint32_t number_touched(uint32_t thread)
{
    enum { MOST = 8, MOST_BEFORE = 32 };
    StatesAccess before[MOST_BEFORE];
    uint64_t words[2 * (MOST + 1 + BUFFERS_STORES + MOST_BEFORE)];
    const StatesPrints *prints = &states_prints[thread];
    const StatesBuffer *buffer = &states_buffers[thread];
    const StatesTouched *touched = &states_touched;
    uint32_t count = 0;
    if (touched->everything || states_stacks_shared || prints->count > MOST)
        return EVERYTHING;
    if (touched->bytes) {
        words[count++] = touched->at;
        words[count++] = (uint64_t)touched->bytes << 2 | VISIBLE | touched->writes;
    }
    for (uint32_t i = 0; i < prints->count; i++) {
        words[count++] = prints->at[i].at;
        words[count++] = (uint64_t)prints->at[i].bytes << 2 | prints->at[i].writes;
    }
    for (uint32_t i = 0; i < buffer->count; i++) {
        words[count++] = buffer->at[i].at;
        words[count++] = (uint64_t)buffer->at[i].bytes << 2 | WRITES;
    }
    uint32_t silent = late_used ? late_list_chain(before, MOST_BEFORE) : 0;
    if (silent > MOST_BEFORE)
        return EVERYTHING;
    for (uint32_t i = 0; i < silent; i++) {
        words[count++] = before[i].at;
        words[count++] = (uint64_t)before[i].bytes << 2;
    }
    return interner_number(&touches, words, count);
}

static bool are_independent(uint32_t a, uint32_t b)
{
    if (a == EVERYTHING || b == EVERYTHING)
        return false;
    size_t count, others;
    const uint64_t *one = interner_words(&touches, a, &count);
    const uint64_t *other = interner_words(&touches, b, &others);
    for (size_t i = 0; i < count; i += 2)
        for (size_t k = 0; k < others; k += 2)
            if (((one[i + 1] | other[k + 1]) & WRITES) && one[i] < other[k] + (other[k + 1] >> 2) &&
                other[k] < one[i] + (one[i + 1] >> 2))
                return false;
    return true;
}

uint64_t taken_decisions(const TakenStep *step)
{
    return kinds.at[step->kind].decisions;
}

bool taken_is_alike(const TakenStep *step)
{
    const StatesTouched *touched = &states_touched;
    size_t count;
    if (touched->everything || step->touched == EVERYTHING)
        return touched->everything == (step->touched == EVERYTHING);
    const uint64_t *words = interner_words(&touches, step->touched, &count);
    if (!count || !(words[1] & VISIBLE))
        return !touched->bytes;
    return touched->bytes && words[0] == touched->at &&
           words[1] == ((uint64_t)touched->bytes << 2 | VISIBLE | touched->writes);
}

/* ---- steps of states ---- */

void taken_add(uint32_t from, const TakenStep *step, bool foreseen)
{
    State *state = state_at(from), *to = state_at(step->to);
    uint32_t number = (uint32_t)steps.count;
    if (!state->count)
        state->first = number;
    state->count++;
    if (!foreseen && !to->met) {
        to->met = true;
        to->known = !step->apart;
        to->parent = from;
        to->reached = number;
        to->turn = step->turn;
        for (uint32_t t = 0; t < STATES_THREADS; t++)
            to->stores[t] = (uint8_t)states_buffers[t].count;
    }
    Step added = {step->to, step->kind, step->touched, step->turn};
    if (!foreseen) {
        added.kind = number_kind(
            &(Kind){step->done, step->thread, step->way, step->apart, states_touched.decisions});
        added.touched = number_touched(step->thread);
    }
    shelf_push(&steps, added);
}

void taken_end_state(uint32_t state, uint32_t waiting)
{
    State *of = state_at(state);
    of->ended = true;
    of->waiting = (uint8_t)waiting;
}

bool taken_has_ended(uint32_t state)
{
    return state < states.count && shelf_at(&states, state)->ended;
}

uint32_t taken_count(uint32_t state)
{
    return shelf_at(&states, state)->count;
}

TakenStep taken_step(uint32_t state, uint32_t index)
{
    const Step *step = shelf_at(&steps, shelf_at(&states, state)->first + index);
    const Kind *kind = &kinds.at[step->kind];
    return (TakenStep){kind->thread, kind->way,   step->to,   step->turn,
                       kind->done,   kind->apart, step->kind, step->touched};
}

/* The step of KIND from STATE, but of THREAD, or NULL if it is not known. */
static const Step *find_step(uint32_t state, uint32_t kind, uint32_t thread)
{
    const State *of = shelf_at(&states, state);
    if (state >= states.count || !of->ended)
        return NULL;
    if (kinds.at[kind].thread != thread)
        kind = kind_of(kind, thread);
    for (const Step *s = shelf_at(&steps, of->first); s < shelf_at(&steps, of->first + of->count);
         s++)
        if (s->kind == kind)
            return s;
    return NULL;
}

bool taken_foresee(uint32_t state, uint32_t thread, TakenStep *out, uint32_t *count)
{
    const State *of = state_at(state);
    *count = 0;
    if (!of->known)
        return false;
    const State *parent = shelf_at(&states, of->parent);
    const Step *reached = shelf_at(&steps, of->reached);
    uint32_t mover = kinds.at[reached->kind].thread;
    if (mover == thread || parent->waiting >> thread & 1 ||
        of->stores[thread] != parent->stores[thread])
        return false;
    for (uint32_t i = 0; i < parent->count; i++) {
        TakenStep step = taken_step(of->parent, i);
        if (step.thread != thread || step.apart)
            continue;
        if (*count == TAKEN_WAYS || !are_independent(step.touched, reached->touched))
            return false;
        /* which threads of Y's first copy stand for those of P and X */
        uint8_t names = turn_then(step.turn, turn_inverse(taken_turn(step.to)));
        uint32_t same = turn_slot(names, mover);
        const Step *after = find_step(step.to, reached->kind, same);
        if (!after || shelf_at(&states, step.to)->stores[same] != parent->stores[mover])
            return false;
        step.to = after->to;
        step.turn = turn_then(names, after->turn);
        out[(*count)++] = step;
    }
    return true;
}

uint8_t taken_turn(uint32_t state)
{
    return state < states.count ? shelf_at(&states, state)->turn : 0;
}

uint32_t taken_parent(uint32_t state)
{
    return shelf_at(&states, state)->parent;
}

uint64_t taken_bytes(void)
{
    return shelf_bytes(&steps) + shelf_bytes(&states) + interner_memory(&kind_numbers) +
           interner_memory(&touches) + kinds.capacity * sizeof *kinds.at;
}
