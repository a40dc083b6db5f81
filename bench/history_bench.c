/* Measures the checking of histories: `history_bench CASE [FILE...]` prints one line. Synthetic
 * histories come from a simulation in which every client is always busy: at each moment a random
 * client goes one step on, from call to effect to return, so that about as many operations overlap
 * as there are clients. PLANT changes one result late in the history into a wrong one. */
#include "check/checker.h"
#include "history/log.h"
#include "spec/relax.h"
#include "history_simulate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
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
                     int repeat)
{
    Outcome best = {.seconds = 1e9};
    for (int r = 0; r < repeat; r++) {
        Error error;
        Plan plan;
        Outcome outcome = {.verdict = VERDICT_HOLDS};
        double start = now();
        if (!plan_make(&plan, history, spec, partition, &error)) {
            fprintf(stderr, "%s\n", error.message);
            exit(2);
        }
        Checker *checker = checker_new(spec, monitors);
        LinearizeLimits limits = {.deadline = now() + 60, .memory = (size_t)2 << 30};
        outcome.parts = plan.groups.count;
        for (size_t g = 0; g < plan.groups.count && outcome.verdict == VERDICT_HOLDS; g++) {
            GroupVerdict verdict = checker_group(checker, &plan, &plan.groups.at[g], &limits);
            outcome.verdict = verdict.verdict;
            outcome.configurations += verdict.configurations;
        }
        checker_free(checker);
        plan_free(&plan);
        outcome.seconds = now() - start;
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
        if (!log_read(files[i], LOG_FORMAT_AUTO, values, 0, &histories, &format, &error)) {
            fprintf(stderr, "%s\n", error.message);
            return 2;
        }
        Spec *spec = spec_builtin(arena, values, str_of(spec_name), &error);
        Outcome outcome = check(histories.at[0], spec, partition, true, 5);
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

int main(int argc, char **argv)
{
    if (argc >= 4 && !strcmp(argv[1], "files"))
        return bench_files(argv[2], strcmp(argv[3], "whole") != 0, argv + 4, argc - 4);
    if (argc < 5) {
        fprintf(stderr, "usage: history_bench files SPEC parts|whole FILE...\n"
                        "       history_bench queue|stack|register|kv|set OPS CLIENTS ok|plant "
                        "[search|facts] [QUASI SEMANTICS SLACK]\n");
        return 2;
    }
    int kind = 0;
    static const char *const kinds[] = {"queue", "stack", "register", "kv", "set"};
    while (kind < 4 && strcmp(argv[1], kinds[kind]))
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
    Outcome outcome = check(history, spec, true, !search, 1);
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
