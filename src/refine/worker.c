#include "refine/worker.h"
#include "base/hash.h"
#include <stdlib.h>
#include <string.h>

/* ---- status of a call in a configuration ---- */
enum { STATUS_IDLE = 0, STATUS_PENDING = 1, STATUS_LATE = 3, STATUS_DONE_TAG = 2 };

static uint32_t status_done(int64_t result)
{
    uint32_t zigzag = ((uint32_t)result << 1) ^ (uint32_t)((int32_t)result >> 31);
    return zigzag << 2 | STATUS_DONE_TAG;
}

static bool status_is_done(uint32_t status)
{
    return (status & 3) == STATUS_DONE_TAG;
}

static int status_result(uint32_t status)
{
    uint32_t zigzag = status >> 2;
    return (int)((zigzag >> 1) ^ (~(zigzag & 1) + 1));
}

/* ---- sets of configurations ---- */
static void configs_clear(ConfigSet *set)
{
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

/* ---- life ---- */
void worker_init(Worker *worker, const RefineOptions *options, const Program *program,
                 const AutomatonOptions *automaton, Arena *arena, int index, int jobs)
{
    *worker = (Worker){.options = options,
                       .index = index,
                       .jobs = jobs,
                       .threads = program->thread_count,
                       .config_words = 1 + program->thread_count,
                       .program = program};
    worker->automaton = automaton ? automaton_new(automaton) : NULL;
    stepper_init(&worker->stepper, options->model, program, !options->no_fusion);
    worker->canon = (CanonOptions){.threads = !options->no_thread_symmetry,
                                   .values = !options->no_value_symmetry,
                                   .nodes = !options->no_node_symmetry,
                                   .groups = options->model->groups,
                                   .group_count = options->model->group_count};
    table_init(&worker->shared, (size_t)MAX(program->shared_bytes, 1));
    table_init(&worker->blocks, (size_t)MAX(program->thread_bytes, 1));
    table_init(&worker->implementations, sizeof(uint32_t) * (size_t)(1 + worker->threads));
    table_init(&worker->sets, 0);
    table_init(&worker->outcomes, 0);
    worker->state = arena_alloc(arena, (size_t)program->state_bytes + 16);
    worker->next = arena_alloc(arena, (size_t)program->state_bytes + 16);
    int observations = options->model->observation_count;
    worker->observations = arena_array_of(arena, ProgramExpr, (size_t)observations + 1);
    for (int i = 0; i < observations; i++)
        worker->observations[i] =
            program_compile_expr(arena, program, options->model->observations[i].expr);
}

void worker_free(Worker *worker)
{
    automaton_free(worker->automaton);
    stepper_free(&worker->stepper);
    canon_scratch_free(&worker->scratch);
    table_free(&worker->shared);
    table_free(&worker->blocks);
    table_free(&worker->implementations);
    table_free(&worker->sets);
    table_free(&worker->outcomes);
    vec_free(&worker->pairs);
    vec_free(&worker->heads);
    for (int i = 0; i < MAX_JOBS; i++)
        vec_free(&worker->out[i]);
    vec_free(&worker->configs);
    vec_free(&worker->vector);
    vec_free(&worker->message_words);
    vec_free(&worker->seen.words);
    vec_free(&worker->seen.slots);
    vec_free(&worker->reach.words);
    vec_free(&worker->reach.slots);
    vec_free(&worker->text);
}

size_t worker_memory(const Worker *worker)
{
    size_t total = table_memory(&worker->shared) + table_memory(&worker->blocks) +
                   table_memory(&worker->implementations) + table_memory(&worker->sets) +
                   worker->pairs.capacity * sizeof *worker->pairs.at +
                   worker->heads.capacity * sizeof *worker->heads.at;
    for (int i = 0; i < worker->jobs; i++)
        total += worker->out[i].capacity;
    return total + (worker->automaton ? automaton_memory(worker->automaton) : 0);
}

/* ---- what is stored ---- */
static void load_state(Worker *worker, uint32_t implementation, unsigned char *state)
{
    const Program *program = worker->program;
    uint32_t words[1 + MODEL_MAX_THREADS];
    memcpy(words, table_get(&worker->implementations, implementation, NULL),
           sizeof(uint32_t) * (size_t)(1 + worker->threads));
    if (program->shared_bytes)
        memcpy(state, table_get(&worker->shared, words[0], NULL), (size_t)program->shared_bytes);
    for (int t = 0; t < worker->threads; t++)
        memcpy(program_thread(program, state, t), table_get(&worker->blocks, words[1 + t], NULL),
               (size_t)program->thread_bytes);
}

static void load_set(const Worker *worker, uint32_t set, Words *out)
{
    size_t bytes;
    const unsigned char *at = table_get(&worker->sets, set, &bytes);
    vec_clear(out);
    vec_reserve(out, bytes / sizeof(uint32_t) + 1);
    if (bytes)
        memcpy(out->at, at, bytes);
    out->count = bytes / sizeof(uint32_t);
}

static int operation_of(const Worker *worker, const unsigned char *state, int thread)
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

/* Data values that occur neither in the state nor in its configurations. */
static void find_fresh(Worker *worker, unsigned char *fresh)
{
    uint64_t used[4] = {1, 0, 0, 0};
    memset(fresh, 0, MODEL_MAX_PARAMETERS);
    if (!worker->program->has_data)
        return;
    canon_cells(worker->program, worker->state, &worker->scratch.cells);
    for (size_t i = 0; i < worker->scratch.cells.count; i++)
        if (worker->scratch.cells.at[i].kind == CELL_DATA) {
            unsigned char value = worker->scratch.cells.at[i].at[0];
            used[value >> 6] |= UINT64_C(1) << (value & 63);
        }
    size_t width = (size_t)worker->config_words;
    for (size_t i = 0; worker->automaton && i < worker->configs.count; i += width) {
        automaton_values(worker->automaton, worker->configs.at[i], used);
        for (int t = 0; t < worker->threads; t++) {
            uint32_t status = worker->configs.at[i + 1 + (size_t)t];
            int operation = operation_of(worker, worker->state, t);
            if (operation >= 0 && status_is_done(status) &&
                worker->program->operations[operation].operation->result->kind == TYPE_DATA) {
                unsigned value = (unsigned)status_result(status) & 0xFF;
                used[value >> 6] |= UINT64_C(1) << (value & 63);
            }
        }
    }
    for (int value = 1, n = 0; value < 256 && n < MODEL_MAX_PARAMETERS; value++)
        if (!(used[value >> 6] >> (value & 63) & 1))
            fresh[n++] = (unsigned char)value;
}

void worker_load(Worker *worker, uint32_t index)
{
    unsigned char fresh[MODEL_MAX_PARAMETERS];
    Pair pair = worker->pairs.at[index];
    load_state(worker, pair.implementation, worker->state);
    load_set(worker, pair.set, &worker->configs);
    find_fresh(worker, fresh);
    stepper_next(&worker->stepper, worker->state, fresh);
}

/* ---- what happens to configurations ---- */
static bool specification_failed(Worker *worker)
{
    if (worker->finding.kind == FINDING_NONE) {
        worker->finding.kind = FINDING_SPECIFICATION_FAULT;
        worker->finding.fault =
            automaton_fault(worker->automaton, &worker->finding.place, &worker->finding.value);
    }
    return false;
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
        Outcomes outcomes;
        if (!automaton_step(worker->automaton, from[0], operation_of(worker, state, t),
                            arguments_of(worker, state, t), t + 1, &outcomes))
            return specification_failed(worker);
        for (int k = 0; k < outcomes.count; k++) {
            const Outcome *outcome = automaton_outcome(worker->automaton, outcomes, k);
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
            if (!automaton_resolve(worker->automaton, kept[0], thread + 1, (int)result, &kept[0])) {
                Place place;
                int64_t value;
                if (automaton_fault(worker->automaton, &place, &value) != FAULT_NONE)
                    return specification_failed(worker);
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
    if (successor->invokes)
        for (size_t i = 0; i < worker->configs.count; i += width)
            worker->configs.at[i + 1 + (size_t)thread] = STATUS_PENDING;
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

static int compare_configs(const void *left, const void *right, void *width)
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
    for (int t = 0; t < worker->threads; t++) {
        int operation = operation_of(worker, state, t);
        data_results[t] =
            operation >= 0 && program->operations[operation].operation->result->kind == TYPE_DATA;
    }
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
        for (size_t i = 0; i < count; i += width) {
            automaton_number_values(worker->automaton, worker->configs.at[i], renaming, &next);
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
        qsort_r(worker->configs.at, count / width, width * sizeof(uint32_t), compare_configs,
                &width);
        return;
    }
    for (size_t i = 0; i < count; i += width) {
        uint32_t *config = worker->configs.at + i, old[1 + MODEL_MAX_THREADS];
        memcpy(old, config, width * sizeof *old);
        config[0] = automaton_rename(worker->automaton, old[0], renaming);
        for (int t = 0; t < worker->threads; t++) {
            uint32_t status = old[1 + t];
            if (data_results[t] && status_is_done(status))
                status = status_done(renaming->values[status_result(status) & 0xFF]);
            config[renaming->threads[t + 1]] = status;
        }
    }
    qsort_r(worker->configs.at, count / width, width * sizeof(uint32_t), compare_configs, &width);
}

/* ---- visited pairs ---- */
static bool is_subset(const Words *small, const Words *large, size_t width)
{
    size_t i = 0, j = 0;
    if (small->count > large->count)
        return false;
    while (i < small->count) {
        int order = 1;
        while (j < large->count &&
               (order = compare_configs(large->at + j, small->at + i, &width)) < 0)
            j += width;
        if (j == large->count || order > 0)
            return false;
        i += width;
        j += width;
    }
    return true;
}

static void insert(Worker *worker, uint32_t parent, int parent_worker, int ordinal)
{
    const Program *program = worker->program;
    uint32_t words[1 + MODEL_MAX_THREADS];
    bool is_new;
    words[0] = program->shared_bytes
                   ? table_put(&worker->shared, worker->next, (size_t)program->shared_bytes, NULL)
                   : 0;
    for (int t = 0; t < worker->threads; t++)
        words[1 + t] = table_put(&worker->blocks, program_thread(program, worker->next, t),
                                 (size_t)program->thread_bytes, NULL);
    uint32_t implementation = table_put(&worker->implementations, words,
                                        sizeof(uint32_t) * (size_t)(1 + worker->threads), &is_new);
    if (is_new)
        vec_push(&worker->heads, NO_PAIR);
    else if (!worker->automaton)
        return;
    uint32_t set = 0;
    if (worker->automaton) {
        bool new_set;
        set = table_put(&worker->sets, worker->configs.at,
                        worker->configs.count * sizeof *worker->configs.at, &new_set);
        size_t width = (size_t)worker->config_words;
        for (uint32_t at = worker->heads.at[implementation]; at != NO_PAIR;
             at = worker->pairs.at[at].next) {
            Pair *pair = &worker->pairs.at[at];
            if (pair->set == set)
                return;
            if (worker->options->no_antichain || pair->is_dead)
                continue;
            load_set(worker, pair->set, &worker->vector);
            if (is_subset(&worker->vector, &worker->configs, width))
                return;
            if (is_subset(&worker->configs, &worker->vector, width))
                pair->is_dead = true;
        }
        for (size_t i = 0; new_set && i < worker->configs.count; i += width)
            if (automaton_is_stuck(worker->automaton, worker->configs.at[i]) &&
                worker->finding.kind == FINDING_NONE) {
                worker->finding.kind = FINDING_SPECIFICATION_STUCK;
                worker->finding.specification_state = worker->configs.at[i];
                worker->finding.pair = parent;
                worker->finding.ordinal = ordinal;
            }
    } else if (worker->sets.count == 0) {
        set = table_put(&worker->sets, "", 0, NULL);
    }
    ASSERT(worker->pairs.count < NO_PAIR && ordinal < 1 << 24);
    vec_push(&worker->pairs, (Pair){.implementation = implementation,
                                    .set = set,
                                    .next = worker->heads.at[implementation],
                                    .parent = parent,
                                    .parent_worker = (unsigned)parent_worker & 0x7F,
                                    .ordinal = (unsigned)ordinal & 0xFFFFFF});
    worker->heads.at[implementation] = (uint32_t)worker->pairs.count - 1;
}

/* The owner of a pair is given by its implementation state, so that each worker has all pairs of a
 * state and no table is shared. */
static void deliver(Worker *worker, uint32_t parent, int ordinal)
{
    const Program *program = worker->program;
    size_t bytes = (size_t)program->state_bytes;
    int owner =
        worker->jobs == 1 ? 0 : (int)(hash_bytes(worker->next, bytes, 7) % (uint64_t)worker->jobs);
    if (owner == worker->index) {
        insert(worker, parent, worker->index, ordinal);
        return;
    }
    Buffer *out = &worker->out[owner];
    size_t width = (size_t)worker->config_words;
    uint32_t head[4] = {parent, (uint32_t)ordinal, (uint32_t)worker->index,
                        (uint32_t)(worker->configs.count / width)};
    buffer_append(out, head, sizeof head);
    buffer_append(out, worker->next, bytes);
    for (size_t i = 0; worker->automaton && i < worker->configs.count; i += width) {
        vec_clear(&worker->text);
        automaton_export(worker->automaton, worker->configs.at[i], &worker->text);
        uint32_t length = (uint32_t)worker->text.count;
        buffer_append(out, &length, sizeof length);
        buffer_append(out, worker->text.at, worker->text.count);
        buffer_append(out, worker->configs.at + i + 1, sizeof(uint32_t) * (width - 1));
    }
}

void worker_receive(Worker *worker, const Buffer *messages)
{
    const Program *program = worker->program;
    size_t at = 0, width = (size_t)worker->config_words, bytes = (size_t)program->state_bytes;
    while (at < messages->count) {
        uint32_t head[4];
        memcpy(head, messages->at + at, sizeof head);
        at += sizeof head;
        memcpy(worker->next, messages->at + at, bytes);
        at += bytes;
        vec_clear(&worker->configs);
        for (uint32_t i = 0; worker->automaton && i < head[3]; i++) {
            uint32_t length, status[MODEL_MAX_THREADS];
            memcpy(&length, messages->at + at, sizeof length);
            at += sizeof length;
            vec_push(&worker->configs,
                     automaton_import(worker->automaton, (const unsigned char *)messages->at + at,
                                      length));
            at += length;
            memcpy(status, messages->at + at, sizeof(uint32_t) * (width - 1));
            at += sizeof(uint32_t) * (width - 1);
            for (size_t t = 0; t + 1 < width; t++)
                vec_push(&worker->configs, status[t]);
        }
        if (worker->automaton)
            qsort_r(worker->configs.at, worker->configs.count / width, width * sizeof(uint32_t),
                    compare_configs, &width);
        insert(worker, head[0], (int)head[2], (int)head[1]);
    }
}

void worker_start(Worker *worker, Worker *all)
{
    Renaming renaming;
    stepper_initial(&worker->stepper);
    for (size_t i = 0; i < worker->stepper.out.count; i++) {
        const Successor *start = &worker->stepper.out.at[i];
        if (start->is_fault) {
            worker->finding = (Finding){.kind = FINDING_FAULT,
                                        .pair = NO_PAIR,
                                        .ordinal = -1,
                                        .fault = start->fault,
                                        .place = start->fault_place,
                                        .value = start->fault_value};
            return;
        }
        memcpy(worker->next, worker->stepper.states.at + start->state,
               (size_t)worker->program->state_bytes);
        vec_clear(&worker->configs);
        if (worker->automaton) {
            uint32_t initial;
            if (!automaton_initial(worker->automaton, &initial)) {
                worker->finding.pair = NO_PAIR;
                worker->finding.ordinal = -1;
                specification_failed(worker);
                return;
            }
            vec_push(&worker->configs, initial);
            for (int t = 0; t < worker->threads; t++)
                vec_push(&worker->configs, STATUS_IDLE);
        }
        worker_canonise(worker, &renaming);
        deliver(worker, NO_PAIR, (int)i);
    }
    for (int j = 0; j < worker->jobs; j++) {
        worker_receive(&all[j], &worker->out[j]);
        vec_clear(&worker->out[j]);
    }
}

/* ---- a state without successors ---- */
static bool all_finished(const Worker *worker)
{
    for (int t = 0; t < worker->threads; t++)
        if (program_pc(worker->program, program_thread(worker->program, worker->state, t)) <
            worker->program->point_count)
            return false;
    return true;
}

static void note_outcome(Worker *worker)
{
    vec_clear(&worker->text);
    for (int i = 0; i < worker->options->model->observation_count; i++) {
        const Observation *observation = &worker->options->model->observations[i];
        Machine machine = {.program = worker->observations[i].program, .memory = worker->state};
        RunStatus status = machine_run(&machine, worker->observations[i].code);
        buffer_printf(&worker->text, "%s%s=", i ? " " : "", observation->text);
        if (status == RUN_RETURN)
            value_print(&worker->text, observation->expr->type, machine.result);
        else
            buffer_printf(&worker->text, "?");
    }
    table_put(&worker->outcomes, worker->text.at, worker->text.count, NULL);
}

/* Does some configuration block every thread? calls[t] is what an idle thread would call. */
static bool justified_by_one(Worker *worker, const int *operation, unsigned char (*arguments)[64])
{
    size_t width = (size_t)worker->config_words;
    for (size_t i = 0; i < worker->configs.count; i += width) {
        bool blocks = true;
        for (int t = 0; t < worker->threads && blocks; t++) {
            if (operation[t] < 0)
                continue; /* finished, or a program */
            uint32_t status = worker->configs.at[i + 1 + (size_t)t];
            Outcomes outcomes = {0, 0};
            blocks = status == STATUS_PENDING || status == STATUS_IDLE;
            if (blocks && !automaton_step(worker->automaton, worker->configs.at[i], operation[t],
                                          arguments[t], t + 1, &outcomes))
                return specification_failed(worker);
            blocks = blocks && outcomes.count == 0;
        }
        if (blocks)
            return true;
    }
    return false;
}

/* Every choice of calls by idle threads must be blocked by some configuration. */
static bool justified(Worker *worker, int thread, int *operation, unsigned char (*arguments)[64])
{
    const Program *program = worker->program;
    if (thread == worker->threads)
        return justified_by_one(worker, operation, arguments);
    const ThreadGroup *group = worker->options->model->groups;
    while (thread >= group->first + group->count)
        group++;
    int own = operation_of(worker, worker->state, thread);
    int pc = program_pc(program, program_thread(program, worker->state, thread));
    if (pc != PC_IDLE || group->is_program) {
        operation[thread] = group->is_program ? -1 : own;
        memcpy(arguments[thread], arguments_of(worker, worker->state, thread),
               (size_t)program->arguments_bytes);
        return justified(worker, thread + 1, operation, arguments);
    }
    for (int op = 0; op < program->operation_count; op++) {
        if (!(group->operations >> op & 1))
            continue;
        const Operation *callee = program->operations[op].operation;
        operation[thread] = op;
        memset(arguments[thread], 0, 64);
        bool more = true;
        unsigned char fresh = 200; /* a value of its own, as for any new call */
        for (int i = 0; i < callee->parameter_count; i++)
            if (callee->locals[i]->type->kind == TYPE_DATA)
                arguments[thread][callee->locals[i]->offset] = fresh++;
        while (more) {
            if (!justified(worker, thread + 1, operation, arguments))
                return false;
            more = false;
            for (int i = 0; i < callee->parameter_count && !more; i++) {
                const Type *type = callee->locals[i]->type;
                unsigned char *at = arguments[thread] + callee->locals[i]->offset;
                int value = cell_read(at, type->bytes);
                if (type->kind == TYPE_DATA)
                    continue;
                more = value < type->high - type->low;
                cell_write(at, type->bytes, more ? value + 1 : 0);
            }
        }
    }
    return true;
}

static bool judge_standstill(Worker *worker, uint32_t index)
{
    if (all_finished(worker)) {
        if (worker->options->collect_outcomes)
            note_outcome(worker);
        return true;
    }
    if (worker->automaton) {
        int operation[MODEL_MAX_THREADS];
        unsigned char arguments[MODEL_MAX_THREADS][64];
        if (justified(worker, 0, operation, arguments))
            return true;
    }
    if (worker->finding.kind == FINDING_NONE)
        worker->finding = (Finding){.kind = FINDING_DEADLOCK, .pair = index, .ordinal = -1};
    return false;
}

/* ---- expansion ---- */
bool worker_expand(Worker *worker, uint32_t index)
{
    if (worker->pairs.at[index].is_dead)
        return true;
    worker_load(worker, index);
    size_t count = worker->stepper.out.count;
    worker->transitions += count;
    if (count == 0)
        return judge_standstill(worker, index);
    uint32_t set = worker->pairs.at[index].set;
    for (size_t i = 0; i < count; i++) {
        const Successor *successor = &worker->stepper.out.at[i];
        Renaming renaming;
        worker->finding.pair = index;
        worker->finding.ordinal = (int)i;
        if (successor->is_fault) {
            worker->finding.kind = FINDING_FAULT;
            worker->finding.fault = successor->fault;
            worker->finding.place = successor->fault_place;
            worker->finding.value = successor->fault_value;
            return false;
        }
        if (i > 0)
            load_set(worker, set, &worker->configs);
        if (!worker_apply(worker, successor)) {
            if (worker->finding.kind == FINDING_NONE)
                worker->finding.kind = FINDING_UNEXPLAINED;
            return false;
        }
        worker_canonise(worker, &renaming);
        deliver(worker, index, (int)i);
        if (worker->finding.kind != FINDING_NONE)
            return false;
    }
    return true;
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
