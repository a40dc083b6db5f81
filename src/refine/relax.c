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

bool ref_automaton_asks_open(const RefAutomaton *automaton)
{
    return automaton->asks_open;
}

void ref_automaton_set_open(RefAutomaton *automaton, const uint32_t *calls, int count)
{
    for (int i = 0; i < MODEL_MAX_THREADS; i++)
        automaton->open[i] = NO_CALL;
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && automaton->open[at - 1] > calls[i]; at--)
            automaton->open[at] = automaton->open[at - 1];
        automaton->open[at] = calls[i];
    }
}

/* The data value that a call brings, if promises may be of it; else 0. */
static unsigned char value_brought(const RefAutomaton *automaton, int operation,
                                   const unsigned char *arguments)
{
    int at = automaton->operation_class[operation] >= 0 ? arguments_data(automaton, operation) : -1;
    return at >= 0 ? arguments[at] : 0;
}

void ref_automaton_add_open(RefAutomaton *automaton, int operation, const unsigned char *arguments,
                            uint32_t *calls, int *count)
{
    int at = arguments_data(automaton, operation);
    if (at >= 0 && arguments[at])
        calls[(*count)++] = call_intern(automaton, operation, arguments, 0);
}

bool ref_automaton_brings(const RefAutomaton *automaton, int operation,
                          const unsigned char *arguments, Renaming *renaming)
{
    unsigned char value = value_brought(automaton, operation, arguments);
    if (!value)
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

bool ref_automaton_expects(const RefAutomaton *automaton, uint32_t state, int operation,
                           const unsigned char *arguments)
{
    Relaxed now;
    unsigned char value = value_brought(automaton, operation, arguments);
    relaxed_unpack(automaton, state, &now);
    for (int i = 0; i < now.count; i++) {
        const Entry *entry = &now.entries[i];
        int at = arguments_data(automaton, entry->operation);
        if (entry->is_promise && at >= 0 && entry->arguments[at] == value &&
            !same_call(automaton, entry, operation, arguments))
            return false;
    }
    return true;
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

/* The data values that entries have. */
static void values_taken(const RefAutomaton *automaton, const Relaxed *before, bool taken[256])
{
    memset(taken, 0, 256 * sizeof *taken);
    for (int i = 0; i < before->count; i++) {
        int at = arguments_data(automaton, before->entries[i].operation);
        if (at >= 0)
            taken[before->entries[i].arguments[at]] = true;
    }
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
    bool taken[256];
    values_taken(automaton, before, taken);
    for (int op = 0; op < operations; op++) {
        if (automaton->operation_map[op] < 0 || automaton->operation_class[op] != class_of)
            continue;
        unsigned char arguments[MAX_ARGUMENT_BYTES];
        int at = arguments_data(automaton, op);
        arguments_first(automaton, before->base, op, NULL, arguments);
        do { /* of a call to come */
            for (int v = 0; v < (at < 0 ? 1 : automaton->future); v++) {
                if (at >= 0 && taken[255 - v])
                    continue;
                if (at >= 0)
                    arguments[at] = (unsigned char)(255 - v);
                if (!execute_promise(automaton, before, class_of, op, arguments, outcome))
                    return false;
            }
        } while (arguments_next(automaton, op, arguments));
        for (int i = 0; i < MODEL_MAX_THREADS && at >= 0 && automaton->open[i] != NO_CALL; i++) {
            const unsigned char *call = table_get(&automaton->calls, automaton->open[i], NULL);
            if (call[0] != op || taken[call[2 + at]])
                continue;
            memset(arguments, 0, sizeof arguments);
            memcpy(arguments, call + 2, (size_t)automaton->argument_bytes);
            if (!execute_promise(automaton, before, class_of, op, arguments, outcome))
                return false;
        }
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
 * Search over (s, late, calls that have begun): in a slot of a class that has late operations, the
 * oldest promise is read (there is one, the lists being equally long, and reading the oldest keeps
 * every promise in time) and a late operation or any other of the class is executed; a call of
 * another class (or one with nothing late) may come at any time. What may come are the calls that
 * have begun, each once, and any others, which bring data values that nobody has seen. Alive: a
 * state with nothing late is reached. Promises do not matter for what can be executed, so they are
 * left out of the states of this search, and with them the calls that they are of. */
typedef struct AliveState {
    Relaxed relaxed;
    unsigned read; /* which of the calls that have begun were executed, a bit each */
} AliveState;
typedef struct AliveSearch {
    RefAutomaton *automaton;
    uint32_t open[MODEL_MAX_THREADS]; /* calls that have begun, and were not promised */
    int open_count;
    bool seen_values[256]; /* of late operations and of these calls */
    Table seen;
    Vec(AliveState) work;
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

static void alive_push(AliveSearch *search, const Relaxed *relaxed, unsigned read)
{
    if (relaxed->count == 0) {
        search->found = true;
        return;
    }
    bool is_new;
    Buffer *key = &search->automaton->scratch;
    alive_key(search->automaton, relaxed, key);
    buffer_append(key, &read, sizeof read);
    table_put(&search->seen, key->at, key->count, &is_new);
    if (is_new)
        vec_push(&search->work, ((AliveState){*relaxed, read}));
}

static bool alive_call(AliveSearch *search, const Relaxed *now, int op,
                       const unsigned char *arguments, unsigned read)
{
    BaseOutcomes list;
    if (!base_step(search->automaton, now->base, op, arguments, 1, &list))
        return false;
    for (int k = 0; k < list.count; k++) {
        Relaxed after = *now;
        after.base = search->automaton->base_outcomes.at[list.first + (uint32_t)k].next;
        alive_push(search, &after, read);
    }
    return true;
}

/* All ways to execute operation op (of any arguments) from a state of the search. */
static bool alive_any(AliveSearch *search, const Relaxed *now, unsigned read, int op)
{
    RefAutomaton *automaton = search->automaton;
    unsigned char arguments[MAX_ARGUMENT_BYTES];
    for (int i = 0; i < search->open_count; i++) {
        const unsigned char *call = table_get(&automaton->calls, search->open[i], NULL);
        if (call[0] != op || read >> i & 1)
            continue;
        memset(arguments, 0, sizeof arguments);
        memcpy(arguments, call + 2, (size_t)automaton->argument_bytes);
        if (!alive_call(search, now, op, arguments, read | 1U << i))
            return false;
    }
    arguments_first(automaton, now->base, op, search->seen_values, arguments);
    do {
        if (!alive_call(search, now, op, arguments, read))
            return false;
    } while (arguments_next(automaton, op, arguments));
    return true;
}

static bool alive_slot(AliveSearch *search, const Relaxed *before, unsigned read, int class_of)
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
                alive_push(search, &after, read);
        }
    }
    if (!in_time(automaton, &now, class_of))
        return true;
    for (int op = 0; op < automaton->options.implementation->operation_count; op++)
        if (automaton->operation_map[op] >= 0 && automaton->operation_class[op] == class_of &&
            !alive_any(search, &now, read, op))
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
        AliveState now = vec_pop(&search->work);
        for (int d = 0; d < automaton->class_count; d++)
            if (has_late(&now.relaxed, d) && !alive_slot(search, &now.relaxed, now.read, d))
                return false;
        for (int op = 0;
             others && op < automaton->options.implementation->operation_count && !search->found;
             op++) {
            int class_of = automaton->operation_class[op];
            if (automaton->operation_map[op] >= 0 &&
                (class_of < 0 || !has_late(&now.relaxed, class_of)) &&
                !alive_any(search, &now.relaxed, now.read, op))
                return false;
        }
    }
    return true;
}

/* Fills in the calls that have begun and are not promised in RELAXED, and the data values that no
 * other call will bring: those of LATE, what is left of it, and of these calls. */
static void alive_calls(AliveSearch *search, const Relaxed *relaxed, const Relaxed *late)
{
    const RefAutomaton *automaton = search->automaton;
    bool taken[256];
    values_taken(automaton, relaxed, taken);
    for (int i = 0; i < MODEL_MAX_THREADS && automaton->open[i] != NO_CALL; i++) {
        const unsigned char *call = table_get(&automaton->calls, automaton->open[i], NULL);
        int at = arguments_data(automaton, call[0]);
        if (taken[call[2 + at]])
            continue;
        search->open[search->open_count++] = automaton->open[i];
        search->seen_values[call[2 + at]] = true;
    }
    for (int i = 0; i < late->count; i++) {
        const Entry *entry = &late->entries[i];
        const ProgramOperation *own =
            &automaton->options.implementation->operations[entry->operation];
        int at = arguments_data(automaton, entry->operation);
        if (at >= 0)
            search->seen_values[entry->arguments[at]] = true;
        if (!entry->thread && own->operation->result->kind == TYPE_DATA)
            search->seen_values[entry->result & 0xFF] = true;
    }
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
    AliveSearch search = {.automaton = automaton};
    alive_calls(&search, relaxed, &start);
    bool is_new;
    alive_key(automaton, &start, &automaton->scratch);
    buffer_append(&automaton->scratch, search.open,
                  (size_t)search.open_count * sizeof *search.open);
    uint32_t key =
        table_put(&automaton->alive_keys, automaton->scratch.at, automaton->scratch.count, &is_new);
    if (!is_new) {
        *alive = *hashmap_find(&automaton->alive_memo, key);
        return true;
    }
    bool ok = true;
    for (int others = 0; others < 2 && !search.found && ok; others++) { /* the cheap search first */
        table_init(&search.seen, 0);
        vec_clear(&search.work);
        alive_push(&search, &start, 0);
        ok = alive_run(&search, others);
        table_free(&search.seen);
    }
    vec_free(&search.work);
    *alive = search.found;
    *hashmap_put(&automaton->alive_memo, key, NULL) = *alive;
    return ok;
}
