/* reference.h: the built-in models once more, written independently and as plainly as possible, and
 * a brute-force check over all orders: what the fast code is compared with. Values are small
 * integers; strings of key-value stores are written as digits in base 4. Random histories are a
 * random serial run stretched into overlapping intervals, with some results then changed. */
#ifndef HEDDLE_TESTS_REFERENCE_H
#define HEDDLE_TESTS_REFERENCE_H
#include "judge/linear/plan.h"
#include "judge/spec/spec.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1000, DONE, YES, NO, UNKNOWN };
#ifndef REF_MOST_OPS
#define REF_MOST_OPS 12
#endif
enum { MOST_OPS = REF_MOST_OPS, MOST_STATE = 24 };

typedef struct RefState {
    int n, v[MOST_STATE];
} RefState;
typedef struct RefOp {
    int op, a, b, c, result;
    int process, called, returned; /* returned: INT32_MAX if pending */
    bool optional;
} RefOp;
typedef struct RefHistory {
    int model, n;
    RefOp ops[MOST_OPS];
} RefHistory;
typedef struct RefOutcome {
    RefState state;
    int result;
} RefOutcome;

enum {
    FIFO,
    LIFO,
    DEQUE,
    PRIORITY,
    BAG,
    SET,
    KV,
    REGISTER,
    CAS_REGISTER,
    COUNTER,
    SEMAPHORE,
    LOCK,
    EVENT,
    BANK,
    MODELS
};
static const char *const ref_specs[MODELS] = {
    "fifo",     "lifo",         "deque",   "priority-queue", "bag",  "set",   "kv",
    "register", "cas-register", "counter", "semaphore:1",    "lock", "event", "bank:2x2"};
/* kind of result: v value or none, s string or none, n number, b yes or no, d done */
typedef struct RefMethod {
    const char *name;
    int args;
    char result;
} RefMethod;
static const RefMethod ref_methods[MODELS][8] = {
    [FIFO] =
        {{"enq", 1, 'd'}, {"deq", 0, 'v'}, {"take", 0, 'v'}, {"peek", 0, 'v'}, {"size", 0, 'n'}},
    [LIFO] =
        {{"push", 1, 'd'}, {"pop", 0, 'v'}, {"take", 0, 'v'}, {"peek", 0, 'v'}, {"size", 0, 'n'}},
    [DEQUE] = {{"push_front", 1, 'd'},
               {"push_back", 1, 'd'},
               {"pop_front", 0, 'v'},
               {"pop_back", 0, 'v'},
               {"peek_front", 0, 'v'},
               {"isempty", 0, 'b'}},
    [PRIORITY] = {{"insert", 1, 'd'}, {"deqmin", 0, 'v'}, {"take", 0, 'v'}, {"min", 0, 'v'}},
    [BAG] = {{"add", 1, 'd'}, {"trytake", 0, 'v'}, {"take", 0, 'v'}, {"size", 0, 'n'}},
    [SET] = {{"add", 1, 'b'}, {"remove", 1, 'b'}, {"contains", 1, 'b'}, {"size", 0, 'n'}},
    [KV] = {{"get", 1, 's'},
            {"put", 2, 'd'},
            {"append", 2, 'd'},
            {"cas", 3, 'b'},
            {"remove", 1, 'b'},
            {"contains", 1, 'b'}},
    [REGISTER] = {{"read", 0, 'v'}, {"write", 1, 'd'}},
    [CAS_REGISTER] = {{"read", 0, 'v'}, {"write", 1, 'd'}, {"cas", 2, 'b'}},
    [COUNTER] =
        {{"get", 0, 'n'}, {"inc", 0, 'd'}, {"dec", 0, 'd'}, {"add", 1, 'd'}, {"fetch_add", 1, 'n'}},
    [SEMAPHORE] = {{"acquire", 0, 'd'},
                   {"try_acquire", 0, 'b'},
                   {"release", 0, 'd'},
                   {"count", 0, 'n'}},
    [LOCK] = {{"lock", 0, 'd'}, {"try_lock", 0, 'b'}, {"unlock", 0, 'd'}, {"is_locked", 0, 'b'}},
    [EVENT] = {{"set", 0, 'd'}, {"reset", 0, 'd'}, {"wait", 0, 'd'}, {"is_set", 0, 'b'}},
    [BANK] = {{"transfer", 3, 'b'}, {"balance", 1, 'n'}, {"deposit", 2, 'd'}, {"withdraw", 2, 'b'}},
};

static int ref_method_count(int model)
{
    int n = 0;
    while (n < 8 && ref_methods[model][n].name)
        n++;
    return n;
}

static RefState ref_initial(int model)
{
    RefState s = {0};
    if (model == REGISTER || model == CAS_REGISTER)
        s.v[0] = NONE;
    if (model == SEMAPHORE)
        s.v[0] = 1;
    if (model == BANK)
        s.v[0] = s.v[1] = 2;
    return s;
}

static void ref_erase(RefState *s, int i)
{
    memmove(&s->v[i], &s->v[i + 1], sizeof(int) * (size_t)(s->n - i - 1));
    s->n--;
}

static void ref_insert(RefState *s, int i, int v)
{
    memmove(&s->v[i + 1], &s->v[i], sizeof(int) * (size_t)(s->n - i));
    s->v[i] = v;
    s->n++;
}

/* All outcomes of an operation in a state; none: it waits. */
static int ref_outcomes(int model, const RefOp *op, const RefState *from, RefOutcome *out)
{
    RefState s = *from;
    int count = 0;
#define GIVE(r) (out[count].state = s, out[count].result = (r), count++)
    switch (model) {
    case FIFO:
    case LIFO:
    case PRIORITY: {
        int end = model == LIFO ? s.n - 1 : 0;
        if (model == PRIORITY)
            for (int i = 0; i < s.n; i++)
                if (s.v[i] < s.v[end])
                    end = i;
        if (op->op == 0) {
            ref_insert(&s, s.n, op->a);
            GIVE(DONE);
        } else if (op->op == 1 || op->op == 2) {
            if (s.n) {
                int v = s.v[end];
                ref_erase(&s, end);
                GIVE(v);
            } else if (op->op == 1) {
                GIVE(NONE);
            }
        } else if (op->op == 3) {
            GIVE(s.n ? s.v[end] : NONE);
        } else {
            GIVE(s.n);
        }
        break;
    }
    case DEQUE: {
        int place = op->op == 0 || op->op == 2 || op->op == 4 ? 0 : op->op == 1 ? s.n : s.n - 1;
        if (op->op <= 1) {
            ref_insert(&s, place, op->a);
            GIVE(DONE);
        } else if (op->op == 5) {
            GIVE(s.n ? NO : YES);
        } else if (!s.n) {
            GIVE(NONE);
        } else {
            int v = s.v[place];
            if (op->op != 4)
                ref_erase(&s, place);
            GIVE(v);
        }
        break;
    }
    case BAG:
        if (op->op == 0) {
            ref_insert(&s, s.n, op->a);
            GIVE(DONE);
        } else if (op->op == 3) {
            GIVE(s.n);
        } else {
            for (int i = 0; i < from->n; i++) {
                s = *from;
                ref_erase(&s, i);
                GIVE(from->v[i]);
            }
            if (!from->n && op->op == 1)
                GIVE(NONE);
        }
        break;
    case SET: { /* v[x] says whether x is inside */
        int was = s.v[op->a];
        if (op->op == 0) {
            s.v[op->a] = 1;
            GIVE(was ? NO : YES);
        } else if (op->op == 1) {
            s.v[op->a] = 0;
            GIVE(was ? YES : NO);
        } else if (op->op == 2) {
            GIVE(was ? YES : NO);
        } else {
            int n = 0;
            for (int i = 0; i < 4; i++)
                n += s.v[i];
            GIVE(n);
        }
        break;
    }
    case KV: { /* v[key] is the string as a number in base 4, 0: absent */
        int was = s.v[op->a];
        switch (op->op) {
        case 0:
            GIVE(was ? was : NONE);
            break;
        case 1:
            s.v[op->a] = op->b;
            GIVE(DONE);
            break;
        case 2:
            s.v[op->a] = was * 4 + op->b;
            GIVE(DONE);
            break;
        case 3:
            if (was == op->b) {
                s.v[op->a] = op->c;
                GIVE(YES);
            } else {
                GIVE(NO);
            }
            break;
        case 4:
            s.v[op->a] = 0;
            GIVE(was ? YES : NO);
            break;
        default:
            GIVE(was ? YES : NO);
        }
        break;
    }
    case REGISTER:
    case CAS_REGISTER:
        if (op->op == 0) {
            GIVE(s.v[0]);
        } else if (op->op == 1) {
            s.v[0] = op->a;
            GIVE(DONE);
        } else if (s.v[0] == op->a) {
            s.v[0] = op->b;
            GIVE(YES);
        } else {
            GIVE(NO);
        }
        break;
    case COUNTER: {
        int was = s.v[0];
        s.v[0] += op->op == 0 ? 0 : op->op == 1 ? 1 : op->op == 2 ? -1 : op->a;
        GIVE(op->op == 0 || op->op == 4 ? was : DONE);
        break;
    }
    case SEMAPHORE:
        if (op->op == 0) {
            if (s.v[0]) {
                s.v[0]--;
                GIVE(DONE);
            }
        } else if (op->op == 1) {
            bool free_one = s.v[0] > 0;
            s.v[0] -= free_one;
            GIVE(free_one ? YES : NO);
        } else if (op->op == 2) {
            s.v[0]++;
            GIVE(DONE);
        } else {
            GIVE(s.v[0]);
        }
        break;
    case LOCK:
        if (op->op == 0) {
            if (!s.v[0]) {
                s.v[0] = 1;
                GIVE(DONE);
            }
        } else if (op->op == 1) {
            bool was = s.v[0];
            s.v[0] = 1;
            GIVE(was ? NO : YES);
        } else if (op->op == 2) {
            if (s.v[0]) {
                s.v[0] = 0;
                GIVE(DONE);
            } else {
                GIVE(NO);
            }
        } else {
            GIVE(s.v[0] ? YES : NO);
        }
        break;
    case EVENT:
        if (op->op == 2 && !s.v[0])
            break;
        if (op->op < 2)
            s.v[0] = op->op == 0;
        GIVE(op->op == 3 ? (s.v[0] ? YES : NO) : DONE);
        break;
    case BANK: {
        int amount = op->op == 0 ? op->c : op->b;
        if (op->op == 1) {
            GIVE(s.v[op->a]);
        } else if (op->op == 2) {
            s.v[op->a] += amount;
            GIVE(DONE);
        } else if (s.v[op->a] < amount) {
            GIVE(NO);
        } else {
            s.v[op->a] -= amount;
            if (op->op == 0)
                s.v[op->b] += amount;
            GIVE(YES);
        }
        break;
    }
    default:
        break;
    }
#undef GIVE
    return count;
}

static bool ref_precedes(const RefOp *a, const RefOp *b)
{
    return a->returned < b->called;
}

UNUSED static bool ref_search(const RefHistory *h, unsigned in, unsigned gone,
                              const RefState *state)
{
    bool all = true;
    for (int i = 0; i < h->n; i++)
        all = all && (in >> i & 1 || gone >> i & 1 || h->ops[i].returned == INT32_MAX);
    if (all)
        return true;
    for (int i = 0; i < h->n; i++) {
        if (in >> i & 1 || gone >> i & 1)
            continue;
        bool ready = true;
        for (int j = 0; j < h->n; j++)
            ready =
                ready && (in >> j & 1 || gone >> j & 1 || !ref_precedes(&h->ops[j], &h->ops[i]));
        if (!ready)
            continue;
        RefOutcome out[MOST_STATE];
        int count = ref_outcomes(h->model, &h->ops[i], state, out);
        for (int k = 0; k < count; k++)
            if ((h->ops[i].result == UNKNOWN || h->ops[i].result == out[k].result) &&
                ref_search(h, in | 1u << i, gone, &out[k].state))
                return true;
    }
    return false;
}

/* Is there an order? All of them are tried, for every choice of optional operations to leave out.
 */
UNUSED static bool ref_linearizable(const RefHistory *h)
{
    unsigned optional = 0;
    for (int i = 0; i < h->n; i++)
        optional |= h->ops[i].optional ? 1u << i : 0;
    for (unsigned gone = optional;; gone = (gone - 1) & optional) {
        RefState start = ref_initial(h->model);
        if (ref_search(h, 0, gone, &start))
            return true;
        if (!gone)
            return false;
    }
}

static int ref_random(Random *random, int below)
{
    return (int)random_below(random, (uint64_t)below);
}

static int ref_random_result(Random *random, char kind)
{
    switch (kind) {
    case 'd':
        return DONE;
    case 'b':
        return ref_random(random, 2) ? YES : NO;
    case 'n':
        return ref_random(random, 4);
    case 's':
        return ref_random(random, 4) ? 1 + ref_random(random, 40) : NONE;
    default:
        return ref_random(random, 4) ? 1 + ref_random(random, 3) : NONE;
    }
}

/* A random history of N operations. DISTINCT: every value is put once. */
UNUSED static void ref_random_history(Random *random, int model, int n, bool distinct,
                                      RefHistory *h)
{
    int methods = ref_method_count(model), processes = 1 + ref_random(random, 4), next = 1;
    RefState state = ref_initial(model);
    *h = (RefHistory){.model = model};
    int clock[8] = {0}; /* in units of which n * 10 make up the whole run */
    while (h->n < n) {
        RefOp *op = &h->ops[h->n];
        *op = (RefOp){.op = ref_random(random, distinct ? 2 : methods),
                      .a = 1 + ref_random(random, 3),
                      .b = 1 + ref_random(random, 3),
                      .c = 1 + ref_random(random, 3),
                      .process = ref_random(random, processes)};
        if (model == BANK || model == KV)
            op->a = ref_random(random, 2);
        if (distinct && model == KV) { /* one digit a value: there are three of them */
            op->a = 0;
            op->op = next > 3 ? 0 : ref_random(random, 3);
            op->b = op->op ? next++ : 0;
        }
        if (model == BANK && op->op == 0)
            op->b = ref_random(random, 2);
        if (distinct && model != KV && (model == REGISTER ? op->op == 1 : op->op == 0))
            op->a = next++;
        RefOutcome out[MOST_STATE];
        int count = ref_outcomes(model, op, &state, out);
        int point = 10 * h->n + 5;
        if (!count || clock[op->process] > point) {
            op->process = -1;
            count = count ? 0 : -1;
        }
        if (count <= 0) { /* it waits, or its process is busy: try another */
            if (count < 0 && ref_random(random, 8) == 0)
                return;
            if (count == 0) {
                bool all_busy = true;
                for (int p = 0; p < processes; p++)
                    all_busy = all_busy && clock[p] > point;
                if (all_busy)
                    return;
            }
            continue;
        }
        int pick = ref_random(random, count);
        state = out[pick].state;
        op->result = out[pick].result;
        int early = point - ref_random(random, 30); /* MAX would draw twice */
        op->called = MAX(clock[op->process], early);
        op->called = MAX(op->called, 0);
        op->returned = point + ref_random(random, 30);
        clock[op->process] = op->returned + 1;
        if (ref_random(random, 12) == 0) {
            op->returned = INT32_MAX;
            op->result = UNKNOWN;
            clock[op->process] = INT32_MAX;
        }
        h->n++;
    }
    for (int i = 0; i < h->n; i++)
        if (h->ops[i].result != UNKNOWN && ref_random(random, 4) == 0)
            h->ops[i].result =
                distinct && ref_methods[model][h->ops[i].op].result == 'v' && ref_random(random, 4)
                    ? 1 + ref_random(random, next)
                    : ref_random_result(random, ref_methods[model][h->ops[i].op].result);
}

static Value ref_value(Values *values, int model, int code, bool text)
{
    (void)model;
    char buffer[40];
    int length = 0;
    switch (code) {
    case NONE:
    case DONE:
        return VALUE_NONE;
    case YES:
        return VALUE_TRUE;
    case NO:
        return VALUE_FALSE;
    case UNKNOWN:
        return VALUE_UNKNOWN;
    default:
        if (!text)
            return value_int(values, code);
        for (; code; code /= 4)
            buffer[length++] = (char)('a' + code % 4);
        for (int i = 0; i < length / 2; i++) {
            char c = buffer[i];
            buffer[i] = buffer[length - 1 - i];
            buffer[length - 1 - i] = c;
        }
        return value_string(values, (Str){buffer, (size_t)length});
    }
}

static int ref_by_time(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* As a History; index[i] is the operation's place in it. Ties in time: calls come first. */
UNUSED static History *ref_history(Values *values, const RefHistory *h, uint32_t *index)
{
    History *history = history_new(values);
    HistoryBuilder builder;
    history_build(&builder, history, "random");
    int64_t events[2 * MOST_OPS];
    int count = 0;
    for (int i = 0; i < h->n; i++) {
        events[count++] = ((int64_t)h->ops[i].called * 2) * 64 + i * 2;
        if (h->ops[i].returned != INT32_MAX)
            events[count++] = ((int64_t)h->ops[i].returned * 2 + 1) * 64 + i * 2 + 1;
    }
    qsort(events, (size_t)count, sizeof *events, ref_by_time);
    bool ok = true;
    for (int e = 0; e < count; e++) {
        int i = (int)(events[e] % 64) / 2;
        const RefOp *op = &h->ops[i];
        const RefMethod *method = &ref_methods[h->model][op->op];
        /* distinct process per operation: pending ones may share a process otherwise */
        Value process = value_int(values, i);
        uint32_t name = value_symbol(values, value_string(values, str_of(method->name)));
        bool text = h->model == KV;
        if (events[e] % 2) {
            ok = ok && history_return(&builder, process, name,
                                      ref_value(values, h->model, op->result, text), 0, NULL);
        } else {
            Value arguments[3] = {ref_value(values, h->model, op->a, false),
                                  ref_value(values, h->model, op->b, text),
                                  ref_value(values, h->model, op->c, text)};
            index[i] = (uint32_t)history->operations.count;
            ok = ok && history_call(&builder, process, name, 0, arguments, (size_t)method->args,
                                    (uint32_t)i + 1, NULL);
        }
    }
    if (!ok)
        abort();
    history_finish(&builder);
    return history;
}

UNUSED static void ref_print(const RefHistory *h)
{
    printf("model %s\n", ref_specs[h->model]);
    for (int i = 0; i < h->n; i++)
        printf("  [%d, %d] %s(%d, %d, %d) -> %d%s\n", h->ops[i].called,
               h->ops[i].returned == INT32_MAX ? -1 : h->ops[i].returned,
               ref_methods[h->model][h->ops[i].op].name, h->ops[i].a, h->ops[i].b, h->ops[i].c,
               h->ops[i].result, h->ops[i].optional ? " optional" : "");
}
#endif
