/* The effect of a transition to the configurations, and their canonical form. */
#include "refine/explain.h"
#include "base/hash.h"
#include <stdlib.h>
#include <string.h>

/* ---- sets of configurations ---- */
static void configs_clear(ConfigSet *set)
{
    /* sets are small as a rule: a large one before must not make this one dear */
    set->slots.count = MIN(set->slots.count, (size_t)256);
    if (set->slots.count)
        memset(set->slots.at, 0, set->slots.count * sizeof *set->slots.at);
    vec_clear(&set->words);
    set->count = 0;
}

static size_t configs_slot(const ConfigSet *set, const uint32_t *config, size_t width)
{
    size_t mask = set->slots.count - 1;
    size_t slot = (size_t)hash_bytes(config, width * sizeof *config, 1) & mask;
    while (set->slots.at[slot] && memcmp(set->words.at + (set->slots.at[slot] - 1) * width, config,
                                         width * sizeof *config) != 0)
        slot = (slot + 1) & mask;
    return slot;
}

/* Adds a copy; true if it was not there. */
static bool configs_add(ConfigSet *set, const uint32_t *config, size_t width)
{
    if ((set->count + 1) * 2 > set->slots.count) {
        size_t slots = set->slots.count ? set->slots.count * 2 : 64;
        vec_reserve(&set->slots, slots);
        set->slots.count = slots;
        memset(set->slots.at, 0, slots * sizeof *set->slots.at);
        for (size_t i = 0; i < set->count; i++)
            set->slots.at[configs_slot(set, set->words.at + i * width, width)] = (uint32_t)i + 1;
    }
    size_t slot = configs_slot(set, config, width);
    if (set->slots.at[slot])
        return false;
    for (size_t i = 0; i < width; i++)
        vec_push(&set->words, config[i]);
    set->slots.at[slot] = (uint32_t)++set->count;
    return true;
}

static bool configs_has(const ConfigSet *set, const uint32_t *config, size_t width)
{
    return set->count && set->slots.at[configs_slot(set, config, width)];
}

/* ---- what happens to configurations ---- */
int worker_operation(const Worker *worker, const unsigned char *state, int thread)
{
    const Program *program = worker->program;
    int pc = program_pc(program, state + program->shared_bytes + thread * program->thread_bytes);
    return pc == PC_IDLE || pc >= program->point_count ? -1 : program->points[pc].operation;
}

static const unsigned char *arguments_of(const Worker *worker, const unsigned char *state,
                                         int thread)
{
    const Program *program = worker->program;
    return state + program->shared_bytes + thread * program->thread_bytes +
           program->arguments_offset;
}

bool worker_returns_data(const Worker *worker, const unsigned char *state, int thread)
{
    int operation = worker_operation(worker, state, thread);
    return operation >= 0 &&
           worker->program->operations[operation].operation->result->kind == TYPE_DATA;
}

bool worker_specification_failed(Worker *worker)
{
    if (worker->finding.kind == FINDING_NONE) {
        worker->finding.kind = FINDING_SPECIFICATION_FAULT;
        worker->finding.fault =
            ref_automaton_fault(worker->automaton, &worker->finding.place, &worker->finding.value);
    }
    return false;
}

/* Tells which calls are pending: all but THREAD's, which is about to be read or to return. */
static void set_open(Worker *worker, const unsigned char *state, const uint32_t *config, int thread)
{
    uint32_t calls[MODEL_MAX_THREADS];
    int count = 0;
    if (!ref_automaton_asks_open(worker->automaton))
        return;
    for (int t = 0; t < worker->threads; t++)
        if (t != thread && config[1 + t] == STATUS_PENDING)
            ref_automaton_add_open(worker->automaton, worker_operation(worker, state, t),
                                   arguments_of(worker, state, t), calls, &count);
    ref_automaton_set_open(worker->automaton, calls, count);
}

/* A call of THREAD begins, and with it the next of the values to come has a name. Configurations
 * that promised another call with that value are dropped. */
static void name_value(Worker *worker, const unsigned char *state, int thread, int operation)
{
    Renaming renaming;
    size_t width = (size_t)worker->config_words, kept = 0;
    const unsigned char *arguments = arguments_of(worker, state, thread);
    if (!ref_automaton_brings(worker->automaton, operation, arguments, &renaming))
        return;
    for (size_t i = 0; i < worker->configs.count; i += width) {
        uint32_t *config = worker->configs.at + kept;
        memmove(config, worker->configs.at + i, width * sizeof *config);
        config[0] = ref_automaton_rename(worker->automaton, config[0], &renaming);
        if (!ref_automaton_expects(worker->automaton, config[0], operation, arguments))
            continue;
        kept += width;
        for (int t = 0; t < worker->threads; t++)
            if (t != thread && status_is_done(config[1 + t]) &&
                worker_returns_data(worker, state, t))
                config[1 + t] = status_done(renaming.values[status_result(config[1 + t]) & 0xFF]);
    }
    worker->configs.count = kept;
}

/* Adds to set every configuration that config reaches by taking one pending call as done. */
static bool take_pending(Worker *worker, const unsigned char *state, const uint32_t *config,
                         ConfigSet *set)
{
    uint32_t from[1 + MODEL_MAX_THREADS], to[1 + MODEL_MAX_THREADS];
    size_t width = (size_t)worker->config_words;
    memcpy(from, config, width * sizeof *from); /* set may move */
    for (int t = 0; t < worker->threads; t++) {
        if (from[1 + t] != STATUS_PENDING)
            continue;
        StepOutcomes outcomes;
        set_open(worker, state, from, t);
        if (!ref_automaton_step(worker->automaton, from[0], worker_operation(worker, state, t),
                                arguments_of(worker, state, t), t + 1, &outcomes))
            return worker_specification_failed(worker);
        for (int k = 0; k < outcomes.count; k++) {
            const StepOutcome *outcome = ref_automaton_outcome(worker->automaton, outcomes, k);
            memcpy(to, from, width * sizeof *to);
            to[0] = outcome->next;
            to[1 + t] = outcome->kind == RESULT_LATE ? STATUS_LATE : status_done(outcome->result);
            /* its own late call of an earlier time has been answered: nobody waits for it */
            if (outcome->resolved && to[outcome->resolved] == STATUS_LATE)
                to[outcome->resolved] = status_done(outcome->resolved_to);
            configs_add(set, to, width);
        }
    }
    return true;
}

/* The response of a thread: keeps the configurations that explain it. */
static bool respond(Worker *worker, const unsigned char *state, int thread, int64_t result)
{
    size_t width = (size_t)worker->config_words;
    configs_clear(&worker->seen);
    for (size_t i = 0; i < worker->configs.count; i += width)
        configs_add(&worker->seen, worker->configs.at + i, width);
    configs_clear(&worker->reach);
    for (size_t i = 0; i < worker->seen.count; i++) {
        uint32_t *config = worker->seen.words.at + i * width;
        uint32_t status = config[1 + thread], kept[1 + MODEL_MAX_THREADS];
        if (status == STATUS_PENDING) {
            if (!take_pending(worker, state, config, &worker->seen))
                return false;
            continue;
        }
        memcpy(kept, config, width * sizeof *kept);
        if (status == STATUS_LATE) {
            set_open(worker, state, kept, thread);
            if (!ref_automaton_resolve(worker->automaton, kept[0], thread + 1, (int)result,
                                       &kept[0])) {
                Place place;
                int64_t value;
                if (ref_automaton_fault(worker->automaton, &place, &value) != FAULT_NONE)
                    return worker_specification_failed(worker);
                continue;
            }
        } else if (status_result(status) != result) {
            continue;
        }
        kept[1 + thread] = STATUS_IDLE;
        configs_add(&worker->reach, kept, width);
    }
    vec_clear(&worker->configs);
    for (size_t i = 0; i < worker->reach.words.count; i++)
        vec_push(&worker->configs, worker->reach.words.at[i]);
    return worker->configs.count > 0;
}

static int pending_count(const Worker *worker, const uint32_t *config)
{
    int count = 0;
    for (int t = 0; t < worker->threads; t++)
        count += config[1 + t] == STATUS_PENDING;
    return count;
}

/* Reduction (a): drops what another configuration reaches by taking pending calls as done. */
static bool prune(Worker *worker, const unsigned char *state)
{
    size_t width = (size_t)worker->config_words, count = worker->configs.count / width, kept = 0;
    if (count < 2)
        return true;
    for (size_t i = 0; i < count; i++) {
        if (pending_count(worker, worker->configs.at + i * width) == 0)
            continue;
        configs_clear(&worker->seen);
        configs_add(&worker->seen, worker->configs.at + i * width, width);
        for (size_t j = 0; j < worker->seen.count; j++)
            if (!take_pending(worker, state, worker->seen.words.at + j * width, &worker->seen))
                return false;
        kept = 0;
        size_t own = i;
        for (size_t j = 0; j < count; j++) {
            const uint32_t *config = worker->configs.at + j * width;
            if (j != i && configs_has(&worker->seen, config, width)) {
                own -= j < i;
                continue;
            }
            memmove(worker->configs.at + kept * width, config, width * sizeof *config);
            kept++;
        }
        i = own;
        count = kept;
    }
    worker->configs.count = count * width;
    return true;
}

bool worker_apply(Worker *worker, const Successor *successor)
{
    const Program *program = worker->program;
    size_t width = (size_t)worker->config_words;
    int thread = successor->thread;
    unsigned char *state = worker->next;
    memcpy(state, worker->stepper.states.at + successor->state, (size_t)program->state_bytes);
    if (!worker->automaton) {
        memset(program_thread(program, state, thread) + program->arguments_offset, 0,
               (size_t)program->arguments_bytes);
        return true;
    }
    if (successor->invokes) {
        name_value(worker, state, thread, successor->operation);
        for (size_t i = 0; i < worker->configs.count; i += width)
            worker->configs.at[i + 1 + (size_t)thread] = STATUS_PENDING;
    }
    if (successor->responds) {
        /* the thread is idle in its new state: its call is read from a state in which it is not */
        unsigned char *block = program_thread(program, state, thread);
        cell_write(block, program->pc_bytes, program->operations[successor->operation].base);
        bool ok = respond(worker, state, thread, successor->result);
        cell_write(block, program->pc_bytes, PC_IDLE);
        if (!ok)
            return false;
        memset(block + program->arguments_offset, 0, (size_t)program->arguments_bytes);
        if (!worker->options->no_pruning && !prune(worker, state))
            return false;
    }
    for (int t = 0; t < worker->threads; t++) { /* arguments that no configuration needs */
        bool needed = false;
        for (size_t i = 0; i < worker->configs.count && !needed; i += width)
            needed = worker->configs.at[i + 1 + (size_t)t] == STATUS_PENDING;
        if (!needed)
            memset(program_thread(program, state, t) + program->arguments_offset, 0,
                   (size_t)program->arguments_bytes);
    }
    return true;
}

int config_compare(const void *left, const void *right, void *width)
{
    const uint32_t *a = left, *b = right;
    for (size_t i = 0; i < *(size_t *)width; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

void worker_canonise(Worker *worker, Renaming *renaming)
{
    const Program *program = worker->program;
    size_t width = (size_t)worker->config_words, count = worker->configs.count;
    unsigned char *state = worker->next;
    bool data_results[MODEL_MAX_THREADS];
    for (int t = 0; t < worker->threads; t++)
        data_results[t] = worker_returns_data(worker, state, t);
    bool trivial = !worker->canon.threads && !(worker->canon.values && program->has_data) &&
                   !(worker->canon.nodes && program->has_refs);
    if (trivial) {
        renaming_identity(renaming);
    } else {
        canon_state(program, &worker->canon, state, renaming, &worker->scratch);
    }
    if (!worker->automaton)
        return;
    if (worker->canon.values && program->has_data) {
        int next = 0;
        for (int v = 1; v < 256; v++)
            next = MAX(next, renaming->values[v]);
        for (int j = 0; j < ref_automaton_future(worker->automaton); j++)
            renaming->values[255 - j] = (unsigned char)(255 - j);
        for (size_t i = 0; i < count; i += width) {
            ref_automaton_number_values(worker->automaton, worker->configs.at[i], renaming, &next);
            for (int t = 0; t < worker->threads; t++) {
                uint32_t status = worker->configs.at[i + 1 + (size_t)t];
                unsigned value =
                    status_is_done(status) ? (unsigned)status_result(status) & 0xFF : 0;
                if (data_results[t] && value && !renaming->values[value])
                    renaming->values[value] = (unsigned char)++next;
            }
        }
        renaming->values_change = false;
        for (int v = 1; v < 256; v++)
            renaming->values_change |= renaming->values[v] && renaming->values[v] != v;
    }
    if (!renaming->values_change && !renaming->threads_change) {
        qsort_r(worker->configs.at, count / width, width * sizeof(uint32_t), config_compare,
                &width);
        return;
    }
    for (size_t i = 0; i < count; i += width) {
        uint32_t *config = worker->configs.at + i, old[1 + MODEL_MAX_THREADS];
        memcpy(old, config, width * sizeof *old);
        config[0] = ref_automaton_rename(worker->automaton, old[0], renaming);
        for (int t = 0; t < worker->threads; t++) {
            uint32_t status = old[1 + t];
            if (data_results[t] && status_is_done(status))
                status = status_done(renaming->values[status_result(status) & 0xFF]);
            config[renaming->threads[t + 1]] = status;
        }
    }
    qsort_r(worker->configs.at, count / width, width * sizeof(uint32_t), config_compare, &width);
}

void worker_allowed(Worker *worker, const Successor *successor, Words *results)
{
    const Program *program = worker->program;
    const Type *type = program->operations[successor->operation].operation->result;
    int64_t low = type->low, high = type->kind == TYPE_DATA ? 64 : MIN(type->high, type->low + 64);
    Words configs = {0};
    for (size_t i = 0; i < worker->configs.count; i++)
        vec_push(&configs, worker->configs.at[i]);
    for (int64_t value = low; value <= high && type->kind != TYPE_VOID; value++) {
        Successor trial = *successor;
        trial.result = value;
        vec_clear(&worker->configs);
        for (size_t i = 0; i < configs.count; i++)
            vec_push(&worker->configs, configs.at[i]);
        if (worker_apply(worker, &trial))
            vec_push(results, (uint32_t)(int32_t)value);
    }
    vec_clear(&worker->configs);
    for (size_t i = 0; i < configs.count; i++)
        vec_push(&worker->configs, configs.at[i]);
    vec_free(&configs);
}
