/* history_objects OPS CLIENTS SECONDS [MODEL]: for every built-in object, a random history of OPS
 * operations by CLIENTS clients that are always busy, judged as it is and with one wrong result
 * near its end. Prints a line for each: the verdict, the time, how it was found. The histories come
 * from the models' own steps: at each moment a random client goes one step on, from call to effect
 * to return. */
#include "judge/linear/checker.h"
#include "base/clock.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_CLIENTS 64

/* Takes the place of clock_seconds (by the linker's --wrap): limits and times are processor time,
 * so that they mean the same on a machine that does other things, too. */
double __wrap_clock_seconds(void);
double __wrap_clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

typedef struct Mix {
    const char *spec;
    const char *ops; /* name, then a letter for each argument: see make_argument */
    const char *says;
} Mix;
static const Mix mixes[] = {
    {"fifo", "enq:v deq:", "distinct values"},
    {"fifo", "enq:s enq:s deq: deq: peek: size: isempty:", "repeated values, all operations"},
    {"lifo", "push:v pop:", "distinct values"},
    {"lifo", "push:s push:s pop: pop: peek: size: isempty:", "repeated values, all operations"},
    {"deque", "push_front:v push_back:v pop_front: pop_back:", "distinct values"},
    {"deque", "push_front:v push_back:v pop_front: pop_back: peek_front: peek_back: size:",
     "distinct values, all operations"},
    {"priority-queue", "insert:v deqmin:", "distinct values"},
    {"priority-queue",
     "insert:s insert:s deqmin: deqmin: min: size: isempty:", "repeated values, all operations"},
    {"bag", "add:v trytake:", "distinct values"},
    {"bag", "add:s add:s trytake: trytake: size: isempty:", "repeated values, all operations"},
    {"set", "add:e remove:e contains:e", "64 elements"},
    {"set", "add:e remove:e contains:e size:", "64 elements, size"},
    {"kv", "get:k put:kt append:kt", "10 keys"},
    {"kv", "get:k put:ks insert:ks remove:k cas:kss contains:k", "10 keys, all operations"},
    {"register", "read: write:v", "distinct values"},
    {"register", "read: write:s", "repeated values"},
    {"cas-register", "read: write:s cas:ss swap:s", "repeated values"},
    {"k-register:2", "read: write:v", "distinct values"},
    {"counter", "get: inc: dec: add:n fetch_add:n add_and_get:n", "all operations"},
    {"counter", "get: add:n", "additions and reads"},
    {"semaphore:4", "try_acquire: release: count:", "all operations"},
    {"lock", "try_lock: unlock: is_locked:", "all operations"},
    {"event", "set: reset: is_set:", "all operations"},
    {"bank:8x100", "transfer:aan read:", "transfers and reads of all"},
    {"bank:8x100", "transfer:aan read: balance:a", "8 accounts"},
    {"transactions", "txn:x", "10 keys, 1 to 3 steps"},
};

typedef struct Client {
    int stage; /* 0 idle, 1 called, 2 done */
    Value arguments[3];
    uint16_t count;
    char name[24];
    Value result;
} Client;
typedef struct Simulation {
    const Mix *mix;
    Values *values;
    Spec *spec;
    Automaton *automaton;
    Random random;
    History *history;
    HistoryBuilder builder;
    Client clients[MOST_CLIENTS];
    int64_t fresh;
    uint32_t state;
} Simulation;

static int64_t below(Simulation *s, uint64_t bound)
{
    return (int64_t)random_below(&s->random, bound);
}

static Value make_argument(Simulation *s, char kind)
{
    char text[32];
    switch (kind) {
    case 'v': /* in no order: 7919 is prime */
        return value_int(s->values, ++s->fresh * 7919 % 1000003);
    case 's':
        return value_int(s->values, 1 + below(s, 5));
    case 'e':
        return value_int(s->values, below(s, 64));
    case 'a':
        return value_int(s->values, below(s, 8));
    case 'n':
        return value_int(s->values, 1 + below(s, 5));
    case 'k':
        snprintf(text, sizeof text, "%d", (int)below(s, 10));
        return value_string(s->values, str_of(text));
    case 't':
        snprintf(text, sizeof text, "x %lld y", (long long)++s->fresh);
        return value_string(s->values, str_of(text));
    default: {
        Value steps[3];
        size_t count = 1 + (size_t)below(s, 3);
        for (size_t i = 0; i < count; i++) {
            bool reads = below(s, 2);
            Value step[3] = {value_string(s->values, str_of(reads ? "r" : "w")),
                             make_argument(s, 'k'),
                             reads ? VALUE_NONE : value_int(s->values, ++s->fresh)};
            steps[i] = value_array(s->values, step, 3);
        }
        return value_array(s->values, steps, count);
    }
    }
}

static void call(Simulation *s, int process, uint32_t line)
{
    Client *client = &s->clients[process];
    Str rest = str_of(s->mix->ops), word = {0}, name;
    uint64_t count = 1;
    for (size_t i = 0; i < rest.length; i++)
        count += rest.at[i] == ' ';
    for (int64_t pick = below(s, count); pick >= 0; pick--)
        str_next(&rest, ' ', &word);
    str_next(&word, ':', &name);
    snprintf(client->name, sizeof client->name, "%.*s", STR_ARG(name));
    for (client->count = 0; client->count < word.length; client->count++)
        client->arguments[client->count] = make_argument(s, word.at[client->count]);
    Error error;
    if (!history_call(&s->builder, value_int(s->values, process),
                      value_symbol(s->values, value_string(s->values, name)), 0, client->arguments,
                      client->count, line, &error))
        die(error.message);
}

static void take_effect(Simulation *s, Client *client)
{
    SpecCall call = {
        .count = client->count, .arguments = client->arguments, .result = VALUE_UNKNOWN};
    SpecSteps steps = {0};
    size_t words;
    if (!s->spec->resolve(s->spec, str_of(client->name), client->count, &call.method))
        die("the model does not know an operation of its mix");
    const uint64_t *state = automaton_state(s->automaton, s->state, &words);
    uint64_t *copy = malloc((words + 1) * sizeof *copy);
    if (!copy)
        die("out of memory");
    if (words)
        memcpy(copy, state, words * sizeof *copy);
    spec_steps_clear(&steps, s->spec, &call);
    s->spec->step(s->spec, copy, words, &call, &steps);
    size_t pick = steps.results.count ? (size_t)below(s, steps.results.count) : 0;
    for (size_t i = 0; i < steps.results.count; i++) /* some models also offer what was there */
        if (steps.results.at[i].word == SPEC_DONE.word)
            pick = i;
    client->result = steps.results.at[pick];
    if (client->result.word == SPEC_DONE.word)
        client->result = VALUE_NONE;
    s->state = automaton_intern(s->automaton, steps.words.at + steps.offsets.at[pick],
                                steps.offsets.at[pick + 1] - steps.offsets.at[pick]);
    spec_steps_free(&steps);
    free(copy);
}

static void simulate(Simulation *s, long operations, int clients)
{
    s->automaton = automaton_new(s->spec);
    s->state = automaton_initial(s->automaton);
    s->history = history_new(s->values);
    history_build(&s->builder, s->history, "synthetic");
    for (long called = 0, open = 0; called < operations || open;) {
        int process = (int)below(s, (uint64_t)clients);
        Client *client = &s->clients[process];
        Error error;
        if (client->stage == 0) {
            if (called == operations)
                continue;
            call(s, process, (uint32_t)++called);
            open++;
        } else if (client->stage == 1) {
            take_effect(s, client);
        } else {
            open--;
            if (!history_return(&s->builder, value_int(s->values, process), 0, client->result, 0,
                                &error))
                die(error.message);
        }
        client->stage = (client->stage + 1) % 3;
    }
    history_finish(&s->builder);
    automaton_free(s->automaton);
}

static bool same_arguments(const History *history, const Operation *a, const Operation *b)
{
    return a->count == b->count &&
           !memcmp(vec_from(&history->arguments, a->arguments),
                   vec_from(&history->arguments, b->arguments), a->count * sizeof(Value));
}

/* At the end, when nobody else is busy, a client reads twice, and the second time gets what an
 * earlier read gave: that is never right. False if no operation of the mix only reads. */
static bool contradict(Simulation *s)
{
    static const char *const reads[] = {"read", "is_locked", "is_set", "count",    "min",
                                        "peek", "get",       "size",   "contains", "balance"};
    Operation *ops = s->history->operations.at;
    size_t count = s->history->operations.count;
    for (size_t r = 0; r < COUNT_OF(reads); r++)
        for (size_t i = count - 1; i > 0; i--) {
            if (!str_is(value_text(s->values, value_of_symbol(ops[i].name)), reads[r]))
                continue;
            for (size_t j = i; j-- > 0;) {
                if (ops[j].name != ops[i].name || value_equal(ops[j].result, ops[i].result) ||
                    !same_arguments(s->history, &ops[i], &ops[j]))
                    continue;
                for (int second = 0; second < 2; second++) {
                    Operation last = ops[second ? j : i];
                    last.called = s->history->positions++;
                    last.returned = s->history->positions++;
                    vec_push(&s->history->operations, last);
                    ops = s->history->operations.at;
                }
                return true;
            }
        }
    return false;
}

/* Near the end, gives an operation that tells something the result of another with its name. */
static void plant(Simulation *s)
{
    Operation *ops = s->history->operations.at;
    size_t count = s->history->operations.count, first = 0;
    for (size_t i = count - count / 20; i < count; i++) {
        if (ops[i].result.word == VALUE_NONE.word)
            continue;
        for (size_t j = first; j < i; j++)
            if (ops[j].name == ops[i].name && !value_equal(ops[j].result, ops[i].result) &&
                ops[j].result.word != VALUE_NONE.word) {
                ops[i].result = ops[j].result;
                return;
            }
    }
}

static void judge(const Mix *mix, long operations, int clients, double seconds, bool wrong)
{
    Arena *arena = arena_new();
    Error error;
    Simulation s = {.mix = mix, .values = values_new(), .random = {11}};
    s.spec = spec_builtin(arena, s.values, str_of(mix->spec), &error);
    simulate(&s, operations, clients);
    if (wrong && !contradict(&s))
        plant(&s);
    Plan plan;
    double start = clock_seconds();
    if (!plan_make(&plan, s.history, s.spec, true, &error))
        die(error.message);
    Checker *checker = checker_new(s.spec, true);
    LinearizeLimits limits = {.deadline = start + seconds, .memory = (size_t)1 << 30};
    GroupVerdict all = {.verdict = VERDICT_HOLDS};
    uint64_t configurations = 0;
    for (size_t g = 0; g < plan.groups.count && all.verdict == VERDICT_HOLDS; g++) {
        all = checker_group(checker, &plan, &plan.groups.at[g], &limits);
        configurations += all.configurations;
    }
    printf("%-15s %-32s %-7s %-12s %9.1f ms %12llu configurations%s%s", mix->spec, mix->says,
           wrong ? "wrong" : "correct", verdict_word(all.verdict), (clock_seconds() - start) * 1e3,
           (unsigned long long)configurations, all.by_monitor ? ", seen at once" : "",
           all.verdict == VERDICT_INCONCLUSIVE ? ", limit: " : "");
    if (all.verdict == VERDICT_INCONCLUSIVE)
        printf("%s, after %u operations", all.reason, all.settled);
    printf("\n");
    fflush(stdout);
    checker_free(checker);
    plan_free(&plan);
    history_free(s.history);
    arena_free(arena);
    values_free(s.values);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: history_objects OPS CLIENTS SECONDS [MODEL]\n");
        return 2;
    }
    int clients = MIN(atoi(argv[2]), MOST_CLIENTS);
    for (size_t i = 0; i < COUNT_OF(mixes); i++)
        for (int wrong = 0; wrong < 2; wrong++)
            if (argc < 5 || !strncmp(mixes[i].spec, argv[4], strlen(argv[4])))
                judge(&mixes[i], atol(argv[1]), clients, atof(argv[3]), wrong);
    return 0;
}
