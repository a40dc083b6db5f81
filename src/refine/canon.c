#include "refine/canon.h"
#include <assert.h>
#include <string.h>

/* Copied, not computed: this is done for every transition. */
static const Renaming identity = {
#define FOUR(n) (n), (n) + 1, (n) + 2, (n) + 3
#define SIXTEEN(n) FOUR(n), FOUR((n) + 4), FOUR((n) + 8), FOUR((n) + 12)
#define SIXTY_FOUR(n) SIXTEEN(n), SIXTEEN((n) + 16), SIXTEEN((n) + 32), SIXTEEN((n) + 48)
    .values = {SIXTY_FOUR(0), SIXTY_FOUR(64), SIXTY_FOUR(128), SIXTY_FOUR(192)},
    .threads = {0, 1, 2, 3, 4, 5, 6, 7, 8},
};
static_assert(MODEL_MAX_THREADS == 8, "identity names that many threads");

void renaming_identity(Renaming *renaming)
{
    *renaming = identity;
}

static void add_cells(unsigned char *at, const ScalarCells *cells, CellRefs *out)
{
    for (int i = 0; i < cells->count; i++)
        vec_push(out, (CellRef){at + cells->at[i].offset, cells->at[i].bytes, cells->at[i].pool,
                                cells->at[i].kind});
}

/* The names in one thread block. */
static void add_thread(const Program *program, unsigned char *thread, CellRefs *out)
{
    int pc = program_pc(program, thread);
    if (pc == PC_IDLE || pc >= program->point_count)
        return;
    const ProgramOperation *operation = &program->operations[program->points[pc].operation];
    if (pc == operation->base) { /* returned: the result is there, the locals are gone */
        if (operation->operation->result->kind == TYPE_DATA)
            vec_push(out, (CellRef){thread + program->pc_bytes, 1, -1, CELL_DATA});
        if (operation->operation->result->kind == TYPE_THREAD)
            vec_push(out, (CellRef){thread + program->pc_bytes, 1, -1, CELL_THREAD});
    } else {
        add_cells(thread + program->locals_offset, &operation->cells, out);
    }
    add_cells(thread + program->arguments_offset, &operation->argument_cells, out);
}

void canon_cells(const Program *program, unsigned char *memory, CellRefs *out)
{
    vec_clear(out);
    add_cells(memory, &program->shared_cells, out);
    for (int p = 0; p < program->module->pool_count; p++) {
        const Struct *structure = program->module->pools[p];
        unsigned char *node = memory + structure->pool_offset;
        for (int i = 0; i < structure->pool; i++, node += structure->bytes + 1)
            if (node[0])
                add_cells(node + 1, &program->node_cells[p], out);
    }
    for (int t = 0; t < program->thread_count; t++)
        add_thread(program, program_thread(program, memory, t), out);
}

/* ---- nodes ---- */
enum { MAX_POOLS = 64 };

typedef struct Numbering {
    const Program *program;
    unsigned char *memory;
    short *number[MAX_POOLS]; /* new number of a node; 0: not reached yet */
    short next[MAX_POOLS];
    CellRefs *work;
} Numbering;

static void reach(Numbering *numbering, int pool, int ref, Buffer *queue)
{
    if (ref == 0 || numbering->number[pool][ref])
        return;
    numbering->number[pool][ref] = ++numbering->next[pool];
    int item = pool << 16 | ref;
    buffer_append(queue, &item, sizeof item);
}

static void reach_cells(Numbering *numbering, const unsigned char *at, const ScalarCells *cells,
                        Buffer *queue)
{
    for (int i = 0; i < cells->count; i++)
        if (cells->at[i].kind == CELL_REF)
            reach(numbering, cells->at[i].pool,
                  cell_read(at + cells->at[i].offset, cells->at[i].bytes), queue);
}

static void renumber_cells(const Numbering *numbering, unsigned char *at, const ScalarCells *cells)
{
    for (int i = 0; i < cells->count; i++) {
        const ScalarCell *cell = &cells->at[i];
        if (cell->kind != CELL_REF)
            continue;
        int ref = cell_read(at + cell->offset, cell->bytes);
        if (ref)
            cell_write(at + cell->offset, cell->bytes, numbering->number[cell->pool][ref]);
    }
}

void canon_nodes(const Program *program, unsigned char *memory, Buffer *scratch)
{
    const Module *module = program->module;
    if (module->pool_count == 0)
        return;
    short numbers[2048];
    Numbering numbering = {.program = program, .memory = memory};
    size_t total = 0;
    for (int p = 0; p < module->pool_count; p++)
        total += (size_t)module->pools[p]->pool + 1;
    if (total > COUNT_OF(numbers) || module->pool_count > MAX_POOLS)
        return; /* no reduction for giants */
    memset(numbers, 0, total * sizeof *numbers);
    total = 0;
    for (int p = 0; p < module->pool_count; p++) {
        numbering.number[p] = numbers + total;
        total += (size_t)module->pools[p]->pool + 1;
    }
    vec_clear(scratch);
    reach_cells(&numbering, memory, &program->shared_cells, scratch);
    for (int t = 0; t < program->thread_count; t++) {
        unsigned char *thread = program_thread(program, memory, t);
        const ScalarCells *cells = program_thread_cells(program, thread);
        if (cells)
            reach_cells(&numbering, thread + program->locals_offset, cells, scratch);
    }
    for (size_t at = 0; at < scratch->count; at += sizeof(int)) {
        int item;
        memcpy(&item, scratch->at + at, sizeof item);
        const Struct *structure = module->pools[item >> 16];
        const unsigned char *node =
            memory + structure->pool_offset + ((item & 0xFFFF) - 1) * (structure->bytes + 1);
        if (node[0])
            reach_cells(&numbering, node + 1, &program->node_cells[item >> 16], scratch);
    }
    bool same = true;
    for (int p = 0; p < module->pool_count; p++) {
        const Struct *structure = module->pools[p];
        const unsigned char *node = memory + structure->pool_offset;
        for (int pass = 0; pass < 2; pass++) /* unreached ones: the live before the free */
            for (int ref = 1; ref <= structure->pool; ref++)
                if (!numbering.number[p][ref] &&
                    (node[(ref - 1) * (structure->bytes + 1)] != 0) == (pass == 0))
                    numbering.number[p][ref] = ++numbering.next[p];
        for (int ref = 1; ref <= structure->pool; ref++)
            same &= numbering.number[p][ref] == ref;
    }
    if (same)
        return;
    renumber_cells(&numbering, memory, &program->shared_cells);
    for (int t = 0; t < program->thread_count; t++) {
        unsigned char *thread = program_thread(program, memory, t);
        const ScalarCells *cells = program_thread_cells(program, thread);
        if (cells)
            renumber_cells(&numbering, thread + program->locals_offset, cells);
    }
    for (int p = 0; p < module->pool_count; p++) {
        const Struct *structure = module->pools[p];
        size_t stride = (size_t)structure->bytes + 1;
        unsigned char *pool = memory + structure->pool_offset;
        vec_clear(scratch);
        buffer_append(scratch, pool, (size_t)structure->pool * stride);
        for (int ref = 1; ref <= structure->pool; ref++) {
            unsigned char *to = pool + (size_t)(numbering.number[p][ref] - 1) * stride;
            memcpy(to, scratch->at + (size_t)(ref - 1) * stride, stride);
            if (to[0])
                renumber_cells(&numbering, to + 1, &program->node_cells[p]);
        }
    }
}

/* ---- values and threads ---- */
void canon_rename(const Program *program, unsigned char *memory, const Renaming *renaming,
                  CellRefs *cells, Buffer *scratch)
{
    if (!renaming->values_change && !renaming->threads_change)
        return;
    canon_cells(program, memory, cells);
    for (size_t i = 0; i < cells->count; i++) {
        CellRef *cell = &cells->at[i];
        if (cell->kind == CELL_DATA && renaming->values_change)
            cell->at[0] = renaming->values[cell->at[0]];
        else if (cell->kind == CELL_THREAD && renaming->threads_change)
            cell->at[0] = renaming->threads[cell->at[0]];
    }
    if (!renaming->threads_change)
        return;
    for (int i = 0; i < program->thread_array_count; i++) {
        const ThreadArray *array = &program->thread_arrays[i];
        size_t stride = (size_t)array->stride;
        vec_clear(scratch);
        buffer_append(scratch, memory + array->offset, stride * (size_t)array->count);
        for (int t = 0; t < array->count; t++)
            memcpy(memory + array->offset + (size_t)(renaming->threads[t + 1] - 1) * stride,
                   scratch->at + (size_t)t * stride, stride);
    }
    if (program->thread_count) {
        size_t stride = (size_t)program->thread_bytes;
        vec_clear(scratch);
        buffer_append(scratch, memory + program->shared_bytes,
                      stride * (size_t)program->thread_count);
        for (int t = 0; t < program->thread_count; t++)
            memcpy(memory + program->shared_bytes + (size_t)(renaming->threads[t + 1] - 1) * stride,
                   scratch->at + (size_t)t * stride, stride);
    }
}

/* Adds the data values of a state, in the order of their first occurrence, to the renaming as
 * 1, 2, ...; *next is the last number given (start with 0 and values all 0). */
static void canon_number_values(const Program *program, unsigned char *memory, Renaming *renaming,
                                int *next, CellRefs *cells)
{
    canon_cells(program, memory, cells);
    for (size_t i = 0; i < cells->count; i++) {
        unsigned char value = cells->at[i].at[0];
        if (cells->at[i].kind == CELL_DATA && value && !renaming->values[value])
            renaming->values[value] = (unsigned char)++*next;
    }
}

/* ---- the order of threads ---- */
/* A thread block with its names blanked: equal for threads that renaming could make equal. */
static void blank(const Program *program, const unsigned char *thread, unsigned char *out,
                  CellRefs *cells)
{
    memcpy(out, thread, (size_t)program->thread_bytes);
    vec_clear(cells);
    add_thread(program, out, cells);
    for (size_t i = 0; i < cells->count; i++) {
        int value = cell_read(cells->at[i].at, cells->at[i].bytes);
        cell_write(cells->at[i].at, cells->at[i].bytes, value ? 1 : 0);
    }
}

static bool next_permutation(int *order, int count)
{
    int i = count - 2;
    while (i >= 0 && order[i] > order[i + 1])
        i--;
    if (i < 0)
        return false;
    int j = count - 1;
    while (order[j] < order[i])
        j--;
    int swap = order[i];
    order[i] = order[j];
    order[j] = swap;
    for (int a = i + 1, b = count - 1; a < b; a++, b--) {
        swap = order[a];
        order[a] = order[b];
        order[b] = swap;
    }
    return true;
}

/* Memory under one order of threads and the names that follow from it. */
static void apply_order(const Program *program, const CanonOptions *options, unsigned char *memory,
                        const int *order, Renaming *renaming, CanonScratch *scratch)
{
    renaming_identity(renaming);
    for (int i = 0; i < program->thread_count; i++) {
        renaming->threads[order[i] + 1] = (unsigned char)(i + 1);
        renaming->threads_change |= order[i] != i;
    }
    canon_rename(program, memory, renaming, &scratch->cells, &scratch->bytes);
    if (options->nodes)
        canon_nodes(program, memory, &scratch->bytes);
    if (!options->values || !program->has_data)
        return;
    Renaming values;
    int next = 0;
    memset(&values, 0, sizeof values);
    canon_number_values(program, memory, &values, &next, &scratch->cells);
    for (int i = 0; i < 256; i++)
        if (values.values[i] && values.values[i] != i)
            values.values_change = true;
    canon_rename(program, memory, &values, &scratch->cells, &scratch->bytes);
    memcpy(renaming->values, values.values, sizeof values.values);
    renaming->values_change = true; /* values that do not occur here have no new name yet */
}

void canon_state(const Program *program, const CanonOptions *options, unsigned char *memory,
                 Renaming *renaming, CanonScratch *scratch)
{
    int count = program->thread_count, order[MODEL_MAX_THREADS];
    int tie_first[MODEL_MAX_THREADS], tie_count[MODEL_MAX_THREADS], ties = 0, orders = 1;
    for (int i = 0; i < count; i++)
        order[i] = i;
    size_t bytes = (size_t)program->state_bytes;
    if (options->threads && count > 1) {
        size_t stride = (size_t)program->thread_bytes;
        vec_clear(&scratch->original);
        vec_reserve(&scratch->original, stride * (size_t)count);
        unsigned char *blanked = (unsigned char *)scratch->original.at;
        for (int t = 0; t < count; t++)
            blank(program, program_thread(program, memory, t), blanked + (size_t)t * stride,
                  &scratch->cells);
        for (int g = 0; g < options->group_count; g++) {
            int first = options->groups[g].first, end = first + options->groups[g].count;
            for (int i = first + 1; i < end; i++) /* insertion sort: a handful of threads */
                for (int j = i;
                     j > first && memcmp(blanked + (size_t)order[j - 1] * stride,
                                         blanked + (size_t)order[j] * stride, stride) > 0;
                     j--) {
                    int swap = order[j];
                    order[j] = order[j - 1];
                    order[j - 1] = swap;
                }
            for (int i = first; i < end;) {
                int j = i + 1;
                while (j < end && !memcmp(blanked + (size_t)order[i] * stride,
                                          blanked + (size_t)order[j] * stride, stride))
                    j++;
                const unsigned char *thread = program_thread(program, memory, order[i]);
                bool matters = program_pc(program, thread) != PC_IDLE || program->has_threads;
                if (j - i > 1 && matters) {
                    int factorial = 1;
                    for (int k = 2; k <= j - i; k++)
                        factorial *= k;
                    if (orders * factorial <= 24) { /* else one order has to do */
                        orders *= factorial;
                        tie_first[ties] = i;
                        tie_count[ties++] = j - i;
                    }
                }
                i = j;
            }
        }
    }
    if (orders == 1) {
        apply_order(program, options, memory, order, renaming, scratch);
        return;
    }
    vec_clear(&scratch->original);
    buffer_append(&scratch->original, memory, bytes);
    bool first = true;
    for (int t = 0; t < ties; t++) /* start each tie from its smallest order */
        for (int i = tie_first[t] + 1; i < tie_first[t] + tie_count[t]; i++)
            for (int j = i; j > tie_first[t] && order[j - 1] > order[j]; j--) {
                int swap = order[j];
                order[j] = order[j - 1];
                order[j - 1] = swap;
            }
    for (bool more = true; more;) {
        Renaming trial;
        memcpy(memory, scratch->original.at, bytes);
        apply_order(program, options, memory, order, &trial, scratch);
        if (first || memcmp(memory, scratch->best.at, bytes) < 0) {
            first = false;
            *renaming = trial;
            vec_clear(&scratch->best);
            buffer_append(&scratch->best, memory, bytes);
        }
        more = false;
        for (int t = 0; t < ties && !more; t++) {
            more = next_permutation(order + tie_first[t], tie_count[t]);
            if (!more) /* wrapped: sort again and carry on with the next tie */
                for (int a = tie_first[t], b = a + tie_count[t] - 1; a < b; a++, b--) {
                    int swap = order[a];
                    order[a] = order[b];
                    order[b] = swap;
                }
        }
    }
    memcpy(memory, scratch->best.at, bytes);
}

void canon_scratch_free(CanonScratch *scratch)
{
    vec_free(&scratch->cells);
    vec_free(&scratch->bytes);
    vec_free(&scratch->best);
    vec_free(&scratch->trial);
    vec_free(&scratch->original);
}
