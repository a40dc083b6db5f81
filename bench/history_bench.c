/* Measures the checking of histories: `history_bench CASE [FILE...]` prints one line. Synthetic
 * histories come from a simulation in which every client is always busy: at each moment a random
 * client goes one step on, from call to effect to return, so that about as many operations overlap
 * as there are clients. PLANT changes one result late in the history into a wrong one. */
#include "check/checker.h"
#include "history/log.h"
#include "spec/relax.h"
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

typedef struct Client {
    int stage; /* 0 idle, 1 called, 2 done */
    int method;
    Value key, value, result;
} Client;

typedef struct Simulation {
    Values *values;
    Random random;
    History *history;
    HistoryBuilder builder;
    Client clients[64];
    int kind;
    Vec(Value) items;
    size_t head;
    Value cells[64];
    int64_t next;
    long slack; /* quasi: a dequeue may take one of the slack + 1 oldest */
} Simulation;

enum { QUEUE, STACK, REGISTER, KV, SET };
static const char *const specs[] = {"fifo", "lifo", "register", "kv", "set"};
static const char *const names[][3] = {{"enq", "deq", ""},
                                       {"push", "pop", ""},
                                       {"write", "read", ""},
                                       {"put", "get", "append"},
                                       {"add", "remove", "contains"}};

static void choose(Simulation *s, Client *client)
{
    client->method = (int)random_below(&s->random, 2);
    client->key = VALUE_UNKNOWN;
    char text[32];
    if (s->kind == KV) { /* as in the logs of Porcupine: appends and gets, few puts */
        uint64_t pick = random_below(&s->random, 100);
        client->method = pick < 5 ? 0 : pick < 50 ? 1 : 2;
        snprintf(text, sizeof text, "%d", (int)random_below(&s->random, 10));
        client->key = value_string(s->values, str_of(text));
        snprintf(text, sizeof text, "x %lld y", (long long)s->next++);
        client->value = value_string(s->values, str_of(text));
    } else if (s->kind == SET) {
        client->method = (int)random_below(&s->random, 3);
        client->value = value_int(s->values, (int64_t)random_below(&s->random, 64));
    } else if (client->method == 0) {
        client->value = value_int(s->values, ++s->next);
    }
}

static void take_effect(Simulation *s, Client *client)
{
    client->result = VALUE_NONE;
    int64_t number;
    if (s->kind == KV) {
        Str key = value_text(s->values, client->key);
        Value *cell = &s->cells[key.at[0] - '0'];
        if (client->method == 1)
            client->result = *cell;
        else
            *cell =
                client->method == 0 ? client->value : value_concat(s->values, *cell, client->value);
    } else if (s->kind == SET) {
        value_to_int(s->values, client->value, &number);
        Value *cell = &s->cells[number];
        bool inside = value_equal(*cell, VALUE_TRUE);
        client->result = value_bool(client->method == 0 ? !inside : inside);
        if (client->method < 2)
            *cell = value_bool(client->method == 0);
    } else if (s->kind == REGISTER) {
        if (client->method == 0)
            s->cells[0] = client->value;
        else
            client->result = s->cells[0];
    } else if (client->method == 0) {
        vec_push(&s->items, client->value);
    } else if (s->head < s->items.count) {
        size_t at = s->kind == STACK ? s->items.count - 1 : s->head;
        if (s->slack)
            at += random_below(&s->random, MIN((uint64_t)s->slack + 1, s->items.count - at));
        client->result = s->items.at[at];
        if (s->kind == STACK) {
            s->items.count--;
        } else {
            memmove(s->items.at + s->head + 1, s->items.at + s->head,
                    (at - s->head) * sizeof(Value));
            s->head++;
        }
    }
}

static History *simulate(Values *values, int kind, long operations, int clients, bool plant,
                         long slack)
{
    Simulation s = {
        .values = values, .random = {(uint64_t)(kind + 7)}, .kind = kind, .slack = slack};
    s.history = history_new(values);
    history_build(&s.builder, s.history, "synthetic");
    for (int i = 0; i < 64; i++)
        s.cells[i] = kind == KV ? value_of_symbol(0) : kind == SET ? VALUE_FALSE : VALUE_NONE;
    bool ok = true;
    for (long called = 0, open = 0; called < operations || open;) {
        int process = (int)random_below(&s.random, (uint64_t)clients);
        Client *client = &s.clients[process];
        if (client->stage == 0) {
            if (called == operations)
                continue;
            choose(&s, client);
            Value arguments[2];
            size_t count = 0;
            if (client->key.word != VALUE_UNKNOWN.word)
                arguments[count++] = client->key;
            if (kind == SET || client->method == 0 || client->method == 2)
                arguments[count++] = client->value;
            uint32_t name =
                value_symbol(values, value_string(values, str_of(names[kind][client->method])));
            ok = ok && history_call(&s.builder, value_int(values, process), name, 0, arguments,
                                    count, (uint32_t)called + 1, NULL);
            called++;
            open++;
        } else if (client->stage == 1) {
            take_effect(&s, client);
        } else {
            ok = ok &&
                 history_return(&s.builder, value_int(values, process), 0, client->result, 0, NULL);
            open--;
        }
        client->stage = (client->stage + 1) % 3;
    }
    if (!ok)
        exit(4);
    history_finish(&s.builder);
    if (plant) { /* the results of two distant reads or takes are exchanged */
        Operation *a = NULL, *ops = s.history->operations.at;
        size_t n = s.history->operations.count;
        for (size_t i = n / 2; i < n; i++) {
            bool plain = value_kind(values, ops[i].result) == VALUE_IS_INT ||
                         value_kind(values, ops[i].result) == VALUE_IS_STRING;
            if (!plain || (kind == KV && value_text(values, ops[i].result).length == 0))
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
    vec_free(&s.items);
    return s.history;
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
                        "[search] [QUASI SEMANTICS SLACK]\n");
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
    History *history = simulate(values, kind, atol(argv[2]), atoi(argv[3]), plant, slack);
    Spec *spec = spec_builtin(arena, values, str_of(specs[kind]), &error), *relaxed = NULL;
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
