/* The versions of a key are its initial value and its writes. A list that was read has the version
 * of its last element; all reads of a list must show beginnings of the longest one (or nothing
 * could have been read in this way, whatever the order of the versions), which gives the order of
 * all elements that were ever seen, and the others come after it. */
#include "judge/linear/session_txn.h"
#include "judge/linear/monitor_internal.h"
#include "judge/linear/session.h"
#include <stdlib.h>

#define NO MONITOR_NO

typedef struct Step {
    uint32_t op, process, key;
    Value value; /* written, or read; VALUE_NONE: nothing */
    char kind;   /* of what it does: r, w, a */
} Step;
typedef struct Key {
    uint32_t initial;     /* version */
    bool lists, written;  /* which of append, write there is */
    const Value *longest; /* of a list: the most that was read */
    size_t length;
    uint32_t reader; /* the operation that read it */
} Key;
typedef struct Txns {
    const Plan *plan;
    MonitorResult *result;
    SessionAccesses sessions;
    Vec(Step) steps; /* those of committed transactions first: `committed` of them */
    size_t committed;
    Vec(Key) keys;
    HashMap names;    /* of keys */
    HashMap versions; /* hash of key and value -> index into written */
    Vec(Step) written;
    Vec(uint32_t) version_of; /* by index into written */
} Txns;

static uint64_t *find_version(Txns *t, uint32_t key, Value value, bool put)
{
    for (uint32_t attempt = 0;; attempt++) {
        uint64_t hash = hash_combine(value.word, (uint64_t)attempt << 32 | key);
        uint64_t *slot =
            put ? hashmap_put(&t->versions, hash, NULL) : hashmap_find(&t->versions, hash);
        if (!slot || !*slot)
            return slot;
        const Step *step = &t->written.at[*slot - 1];
        if (step->key == key && value_equal(step->value, value))
            return slot;
    }
}

static uint32_t version_of(Txns *t, uint32_t key, Value value)
{
    const uint64_t *slot = find_version(t, key, value, false);
    return slot && *slot ? t->version_of.at[*slot - 1] : NO;
}

/* The elements of a list, or NULL and none. */
static const Value *elements_of(const Txns *t, const Step *step, size_t *count)
{
    return value_items(t->plan->history->values, step->value, count);
}

/* Nothing, or the empty list: what a key holds before the first write. */
static bool is_nothing(const Txns *t, const Step *step)
{
    size_t count;
    elements_of(t, step, &count);
    return step->value.word == VALUE_NONE.word ||
           (value_kind(t->plan->history->values, step->value) == VALUE_IS_ARRAY && !count);
}

static bool add_written(Txns *t, const Step *step)
{
    Key *key = &t->keys.at[step->key];
    *(step->kind == 'a' ? &key->lists : &key->written) = true;
    uint64_t *slot = find_version(t, step->key, step->value, true);
    if (*slot || is_nothing(t, step) || (key->lists && key->written))
        return false;
    vec_push(&t->written, *step);
    *slot = t->written.count;
    vec_push(&t->version_of, (uint32_t)t->sessions.writers.count);
    vec_push(&t->sessions.writers, step->op);
    return true;
}

static uint32_t key_of(Txns *t, Value name)
{
    bool absent;
    uint64_t *index = hashmap_put(&t->names, name.word, &absent);
    if (absent) {
        *index = t->keys.count;
        Key key = {.initial = (uint32_t)t->sessions.writers.count, .reader = NO};
        vec_push(&t->keys, key);
        vec_push(&t->sessions.writers, NO);
    }
    return (uint32_t)*index;
}

/* Lists the steps of an operation; false if they make no sense together. */
static bool add_steps(Txns *t, uint32_t op, const Operation *operation, bool committed)
{
    const History *history = t->plan->history;
    Values *values = history->values;
    Value start = t->plan->spec->start;
    size_t count = 0, given = 0;
    const Value *asked =
        operation->count == 1
            ? value_items(values, history->arguments.at[operation->arguments], &count)
            : NULL;
    const Value *answers =
        committed ? value_items(values, value_echoed(values, operation->result), &given) : NULL;
    if (!asked || (committed && given != count))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t three, also = 3;
        const Value *step = value_items(values, asked[i], &three), *answer = step;
        if (committed)
            answer = value_items(values, answers[i], &also);
        if (three != 3 || also != 3 || answer[0].word != step[0].word ||
            answer[1].word != step[1].word)
            return false;
        Str name = value_text(values, step[0]);
        if (name.length && name.at[0] == ':')
            name = (Str){name.at + 1, name.length - 1};
        Step made = {op, operation->process, key_of(t, step[1]), answer[2], name.at[0]};
        if (made.kind == 'r' && !committed)
            continue;
        if (start.word != VALUE_NONE.word) { /* which stands for nothing, then */
            if (made.kind == 'a' || made.value.word == VALUE_NONE.word ||
                (made.kind != 'r' && value_equal(made.value, start)))
                return false;
            if (value_equal(made.value, start))
                made.value = VALUE_NONE;
        }
        if (made.kind != 'r' && (!value_equal(answer[2], step[2]) || !add_written(t, &made)))
            return false;
        if (committed)
            vec_push(&t->steps, made);
    }
    return true;
}

static bool find_steps(Txns *t, const PlanGroup *group)
{
    const History *history = t->plan->history;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t op = t->plan->members.at[group->first + i];
        const Operation *operation = &history->operations.at[op];
        if (!add_steps(t, op, operation, operation->returned != HISTORY_PENDING))
            return false;
    }
    for (uint32_t i = 0; i < history->failed.count; i++) /* no operation to show */
        if (history->failed.at[i].object == group->object &&
            !add_steps(t, NO, &history->failed.at[i], false))
            return false;
    return true;
}

static bool refuse(Txns *t, const char *why, uint32_t first, uint32_t second)
{
    uint32_t core[] = {first, second};
    monitor_violated(t->result, why, core, 2);
    return false;
}

/* The version that a read gave; NO and a violation if it is none. */
static uint32_t read_version(Txns *t, const Step *step)
{
    Key *key = &t->keys.at[step->key];
    size_t count;
    const Value *items = elements_of(t, step, &count);
    uint32_t version = key->initial;
    if (!key->lists && !is_nothing(t, step))
        version = version_of(t, step->key, step->value);
    for (size_t i = 0; key->lists && i < count && version != NO; i++) {
        version = version_of(t, step->key, items[i]);
        if (!value_equal(items[i], key->longest[i])) {
            refuse(t, "two reads of a list disagree on its order", key->reader, step->op);
            return NO;
        }
    }
    if (version == NO)
        refuse(t, "a value is read that was never written", step->op, NO);
    return version;
}

/* The longest list of each key; false if texts are joined. */
static bool find_longest(Txns *t)
{
    for (size_t i = 0; i < t->steps.count; i++) {
        const Step *step = &t->steps.at[i];
        Key *key = &t->keys.at[step->key];
        size_t count;
        const Value *items = elements_of(t, step, &count);
        if (step->kind != 'r' || !key->lists)
            continue;
        if (!items && step->value.word != VALUE_NONE.word)
            return false;
        if (items && count > key->length) {
            key->longest = items;
            key->length = count;
            key->reader = step->op;
        }
    }
    return true;
}

/* The order that lists show, and the initial version before all others; false if it is violated. */
static bool order_lists(Txns *t)
{
    uint32_t *place = calloc(t->sessions.writers.count + 1, sizeof *place);
    bool fits = true;
    if (!place)
        die("out of memory");
    for (uint32_t k = 0; k < t->keys.count && fits; k++) {
        const Key *key = &t->keys.at[k];
        uint32_t before = key->initial;
        for (size_t i = 0; i < key->length && fits; i++) {
            uint32_t version = version_of(t, k, key->longest[i]);
            if (version == NO)
                fits = refuse(t, "a value is read that was never written", key->reader, NO);
            else if (place[version])
                fits = refuse(t, "a list shows an element twice", key->reader, NO);
            else
                place[version] = (uint32_t)i + 1;
            SessionPair pair = {before, version, key->reader, key->reader};
            vec_push(&t->sessions.pairs, pair);
            before = version;
        }
    }
    for (size_t i = 0; i < t->written.count && fits; i++) {
        const Step *step = &t->written.at[i];
        const Key *key = &t->keys.at[step->key];
        uint32_t version = t->version_of.at[i], before = key->initial, says = step->op;
        if (place[version])
            continue;
        if (key->length) {
            before = version_of(t, step->key, key->longest[key->length - 1]);
            says = key->reader;
        }
        SessionPair pair = {before, version, says, step->op};
        vec_push(&t->sessions.pairs, pair);
    }
    free(place);
    return fits;
}

static int by_process(const void *a, const void *b)
{
    const SessionAccess *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key; /* for now: the number of the step */
}

static bool find_accesses(Txns *t)
{
    for (uint32_t i = 0; i < t->steps.count; i++) {
        const Step *step = &t->steps.at[i];
        uint32_t version =
            step->kind == 'r' ? read_version(t, step) : version_of(t, step->key, step->value);
        if (version == NO)
            return false;
        SessionAccess access = {step->op, step->process, i, version, step->kind != 'r'};
        vec_push(&t->sessions.at, access);
    }
    if (t->sessions.at.count)
        qsort(t->sessions.at.at, t->sessions.at.count, sizeof *t->sessions.at.at, by_process);
    for (size_t i = 0; i < t->sessions.at.count; i++)
        t->sessions.at.at[i].key = t->steps.at[t->sessions.at.at[i].key].key;
    return true;
}

const char *session_check_transactions(const Plan *plan, const PlanGroup *group,
                                       unsigned guarantees, MonitorResult *result)
{
    Txns t = {.plan = plan, .result = result};
    const char *reason = "values";
    if (find_steps(&t, group) && find_longest(&t)) {
        reason = NULL;
        result->answer = MONITOR_HOLDS;
        if (order_lists(&t) && find_accesses(&t))
            session_decide(&t.sessions, guarantees, result);
    }
    session_free(&t.sessions);
    vec_free(&t.steps);
    vec_free(&t.keys);
    vec_free(&t.written);
    vec_free(&t.version_of);
    hashmap_free(&t.names);
    hashmap_free(&t.versions);
    return reason;
}
