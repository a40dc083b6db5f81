#include "refine/judge.h"
#include <limits.h>
#include <string.h>

enum { MAX_SLOTS = JUDGE_MAX_CALLS + 8 };

typedef struct Slot { /* a call in pi */
    int operation, thread;
    bool known; /* the result is known */
    int result;
    const unsigned char *arguments;
    bool used; /* in pi' */
} Slot;

typedef struct Judge {
    RefAutomaton *automaton;
    const AutomatonOptions *options;
    const JudgedHistory *history;
    Slot pi[MAX_SLOTS];
    int length;
    bool placed[JUDGE_MAX_CALLS];
    unsigned char extra[8][64]; /* arguments of calls after the history */
    int extension;
    long steps;
    bool gave_up;
} Judge;

static int factor_of(const Judge *judge, int operation)
{
    return judge->options->factors ? judge->options->factors[operation] : 0;
}

static bool same_class(const Judge *judge, int a, int b)
{
    if (factor_of(judge, a) == 0 || factor_of(judge, b) == 0)
        return false;
    return judge->options->classes[a] == judge->options->classes[b];
}

/* Position of slot i among the slots of its class. */
static int class_position(const Judge *judge, int slot)
{
    int position = 0;
    for (int i = 0; i < slot; i++)
        position += same_class(judge, judge->pi[i].operation, judge->pi[slot].operation);
    return position;
}

/* Is there a legal pi' from slot on, the specification being in state? */
static bool legal_from(Judge *judge, int slot, uint32_t state)
{
    if (slot == judge->length)
        return true;
    for (int i = 0; i < judge->length; i++) {
        Slot *call = &judge->pi[i];
        if (call->used)
            continue;
        if (i != slot) {
            if (!same_class(judge, call->operation, judge->pi[slot].operation))
                continue;
            int moved = class_position(judge, i) - class_position(judge, slot);
            if (moved > factor_of(judge, call->operation) ||
                -moved > factor_of(judge, call->operation))
                continue;
        }
        if (--judge->steps < 0) {
            judge->gave_up = true;
            return false;
        }
        StepOutcomes outcomes;
        if (!ref_automaton_step(judge->automaton, state, call->operation, call->arguments,
                                call->thread, &outcomes))
            continue;
        for (int k = 0; k < outcomes.count; k++) {
            StepOutcome outcome = *ref_automaton_outcome(judge->automaton, outcomes, k);
            if (call->known && outcome.result != call->result)
                continue;
            call->used = true;
            bool ok = legal_from(judge, slot + 1, outcome.next);
            call->used = false;
            if (ok)
                return true;
        }
    }
    return false;
}

static bool is_legal(Judge *judge)
{
    uint32_t initial;
    for (int i = 0; i < judge->length; i++)
        judge->pi[i].used = false;
    return ref_automaton_initial(judge->automaton, &initial) && legal_from(judge, 0, initial);
}

/* Calls after the history: any operation with any arguments; a new data value is one of its own. */
static bool extend(Judge *judge, int left)
{
    if (is_legal(judge))
        return true;
    if (left == 0 || judge->gave_up)
        return false;
    const Program *program = judge->options->implementation;
    for (int op = 0; op < program->operation_count; op++) {
        const ModelOperation *operation = program->operations[op].operation;
        if (operation->is_program)
            continue;
        unsigned char *arguments = judge->extra[left - 1];
        memset(arguments, 0, 64);
        for (int i = 0; i < operation->parameter_count; i++)
            if (operation->locals[i]->type->kind == TYPE_DATA)
                arguments[operation->locals[i]->offset] = (unsigned char)(200 + left * 4 + i);
        for (bool more = true; more;) {
            judge->pi[judge->length++] =
                (Slot){.operation = op, .thread = 1, .arguments = arguments};
            bool ok = extend(judge, left - 1);
            judge->length--;
            if (ok)
                return true;
            more = false;
            for (int i = 0; i < operation->parameter_count && !more; i++) {
                const Type *type = operation->locals[i]->type;
                unsigned char *at = arguments + operation->locals[i]->offset;
                int value = cell_read(at, type->bytes);
                if (type->kind == TYPE_DATA)
                    continue;
                more = value < type->high - type->low;
                cell_write(at, type->bytes, more ? value + 1 : 0);
            }
        }
    }
    return false;
}

static bool place(Judge *judge)
{
    const JudgedHistory *history = judge->history;
    bool complete = true;
    for (int i = 0; i < history->count; i++)
        complete &= judge->placed[i] || history->calls[i].end == INT_MAX;
    if (complete && extend(judge, judge->extension))
        return true;
    for (int i = 0; i < history->count && !judge->gave_up; i++) {
        const JudgedCall *call = &history->calls[i];
        bool ready = !judge->placed[i];
        for (int j = 0; j < history->count && ready; j++)
            ready = judge->placed[j] || history->calls[j].end > call->begin;
        if (!ready)
            continue;
        judge->placed[i] = true;
        judge->pi[judge->length++] = (Slot){.operation = call->operation,
                                            .thread = call->thread,
                                            .known = call->end != INT_MAX,
                                            .result = call->result,
                                            .arguments = call->arguments};
        bool ok = place(judge);
        judge->length--;
        judge->placed[i] = false;
        if (ok)
            return true;
    }
    return false;
}

Judgement judge_history(RefAutomaton *plain, const AutomatonOptions *options,
                        const JudgedHistory *history, int extension, long steps)
{
    Judge judge = {.automaton = plain,
                   .options = options,
                   .history = history,
                   .extension = MIN(extension, 8),
                   .steps = steps};
    if (place(&judge))
        return JUDGE_EXPLAINED;
    return judge.gave_up ? JUDGE_GAVE_UP : JUDGE_UNEXPLAINED;
}
