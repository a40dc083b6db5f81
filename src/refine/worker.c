#include "refine/explain.h"
#include "base/hash.h"
#include <stdlib.h>
#include <string.h>

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
    worker->automaton = automaton ? ref_automaton_new(automaton) : NULL;
    stepper_init(&worker->stepper, options->model, program, !options->no_fusion);
    bool fixed = program->has_fixed_threads ||
                 (worker->automaton && ref_automaton_program(worker->automaton)->has_fixed_threads);
    worker->canon = (CanonOptions){.threads = !options->no_thread_symmetry && !fixed,
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
    ref_automaton_free(worker->automaton);
    stepper_free(&worker->stepper);
    canon_scratch_free(&worker->scratch);
    table_free(&worker->shared);
    table_free(&worker->blocks);
    table_free(&worker->implementations);
    table_free(&worker->sets);
    table_free(&worker->outcomes);
    vec_free(&worker->pairs);
    vec_free(&worker->heads);
    vec_free(&worker->deaths);
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
    return total + (worker->automaton ? ref_automaton_memory(worker->automaton) : 0);
}

/* ---- what is stored ---- */
static void load_state(Worker *worker, uint32_t implementation, unsigned char *state)
{
    const Program *program = worker->program;
    uint32_t *words = worker->parts;
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
    for (int j = 0; worker->automaton && j < ref_automaton_future(worker->automaton); j++)
        used[(255 - j) >> 6] |= UINT64_C(1) << ((255 - j) & 63);
    for (size_t i = 0; worker->automaton && i < worker->configs.count; i += width) {
        ref_automaton_values(worker->automaton, worker->configs.at[i], used);
        for (int t = 0; t < worker->threads; t++) {
            uint32_t status = worker->configs.at[i + 1 + (size_t)t];
            if (status_is_done(status) && worker_returns_data(worker, worker->state, t)) {
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

/* ---- visited pairs ---- */
static bool is_subset(const Words *small, const Words *large, size_t width)
{
    size_t i = 0, j = 0;
    if (small->count > large->count)
        return false;
    while (i < small->count) {
        int order = 1;
        while (j < large->count &&
               (order = config_compare(large->at + j, small->at + i, &width)) < 0)
            j += width;
        if (j == large->count || order > 0)
            return false;
        i += width;
        j += width;
    }
    return true;
}

/* The id of a part of worker->next; most transitions leave most parts as they were in
 * worker->state, whose ids are known. */
static uint32_t part_id(Worker *worker, Table *table, size_t offset, size_t bytes, uint32_t known,
                        bool has_parent)
{
    if (has_parent && !memcmp(worker->next + offset, worker->state + offset, bytes))
        return known;
    return table_put(table, worker->next + offset, bytes, NULL);
}

/* has_parent: worker->state is the state that worker->next was made from. */
static void insert(Worker *worker, uint32_t parent, int parent_worker, int ordinal, bool has_parent)
{
    const Program *program = worker->program;
    uint32_t words[1 + MODEL_MAX_THREADS];
    bool is_new;
    size_t shared = (size_t)program->shared_bytes, block = (size_t)program->thread_bytes;
    words[0] =
        shared ? part_id(worker, &worker->shared, 0, shared, worker->parts[0], has_parent) : 0;
    for (int t = 0; t < worker->threads; t++)
        words[1 + t] = part_id(worker, &worker->blocks, shared + (size_t)t * block, block,
                               worker->parts[1 + t], has_parent);
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
            /* the new pair is of the next level: it may not take the place of one of this level, or
             * a counterexample would be longer than need be */
            if (at >= worker->level_end && is_subset(&worker->configs, &worker->vector, width)) {
                pair->is_dead = true;
                if (at < worker->saved.pairs)
                    vec_push(&worker->deaths, at);
            }
        }
        for (size_t i = 0; new_set && i < worker->configs.count; i += width)
            if (ref_automaton_is_stuck(worker->automaton, worker->configs.at[i]) &&
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
        insert(worker, parent, worker->index, ordinal, parent != NO_PAIR);
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
        ref_automaton_export(worker->automaton, worker->configs.at[i], &worker->text);
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
                     ref_automaton_import(worker->automaton,
                                          (const unsigned char *)messages->at + at, length));
            at += length;
            memcpy(status, messages->at + at, sizeof(uint32_t) * (width - 1));
            at += sizeof(uint32_t) * (width - 1);
            for (size_t t = 0; t + 1 < width; t++)
                vec_push(&worker->configs, status[t]);
        }
        if (worker->automaton)
            qsort_r(worker->configs.at, worker->configs.count / width, width * sizeof(uint32_t),
                    config_compare, &width);
        insert(worker, head[0], (int)head[2], (int)head[1], false);
    }
}

void worker_start(Worker *worker, Worker *all)
{
    Renaming renaming;
    stepper_initial(&worker->stepper);
    for (size_t i = 0; i < worker->stepper.out.count; i++) {
        const Successor *start = &worker->stepper.out.at[i];
        if (start->is_fault) {
            worker->finding = (RefineFinding){.kind = FINDING_FAULT,
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
            if (!ref_automaton_initial(worker->automaton, &initial)) {
                worker->finding.pair = NO_PAIR;
                worker->finding.ordinal = -1;
                worker_specification_failed(worker);
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

/* ---- expansion ---- */
bool worker_expand(Worker *worker, uint32_t index)
{
    if (worker->pairs.at[index].is_dead)
        return true;
    worker_load(worker, index);
    size_t count = worker->stepper.out.count;
    worker->transitions += count;
    if (!worker_judge_standstill(worker, index))
        return false;
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
