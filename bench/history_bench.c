/* Measures the checking of histories: `history_bench CASE [FILE...]` prints one line. Synthetic
 * histories come from a simulation in which every client is always busy: at each moment a random
 * client goes one step on, from call to effect to return, so that about as many operations overlap
 * as there are clients. PLANT changes one result late in the history into a wrong one. */
#include "judge/library/parts.h"
#include "judge/history/log.h"
#include "judge/quasi/relax.h"
#include "history_simulate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long peak_kb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

typedef struct Outcome {
    Verdict verdict;
    double seconds;
    uint64_t configurations;
    size_t parts;
} Outcome;

static Outcome check(const History *history, const Spec *spec, bool partition, bool monitors,
                     int repeat, double seconds)
{
    Outcome best = {.seconds = 1e9};
    for (int r = 0; r < repeat; r++) {
        Error error;
        Plan plan;
        Outcome outcome = {.verdict = VERDICT_HOLDS};
        double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID); /* others may be at work */
        if (!plan_make(&plan, history, spec, partition, &error)) {
            fprintf(stderr, "%s\n", error.message);
            exit(2);
        }
        LinearizeLimits limits = {.deadline = seconds_of(CLOCK_MONOTONIC) + seconds,
                                  .memory = (size_t)2 << 30};
        outcome.parts = plan.groups.count;
        const Plan *plans[] = {&plan};
        PartsTask task = {.spec = spec, .plans = plans, .plan_count = 1, .monitors = monitors};
        void *memory = calloc(1, parts_bytes(&task)); /* in turn, as `heddle history` does */
        if (!memory)
            exit(2);
        Parts *parts = parts_start(memory, &task);
        parts_take_turns(parts, &task, &limits);
        for (size_t i = 0; i < parts->count; i++) {
            const GroupVerdict *verdict = &parts->parts[i].verdict;
            outcome.configurations += verdict->configurations;
            if (parts->parts[i].status == PART_DONE && outcome.verdict != VERDICT_VIOLATED &&
                verdict->verdict != VERDICT_HOLDS)
                outcome.verdict = verdict->verdict;
        }
        free(memory);
        plan_free(&plan);
        outcome.seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
        if (outcome.seconds < best.seconds)
            best = outcome;
    }
    return best;
}

/* Exchanges the results of two distant reads or takes. */
static void plant_fault(Values *values, int kind, History *history)
{
    Operation *a = NULL, *ops = history->operations.at;
    size_t n = history->operations.count;
    for (size_t i = n / 2; i < n; i++) {
        bool plain = value_kind(values, ops[i].result) == VALUE_IS_INT ||
                     value_kind(values, ops[i].result) == VALUE_IS_STRING;
        if (!plain || (kind == SIM_KV && value_text(values, ops[i].result).length == 0))
            continue;
        if (!a) {
            a = &ops[i];
        } else if (i > n / 2 + n / 4 && !value_equal(a->result, ops[i].result)) {
            Value result = a->result;
            a->result = ops[i].result;
            ops[i].result = result;
            break;
        }
    }
}

static int bench_files(const char *spec_name, bool partition, char **files, int count)
{
    double total = 0;
    size_t operations = 0;
    int held = 0;
    for (int i = 0; i < count; i++) {
        Values *values = values_new();
        Arena *arena = arena_new();
        Histories histories = {0};
        LogFormat format;
        Error error;
        if (!log_read(files[i], &(LogOptions){0}, values, &histories, &format, &error)) {
            fprintf(stderr, "%s\n", error.message);
            return 2;
        }
        Spec *spec = spec_builtin(arena, values, str_of(spec_name), &error);
        Outcome outcome = check(histories.at[0], spec, partition, true, 5, 60);
        total += outcome.seconds;
        held += outcome.verdict == VERDICT_HOLDS;
        operations += histories.at[0]->operations.count;
        histories_free(&histories);
        values_free(values);
        arena_free(arena);
    }
    printf("%d logs, %zu operations: %d linearizable; %.3f ms, peak %ld kB\n", count, operations,
           held, total * 1e3, peak_kb());
    return 0;
}

/* For each file its name, the answer and the time of the check alone, the best of several, in
 * milliseconds: as bench/porcupine prints them. Failed compare-and-sets were observed. */
static int bench_rows(const char *spec_name, bool partition, char **files, int count)
{
    for (int i = 0; i < count; i++) {
        Values *values = values_new();
        Arena *arena = arena_new();
        Histories histories = {0};
        LogFormat format;
        Error error;
        if (!log_read(files[i], &(LogOptions){.observed_cas = true}, values, &histories, &format,
                      &error)) {
            fprintf(stderr, "%s\n", error.message);
            return 2;
        }
        Spec *spec = spec_builtin(arena, values, str_of(spec_name), &error);
        Outcome outcome = check(histories.at[0], spec, partition, true, 1, 60);
        int repeat = outcome.seconds < 0.01 ? 50 : 5;
        outcome = check(histories.at[0], spec, partition, true, repeat, 60);
        const char *name = strrchr(files[i], '/');
        printf("%s %s %.4f\n", name ? name + 1 : files[i], verdict_word(outcome.verdict),
               outcome.seconds * 1e3);
        histories_free(&histories);
        values_free(values);
        arena_free(arena);
    }
    return 0;
}

/* Prints a synthetic history of a key-value store in the form of Porcupine's logs. */
static int print_log(long operations, int clients, bool plant)
{
    Values *values = values_new();
    History *history = simulate(values, SIM_KV, operations, clients, 50, 0);
    if (plant)
        plant_fault(values, SIM_KV, history);
    const Operation *ops = history->operations.at;
    Vec(uint32_t) at = {0}; /* by position: operation * 2, + 1 where it returns */
    vec_reserve(&at, history->positions);
    at.count = history->positions;
    for (uint32_t i = 0; i < history->operations.count; i++) {
        at.at[ops[i].called] = i * 2;
        at.at[ops[i].returned] = i * 2 + 1;
    }
    for (uint32_t p = 0; p < at.count; p++) {
        const Operation *op = &ops[at.at[p] / 2];
        bool ends = at.at[p] & 1;
        Str name = value_text(values, value_of_symbol(op->name));
        Str key = value_text(values, history->arguments.at[op->arguments]);
        printf("{:process %u, :type :%s, :f :%.*s, :key \"%.*s\", :value ", op->process,
               ends ? "ok" : "invoke", STR_ARG(name), STR_ARG(key));
        Value value = op->count > 1 ? history->arguments.at[op->arguments + 1]
                      : ends        ? op->result
                                    : VALUE_NONE;
        if (value.word == VALUE_NONE.word)
            printf("nil}\n");
        else
            printf("\"%.*s\"}\n", STR_ARG(value_text(values, value)));
    }
    vec_free(&at);
    history_free(history);
    values_free(values);
    return 0;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* All quasi checks of one kind: factors 0 to 3 of takes, of puts and of both; histories of an exact
 * object, of one that takes out of turn by the factor, and with a wrong result; SEEDS of each.
 * ONLY: that factor alone, of both; -1: all. */
static void bench_quasi(int kind, RelaxSemantics semantics, long ops, int clients, int seeds,
                        double seconds, int only)
{
    static const char *const histories[] = {"exact", "out of turn", "wrong"};
    static const char *const words[] = {"kooo", "slot", "def4"};
    for (int factor = 0; factor <= 3; factor++)
        for (int which = 1; which <= 3; which++)
            for (int h = 0; h < 3 && (only < 0 || (only == factor && which == 3)); h++) {
                double *times = malloc((size_t)seeds * sizeof *times);
                uint64_t most = 0;
                int slow = 0; /* above the target */
                int verdicts[4] = {0};
                char factors[64];
                const char *const *names = sim_names[kind];
                snprintf(factors, sizeof factors, which == 3 ? "%s:%d,%s:%d" : "%s:%d",
                         names[which == 2 ? 0 : 1], factor, names[0], factor);
                for (int seed = 1; seed <= seeds; seed++) {
                    Values *values = values_new();
                    Arena *arena = arena_new();
                    Error error;
                    History *history = simulate(values, kind, ops, clients, (uint64_t)seed,
                                                h == 1 && which != 2 ? factor : 0);
                    if (h == 2)
                        plant_fault(values, kind, history);
                    Spec *inner = spec_builtin(arena, values, str_of(sim_specs[kind]), &error);
                    Spec *spec = spec_relax(arena, inner, str_of(factors), semantics, &error);
                    Outcome outcome = check(history, spec, true, true, 1, seconds);
                    times[seed - 1] = outcome.seconds;
                    slow += outcome.seconds > 0.1;
                    if (outcome.configurations > most)
                        most = outcome.configurations;
                    verdicts[outcome.verdict]++;
                    history_free(history);
                    spec_relax_free(spec);
                    arena_free(arena);
                    values_free(values);
                }
                qsort(times, (size_t)seeds, sizeof *times, by_size);
                printf("%-8s %-4s %-18s %-11s holds %2d violated %2d inconclusive %2d; median "
                       "%8.3f ms, 99 %% %8.3f ms, worst %9.3f ms, %d above 100 ms, %llu "
                       "configurations\n",
                       sim_kinds[kind], words[semantics], factors, histories[h],
                       verdicts[VERDICT_HOLDS], verdicts[VERDICT_VIOLATED],
                       verdicts[VERDICT_INCONCLUSIVE], times[seeds / 2] * 1e3,
                       times[(seeds - 1) * 99 / 100] * 1e3, times[seeds - 1] * 1e3, slow,
                       (unsigned long long)most);
                fflush(stdout);
                free(times);
            }
}

int main(int argc, char **argv)
{
    if (argc >= 7 && !strcmp(argv[1], "quasi")) {
        RelaxSemantics semantics = RELAX_KOOO;
        int kind = 0;
        while (kind < SIM_KINDS - 1 && strcmp(argv[2], sim_kinds[kind]))
            kind++;
        if (!relax_semantics_from_word(argv[3], &semantics))
            return 2;
        bench_quasi(kind, semantics, atol(argv[4]), atoi(argv[5]), atoi(argv[6]),
                    argc > 7 ? atof(argv[7]) : 60, argc > 8 ? atoi(argv[8]) : -1);
        return 0;
    }
    if (argc >= 4 && !strcmp(argv[1], "files"))
        return bench_files(argv[2], strcmp(argv[3], "whole") != 0, argv + 4, argc - 4);
    if (argc >= 4 && !strcmp(argv[1], "rows"))
        return bench_rows(argv[2], strcmp(argv[3], "whole") != 0, argv + 4, argc - 4);
    if (argc >= 5 && !strcmp(argv[1], "log"))
        return print_log(atol(argv[2]), atoi(argv[3]), !strcmp(argv[4], "plant"));
    if (argc < 5) {
        fprintf(stderr,
                "usage: history_bench log OPS CLIENTS ok|plant\n"
                "       history_bench files|rows SPEC parts|whole FILE...\n"
                "       history_bench quasi KIND SEMANTICS OPS CLIENTS SEEDS [SECONDS [FACTOR]]\n"
                "       history_bench queue|stack|register|kv|set|priority OPS CLIENTS ok|plant "
                "[search|facts] [QUASI SEMANTICS SLACK]\n");
        return 2;
    }
    int kind = 0;
    while (kind < SIM_KINDS - 1 && strcmp(argv[1], sim_kinds[kind]))
        kind++;
    bool plant = !strcmp(argv[4], "plant"), search = argc > 5 && !strcmp(argv[5], "search");
    Values *values = values_new();
    Arena *arena = arena_new();
    Error error;
    long slack = argc > 8 ? atol(argv[8]) : 0;
    History *history =
        simulate(values, kind, atol(argv[2]), atoi(argv[3]), (uint64_t)kind + 7, slack);
    if (plant)
        plant_fault(values, kind, history);
    Spec *spec = spec_builtin(arena, values, str_of(sim_specs[kind]), &error), *relaxed = NULL;
    if (argc > 7) {
        RelaxSemantics semantics;
        if (!relax_semantics_from_word(argv[7], &semantics) ||
            !(relaxed = spec_relax(arena, spec, str_of(argv[6]), semantics, &error))) {
            fprintf(stderr, "%s\n", error.message);
            return 2;
        }
        spec = relaxed;
    }
    Outcome outcome = check(history, spec, true, !search, 1, 60);
    printf("%s: %zu operations, %d clients, %zu parts: %s; %.3f ms, %llu configurations, peak %ld "
           "kB\n",
           argv[1], history->operations.count, atoi(argv[3]), outcome.parts,
           verdict_word(outcome.verdict), outcome.seconds * 1e3,
           (unsigned long long)outcome.configurations, peak_kb());
    history_free(history);
    spec_relax_free(relaxed);
    arena_free(arena);
    values_free(values);
    return 0;
}
