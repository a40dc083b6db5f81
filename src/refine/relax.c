/* relax(spec, Q); automaton.h has the definition and the argument. */
#include "refine/automaton_internal.h"
#include <string.h>

/* ---- packing ---- */
void relaxed_unpack(const RefAutomaton *automaton, uint32_t state, Relaxed *out)
{
    size_t length, arguments = (size_t)automaton->argument_bytes;
    const unsigned char *at = table_get(&automaton->relaxed, state, &length);
    const unsigned char *end = at + length;
    memcpy(&out->base, at, sizeof out->base);
    at += sizeof out->base;
    out->count = 0;
    while (at < end) {
        Entry *entry = &out->entries[out->count++];
        ASSERT(out->count <= MAX_ENTRIES);
        memset(entry, 0, sizeof *entry);
        entry->operation = at[0];
        entry->thread = at[1];
        entry->class_of = at[2];
        entry->is_promise = at[3];
        entry->age = at[4];
        memcpy(&entry->result, at + 5, sizeof entry->result);
        at += 9;
        if (arguments)
            memcpy(entry->arguments, at, arguments);
        at += arguments;
    }
}

static int entry_compare(const Entry *a, const Entry *b)
{
    if (a->class_of != b->class_of)
        return a->class_of - b->class_of;
    if (a->is_promise != b->is_promise)
        return a->is_promise - b->is_promise;
    return b->age - a->age;
}

uint32_t relaxed_pack(RefAutomaton *automaton, Relaxed *relaxed)
{
    for (int i = 1; i < relaxed->count; i++)
        for (int j = i; j > 0 && entry_compare(&relaxed->entries[j - 1], &relaxed->entries[j]) > 0;
             j--) {
            Entry swap = relaxed->entries[j];
            relaxed->entries[j] = relaxed->entries[j - 1];
            relaxed->entries[j - 1] = swap;
        }
    vec_clear(&automaton->packed);
    buffer_append(&automaton->packed, &relaxed->base, sizeof relaxed->base);
    for (int i = 0; i < relaxed->count; i++) {
        const Entry *entry = &relaxed->entries[i];
        unsigned char head[5] = {entry->operation, entry->thread, entry->class_of,
                                 entry->is_promise, entry->age};
        buffer_append(&automaton->packed, head, sizeof head);
        buffer_append(&automaton->packed, &entry->result, sizeof entry->result);
        buffer_append(&automaton->packed, entry->arguments, (size_t)automaton->argument_bytes);
    }
    return table_put(&automaton->relaxed, automaton->packed.at, automaton->packed.count, NULL);
}

/* ---- names of data values ---- */
int arguments_data(const RefAutomaton *automaton, int operation)
{
    const ProgramOperation *own = &automaton->options.implementation->operations[operation];
    for (int i = 0; i < own->argument_cells.count; i++)
        if (own->argument_cells.at[i].kind == CELL_DATA)
            return own->argument_cells.at[i].offset;
    return -1;
}

int ref_automaton_future(const RefAutomaton *automaton)
{
    return automaton->future;
}

void ref_automaton_set_open(RefAutomaton *automaton, const unsigned char *values, int count)
{
    memset(automaton->open, 0, sizeof automaton->open);
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && automaton->open[at - 1] > values[i]; at--)
            automaton->open[at] = automaton->open[at - 1];
        automaton->open[at] = values[i];
    }
}

void ref_automaton_add_open(const RefAutomaton *automaton, int operation,
                            const unsigned char *arguments, unsigned char *values, int *count)
{
    int at = automaton->operation_class[operation] >= 0 ? arguments_data(automaton, operation) : -1;
    if (at >= 0 && arguments[at])
        values[(*count)++] = arguments[at];
}

bool ref_automaton_brings(const RefAutomaton *automaton, int operation,
                          const unsigned char *arguments, Renaming *renaming)
{
    unsigned char value;
    int count = 0;
    ref_automaton_add_open(automaton, operation, arguments, &value, &count);
    if (!count)
        return false;
    renaming_identity(renaming);
    renaming->values[255] = value;
    for (int j = 1; j < automaton->future; j++)
        renaming->values[255 - j] = (unsigned char)(256 - j);
    renaming->values_change = true;
    return true;
}

/* ---- one slot ---- */
static bool same_call(const RefAutomaton *automaton, const Entry *entry, int operation,
                      const unsigned char *arguments)
{
    size_t own = (size_t)automaton->options.implementation->operations[operation].arguments_bytes;
    return entry->operation == operation &&
           (own == 0 || memcmp(entry->arguments, arguments, own) == 0);
}

static void entry_remove(Relaxed *relaxed, int index)
{
    memmove(&relaxed->entries[index], &relaxed->entries[index + 1],
            (size_t)(relaxed->count - index - 1) * sizeof relaxed->entries[0]);
    relaxed->count--;
}

static Entry *entry_add(Relaxed *relaxed)
{
    ASSERT(relaxed->count < MAX_ENTRIES);
    Entry *entry = &relaxed->entries[relaxed->count++];
    memset(entry, 0, sizeof *entry);
    return entry;
}

/* Nothing may be left that its next slot would find too old. */
static bool in_time(const RefAutomaton *automaton, const Relaxed *relaxed, int class_of)
{
    for (int i = 0; i < relaxed->count; i++)
        if (relaxed->entries[i].class_of == class_of &&
            relaxed->entries[i].age >= automaton->class_factor[class_of])
            return false;
    return true;
}

/* Equal late and promised operations cancel out. */
static void cancel(const RefAutomaton *automaton, Relaxed *relaxed)
{
    for (int i = 0; i < relaxed->count; i++) {
        const Entry *late = &relaxed->entries[i];
        if (late->is_promise || late->thread)
            continue;
        for (int j = 0; j < relaxed->count; j++) {
            const Entry *promise = &relaxed->entries[j];
            if (!promise->is_promise || promise->class_of != late->class_of ||
                promise->result != late->result ||
                !same_call(automaton, promise, late->operation, late->arguments))
                continue;
            entry_remove(relaxed, MAX(i, j));
            entry_remove(relaxed, MIN(i, j));
            i = -1;
            break;
        }
    }
}

/* Resolved late entries must be executable in time; keeps the outcome if so. */
static bool add_outcome(RefAutomaton *automaton, Relaxed relaxed, int class_of, StepOutcome outcome)
{
    if (!in_time(automaton, &relaxed, class_of))
        return true;
    cancel(automaton, &relaxed);
    bool alive;
    if (!ref_relax_is_alive(automaton, &relaxed, &alive))
        return false;
    if (!alive)
        return true;
    outcome.next = relaxed_pack(automaton, &relaxed);
    vec_push(&automaton->outcomes, outcome);
    return true;
}

/* The data values that a promise from BEFORE may be of: those of calls that have begun and of calls
 * to come, if the entries do not have them. */
static int promise_values(const RefAutomaton *automaton, const Relaxed *before,
                          unsigned char *values)
{
    bool taken[256] = {false};
    int count = 0;
    for (int i = 0; i < before->count; i++) {
        int at = arguments_data(automaton, before->entries[i].operation);
        if (at >= 0)
            taken[before->entries[i].arguments[at]] = true;
    }
    for (int i = 0; i < MODEL_MAX_THREADS && automaton->open[i]; i++)
        if (!taken[automaton->open[i]])
            values[count++] = automaton->open[i];
    for (int j = 0; j < automaton->future; j++)
        if (!taken[255 - j])
            values[count++] = (unsigned char)(255 - j);
    return count;
}

/* A call of OP that is to come is executed in this slot. */
static bool execute_promise(RefAutomaton *automaton, const Relaxed *before, int class_of, int op,
                            const unsigned char *arguments, StepOutcome outcome)
{
    BaseOutcomes list;
    if (!base_step(automaton, before->base, op, arguments, 1, &list))
        return false;
    for (int k = 0; k < list.count; k++) {
        BaseOutcome step = automaton->base_outcomes.at[list.first + (uint32_t)k];
        Relaxed after = *before;
        after.base = step.next;
        Entry *promise = entry_add(&after);
        promise->operation = (unsigned char)op;
        promise->class_of = (unsigned char)class_of;
        promise->is_promise = 1;
        promise->result = step.result;
        memcpy(promise->arguments, arguments, MAX_ARGUMENT_BYTES);
        if (!add_outcome(automaton, after, class_of, outcome))
            return false;
    }
    return true;
}

/* Something is executed that was not read in this slot: a late operation or a new promise. */
static bool execute_other(RefAutomaton *automaton, const Relaxed *before, int class_of,
                          StepOutcome outcome)
{
    for (int i = 0; i < before->count; i++) {
        Entry late = before->entries[i];
        if (late.is_promise || late.class_of != class_of || late.age == 0)
            continue; /* age 0: the one just read */
        BaseOutcomes list;
        int thread = late.thread ? late.thread : 1;
        if (!base_step(automaton, before->base, late.operation, late.arguments, thread, &list))
            return false;
        for (int k = 0; k < list.count; k++) {
            BaseOutcome step = automaton->base_outcomes.at[list.first + (uint32_t)k];
            if (!late.thread && step.result != late.result)
                continue;
            Relaxed after = *before;
            after.base = step.next;
            entry_remove(&after, i);
            StepOutcome own = outcome;
            own.resolved = late.thread;
            own.resolved_to = step.result;
            if (!add_outcome(automaton, after, class_of, own))
                return false;
        }
    }
    int operations = automaton->options.implementation->operation_count;
    for (int op = 0; op < operations; op++) {
        if (automaton->operation_map[op] < 0 || automaton->operation_class[op] != class_of)
            continue;
        unsigned char arguments[MAX_ARGUMENT_BYTES], values[MODEL_MAX_THREADS + 255];
        int at = arguments_data(automaton, op);
        int count = at < 0 ? 1 : promise_values(automaton, before, values);
        arguments_first(automaton, before->base, op, arguments);
        do {
            for (int v = 0; v < count; v++) {
                if (at >= 0)
                    arguments[at] = values[v];
                if (!execute_promise(automaton, before, class_of, op, arguments, outcome))
                    return false;
            }
        } while (arguments_next(automaton, op, arguments));
    }
    return true;
}

bool ref_relax_step(RefAutomaton *automaton, uint32_t state, int operation,
                    const unsigned char *arguments, int thread)
{
    Relaxed now;
    relaxed_unpack(automaton, state, &now);
    int class_of = automaton->operation_class[operation];
    BaseOutcomes list;
    if (!base_step(automaton, now.base, operation, arguments, thread, &list))
        return false;
    for (int i = 0; class_of >= 0 && i < now.count; i++)
        if (now.entries[i].class_of == class_of)
            now.entries[i].age++;
    /* it is executed in its own slot */
    for (int k = 0; k < list.count; k++) {
        BaseOutcome step = automaton->base_outcomes.at[list.first + (uint32_t)k];
        Relaxed after = now;
        after.base = step.next;
        StepOutcome outcome = {.result = step.result, .kind = RESULT_VALUE};
        if (!add_outcome(automaton, after, class_of, outcome))
            return false;
    }
    if (class_of < 0)
        return true;
    /* it was promised */
    for (int i = 0; i < now.count; i++) {
        const Entry *promise = &now.entries[i];
        if (!promise->is_promise || promise->class_of != class_of ||
            !same_call(automaton, promise, operation, arguments))
            continue;
        Relaxed kept = now;
        StepOutcome outcome = {.result = promise->result, .kind = RESULT_VALUE};
        entry_remove(&kept, i);
        if (!execute_other(automaton, &kept, class_of, outcome))
            return false;
    }
    /* it is late */
    Relaxed later = now;
    Entry *late = entry_add(&later);
    late->operation = (unsigned char)operation;
    late->class_of = (unsigned char)class_of;
    late->thread = (unsigned char)thread;
    size_t own = (size_t)automaton->options.implementation->operations[operation].arguments_bytes;
    if (own)
        memcpy(late->arguments, arguments, own);
    return execute_other(automaton, &later, class_of, (StepOutcome){.kind = RESULT_LATE});
}

bool ref_automaton_resolve(RefAutomaton *automaton, uint32_t state, int thread, int result,
                           uint32_t *next)
{
    Relaxed relaxed;
    relaxed_unpack(automaton, state, &relaxed);
    for (int i = 0; i < relaxed.count; i++)
        if (!relaxed.entries[i].is_promise && relaxed.entries[i].thread == thread) {
            relaxed.entries[i].thread = 0;
            relaxed.entries[i].result = result;
            break;
        }
    cancel(automaton, &relaxed);
    bool alive;
    if (!ref_relax_is_alive(automaton, &relaxed, &alive) || !alive)
        return false;
    *next = relaxed_pack(automaton, &relaxed);
    return true;
}

/* ---- can the late operations still be executed? ----
 *
 * Search over (s, late): in a slot of a class that has late operations, the oldest promise is read
 * (there is one, the lists being equally long, and reading the oldest keeps every promise in time)
 * and a late operation or any other of the class is executed; a call of another class (or one with
 * nothing late) may come at any time. Alive: a state with nothing late is reached. Promises do not
 * matter for what can be executed, so they are left out of the states of this search. */
typedef struct AliveSearch {
    RefAutomaton *automaton;
    Table seen;
    Vec(Relaxed) work;
    bool found;
} AliveSearch;

static void alive_key(RefAutomaton *automaton, const Relaxed *relaxed, Buffer *key)
{
    vec_clear(key);
    buffer_append(key, &relaxed->base, sizeof relaxed->base);
    for (int i = 0; i < relaxed->count; i++) {
        const Entry *entry = &relaxed->entries[i];
        unsigned char head[4] = {entry->operation, entry->thread != 0, entry->class_of, entry->age};
        buffer_append(key, head, sizeof head);
        buffer_append(key, &entry->result, sizeof entry->result);
        buffer_append(key, entry->arguments, (size_t)automaton->argument_bytes);
    }
}

static void alive_push(AliveSearch *search, const Relaxed *relaxed)
{
    if (relaxed->count == 0) {
        search->found = true;
        return;
    }
    bool is_new;
    alive_key(search->automaton, relaxed, &search->automaton->scratch);
    table_put(&search->seen, search->automaton->scratch.at, search->automaton->scratch.count,
              &is_new);
    if (is_new)
        vec_push(&search->work, *relaxed);
}

static bool returns_data(const RefAutomaton *automaton, const Entry *entry)
{
    const Program *program = automaton->options.implementation;
    return entry->result &&
           program->operations[entry->operation].operation->result->kind == TYPE_DATA;
}

/* All ways to execute operation op (of any arguments) from a state of the search. */
static bool alive_any(AliveSearch *search, const Relaxed *now, int op)
{
    RefAutomaton *automaton = search->automaton;
    unsigned char arguments[MAX_ARGUMENT_BYTES], values[1 + MAX_ENTRIES];
    int at = arguments_data(automaton, op), count = 0;
    arguments_first(automaton, now->base, op, arguments);
    if (at >= 0)
        values[count++] = arguments[at];
    for (int i = 0; i < now->count && automaton->future && at >= 0; i++) /* they may still be put */
        if (!now->entries[i].thread && returns_data(automaton, &now->entries[i]))
            values[count++] = (unsigned char)now->entries[i].result;
    do {
        for (int v = 0; v < MAX(count, 1); v++) {
            BaseOutcomes list;
            if (at >= 0)
                arguments[at] = values[v];
            if (!base_step(automaton, now->base, op, arguments, 1, &list))
                return false;
            for (int k = 0; k < list.count; k++) {
                Relaxed after = *now;
                after.base = automaton->base_outcomes.at[list.first + (uint32_t)k].next;
                alive_push(search, &after);
            }
        }
    } while (arguments_next(automaton, op, arguments));
    return true;
}

static bool alive_slot(AliveSearch *search, const Relaxed *before, int class_of)
{
    RefAutomaton *automaton = search->automaton;
    Relaxed now = *before;
    for (int i = 0; i < now.count; i++)
        if (now.entries[i].class_of == class_of)
            now.entries[i].age++;
    for (int i = 0; i < now.count; i++) {
        const Entry *late = &now.entries[i];
        if (late->class_of != class_of)
            continue;
        BaseOutcomes list;
        if (!base_step(automaton, now.base, late->operation, late->arguments,
                       late->thread ? late->thread : 1, &list))
            return false;
        for (int k = 0; k < list.count; k++) {
            BaseOutcome step = automaton->base_outcomes.at[list.first + (uint32_t)k];
            if (!late->thread && step.result != late->result)
                continue;
            Relaxed after = now;
            after.base = step.next;
            entry_remove(&after, i);
            if (in_time(automaton, &after, class_of))
                alive_push(search, &after);
        }
    }
    if (!in_time(automaton, &now, class_of))
        return true;
    for (int op = 0; op < automaton->options.implementation->operation_count; op++)
        if (automaton->operation_map[op] >= 0 && automaton->operation_class[op] == class_of &&
            !alive_any(search, &now, op))
            return false;
    return true;
}

static bool has_late(const Relaxed *relaxed, int class_of)
{
    for (int i = 0; i < relaxed->count; i++)
        if (relaxed->entries[i].class_of == class_of)
            return true;
    return false;
}

static bool alive_run(AliveSearch *search, bool others)
{
    RefAutomaton *automaton = search->automaton;
    while (search->work.count && !search->found) {
        Relaxed now = vec_pop(&search->work);
        for (int d = 0; d < automaton->class_count; d++)
            if (has_late(&now, d) && !alive_slot(search, &now, d))
                return false;
        for (int op = 0;
             others && op < automaton->options.implementation->operation_count && !search->found;
             op++) {
            int class_of = automaton->operation_class[op];
            if (automaton->operation_map[op] >= 0 && (class_of < 0 || !has_late(&now, class_of)) &&
                !alive_any(search, &now, op))
                return false;
        }
    }
    return true;
}

bool ref_relax_is_alive(RefAutomaton *automaton, const Relaxed *relaxed, bool *alive)
{
    Relaxed start = {.base = relaxed->base};
    for (int i = 0; i < relaxed->count; i++)
        if (!relaxed->entries[i].is_promise)
            start.entries[start.count++] = relaxed->entries[i];
    *alive = true;
    if (start.count == 0)
        return true;
    bool is_new;
    alive_key(automaton, &start, &automaton->scratch);
    uint32_t key =
        table_put(&automaton->alive_keys, automaton->scratch.at, automaton->scratch.count, &is_new);
    if (!is_new) {
        *alive = *hashmap_find(&automaton->alive_memo, key);
        return true;
    }
    bool ok = true;
    *alive = false;
    for (int others = 0; others < 2 && !*alive && ok; others++) { /* the cheap search first */
        AliveSearch search = {.automaton = automaton};
        table_init(&search.seen, 0);
        alive_push(&search, &start);
        ok = alive_run(&search, others);
        *alive = search.found;
        table_free(&search.seen);
        vec_free(&search.work);
    }
    *hashmap_put(&automaton->alive_memo, key, NULL) = *alive;
    return ok;
}
