/* How long does the method of the Round-Up paper take (tests/unit/roundup.h), and how long ours?
 * `roundup_twin MODEL FACTOR COUNT SHAPE` checks COUNT random histories of a test program; SHAPE is
 * "pp/pt|pt/tt": what main does before, two threads, what main does after; p puts and t takes.
 * Results are those of an object whose takes are out of order by at most FACTOR. The paper's method
 * looks at every permutation, as its counts do. Prints sequentializations, permutations, histories
 * that hold, the seconds of the paper's method, and those of the checker with the same (slot)
 * semantics. */
#define REF_MOST_OPS 24
#include "../tests/unit/roundup.h"
#include "judge/linear/checker.h"
#include "judge/quasi/relax.h"
#include <time.h>

typedef struct Column {
    const char *calls;
    int length, next, stage; /* stage: 0 idle, 1 called, 2 done */
    int op;
} Column;

typedef struct Program {
    Random random;
    RefOp ops[ROUNDUP_MOST];
    int n, time, put_value, model, factor;
    int inside[ROUNDUP_MOST], count; /* in the order of their turns */
    int overtaken[ROUNDUP_MOST];     /* by element */
} Program;

static void put(Program *p, int value)
{
    int at = p->model == LIFO ? 0 : p->count;
    memmove(&p->inside[at + 1], &p->inside[at], sizeof(int) * (size_t)(p->count - at));
    p->inside[at] = value;
    p->count++;
}

static int take(Program *p)
{
    if (!p->count)
        return NONE;
    int most = 0; /* nobody may be overtaken once too often */
    while (most + 1 < p->count && most < p->factor && p->overtaken[p->inside[most]] < p->factor)
        most++;
    int at = ref_random(&p->random, most + 1), value = p->inside[at];
    for (int i = 0; i < at; i++)
        p->overtaken[p->inside[i]]++;
    memmove(&p->inside[at], &p->inside[at + 1], sizeof(int) * (size_t)(p->count - at - 1));
    p->count--;
    return value;
}

/* A column goes one step on: call, effect, return. */
static void step(Program *p, Column *column)
{
    bool puts = column->calls[column->next] == 'p';
    if (column->stage == 0) {
        column->op = p->n++;
        p->ops[column->op] = (RefOp){.op = puts ? 0 : 1, .called = p->time++, .result = DONE};
        if (puts)
            p->ops[column->op].a = p->put_value++;
    } else if (column->stage == 1 && puts) {
        put(p, p->ops[column->op].a);
    } else if (column->stage == 1) {
        p->ops[column->op].result = take(p);
    } else {
        p->ops[column->op].returned = p->time++;
        column->next++;
    }
    column->stage = (column->stage + 1) % 3;
}

static void run_alone(Program *p, Column *column)
{
    while (column->next < column->length)
        step(p, column);
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Ours, on the same history. */
static bool fast_check(Values *values, Checker *checker, const Spec *spec, const Program *p,
                       double *seconds)
{
    RefHistory h = {.model = p->model, .n = p->n};
    uint32_t index[MOST_OPS];
    Error error = {0};
    Plan plan;
    memcpy(h.ops, p->ops, sizeof(RefOp) * (size_t)MIN(p->n, MOST_OPS));
    History *history = ref_history(values, &h, index);
    double start = cpu_seconds();
    bool fine = plan_make(&plan, history, spec, true, &error);
    ASSERT(fine);
    LinearizeLimits limits = {0};
    GroupVerdict verdict = checker_group(checker, &plan, &plan.groups.at[0], &limits);
    *seconds += cpu_seconds() - start;
    plan_free(&plan);
    history_free(history);
    return verdict.verdict == VERDICT_HOLDS;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: roundup_twin fifo|lifo|priority-queue FACTOR COUNT pp/pt|pt/tt\n");
        return 2;
    }
    int model = !strcmp(argv[1], "lifo") ? LIFO : !strcmp(argv[1], "fifo") ? FIFO : PRIORITY;
    long count = atol(argv[3]), held = 0;
    uint64_t sequentializations = 0, permutations = 0;
    Program p = {.random = {1}, .model = model, .factor = atoi(argv[2])};
    double slow = 0, fast = 0;
    Arena *arena = arena_new();
    Values *values = values_new();
    Error error = {0};
    char factors[32];
    snprintf(factors, sizeof factors, "%s:%d", ref_methods[model][1].name, p.factor);
    Spec *inner = spec_builtin(arena, values, str_of(ref_specs[model]), &error);
    Spec *spec = spec_relax(arena, inner, str_of(factors), RELAX_SLOT, &error);
    Checker *checker = checker_new(spec, true);
    for (long i = 0; i < count; i++) {
        Column columns[4] = {0}; /* before, threads, after */
        const char *at = argv[4];
        for (int c = 0; c < 4; c++, at += *at != 0) {
            columns[c].calls = at;
            columns[c].length = (int)strcspn(at, "/|");
            at += columns[c].length;
        }
        p.n = p.time = p.count = 0;
        p.put_value = 1;
        memset(p.overtaken, 0, sizeof p.overtaken);
        run_alone(&p, &columns[0]);
        while (columns[1].next < columns[1].length || columns[2].next < columns[2].length) {
            Column *column = &columns[1 + ref_random(&p.random, 2)];
            if (column->next < column->length)
                step(&p, column);
        }
        run_alone(&p, &columns[3]);
        int class[ROUNDUP_MOST], factor[2] = {0, p.factor};
        for (int k = 0; k < p.n; k++)
            class[k] = p.ops[k].op == 0 ? -1 : 1;
        double start = cpu_seconds();
        RoundupResult result = roundup_check(model, p.ops, p.n, class, factor, true);
        slow += cpu_seconds() - start;
        if (fast_check(values, checker, spec, &p, &fast) != result.holds) {
            fprintf(stderr, "the two disagree about history %ld\n", i);
            return 1;
        }
        sequentializations += result.sequentializations;
        permutations += result.permutations;
        held += result.holds;
    }
    printf("%llu %llu %ld %.5f %.5f\n", (unsigned long long)sequentializations,
           (unsigned long long)permutations, held, slow, fast);
    checker_free(checker);
    spec_relax_free(spec);
    values_free(values);
    arena_free(arena);
    return 0;
}
