/* history_twin COUNT [SEED] [FORMAT|MODEL]: random small histories of every built-in model, judged
 * by brute force and by everything that is faster, and written in every log format, read back and
 * compared. With FORMAT only through that one, with MODEL only of that one. Prints the number of
 * histories a format, or the seed and the log of the first that differs. */
#include "judge/history/log_stream.h"
#include "judge/linear/bounds.h"
#include "judge/linear/checker.h"
#include "judge/linear/session.h"
#include "judge/linear/slow.h"
#include "judge/linear/sums.h"
#include "judge/linear/witness.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_OPS 8
#define MOST_ARGS 3

typedef struct Shape {
    const char *spec;
    const char *ops; /* name, then a letter for each argument: v value, k key, n number */
} Shape;
static const Shape shapes[] = {
    {"fifo", "enq:v enq:v deq: deq: peek: size: isempty:"},
    {"fifo", "enq:v enq:v deq: deq:"},
    {"lifo", "push:v push:v pop: pop: peek: size: isempty:"},
    {"lifo", "push:v pop:"},
    {"deque", "push_front:v push_back:v pop_front: pop_back: peek_front: size:"},
    {"priority-queue", "insert:v insert:v deqmin: deqmin: min: size: isempty:"},
    {"priority-queue", "insert:v insert:v deqmin: deqmin: isempty:"},
    {"bag", "add:v add:v trytake: trytake: size: isempty:"},
    {"bag", "add:v trytake: isempty:"},
    {"set", "add:v add:v remove:v contains:v size:"},
    {"set", "add:v add:v read: contains:v"},
    {"kv", "get:k get:k put:kv insert:kv remove:k cas:kvv contains:k"},
    {"kv", "get:k put:kv size: append:ks"},
    {"kv", "get:k get:k put:kv append:ks remove:k insert:kv"},
    {"kv", "get:k get:k put:kv"},
    {"register", "read: write:v"},
    {"cas-register:1", "read: write:v cas:vv swap:v"},
    {"counter", "get: inc: dec: add:n fetch_add:n add_and_get:n"},
    {"semaphore:1", "acquire: try_acquire: release: release:n count:"},
    {"lock", "lock: try_lock: unlock: is_locked:"},
    {"bank:2x3", "read: read: transfer:aan balance:a"},
    {"bank", "read: read: deposit:an deposit:an transfer:aan"},
    {"bank:3x2", "read: transfer:aan deposit:an withdraw:an balance:a"},
    {"event", "set: reset: wait: is_set:"},
    {"k-register:1", "read: read: write:v"},
    {"k-register:2", "read: read: write:v"},
    {"k-register:3", "read: read: write:v write:v"},
    {"transactions", "txn:t"},
};

typedef struct Op {
    char name[24];
    Value arguments[MOST_ARGS];
    size_t count;
    Value result;
    int process, called, returned; /* events; returned -1: pending */
    bool failed, took;             /* failed: only in the log */
    uint32_t label;
} Op;
typedef struct Twin {
    Random random;
    const Shape *shape;
    Values *values;
    Arena *arena;
    Spec *spec;
    Op ops[MOST_OPS];
    int count, events;
    bool distinct;
    int fresh;
    int event_op[MOST_OPS * 2]; /* op, or ~op for its end */
} Twin;

static const char *compare(Twin *t, const History *a, const History *b, bool *unclear);

static uint64_t below(Twin *t, uint64_t bound)
{
    return random_below(&t->random, bound);
}

/* Is NAME among WORDS, each with a blank before and after it? */
static bool among(const char *name, const char *words)
{
    char word[32];
    snprintf(word, sizeof word, " %s ", name);
    return strstr(words, word) != NULL;
}

static Value make_argument(Twin *t, char kind)
{
    static const char *const texts[] = {"a", "b\"\\", "\xc3\xa9\n"};
    switch (kind) {
    case 'k':
        return value_string(t->values, str_of(below(t, 2) ? "x" : "y"));
    case 's':
        return value_string(t->values, str_of(below(t, 2) ? "p" : "q"));
    case 'a':
        return value_int(t->values, (int64_t)below(t, 3));
    case 't': {
        Value steps[2];
        size_t count = 1 + below(t, 2);
        for (size_t i = 0; i < count; i++) {
            static const char *const names[] = {"r", "r", "w", "append"};
            size_t which = below(t, COUNT_OF(names));
            Value step[3] = {value_string(t->values, str_of(names[which])), make_argument(t, 'k'),
                             kind < 2 ? VALUE_NONE
                                      : value_int(t->values, 1 + (int64_t)below(t, 3))};
            steps[i] = value_array(t->values, step, 3);
        }
        return value_array(t->values, steps, count);
    }
    case 'n':
        return value_int(t->values,
                         (int64_t)below(t, 3) - among(t->shape->spec, " counter bank:3x2 bank "));
    default:
        break;
    }
    if (t->distinct)
        return value_int(t->values, ++t->fresh);
    switch (below(t, 12)) {
    case 0:
        return value_string(t->values, str_of(texts[below(t, 3)]));
    case 1:
        return value_word(t->values, str_of("1.5"));
    case 2:
        return value_bool(below(t, 2));
    default:
        return value_int(t->values, 1 + (int64_t)below(t, 3));
    }
}

static void choose_op(Twin *t, Op *op)
{
    Str rest = str_of(t->shape->ops), word, name;
    uint64_t count = 1;
    for (size_t i = 0; i < rest.length; i++)
        count += rest.at[i] == ' ';
    for (uint64_t pick = below(t, count) + 1; pick; pick--)
        str_next(&rest, ' ', &word);
    str_next(&word, ':', &name);
    snprintf(op->name, sizeof op->name, "%.*s", STR_ARG(name));
    for (op->count = 0; op->count < word.length; op->count++)
        op->arguments[op->count] = make_argument(t, word.at[op->count]);
}

static bool make_call(Twin *t, const Op *op, SpecCall *call)
{
    *call =
        (SpecCall){.count = (uint16_t)op->count, .arguments = op->arguments, .result = op->result};
    return t->spec->resolve(t->spec, str_of(op->name), op->count, &call->method);
}

/* [account, balance, ...] as the balances of accounts 0, 1 and 2. */
static Value plain_balances(Twin *t, Value pairs)
{
    size_t count;
    const Value *items = value_items(t->values, pairs, &count);
    Value balances[3] = {value_int(t->values, 0), value_int(t->values, 0), value_int(t->values, 0)};
    for (size_t i = 0; i + 1 < count; i += 2)
        for (int64_t account = 0; account < 3; account++)
            if (value_equal(items[i], value_int(t->values, account)))
                balances[account] = items[i + 1];
    bool two = value_equal(balances[2], value_int(t->values, 0));
    return value_array(t->values, balances, two ? 2 : 3);
}

/* Runs an object with random timing: an operation is called, takes effect, returns. */
static void simulate(Twin *t, Automaton *automaton)
{
    int open[3] = {-1, -1, -1};
    int wanted = 1 + (int)below(t, MOST_OPS - 1);
    uint32_t state = automaton_initial(automaton);
    for (int tries = 0; tries < 60; tries++) {
        int process = (int)below(t, 3);
        Op *op = open[process] < 0 ? NULL : &t->ops[open[process]];
        if (!op) {
            if (t->count == wanted)
                continue;
            op = &t->ops[t->count];
            *op = (Op){.process = process, .result = VALUE_UNKNOWN, .returned = -1};
            choose_op(t, op);
            op->failed = below(t, 12) == 0;
            op->called = t->events;
            t->event_op[t->events++] = t->count;
            open[process] = t->count++;
        } else if (!op->took && !op->failed) {
            SpecCall call;
            SpecSteps steps = {0};
            size_t words;
            ASSERT(make_call(t, op, &call));
            const uint64_t *at = automaton_state(automaton, state, &words);
            uint64_t copy[64];
            if (words)
                memcpy(copy, at, MIN(words, 64u) * sizeof *copy);
            spec_steps_clear(&steps, t->spec, &call);
            t->spec->step(t->spec, copy, words, &call, &steps);
            if (steps.results.count) {
                size_t pick = below(t, steps.results.count);
                op->took = true;
                op->result = steps.results.at[pick];
                if (op->result.word == SPEC_DONE.word)
                    op->result = VALUE_NONE;
                if (!strncmp(t->shape->spec, "bank", 4) && !op->count && below(t, 2))
                    op->result = plain_balances(t, op->result);
                state = automaton_intern(automaton, steps.words.at + steps.offsets.at[pick],
                                         steps.offsets.at[pick + 1] - steps.offsets.at[pick]);
            }
            spec_steps_free(&steps);
        } else if (below(t, 2)) {
            op->returned = t->events;
            t->event_op[t->events++] = ~open[process];
            open[process] = -1;
        }
    }
    for (int i = 0; i < t->count; i++)
        if (t->ops[i].returned < 0) {
            t->ops[i].result = VALUE_UNKNOWN;
            t->ops[i].failed = false;
        } else if (t->ops[i].failed) {
            t->ops[i].result = VALUE_NONE;
        }
}

static void mutate(Twin *t)
{
    for (uint64_t times = below(t, 3); times; times--) {
        Op *op = &t->ops[below(t, (uint64_t)t->count)],
           *other = &t->ops[below(t, (uint64_t)t->count)];
        if (op->returned < 0 || op->failed || other->returned < 0 || other->failed)
            continue;
        if (!strcmp(op->name, other->name) || below(t, 4))
            op->result = !strcmp(op->name, other->name) ? other->result
                         : value_kind(t->values, op->result) == VALUE_IS_INT
                             ? value_int(t->values, (int64_t)below(t, 4))
                             : op->result;
    }
}

/* The history itself, without what failed. */
static History *history_of(Twin *t)
{
    History *history = history_new(t->values);
    HistoryBuilder builder;
    history_build(&builder, history, "twin");
    Error error;
    for (int e = 0; e < t->events; e++) {
        bool ends = t->event_op[e] < 0;
        const Op *op = &t->ops[ends ? ~t->event_op[e] : t->event_op[e]];
        Value process = value_int(t->values, op->process);
        uint32_t name = value_symbol(t->values, value_string(t->values, str_of(op->name)));
        bool ok =
            !ends ? history_call(&builder, process, name, 0, op->arguments, op->count, 1, &error)
            : op->failed ? history_drop(&builder, process, name, 1, &error)
                         : history_return(&builder, process, name, op->result, 1, &error);
        ASSERT(ok);
    }
    history_finish(&builder);
    return history;
}

static Verdict check_history(Twin *t, History *history, bool partition, bool monitors)
{
    Plan plan;
    Error error;
    Verdict verdict = VERDICT_HOLDS;
    if (!plan_make(&plan, history, t->spec, partition, &error))
        return VERDICT_INCONCLUSIVE;
    Checker *checker = checker_new(t->spec, monitors);
    LinearizeLimits limits = {0};
    for (size_t g = 0; g < plan.groups.count && verdict == VERDICT_HOLDS; g++)
        verdict = checker_group(checker, &plan, &plan.groups.at[g], &limits).verdict;
    checker_free(checker);
    plan_free(&plan);
    return verdict;
}

/* By the automaton and every serial order. */
static Verdict brute(Twin *t, const Plan *plan, Automaton *automaton)
{
    LinearizeOp ops[MOST_OPS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->history->operations.count; i++) {
        const Operation *op = &plan->history->operations.at[i];
        SpecCall call;
        plan_call(plan, i, &call);
        ops[count++] =
            (LinearizeOp){automaton_label(automaton, &call), op->called, op->returned, false};
    }
    (void)t;
    LinearizeProblem problem = {
        .automaton = automaton, .ops = ops, .count = count, .stuck = LINEARIZE_NONE};
    return slow_check(&problem, UINT64_MAX);
}

/* Sequential consistency, obviously: every interleaving of the processes. A pending operation may
 * happen after what its process did, or not at all; it is the last of its process here. */
static bool interleaves(const Plan *plan, Automaton *automaton, uint32_t state, unsigned done)
{
    size_t count = plan->history->operations.count;
    bool all = true;
    for (uint32_t i = 0; i < count; i++)
        all = all && (done >> i & 1 || plan->history->operations.at[i].returned == HISTORY_PENDING);
    if (all)
        return true;
    for (uint32_t i = 0; i < count; i++) {
        bool first = !(done >> i & 1);
        for (uint32_t j = 0; j < i && first; j++)
            first = done >> j & 1 || plan->history->operations.at[j].process !=
                                         plan->history->operations.at[i].process;
        if (!first)
            continue;
        SpecCall call;
        size_t steps;
        plan_call(plan, i, &call);
        uint32_t label = automaton_label(automaton, &call);
        automaton_step(automaton, state, label, &steps);
        for (size_t k = 0; k < steps; k++)
            if (interleaves(plan, automaton, automaton_step(automaton, state, label, &steps)[k],
                            done | 1u << i))
                return true;
    }
    return false;
}

/* The models whose steps are more than a sentence have a second definition here, on plain arrays:
 * is there an order of the operations that respects real time and in which every result is right?
 */
typedef struct Literal {
    Twin *twin;
    const History *history;
    size_t most;              /* k-register: how many of the last values count */
    uint32_t order[MOST_OPS]; /* so far */
    size_t count;
} Literal;

/* k-atomicity: each read gives one of the last K values written before it, the initial nothing
 * being the oldest. */
static bool literal_register(const Literal *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const Operation *read = &l->history->operations.at[l->order[i]];
        if (read->count || read->returned == HISTORY_PENDING)
            continue;
        size_t seen = 0;
        bool right = false;
        for (size_t j = i; j-- > 0 && seen < l->most;) {
            const Operation *write = &l->history->operations.at[l->order[j]];
            if (!write->count)
                continue;
            seen++;
            right = right || l->history->arguments.at[write->arguments].word == read->result.word;
        }
        if (!right && !(seen < l->most && read->result.word == VALUE_NONE.word))
            return false;
    }
    return true;
}

/* Strict serializability of transactions on the keys x and y: the values that each read gives are
 * those of the last write of its key, followed by what was appended to it. */
static bool literal_transactions(const Literal *l)
{
    Values *values = l->twin->values;
    struct {
        Value items[MOST_OPS * 2]; /* what was written, then what was appended */
        size_t count;
        bool list; /* nothing was written before the first append */
    } cells[2] = {0};
    for (size_t i = 0; i < l->count; i++) {
        const Operation *op = &l->history->operations.at[l->order[i]];
        size_t steps, results, three;
        const Value *asked = value_items(values, l->history->arguments.at[op->arguments], &steps);
        const Value *told = value_items(values, op->result, &results);
        bool returned = op->returned != HISTORY_PENDING;
        if (returned && results != steps)
            return false;
        for (size_t s = 0; s < steps; s++) {
            const Value *step = value_items(values, asked[s], &three);
            int key = value_text(values, step[1]).at[0] == 'y';
            char kind = value_text(values, step[0]).at[0];
            if (kind == 'w') {
                cells[key].items[0] = step[2];
                cells[key].count = 1;
                cells[key].list = false;
            } else if (kind == 'a') {
                cells[key].list = cells[key].list || !cells[key].count;
                cells[key].items[cells[key].count++] = step[2];
            }
            if (!returned)
                continue;
            const Value *got = value_items(values, told[s], &three);
            if (three != 3 || got[0].word != step[0].word || got[1].word != step[1].word)
                return false;
            Value expected = step[2];
            bool list = kind == 'r' && (cells[key].list || cells[key].count > 1);
            if (kind == 'r' && !list)
                expected = cells[key].count ? cells[key].items[0] : VALUE_NONE;
            if (list) {
                size_t length;
                const Value *items = value_items(values, got[2], &length);
                if (length != cells[key].count ||
                    memcmp(items, cells[key].items, length * sizeof *items))
                    return false;
            } else if (got[2].word != expected.word) {
                return false;
            }
        }
    }
    return true;
}

/* Tries every order that extends L->ORDER. A pending operation may be left out. */
static bool any_literal(Literal *l, unsigned done, bool (*right)(const Literal *l))
{
    const Operation *ops = l->history->operations.at;
    size_t count = l->history->operations.count;
    bool complete = true;
    for (uint32_t i = 0; i < count; i++)
        complete = complete && (done >> i & 1 || ops[i].returned == HISTORY_PENDING);
    if (complete && right(l))
        return true;
    for (uint32_t i = 0; i < count; i++) {
        bool first = !(done >> i & 1);
        for (uint32_t j = 0; j < count && first; j++)
            first = done >> j & 1 || !history_precedes(l->history, j, i);
        if (!first)
            continue;
        l->order[l->count++] = i;
        bool found = any_literal(l, done | 1u << i, right);
        l->count--;
        if (found)
            return true;
    }
    return false;
}

static size_t literal_count[2];        /* k-registers, transactions */
static size_t summed[2], witnesses[2]; /* where sums.h found orders: of wrong, of right histories */
static size_t monitored_stores;        /* of kv: each of whose keys a monitor decided */

/* Does the literal definition, where there is one, say the same? */
static bool literally(Twin *t, const History *history, Verdict expected)
{
    Literal l = {.twin = t, .history = history};
    bool registers = !strncmp(t->shape->spec, "k-register:", 11);
    if (!registers && strcmp(t->shape->spec, "transactions"))
        return true;
    if (registers)
        l.most = (size_t)(t->shape->spec[11] - '0');
    literal_count[!registers]++;
    bool right = any_literal(&l, 0, registers ? literal_register : literal_transactions);
    return right == (expected == VERDICT_HOLDS);
}

/* Does the result of OP say that it failed? Nothing is what an operation gives that only does
 * something, and 0 is a number or an element unless the operation says yes or no. */
static bool says_failure(const Twin *t, const Op *op)
{
    bool value = among(op->name, " deq pop peek pop_front pop_back peek_front deqmin min trytake "
                                 "size read get swap fetch_add add_and_get count balance txn ");
    bool says = among(op->name, " isempty contains is_locked is_set ");
    if (value_means_empty(t->values, op->result))
        return value || says;
    return value_means_false(t->values, op->result) &&
           (!value || value_kind(t->values, op->result) != VALUE_IS_INT);
}

/* Operations that may fail, literally: what failed and shares a moment with another is left out.
 * The two histories must have the same verdict, by brute force and by everything. */
static const char *failures_differ(Twin *t)
{
    HistoryFailure rules[] = {{0, VALUE_NONE}, {0, VALUE_FALSE}};
    bool failed[MOST_OPS];
    for (int i = 0; i < t->count; i++) {
        const Op *op = &t->ops[i];
        bool overlaps = false;
        for (int j = 0; j < t->count; j++) {
            const Op *other = &t->ops[j];
            int end = op->returned < 0 ? 1000 : op->returned;
            int other_end = other->returned < 0 ? 1000 : other->returned;
            overlaps = overlaps ||
                       (j != i && !other->failed && op->called < other_end && other->called < end);
        }
        failed[i] = op->failed;
        if (overlaps && op->returned >= 0 && says_failure(t, op))
            failed[i] = true;
    }
    History *history = history_of(t);
    HashMap gives = {0};
    spec_find_gives(t->spec, history, &gives);
    history_let_fail(history, rules, 2, &gives);
    hashmap_free(&gives);
    for (int i = 0; i < t->count; i++) { /* now it is as if they had failed */
        bool was = t->ops[i].failed;
        t->ops[i].failed = failed[i];
        failed[i] = was;
    }
    History *literal = history_of(t);
    for (int i = 0; i < t->count; i++)
        t->ops[i].failed = failed[i];
    bool unclear = false;
    const char *differs = compare(t, literal, history, &unclear);
    if (!differs && check_history(t, literal, true, true) != check_history(t, history, true, true))
        differs = "operations that may fail";
    history_free(history);
    history_free(literal);
    return differs;
}

/* Session guarantees, literally: is there an order of the versions for which every pair of accesses
 * of a process fits? ORDER[i] is the place of operation i, a write, from 1; 0 is the initial
 * version. */
static bool sessions_fit(const History *history, const int *order, const int *version,
                         unsigned guarantees)
{
    const Operation *ops = history->operations.at;
    for (uint32_t j = 0; j < history->operations.count; j++)
        for (uint32_t i = 0; i < j; i++) {
            if (ops[i].process != ops[j].process || ops[i].returned == HISTORY_PENDING ||
                ops[j].returned == HISTORY_PENDING)
                continue;
            bool writes_i = ops[i].count > 0, writes_j = ops[j].count > 0;
            int at_i = version[i] < 0 ? 0 : order[version[i]];
            int at_j = version[j] < 0 ? 0 : order[version[j]];
            int kind = writes_i   ? writes_j ? SESSION_INDEX_MONOTONIC_WRITES
                                             : SESSION_INDEX_READ_YOUR_WRITES
                       : writes_j ? SESSION_INDEX_WRITES_FOLLOW_READS
                                  : SESSION_INDEX_MONOTONIC_READS;
            if (guarantees >> kind & 1 && (at_j < at_i || (writes_j && at_j == at_i)))
                return false;
        }
    return true;
}

static bool any_order(const History *history, int *order, const int *version, int placed,
                      unsigned guarantees)
{
    bool all = true;
    for (uint32_t i = 0; i < history->operations.count; i++) {
        if (!history->operations.at[i].count || order[i])
            continue;
        all = false;
        order[i] = placed + 1;
        if (any_order(history, order, version, placed + 1, guarantees))
            return true;
        order[i] = 0;
    }
    return all && sessions_fit(history, order, version, guarantees);
}

/* A register whose values are distinct: brute force against session_check, for each set of
 * guarantees. */
static const char *sessions_differ(Twin *t, const Plan *plan)
{
    const History *history = plan->history;
    int order[MOST_OPS] = {0}, version[MOST_OPS];
    bool written = true;
    if (strcmp(t->shape->spec, "register") || !t->distinct || !history->operations.count)
        return NULL;
    for (uint32_t i = 0; i < history->operations.count; i++) {
        const Operation *op = &history->operations.at[i];
        Value value = op->count ? history->arguments.at[op->arguments] : op->result;
        version[i] = -1;
        for (uint32_t j = 0; j < history->operations.count; j++)
            if (history->operations.at[j].count &&
                value_equal(history->arguments.at[history->operations.at[j].arguments], value))
                version[i] = (int)j;
        written = written && (version[i] >= 0 || value.word == VALUE_NONE.word ||
                              value.word == VALUE_UNKNOWN.word);
    }
    MonitorResult result = {0};
    LinearizeLimits limits = {0};
    const char *differs = NULL;
    for (unsigned guarantees = 1; guarantees <= SESSION_ALL && !differs; guarantees++) {
        session_check(plan, &plan->groups.at[0], guarantees, &limits, &result);
        memset(order, 0, sizeof order);
        bool expected = written && any_order(history, order, version, 0, guarantees);
        if (result.answer != (expected ? MONITOR_HOLDS : MONITOR_VIOLATED))
            differs = "session guarantees";
    }
    monitor_result_free(&result);
    return differs;
}

static void print_value(Values *values, Value value, const char *nothing, Buffer *out)
{
    if (value.word == VALUE_NONE.word) {
        buffer_printf(out, "%s", nothing);
        return;
    }
    if (value_kind(values, value) == VALUE_IS_ARRAY) {
        size_t count;
        const Value *items = value_items(values, value, &count);
        for (size_t i = 0; i < count; i++) {
            buffer_printf(out, "%s", i ? ", " : "[");
            print_value(values, items[i], nothing, out);
        }
        buffer_printf(out, "%s", count ? "]" : "[]");
        return;
    }
    value_print(values, value, out);
}

static void print_arguments(Twin *t, const Op *op, const char *nothing, Buffer *out)
{
    for (size_t i = 0; i < op->count; i++) {
        if (i)
            buffer_printf(out, ", ");
        print_value(t->values, op->arguments[i], nothing, out);
    }
}

static bool gives(Twin *t, const Op *op)
{
    SpecCall call;
    return make_call(t, op, &call) && t->spec->gives(t->spec, call.method) == SPEC_GIVES_VALUE;
}

/* The value of an event in Jepsen's manner. */
static void print_jepsen_value(Twin *t, const Op *op, bool ends, const char *nothing, Buffer *out)
{
    bool arguments = !ends || (op->result.word == VALUE_NONE.word && !gives(t, op));
    if (!arguments)
        print_value(t->values, op->result, nothing, out);
    else if (!op->count)
        buffer_printf(out, "%s", nothing);
    else {
        buffer_printf(out, "%s", op->count > 1 ? "[" : "");
        print_arguments(t, op, nothing, out);
        buffer_printf(out, "%s", op->count > 1 ? "]" : "");
    }
}

/* A value in TLA+; false if there is none. */
static bool print_tla(Values *values, Value value, Buffer *out)
{
    size_t count;
    const Value *items = value_items(values, value, &count);
    switch (value_kind(values, value)) {
    case VALUE_IS_NONE:
    case VALUE_IS_UNKNOWN:
        buffer_printf(out, "NULL");
        return true;
    case VALUE_IS_BOOL:
        buffer_printf(out, value.word == VALUE_TRUE.word ? "TRUE" : "FALSE");
        return true;
    case VALUE_IS_INT:
    case VALUE_IS_STRING:
        value_print(values, value, out);
        return true;
    case VALUE_IS_ARRAY:
        for (size_t i = 0; i < count; i++) {
            buffer_printf(out, i ? ", " : "<<");
            if (!print_tla(values, items[i], out))
                return false;
        }
        buffer_printf(out, count ? ">>" : "<< >>");
        return true;
    default:
        return false;
    }
}

/* The whole history, alone or as the last state of a trace, in either convention. */
static bool print_trace(Twin *t, bool jepsen, Buffer *out)
{
    bool states = below(t, 2), ok = true;
    if (states)
        buffer_printf(out, "State 1: <Initial predicate>\n/\\ h = << >>\n/\\ x = [a |-> 1]\n\n"
                           "State 2: <Next>\n/\\ x = <<1>>\n/\\ h = ");
    for (int e = 0; e < t->events && ok; e++) {
        static const char *const types[2][3] = {{"call", "return", "fail"},
                                                {"invoke", "ok", "fail"}};
        bool ends = t->event_op[e] < 0;
        const Op *op = &t->ops[ends ? ~t->event_op[e] : t->event_op[e]];
        buffer_printf(out, "%s[process |-> %d, type |-> \"%s\", ", e ? ",\n  " : "<< ", op->process,
                      types[jepsen][!ends        ? 0
                                    : op->failed ? 2
                                                 : 1]);
        if (jepsen || !ends)
            buffer_printf(out, "%s |-> \"%s\", ", jepsen ? "f" : "op", op->name);
        Value arguments = value_array(t->values, op->arguments, op->count);
        bool repeats = jepsen && op->result.word == VALUE_NONE.word && !gives(t, op);
        if (jepsen && op->count == 1)
            arguments = op->arguments[0];
        if (jepsen && !op->count)
            arguments = VALUE_NONE;
        buffer_printf(out, "%s |-> ", jepsen ? "value" : ends ? "result" : "args");
        ok = print_tla(t->values, ends && !repeats ? op->result : arguments, out);
        buffer_printf(out, "]");
    }
    buffer_printf(out, states ? " >>\n/\\ y = 7\n" : " >>\n");
    return ok && t->events;
}

/* One event; false if the format has no way to say it. */
static bool print_event(Twin *t, LogFormat format, bool jepsen_json, const Op *op, bool ends,
                        int event, Buffer *out)
{
    static const char *const colon[] = {":invoke", ":ok", ":fail"};
    int type = !ends ? 0 : op->failed ? 2 : 1;
    switch (format) {
    case LOG_FORMAT_JSON:
        if (jepsen_json) {
            buffer_printf(out,
                          "{\"process\":%d,\"type\":\"%s\",\"f\":\"%s\",\"value\":", op->process,
                          colon[type] + 1, op->name);
            print_jepsen_value(t, op, ends, "null", out);
        } else if (!ends) {
            buffer_printf(out,
                          "{\"seq\":%d,\"process\":%d,\"type\":\"call\",\"op\":\"%s\",\"args\":[",
                          event, op->process, op->name);
            print_arguments(t, op, "null", out);
            buffer_printf(out, "]");
        } else {
            buffer_printf(out, "{\"seq\":%d,\"process\":%d,\"type\":\"%s\",\"result\":", event,
                          op->process, op->failed ? "fail" : "return");
            print_value(t->values, op->result, "null", out);
        }
        buffer_printf(out, "}\n");
        return true;
    case LOG_FORMAT_EDN:
        buffer_printf(out, "{:process \"p%d\", :type %s, :f :%s, :value ", op->process, colon[type],
                      op->name);
        print_jepsen_value(t, op, ends, "nil", out);
        buffer_printf(out, "}\n");
        return true;
    case LOG_FORMAT_JEPSEN:
        buffer_printf(out, "INFO  jepsen.util - %d\t%s\t:%s\t", op->process, colon[type], op->name);
        print_jepsen_value(t, op, ends, "nil", out);
        buffer_printf(out, "\n");
        return true;
    case LOG_FORMAT_PORCUPINE: {
        if (op->count < 1 || op->count > 2 || strcmp(t->shape->spec, "kv"))
            return false;
        buffer_printf(out, "{:process %d, :type %s, :f :%s, :key ", op->process, colon[type],
                      op->name);
        print_value(t->values, op->arguments[0], "nil", out);
        buffer_printf(out, ", :value ");
        bool result = ends && (op->result.word != VALUE_NONE.word || gives(t, op));
        if (result)
            print_value(t->values, op->result, "nil", out);
        else if (op->count > 1)
            print_value(t->values, op->arguments[1], "nil", out);
        else
            buffer_printf(out, "nil");
        buffer_printf(out, "}\n");
        return true;
    }
    default:
        return false;
    }
}

static void quote_cell(const Buffer *text, Buffer *out)
{
    buffer_printf(out, "\"");
    for (size_t i = 0; i < text->count; i++)
        buffer_printf(out, text->at[i] == '"' ? "\"\"" : "%c", text->at[i]);
    buffer_printf(out, "\"");
}

static bool print_rows(Twin *t, LogFormat format, Buffer *out)
{
    bool csv = format == LOG_FORMAT_CSV;
    buffer_printf(out, "%s", csv ? "client,call,return,op,args,result,status\n" : "[");
    Buffer text = {0};
    for (int i = 0; i < t->count; i++) {
        const Op *op = &t->ops[i];
        char returned[16] = "";
        if (op->returned >= 0)
            snprintf(returned, sizeof returned, csv ? "%d.5" : "%d", op->returned);
        vec_clear(&text);
        if (csv) {
            buffer_printf(out, "%d,%d.50,%s,%s,", op->process, op->called, returned, op->name);
            buffer_printf(&text, "[");
            print_arguments(t, op, "null", &text);
            buffer_printf(&text, "]");
            quote_cell(&text, out);
            buffer_printf(out, ",");
            vec_clear(&text);
            if (op->returned >= 0) {
                print_value(t->values,
                            op->result.word == VALUE_UNKNOWN.word ? VALUE_NONE : op->result, "null",
                            &text);
                quote_cell(&text, out);
            }
            buffer_printf(out, ",%s\n", op->failed ? "fail" : "");
        } else {
            buffer_printf(out, "%s{\"ClientId\":%d,\"Call\":%d,\"Input\":[\"%s\"%s", i ? ",\n" : "",
                          op->process, op->called, op->name, op->count ? "," : "");
            print_arguments(t, op, "null", out);
            buffer_printf(out, "],\"Return\":%s,\"Output\":", *returned ? returned : "null");
            print_value(t->values, op->result.word == VALUE_UNKNOWN.word ? VALUE_NONE : op->result,
                        "null", out);
            buffer_printf(out, "%s}", op->failed ? ",\"status\":\"fail\"" : "");
        }
    }
    buffer_printf(out, "%s", csv ? "" : "]\n");
    vec_free(&text);
    return true;
}

static char folder[] = "/tmp/heddle-twin-XXXXXX"; /* for the one format that is written by path */

/* Values of an observation file are integers, booleans and texts; an operation that waits is stuck.
 */
static bool print_observation(Twin *t, History *history, Buffer *out)
{
    for (int i = 0; i < t->count; i++) {
        const Op *op = &t->ops[i];
        bool plain = op->returned >= 0 && op->count <= 1;
        for (size_t j = 0; j < op->count; j++)
            plain = plain && value_kind(t->values, op->arguments[j]) == VALUE_IS_INT;
        ValueKind kind = value_kind(t->values, op->result);
        if (!plain || (kind != VALUE_IS_INT && kind != VALUE_IS_NONE && kind != VALUE_IS_BOOL))
            return false;
    }
    if (!history->operations.count)
        return false;
    char path[64], bytes[16384];
    snprintf(path, sizeof path, "%s/log", folder);
    Histories one = {0};
    vec_push(&one, history);
    Error error;
    ASSERT(log_write_observation(path, &one, &error));
    vec_free(&one);
    int again = open(path, O_RDONLY);
    ssize_t got = read(again, bytes, sizeof bytes);
    close(again);
    unlink(path);
    buffer_append(out, bytes, (size_t)got);
    return got < (ssize_t)sizeof bytes;
}

static bool print_log(Twin *t, LogFormat format, bool variant, History *history, Buffer *out)
{
    if (format == LOG_FORMAT_CSV || format == LOG_FORMAT_OPERATIONS)
        return t->count && print_rows(t, format, out);
    if (format == LOG_FORMAT_TLA)
        return print_trace(t, variant, out);
    if (format == LOG_FORMAT_OBSERVATION)
        return print_observation(t, history, out);
    for (int e = 0; e < t->events; e++) {
        bool ends = t->event_op[e] < 0;
        if (!print_event(t, format, variant, &t->ops[ends ? ~t->event_op[e] : t->event_op[e]], ends,
                         e, out))
            return false;
    }
    return t->events > 0;
}

/* Are the two the same to the specification: calls, results, order? */
static const char *compare(Twin *t, const History *a, const History *b, bool *unclear)
{
    if (a->operations.count != b->operations.count)
        return "the number of operations";
    for (size_t i = 0; i < a->operations.count; i++) {
        const Operation *x = &a->operations.at[i], *y = &b->operations.at[i];
        SpecCall call_x, call_y;
        Error error;
        if (!spec_call(t->spec, a, x, &call_x, &error) ||
            !spec_call(t->spec, b, y, &call_y, &error))
            return "an operation";
        if (call_x.method != call_y.method || call_x.count != call_y.count ||
            (call_x.count &&
             memcmp(call_x.arguments, call_y.arguments, call_x.count * sizeof(Value))))
            return "a call";
        if ((x->returned == HISTORY_PENDING) != (y->returned == HISTORY_PENDING))
            return "a pending operation";
        if (value_kind(t->values, y->result) == VALUE_IS_ECHO) { /* the log does not tell which */
            if (x->result.word != VALUE_NONE.word &&
                !value_equal(x->result, value_echoed(t->values, y->result)))
                return "a result";
            *unclear |= x->result.word != VALUE_NONE.word;
            continue;
        }
        if (y->result.word == VALUE_NONE.word && call_x.count &&
            value_equal(call_x.arguments[call_x.count - 1],
                        x->result)) { /* add(true) -> true: again */
            *unclear = true;
            continue;
        }
        if (x->returned != HISTORY_PENDING && x->result.word != y->result.word)
            return "a result";
        for (size_t j = 0; j < a->operations.count; j++)
            if (history_precedes(a, i, j) != history_precedes(b, i, j))
                return "the order";
    }
    return NULL;
}

static size_t written[16];

static bool through_format(Twin *t, LogFormat format, bool variant, History *history,
                           Verdict expected)
{
    Buffer log = {0};
    bool same = true;
    if (print_log(t, format, variant, history, &log)) {
        Histories read = {0};
        Error error = {0};
        LogFormat detected;
        const char *differs = NULL;
        bool automatic = below(t, 2);
        LogOptions options = {.format = automatic ? LOG_FORMAT_AUTO : format};
        if (!log_read_bytes("twin", buffer_str(&log), &options, t->values, &read, &detected,
                            &error))
            differs = error.message;
        else if (detected != format)
            differs = "the format";
        else {
            spec_settle(t->spec, read.at[0]);
            bool unclear = false;
            differs = compare(t, history, read.at[0], &unclear);
            if (!differs && !unclear && check_history(t, read.at[0], true, true) != expected)
                differs = "the verdict";
        }
        written[format]++;
        same = !differs;
        if (differs)
            printf("%s, %s, %s:\n%.*s", t->shape->spec, log_format_word(format), differs,
                   STR_ARG(buffer_str(&log)));
        histories_free(&read);
    }
    vec_free(&log);
    return same;
}

/* A store whose keys a monitor decides one by one: does it contradict EXPECTED? */
static bool keys_differ(Twin *t, History *history, Verdict expected)
{
    Plan plan;
    Error error;
    MonitorResult result = {0};
    bool able = true, violated = false;
    if (strcmp(t->shape->spec, "kv") || !plan_make(&plan, history, t->spec, true, &error))
        return false;
    for (size_t g = 0; g < plan.groups.count; g++) {
        monitor_check(&plan, &plan.groups.at[g], MONITOR_WHOLE, &result);
        able = able && result.answer != MONITOR_UNABLE;
        violated = violated || result.answer == MONITOR_VIOLATED;
    }
    monitor_result_free(&result);
    plan_free(&plan);
    monitored_stores += able;
    return (violated && expected == VERDICT_HOLDS) ||
           (able && !violated && expected != VERDICT_HOLDS);
}

/* Is ORDER a linearization, by its definition? */
static bool is_linearization(const Plan *plan, Automaton *automaton, const uint32_t *order,
                             size_t count)
{
    size_t times[MOST_OPS] = {0}, all = plan->history->operations.count;
    for (size_t i = 0; i < count; i++) {
        times[order[i]]++;
        for (size_t j = 0; j < i; j++)
            if (history_precedes(plan->history, order[i], order[j]))
                return false;
    }
    for (size_t i = 0; i < all; i++)
        if (times[i] > 1 ||
            (!times[i] && plan->history->operations.at[i].returned != HISTORY_PENDING))
            return false;
    Vec(uint32_t) states = {0}, next = {0};
    vec_push(&states, automaton_initial(automaton));
    for (size_t i = 0; i < count; i++) {
        SpecCall call;
        size_t steps;
        plan_call(plan, order[i], &call);
        uint32_t label = automaton_label(automaton, &call);
        vec_clear(&next);
        for (size_t k = 0; k < states.count; k++) {
            const uint32_t *to = automaton_step(automaton, states.at[k], label, &steps);
            for (size_t j = 0; j < steps; j++)
                vec_push(&next, to[j]);
        }
        vec_clear(&states);
        for (size_t k = 0; k < next.count; k++)
            vec_push(&states, next.at[k]);
    }
    bool allowed = states.count > 0;
    vec_free(&states);
    vec_free(&next);
    return allowed;
}

/* Orders that are found, and those with two exchanged, one left out or one twice: is each taken for
 * a linearization only if it is one? What sums.h finds must have been there. */
static const char *orders_differ(Twin *t, const Plan *plan, Automaton *automaton, Verdict expected)
{
    LinearizeLimits limits = {0};
    uint32_t order[MOST_OPS + 1], count = 0;
    const char *differs = NULL;
    Sums *sums = NULL;
    const PlanGroup *group = &plan->groups.at[0];
    const uint32_t *found = sums_order(&sums, plan, group, &limits, &count);
    if (found) {
        summed[expected == VERDICT_HOLDS]++;
        if (witness_check(plan, group, found, count) && expected != VERDICT_HOLDS)
            differs = "an order of sums.h";
    }
    sums_free(sums);
    Checker *checker = checker_new(t->spec, true);
    Indexes right = {0};
    if (expected == VERDICT_HOLDS)
        checker_witness(checker, plan, group, &limits, &right);
    for (int tries = 0; tries < 6 && right.count && !differs; tries++) {
        count = (uint32_t)right.count;
        memcpy(order, right.at, count * sizeof *order);
        uint32_t *a = &order[below(t, count)], *b = &order[below(t, count)], keep = *a;
        if (tries == 1)
            *a = order[--count];
        if (tries == 2)
            order[count++] = keep;
        if (tries > 2) {
            *a = *b;
            *b = keep;
        }
        bool taken = witness_check(plan, group, order, count);
        witnesses[taken]++;
        if (taken && !is_linearization(plan, automaton, order, count))
            differs = "an order that is none";
        if (!taken && !tries && t->spec->deterministic)
            differs = "an order that is one";
    }
    vec_free(&right);
    checker_free(checker);
    return differs;
}

static bool judge(Twin *t, History *history, Automaton *automaton, Verdict *expected,
                  bool *sensible)
{
    Plan plan;
    Error error;
    *sensible = plan_make(&plan, history, t->spec, false, &error);
    if (!*sensible)
        return true;
    *expected = brute(t, &plan, automaton);
    const char *differs = NULL;
    MonitorResult result = {0};
    bounds_check(&plan, &plan.groups.at[0], &result);
    if (result.answer == MONITOR_VIOLATED && *expected == VERDICT_HOLDS)
        differs = "bounds";
    monitor_check(&plan, &plan.groups.at[0], MONITOR_WHOLE, &result);
    if (result.answer != MONITOR_UNABLE &&
        (result.answer == MONITOR_HOLDS) != (*expected == VERDICT_HOLDS))
        differs = "monitor";
    if (keys_differ(t, history, *expected))
        differs = "monitor of a key";
    monitor_result_free(&result);
    if (!differs)
        differs = orders_differ(t, &plan, automaton, *expected);
    for (int way = 0; way < 4 && !differs; way++)
        if (check_history(t, history, way & 1, way & 2) != *expected)
            differs = "search";
    if (!differs) {
        bool sequential = interleaves(&plan, automaton, automaton_initial(automaton), 0);
        history_forget_time(history);
        if ((check_history(t, history, false, true) == VERDICT_HOLDS) != sequential)
            differs = "sequential consistency";
        free(history->before);
        history->before = NULL;
    }
    if (!differs)
        differs = sessions_differ(t, &plan);
    if (!differs)
        differs = failures_differ(t);
    if (!differs && !literally(t, history, *expected))
        differs = "the literal definition";
    plan_free(&plan);
    if (differs) {
        Buffer log = {0};
        print_rows(t, LOG_FORMAT_OPERATIONS, &log);
        printf("%s, %s, brute force says %s:\n%.*s", t->shape->spec, differs,
               verdict_word(*expected), STR_ARG(buffer_str(&log)));
        vec_free(&log);
    }
    return !differs;
}

static bool one(uint64_t seed, LogFormat only, const char *model)
{
    Twin t = {.random = {seed}, .values = values_new(), .arena = arena_new()};
    Error error;
    t.shape = &shapes[below(&t, COUNT_OF(shapes))];
    while (model && strncmp(t.shape->spec, model, strlen(model)))
        t.shape = &shapes[below(&t, COUNT_OF(shapes))];
    if (only == LOG_FORMAT_PORCUPINE) /* it knows nothing else */
        for (t.shape = shapes;
             strcmp(t.shape->ops, "get:k get:k put:kv append:ks remove:k insert:kv");)
            t.shape++;
    t.distinct = below(&t, 2);
    t.spec = spec_builtin(t.arena, t.values, str_of(t.shape->spec), &error);
    ASSERT(t.spec);
    Automaton *automaton = automaton_new(t.spec);
    simulate(&t, automaton);
    mutate(&t);
    History *history = history_of(&t);
    Verdict expected = VERDICT_HOLDS;
    bool sensible, same = judge(&t, history, automaton, &expected, &sensible);
    for (int format = 1; same && sensible && format <= LOG_FORMAT_JEPSEN; format++)
        if (!only || only == (LogFormat)format)
            same = through_format(&t, (LogFormat)format, below(&t, 2), history, expected);
    history_free(history);
    automaton_free(automaton);
    arena_free(t.arena);
    values_free(t.values);
    return same;
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    LogFormat only = LOG_FORMAT_AUTO;
    const char *model = NULL;
    for (size_t i = 0; argc > 3 && i < COUNT_OF(shapes); i++)
        if (!strncmp(shapes[i].spec, argv[3], strlen(argv[3])))
            model = argv[3];
    if (argc > 3 && !model && !log_format_from_word(argv[3], &only))
        return 2;
    if (!mkdtemp(folder))
        return 2;
    bool same = true;
    for (uint64_t i = 0; i < count && same; i++) {
        same = one(seed + i, only, model);
        if (!same)
            printf("history_twin 1 %llu\n", (unsigned long long)(seed + i));
    }
    rmdir(folder);
    if (!same)
        return 1;
    printf("%llu histories agree", (unsigned long long)count);
    for (int format = 1; format <= LOG_FORMAT_JEPSEN; format++)
        printf(", %zu %s", written[format], log_format_word((LogFormat)format));
    printf(
        ", %zu k-registers and %zu transactions by a second definition, %zu stores by their keys, "
        "%zu orders taken and %zu not, %zu of sums\n",
        literal_count[0], literal_count[1], monitored_stores, witnesses[1], witnesses[0],
        summed[1]);
    return 0;
}
