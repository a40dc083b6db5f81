#include "judge/isolation/transactions.h"
#include <stdlib.h>
#include <string.h>

bool transactions_are(const Spec *spec)
{
    return spec_is_builtin(spec, "transactions");
}

static uint64_t write_key(uint32_t key, Value value, uint32_t attempt)
{
    return hash_combine(value.word, (uint64_t)attempt << 32 | key);
}

/* Hashes that clash go on to the next attempt: what is found is compared. */
static uint64_t *find_slot(Transactions *txns, uint32_t key, Value value, bool put)
{
    for (uint32_t attempt = 0;; attempt++) {
        uint64_t hash = write_key(key, value, attempt);
        uint64_t *slot =
            put ? hashmap_put(&txns->index, hash, NULL) : hashmap_find(&txns->index, hash);
        if (!slot || !*slot)
            return slot;
        const TxnWrite *write = &txns->writes.at[*slot - 1];
        if (write->key == key && value_equal(write->value, value))
            return slot;
    }
}

uint32_t transactions_find_write(const Transactions *txns, uint32_t key, Value value)
{
    Transactions *look = (Transactions *)(uintptr_t)txns; /* nothing is put */
    const uint64_t *slot = find_slot(look, key, value, false);
    return slot && *slot ? (uint32_t)*slot - 1 : TXN_NONE;
}

/* Returns false, and keeps the first problem. */
static bool unclear(Transactions *txns, uint32_t line, const char *problem)
{
    if (!txns->problem) {
        txns->problem = problem;
        txns->problem_line = line;
    }
    return false;
}

static TxnStepKind kind_of(Values *values, Value name)
{
    Str text = value_text(values, name);
    if (text.length && text.at[0] == ':')
        text = (Str){text.at + 1, text.length - 1};
    return str_is(text, "r") ? TXN_READ : str_is(text, "w") ? TXN_WRITE : TXN_APPEND;
}

static bool add_write(Transactions *txns, TxnStep *step, uint32_t txn, uint32_t line)
{
    TxnKey *key = &txns->keys.at[step->key];
    *(step->kind == TXN_APPEND ? &key->list : &key->registers) = true;
    if (key->list && key->registers)
        return unclear(txns, line, "a key is both written and appended to");
    size_t items;
    Values *values = txns->plan->history->values;
    value_items(values, step->value, &items);
    Value start = txns->plan->spec->start;
    if (start.word != VALUE_NONE.word && (key->list || value_equal(step->value, start)))
        return unclear(txns, line,
                       "an initial value is written, or appended to: it can't be told apart");
    if (step->value.word == VALUE_NONE.word ||
        (value_kind(values, step->value) == VALUE_IS_ARRAY && !items))
        return unclear(txns, line,
                       "nothing is written: it can't be told from a key without a value");
    uint64_t *slot = find_slot(txns, step->key, step->value, true);
    if (*slot)
        return unclear(txns, line, "a value is written twice to a key");
    step->write = (uint32_t)txns->writes.count;
    TxnWrite write = {.value = step->value,
                      .txn = txn,
                      .key = step->key,
                      .step = (uint32_t)txns->steps.count,
                      .last = true};
    vec_push(&txns->writes, write);
    *slot = txns->writes.count;
    return true;
}

/* Fills RESULTS with the steps as they were answered; false if the answer does not fit the call. */
static bool answers(const Values *values, const Operation *op, const Value *asked, size_t count,
                    const Value **results)
{
    *results = NULL;
    if (op->returned == HISTORY_PENDING)
        return true;
    Value result = value_echoed(values, op->result);
    size_t given;
    *results = value_items(values, result, &given);
    if (given != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t a, b;
        const Value *before = value_items(values, asked[i], &a);
        const Value *after = value_items(values, (*results)[i], &b);
        if (b != 3 || before[0].word != after[0].word || before[1].word != after[1].word)
            return false;
    }
    return true;
}

static uint32_t key_of(Transactions *txns, HashMap *keys, Value name)
{
    bool absent;
    uint64_t *index = hashmap_put(keys, name.word, &absent);
    if (absent) {
        *index = txns->keys.count;
        TxnKey key = {.name = name};
        vec_push(&txns->keys, key);
    }
    return (uint32_t)*index;
}

static bool add_step(Transactions *txns, HashMap *keys, uint32_t txn, Value asked, Value given,
                     bool known, uint32_t line)
{
    Values *values = txns->plan->history->values;
    size_t three;
    const Value *parts = value_items(values, asked, &three);
    const Value *answer = value_items(values, known ? given : asked, &three);
    TxnStep step = {.kind = kind_of(values, parts[0]), .write = TXN_NONE};
    step.key = key_of(txns, keys, parts[1]);
    step.value = step.kind == TXN_READ ? answer[2] : parts[2];
    step.known = known;
    if (step.kind == TXN_READ) {
        size_t items;
        value_items(values, step.value, &items);
        if (known && value_kind(values, step.value) == VALUE_IS_ARRAY && !items)
            step.value = VALUE_NONE; /* a list that nobody appended to yet */
        Value start = txns->plan->spec->start;
        if (known && start.word != VALUE_NONE.word) {
            if (step.value.word == VALUE_NONE.word)
                return unclear(txns, line, "nothing is read where there is an initial value");
            if (value_equal(step.value, start))
                step.value = VALUE_NONE;
        }
    } else if (known && !value_equal(answer[2], parts[2])) {
        return unclear(txns, line, "a write is answered with another value");
    } else if (!add_write(txns, &step, txn, line)) {
        return false;
    }
    vec_push(&txns->steps, step);
    return true;
}

static bool add_txn(Transactions *txns, HashMap *keys, uint32_t index, TxnStatus status)
{
    const History *history = txns->plan->history;
    const Operation *op =
        status == TXN_ABORTED ? &history->failed.at[index] : &history->operations.at[index];
    Txn txn = {.operation = index,
               .process = op->process,
               .called = op->called,
               .returned = op->returned,
               .first = (uint32_t)txns->steps.count,
               .status = status};
    size_t count;
    const Value *results = NULL, *steps = NULL;
    if (op->count == 1)
        steps = value_items(history->values, history->arguments.at[op->arguments], &count);
    if (!steps)
        return unclear(txns, op->line, "a transaction that is no list of steps");
    if (status != TXN_ABORTED && !answers(history->values, op, steps, count, &results))
        return unclear(txns, op->line, "the result does not fit the transaction");
    for (size_t i = 0; i < count; i++)
        if (!add_step(txns, keys, (uint32_t)txns->txns.count, steps[i],
                      results ? results[i] : steps[i], results != NULL, op->line))
            return false;
    txn.count = (uint32_t)count;
    vec_push(&txns->txns, txn);
    return true;
}

/* Versions that their transaction overwrites are intermediate. */
static void mark_last(Transactions *txns)
{
    uint32_t *latest = malloc((txns->keys.count + 1) * sizeof *latest);
    if (!latest)
        die("out of memory");
    for (size_t k = 0; k < txns->keys.count; k++)
        latest[k] = TXN_NONE;
    for (uint32_t w = 0; w < txns->writes.count; w++) {
        TxnWrite *write = &txns->writes.at[w];
        uint32_t before = latest[write->key];
        if (before != TXN_NONE && txns->writes.at[before].txn == write->txn)
            txns->writes.at[before].last = false;
        latest[write->key] = w;
    }
    free(latest);
}

static void sort_by_key(Transactions *txns)
{
    uint32_t first = 0;
    for (size_t w = 0; w < txns->writes.count; w++)
        txns->keys.at[txns->writes.at[w].key].count++;
    for (size_t k = 0; k < txns->keys.count; k++) {
        txns->keys.at[k].first = first;
        first += txns->keys.at[k].count;
        txns->keys.at[k].count = 0;
    }
    vec_reserve(&txns->by_key, first + 1u);
    txns->by_key.count = first;
    for (uint32_t w = 0; w < txns->writes.count; w++) {
        TxnKey *key = &txns->keys.at[txns->writes.at[w].key];
        txns->by_key.at[key->first + key->count++] = w;
    }
}

static bool add_failed(Transactions *txns, HashMap *keys, uint32_t object)
{
    const History *history = txns->plan->history;
    for (uint32_t i = 0; i < history->failed.count; i++) {
        const Operation *op = &history->failed.at[i];
        SpecCall call;
        Error unused;
        if (op->object == object && spec_call(txns->plan->spec, history, op, &call, &unused) &&
            !add_txn(txns, keys, i, TXN_ABORTED))
            return false;
    }
    return true;
}

/* Are texts appended to texts? Then a read does not tell the elements apart. */
static bool joins_texts(Transactions *txns)
{
    Values *values = txns->plan->history->values;
    for (size_t t = 0; t < txns->txns.count; t++)
        for (uint32_t i = 0; i < txns->txns.at[t].count; i++) {
            const TxnStep *step = &txns->steps.at[txns->txns.at[t].first + i];
            if (step->kind == TXN_READ && step->known && txns->keys.at[step->key].list &&
                value_kind(values, step->value) == VALUE_IS_STRING)
                return !unclear(txns, transactions_operation(txns, (uint32_t)t)->line,
                                "texts are joined: a read does not tell what was appended");
        }
    return false;
}

bool transactions_load(Transactions *txns, const Plan *plan, const PlanGroup *group)
{
    HashMap keys = {0};
    bool ok = true;
    *txns = (Transactions){.plan = plan};
    if (plan->history->before || plan->history->stuck)
        return unclear(txns, 0, "operations are not ordered by time");
    for (uint32_t i = 0; ok && i < group->count; i++) {
        uint32_t op = plan->members.at[group->first + i];
        bool pending = plan->history->operations.at[op].returned == HISTORY_PENDING;
        ok = add_txn(txns, &keys, op, pending ? TXN_UNKNOWN : TXN_COMMITTED);
    }
    ok = ok && add_failed(txns, &keys, group->object);
    hashmap_free(&keys);
    if (!ok)
        return false;
    mark_last(txns);
    sort_by_key(txns);
    return !joins_texts(txns);
}

void transactions_free(Transactions *txns)
{
    vec_free(&txns->txns);
    vec_free(&txns->steps);
    vec_free(&txns->writes);
    vec_free(&txns->keys);
    vec_free(&txns->by_key);
    hashmap_free(&txns->index);
}

size_t transactions_memory(const Transactions *txns)
{
    return txns->txns.capacity * sizeof(Txn) + txns->steps.capacity * sizeof(TxnStep) +
           txns->writes.capacity * sizeof(TxnWrite) + txns->index.capacity * 17;
}

const Operation *transactions_operation(const Transactions *txns, uint32_t index)
{
    const Txn *txn = &txns->txns.at[index];
    const History *history = txns->plan->history;
    return txn->status == TXN_ABORTED ? &history->failed.at[txn->operation]
                                      : &history->operations.at[txn->operation];
}

void transactions_print(const Transactions *txns, uint32_t index, Buffer *out)
{
    static const char *const words[] = {"r", "w", "append"};
    const Txn *txn = &txns->txns.at[index];
    Values *values = txns->plan->history->values;
    for (uint32_t i = 0; i < txn->count; i++) {
        const TxnStep *step = &txns->steps.at[txn->first + i];
        buffer_printf(out, "%s%s ", i ? ", " : "[", words[step->kind]);
        value_print(values, txns->keys.at[step->key].name, out);
        buffer_append(out, " ", 1);
        if (step->kind != TXN_READ || step->known)
            value_print(values, step->value, out);
        else
            buffer_append(out, "?", 1);
    }
    buffer_printf(out, "]%s",
                  txn->status == TXN_ABORTED   ? " (aborted)"
                  : txn->status == TXN_UNKNOWN ? " (outcome unknown)"
                                               : "");
}
