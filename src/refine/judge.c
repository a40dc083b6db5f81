#include "refine/judge.h"
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include "refine/table.h"

enum { MAX_EXTRA = 32, MAX_NAME = 250 };

typedef struct Extra { /* a call after the history that was only read or only executed */
    unsigned char operation, is_read, age;
    unsigned char arguments[61];
} Extra;

typedef struct Configuration {
    uint32_t state;
    uint16_t read, executed;            /* calls of the history, a bit each */
    uint16_t names;                     /* the largest name of a data value in it */
    uint16_t extra_count;               /* entries of extra in use */
    unsigned char age[JUDGE_MAX_CALLS]; /* 0 unless a call was only read or only executed */
    Extra extra[MAX_EXTRA];
} Configuration;

typedef struct Judge {
    RefAutomaton *automaton;
    const AutomatonOptions *options;
    const JudgedHistory *history;
    Table seen; /* configurations, in the order in which they were reached */
    int names;  /* the largest name of a data value in the history */
    long steps;
    bool explained, gave_up;
} Judge;

/* The call that a slot executes: of the history, or of the entry of extra that EXTRA names. */
typedef struct Executed {
    int call, extra; /* one of them is -1 */
} Executed;

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

static const ModelOperation *operation_of(const Judge *judge, int index)
{
    return judge->options->implementation->operations[index].operation;
}

static bool is_completed(const Judge *judge, int call)
{
    return judge->history->calls[call].end != INT_MAX;
}

static bool all_completed_are_read(const Judge *judge, const Configuration *now)
{
    for (int i = 0; i < judge->history->count; i++)
        if (is_completed(judge, i) && !(now->read >> i & 1))
            return false;
    return true;
}

/* Numbers the data values that the history does not have, in the order in which they are met. */
static void renumber(Judge *judge, Configuration *now)
{
    Renaming renaming;
    int next = judge->names;
    renaming_identity(&renaming);
    for (int v = judge->names + 1; v < 256; v++)
        renaming.values[v] = 0;
    ref_automaton_number_values(judge->automaton, now->state, &renaming, &next);
    for (int i = 0; i < now->extra_count; i++) {
        Extra *extra = &now->extra[i];
        const ModelOperation *operation = operation_of(judge, extra->operation);
        for (int j = 0; j < operation->parameter_count; j++) {
            const Variable *parameter = operation->locals[j];
            if (parameter->type->kind != TYPE_DATA)
                continue;
            unsigned char *value = &extra->arguments[parameter->offset];
            if (!renaming.values[*value])
                renaming.values[*value] = (unsigned char)++next;
            *value = renaming.values[*value];
        }
    }
    renaming.values_change = true;
    now->state = ref_automaton_rename(judge->automaton, now->state, &renaming);
    now->names = (uint16_t)next;
}

/* Ends a slot of the class of OPERATION: what was only read or only executed grows older. Keeps the
 * configuration unless something of it can't be in time any more. */
static void end_slot(Judge *judge, Configuration now, int operation)
{
    for (int i = 0; i < judge->history->count; i++) {
        int own = judge->history->calls[i].operation;
        if (((now.read ^ now.executed) >> i & 1) == 0)
            now.age[i] = 0;
        else if (same_class(judge, own, operation) && ++now.age[i] > factor_of(judge, own))
            return;
    }
    for (int i = 0; i < now.extra_count; i++) {
        Extra *extra = &now.extra[i];
        if (same_class(judge, extra->operation, operation) &&
            ++extra->age > factor_of(judge, extra->operation))
            return;
    }
    judge->explained |=
        all_completed_are_read(judge, &now) && now.read == now.executed && now.extra_count == 0;
    renumber(judge, &now);
    table_put(&judge->seen, &now, offsetof(Configuration, extra) + now.extra_count * sizeof(Extra),
              NULL);
}

static void extra_remove(Configuration *now, int index)
{
    now->extra_count--;
    memmove(&now->extra[index], &now->extra[index + 1],
            (size_t)(now->extra_count - index) * sizeof(Extra));
}

/* Executes a call in a slot of the class of OPERATION, in each way that the specification has. */
static void execute(Judge *judge, const Configuration *before, Executed what, int operation)
{
    const JudgedCall *call = what.call >= 0 ? &judge->history->calls[what.call] : NULL;
    const Extra *extra = call ? NULL : &before->extra[what.extra];
    StepOutcomes outcomes;
    if (--judge->steps < 0) {
        judge->gave_up = true;
        return;
    }
    if (!ref_automaton_step(
            judge->automaton, before->state, call ? call->operation : extra->operation,
            call ? call->arguments : extra->arguments, call ? call->thread : 1, &outcomes))
        return;
    for (int k = 0; k < outcomes.count; k++) {
        StepOutcome outcome = *ref_automaton_outcome(judge->automaton, outcomes, k);
        if (call && is_completed(judge, what.call) && outcome.result != call->result)
            continue;
        Configuration after = *before;
        after.state = outcome.next;
        if (call)
            after.executed |= (uint16_t)(1U << what.call);
        else if (extra->is_read)
            extra_remove(&after, what.extra);
        end_slot(judge, after, operation);
    }
}

typedef void EachNew(Judge *judge, const Configuration *now, int operation);

/* Calls each for every call of OPERATION that the history does not have, as the last extra entry.
 */
static void each_new_call(Judge *judge, const Configuration *before, int operation, bool is_read,
                          EachNew *each, int slot)
{
    const ModelOperation *own = operation_of(judge, operation);
    Configuration now = *before;
    if (now.extra_count == MAX_EXTRA || now.names + own->parameter_count > MAX_NAME) {
        judge->gave_up = true;
        return;
    }
    Extra *extra = &now.extra[now.extra_count++];
    *extra = (Extra){.operation = (unsigned char)operation, .is_read = is_read};
    for (int i = 0; i < own->parameter_count; i++)
        if (own->locals[i]->type->kind == TYPE_DATA)
            extra->arguments[own->locals[i]->offset] = (unsigned char)++now.names;
    for (bool more = true; more;) {
        each(judge, &now, slot);
        more = false;
        for (int i = 0; i < own->parameter_count && !more; i++) {
            const Type *type = own->locals[i]->type;
            unsigned char *at = extra->arguments + own->locals[i]->offset;
            if (type->kind == TYPE_DATA)
                continue;
            more = cell_read(at, type->bytes) < type->high - type->low;
            cell_write(at, type->bytes, more ? cell_read(at, type->bytes) + 1 : 0);
        }
    }
}

static void execute_last(Judge *judge, const Configuration *now, int operation)
{
    execute(judge, now, (Executed){.call = -1, .extra = now->extra_count - 1}, operation);
}

/* Executes, in a slot that reads a call of OPERATION, whatever pi' can have there: the call READ
 * itself unless it was executed before, or another one of its class. */
static void execute_any(Judge *judge, const Configuration *now, Executed read, int operation)
{
    for (int i = 0; i < judge->history->count; i++)
        if (!(now->executed >> i & 1) &&
            (i == read.call || same_class(judge, judge->history->calls[i].operation, operation)))
            execute(judge, now, (Executed){.call = i, .extra = -1}, operation);
    for (int i = 0; i < now->extra_count; i++)
        if (now->extra[i].is_read &&
            (i == read.extra || same_class(judge, now->extra[i].operation, operation)))
            execute(judge, now, (Executed){.call = -1, .extra = i}, operation);
    for (int op = 0; op < judge->options->implementation->operation_count; op++)
        if (!operation_of(judge, op)->is_program && same_class(judge, op, operation))
            each_new_call(judge, now, op, false, execute_last, operation);
}

static void read_last(Judge *judge, const Configuration *now, int operation)
{
    execute_any(judge, now, (Executed){.call = -1, .extra = now->extra_count - 1}, operation);
}

/* Has every call ended after this one began, or been read? */
static bool is_ready(const Judge *judge, const Configuration *now, int call)
{
    const JudgedCall *calls = judge->history->calls;
    for (int i = 0; i < judge->history->count; i++)
        if (!(now->read >> i & 1) && calls[i].end <= calls[call].begin)
            return false;
    return !(now->read >> call & 1);
}

/* Makes the next slot in every way: it reads a call of the history, or, where all completed ones
 * were read, another one, which may have been executed before. */
static void next_slot(Judge *judge, const Configuration *now)
{
    for (int i = 0; i < judge->history->count; i++) {
        if (!is_ready(judge, now, i))
            continue;
        Configuration after = *now;
        after.read |= (uint16_t)(1U << i);
        execute_any(judge, &after, (Executed){.call = i, .extra = -1},
                    judge->history->calls[i].operation);
    }
    if (!all_completed_are_read(judge, now))
        return;
    for (int i = 0; i < now->extra_count; i++) {
        Configuration after = *now;
        if (now->extra[i].is_read)
            continue;
        extra_remove(&after, i);
        execute_any(judge, &after, (Executed){-1, -1}, now->extra[i].operation);
    }
    for (int op = 0; op < judge->options->implementation->operation_count; op++)
        if (!operation_of(judge, op)->is_program)
            each_new_call(judge, now, op, true, read_last, op);
}

/* The largest name of a data value among arguments and results. */
static int largest_name(const Judge *judge)
{
    int largest = 0;
    for (int i = 0; i < judge->history->count; i++) {
        const JudgedCall *call = &judge->history->calls[i];
        const ModelOperation *operation = operation_of(judge, call->operation);
        for (int j = 0; j < operation->parameter_count; j++)
            if (operation->locals[j]->type->kind == TYPE_DATA)
                largest = MAX(largest, call->arguments[operation->locals[j]->offset]);
        if (is_completed(judge, i) && operation->result->kind == TYPE_DATA)
            largest = MAX(largest, call->result);
    }
    return largest;
}

Judgement judge_history(RefAutomaton *plain, const AutomatonOptions *options,
                        const JudgedHistory *history, long steps)
{
    Judge judge = {.automaton = plain, .options = options, .history = history, .steps = steps};
    Configuration now;
    memset(&now, 0, sizeof now);
    judge.names = largest_name(&judge);
    if (!ref_automaton_initial(plain, &now.state))
        return JUDGE_GAVE_UP;
    table_init(&judge.seen, 0);
    judge.explained = all_completed_are_read(&judge, &now);
    renumber(&judge, &now);
    table_put(&judge.seen, &now, offsetof(Configuration, extra), NULL);
    for (uint32_t i = 0; i < judge.seen.count && !judge.explained && !judge.gave_up; i++) {
        size_t length;
        const unsigned char *bytes = table_get(&judge.seen, i, &length);
        memcpy(&now, bytes, length);
        next_slot(&judge, &now);
    }
    table_free(&judge.seen);
    return judge.explained ? JUDGE_EXPLAINED : judge.gave_up ? JUDGE_GAVE_UP : JUDGE_UNEXPLAINED;
}
