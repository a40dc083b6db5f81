/* A list that is a prefix of the longest one read of its key is recognised by comparing words, and
 * everything about it is looked up by its length; so the work is linear in the reads, not in their
 * elements times what is asked about them. Other lists are looked at element by element, once. */
#include "judge/isolation/versions.h"
#include <stdlib.h>
#include <string.h>

/* Facts about the first I elements of a list that was read. */
typedef struct Prefix {
    uint32_t write; /* element I, 1.., or TXN_NONE: nobody wrote it */
    uint32_t kept;  /* how many of the first I are not aborted */
    uint32_t open;  /* writes among them whose transaction wrote more that is not among them */
    bool aborted, dirty, garbage, twice, astray; /* somewhere among them; astray: behind a write
                                                    that its transaction made later */
} Prefix;

/* A list of elements that was read: the longest of its key, or one that is no prefix of that. */
typedef struct List {
    uint32_t key, reader, step; /* the first that read it */
    Value value;
    uint32_t first, count; /* in Finder.prefixes; element 0 is the empty list */
    uint32_t kept;
} List;

/* The accesses of the transaction in question to a key so far. */
typedef struct Local {
    uint32_t txn;            /* of which the rest speaks */
    uint32_t own, own_first; /* its writes of the key: how many; the first, in by_key */
    uint32_t written;        /* the step of the last so far, or TXN_NONE */
    uint32_t read;           /* step of the first external read, or TXN_NONE */
} Local;

typedef struct Finder {
    Versions *versions;
    Transactions *txns;
    Values *values;
    Vec(Prefix) prefixes;
    Vec(List) lists;
    uint32_t *base;  /* by key: the longest list + 1 */
    HashMap others;  /* key and value -> list + 1 */
    uint32_t *place; /* by write: its position in the list that is looked at, 1.. */
    uint32_t *at;    /* by write: its position in by_key */
    Local *locals;   /* by key */
    HashMap updates; /* key and version -> who read it and wrote + 1 */
} Finder;

static void note(Finder *f, Anomaly kind, uint32_t reader, uint32_t step, uint32_t other)
{
    VersionFound *found = &f->versions->found[kind];
    if (!found->count++) {
        found->reader = reader;
        found->step = step;
        found->other = other;
        found->key = step == TXN_NONE ? 0 : f->txns->steps.at[step].key;
    }
}

static bool is_aborted(const Finder *f, uint32_t write)
{
    TxnStatus status = f->txns->txns.at[f->txns->writes.at[write].txn].status;
    return status == TXN_ABORTED || (status == TXN_UNKNOWN && f->versions->committed_only);
}

/* The write of the same transaction and key that comes after it, or TXN_NONE. */
static uint32_t next_own(const Finder *f, uint32_t write)
{
    return f->txns->writes.at[write].last ? TXN_NONE : f->txns->by_key.at[f->at[write] + 1];
}

/* The elements of LIST one by one, then how many writes stay open behind each. */
static void fill_prefixes(Finder *f, List *list)
{
    size_t count;
    const Value *items = value_items(f->values, list->value, &count);
    list->first = (uint32_t)f->prefixes.count;
    list->count = (uint32_t)count;
    Prefix now = {.write = TXN_NONE};
    vec_push(&f->prefixes, now);
    for (uint32_t i = 0; i < count; i++) {
        now.write = transactions_find_write(f->txns, list->key, items[i]);
        if (now.write == TXN_NONE) {
            now.garbage = true;
        } else {
            Txn *writer = &f->txns->txns.at[f->txns->writes.at[now.write].txn];
            bool aborted = is_aborted(f, now.write);
            writer->seen = true;
            now.twice |= f->place[now.write] != 0;
            f->place[now.write] = i + 1;
            uint32_t at = f->at[now.write];
            const TxnWrite *before = at ? &f->txns->writes.at[f->txns->by_key.at[at - 1]] : NULL;
            now.astray |= before && !aborted && before->key == list->key && !before->last &&
                          !f->place[f->txns->by_key.at[at - 1]];
            now.dirty |= now.aborted && !aborted;
            now.aborted |= aborted;
            now.kept += !aborted;
        }
        vec_push(&f->prefixes, now);
    }
    list->kept = now.kept;
    Prefix *at = &f->prefixes.at[list->first];
    int64_t *change = calloc(count + 2, sizeof *change);
    if (!change)
        die("out of memory");
    for (uint32_t i = 1; i <= count; i++) {
        uint32_t next = at[i].write == TXN_NONE ? TXN_NONE : next_own(f, at[i].write);
        if (next == TXN_NONE || (f->place[next] && f->place[next] < i))
            continue;
        change[i]++;
        if (f->place[next])
            change[f->place[next]]--;
    }
    int64_t open = 0;
    for (uint32_t i = 1; i <= count; i++) {
        open += change[i];
        at[i].open = (uint32_t)open;
    }
    free(change);
    for (uint32_t i = 1; i <= count; i++)
        if (at[i].write != TXN_NONE)
            f->place[at[i].write] = 0;
}

static bool reads_list(const Finder *f, const TxnStep *step)
{
    return step->kind == TXN_READ && step->known && f->txns->keys.at[step->key].list;
}

static bool is_prefix(const Finder *f, Value value, Value of, uint32_t *length)
{
    size_t a, b;
    const Value *items = value_items(f->values, value, &a),
                *longer = value_items(f->values, of, &b);
    *length = (uint32_t)a;
    return a <= b && (!a || !memcmp(items, longer, a * sizeof *items));
}

/* Reads of committed transactions: CALL for each. */
typedef void EachRead(Finder *f, uint32_t txn, uint32_t step);
static void each_read(Finder *f, EachRead *call)
{
    for (uint32_t t = 0; t < f->txns->txns.count; t++) {
        const Txn *txn = &f->txns->txns.at[t];
        for (uint32_t i = 0; txn->status == TXN_COMMITTED && i < txn->count; i++)
            if (reads_list(f, &f->txns->steps.at[txn->first + i]))
                call(f, t, txn->first + i);
    }
}

/* The longest list of each key. */
static void find_base(Finder *f, uint32_t txn, uint32_t index)
{
    const TxnStep *step = &f->txns->steps.at[index];
    size_t count;
    value_items(f->values, step->value, &count);
    uint32_t *base = &f->base[step->key];
    if (*base && count <= f->lists.at[*base - 1].count)
        return;
    if (!*base) {
        List empty = {0};
        vec_push(&f->lists, empty);
        *base = (uint32_t)f->lists.count;
    }
    f->lists.at[*base - 1] = (List){.key = step->key,
                                    .reader = txn,
                                    .step = index,
                                    .value = step->value,
                                    .count = (uint32_t)count};
}

/* The slot of a list that is no prefix of the longest. */
static uint64_t *other_list(Finder *f, uint32_t key, Value value)
{
    for (uint64_t attempt = 0;; attempt++) {
        uint64_t *slot =
            hashmap_put(&f->others, hash_combine(value.word, attempt << 32 | key), NULL);
        if (!*slot ||
            (f->lists.at[*slot - 1].key == key && value_equal(f->lists.at[*slot - 1].value, value)))
            return slot;
    }
}

static void find_other(Finder *f, uint32_t txn, uint32_t index)
{
    const TxnStep *step = &f->txns->steps.at[index];
    uint32_t length;
    if (is_prefix(f, step->value, f->lists.at[f->base[step->key] - 1].value, &length))
        return;
    uint64_t *slot = other_list(f, step->key, step->value);
    if (*slot)
        return;
    List list = {.key = step->key, .reader = txn, .step = index, .value = step->value};
    fill_prefixes(f, &list);
    vec_push(&f->lists, list);
    *slot = f->lists.count;
}

/* The list of most elements that were not aborted is the order of its key; the others must be
 * prefixes of it. */
static void order_lists(Finder *f)
{
    Versions *v = f->versions;
    size_t keys = f->txns->keys.count;
    vec_reserve(&v->orders, keys + 1);
    v->orders.count = keys;
    memset(v->orders.at, 0, (keys + 1) * sizeof *v->orders.at);
    uint32_t *longest = calloc(keys + 1, sizeof *longest);
    if (!longest)
        die("out of memory");
    for (uint32_t i = 0; i < f->lists.count; i++) {
        uint32_t *best = &longest[f->lists.at[i].key];
        if (!*best || f->lists.at[i].kept > f->lists.at[*best - 1].kept)
            *best = i + 1;
    }
    for (uint32_t k = 0; k < keys; k++) {
        VersionOrder *order = &v->orders.at[k];
        order->first = (uint32_t)v->chain.count;
        const List *list = longest[k] ? &f->lists.at[longest[k] - 1] : NULL;
        for (uint32_t i = 1; list && i <= list->count; i++) {
            uint32_t write = f->prefixes.at[list->first + i].write;
            if (write == TXN_NONE || is_aborted(f, write) || f->txns->writes.at[write].place)
                continue;
            vec_push(&v->chain, write);
            f->txns->writes.at[write].place = ++order->count;
        }
    }
    for (uint32_t l = 0; l < f->lists.count; l++) {
        const List *list = &f->lists.at[l];
        const VersionOrder *order = &v->orders.at[list->key];
        uint32_t place = 0;
        if (f->prefixes.at[list->first + list->count].astray)
            note(f, ANOMALY_INCOMPATIBLE, list->reader, list->step, TXN_NONE);
        for (uint32_t i = 1; i <= list->count; i++) {
            const Prefix *p = &f->prefixes.at[list->first + i];
            if (p->write == TXN_NONE || is_aborted(f, p->write) || p->twice)
                continue;
            if (place >= order->count || v->chain.at[order->first + place] != p->write) {
                note(f, ANOMALY_INCOMPATIBLE, list->reader, list->step,
                     f->lists.at[longest[list->key] - 1].reader);
                break;
            }
            place++;
        }
    }
    free(longest);
}

/* Do the elements of the reader in the list, given by its prefixes, make exactly the appends that
 * it has made before STEP, in their order? *shown: how many there are, *open: for how many a later
 * one is not there. */
static bool own_elements(Finder *f, const List *list, uint32_t length, const Local *local,
                         uint32_t step, uint32_t *shown, uint32_t *open)
{
    bool right = true, shown_before = false;
    uint32_t before = 0;
    *shown = *open = 0;
    for (uint32_t i = 0; i < local->own; i++) {
        uint32_t write = f->txns->by_key.at[local->own_first + i], place = 0;
        Value value = f->txns->writes.at[write].value;
        size_t count;
        const Value *items = value_items(f->values, list->value, &count);
        uint32_t known = f->txns->writes.at[write].place;
        if (known && known <= length && value_equal(items[known - 1], value))
            place = known; /* mostly */
        for (uint32_t j = 0; !place && j < length; j++)
            if (value_equal(items[j], value))
                place = j + 1;
        *open += !place && shown_before;
        shown_before = place != 0;
        *shown += place != 0;
        bool made = f->txns->writes.at[write].step < step;
        right = right && made == (place != 0) && (!place || place > before);
        before = place ? place : before;
    }
    return right;
}

/* Who has an element in the list while a later one is missing? */
static uint32_t open_writer(const Finder *f, const List *list, uint32_t length, uint32_t reader)
{
    for (uint32_t i = 1; i <= length; i++) {
        uint32_t write = f->prefixes.at[list->first + i].write;
        uint32_t next = write == TXN_NONE ? TXN_NONE : next_own(f, write);
        bool there = next == TXN_NONE || f->txns->writes.at[write].txn == reader;
        for (uint32_t j = 1; !there && j <= length; j++)
            there = f->prefixes.at[list->first + j].write == next;
        if (!there)
            return f->txns->writes.at[write].txn;
    }
    return TXN_NONE;
}

static void compare_with_first(Finder *f, Local *local, uint32_t txn, uint32_t index)
{
    const VersionRead *reads = f->versions->reads.at;
    if (local->read == TXN_NONE)
        local->read = index;
    else if (reads[local->read].source != reads[index].source ||
             reads[local->read].length != reads[index].length)
        note(f, ANOMALY_UNREPEATABLE, txn, index, TXN_NONE);
}

static void look_at_list(Finder *f, Local *local, uint32_t txn, uint32_t index)
{
    const TxnStep *step = &f->txns->steps.at[index];
    VersionRead *read = &f->versions->reads.at[index];
    const List *list = &f->lists.at[f->base[step->key] - 1];
    uint32_t length, shown = 0, own_open = 0;
    if (step->value.word != VALUE_NONE.word &&
        value_kind(f->values, step->value) != VALUE_IS_ARRAY) {
        note(f, ANOMALY_GARBAGE, txn, index, TXN_NONE);
        return;
    }
    if (!is_prefix(f, step->value, list->value, &length))
        list = &f->lists.at[*other_list(f, step->key, step->value) - 1];
    const Prefix *prefix = &f->prefixes.at[list->first], *end = &prefix[length];
    if (local->own && !own_elements(f, list, length, local, index, &shown, &own_open))
        note(f, ANOMALY_INTERNAL, txn, index, TXN_NONE);
    if (end->garbage)
        note(f, ANOMALY_GARBAGE, txn, index, TXN_NONE);
    if (end->twice)
        note(f, ANOMALY_DUPLICATES, txn, index, TXN_NONE);
    uint32_t aborted = 1;
    while (end->aborted &&
           (prefix[aborted].write == TXN_NONE || !is_aborted(f, prefix[aborted].write)))
        aborted++;
    if (end->aborted)
        note(f, ANOMALY_G1A, txn, index, f->txns->writes.at[prefix[aborted].write].txn);
    if (end->dirty)
        note(f, ANOMALY_DIRTY_UPDATE, txn, index, f->txns->writes.at[prefix[aborted].write].txn);
    if (end->open > own_open) {
        uint32_t other =
            f->versions->found[ANOMALY_G1B].count ? TXN_NONE : open_writer(f, list, length, txn);
        note(f, ANOMALY_G1B, txn, index, other);
    }
    *read = (VersionRead){TXN_NONE, end->kept - MIN(end->kept, shown), shown > 0};
    for (uint32_t i = length; i > 0 && read->source == TXN_NONE; i--) {
        uint32_t write = prefix[i].write;
        if (write != TXN_NONE && !is_aborted(f, write) && f->txns->writes.at[write].txn != txn)
            read->source = write;
    }
    compare_with_first(f, local, txn, index);
}

static void look_at_register(Finder *f, Local *local, uint32_t txn, uint32_t index)
{
    const TxnStep *step = &f->txns->steps.at[index];
    VersionRead *read = &f->versions->reads.at[index];
    read->source = VERSION_UNKNOWN;
    if (local->written != TXN_NONE) {
        if (!value_equal(f->txns->steps.at[local->written].value, step->value))
            note(f, ANOMALY_INTERNAL, txn, index, TXN_NONE);
        read->source = VERSION_OWN;
        return;
    }
    uint32_t write = step->value.word == VALUE_NONE.word
                         ? TXN_NONE
                         : transactions_find_write(f->txns, step->key, step->value);
    if (write == TXN_NONE) {
        if (step->value.word != VALUE_NONE.word)
            note(f, ANOMALY_GARBAGE, txn, index, TXN_NONE);
        else
            read->source = TXN_NONE;
    } else if (f->txns->writes.at[write].txn == txn) {
        note(f, ANOMALY_INTERNAL, txn, index, TXN_NONE);
    } else {
        f->txns->txns.at[f->txns->writes.at[write].txn].seen = true;
        if (is_aborted(f, write))
            note(f, ANOMALY_G1A, txn, index, f->txns->writes.at[write].txn);
        else if (!f->txns->writes.at[write].last)
            note(f, ANOMALY_G1B, txn, index, f->txns->writes.at[write].txn);
        read->source = write;
    }
    compare_with_first(f, local, txn, index);
}

/* A version that two transactions read and both replaced. */
static void look_at_updates(Finder *f, uint32_t txn)
{
    const Txn *t = &f->txns->txns.at[txn];
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t index = t->first + i;
        const TxnStep *step = &f->txns->steps.at[index];
        const VersionRead *read = &f->versions->reads.at[index];
        const Local *local = &f->locals[step->key];
        if (step->kind != TXN_READ || !step->known || local->read != index || !local->own ||
            read->own || read->source == VERSION_UNKNOWN || read->source == VERSION_OWN)
            continue;
        bool absent;
        uint64_t version = (uint64_t)step->key << 32 | read->source;
        uint64_t *first = hashmap_put(&f->updates, version, &absent);
        if (!absent && *first != txn)
            note(f, ANOMALY_LOST_UPDATE, txn, index, (uint32_t)*first);
        else
            *first = txn;
    }
}

static Local *local_of(Finder *f, uint32_t key, uint32_t txn)
{
    Local *local = &f->locals[key];
    if (local->txn != txn + 1)
        *local = (Local){.txn = txn + 1, .written = TXN_NONE, .read = TXN_NONE};
    return local;
}

static void look_at_transaction(Finder *f, uint32_t txn)
{
    const Txn *t = &f->txns->txns.at[txn];
    for (uint32_t i = 0; i < t->count; i++) {
        const TxnStep *step = &f->txns->steps.at[t->first + i];
        Local *local = local_of(f, step->key, txn);
        if (step->kind != TXN_READ && !local->own++)
            local->own_first = f->at[step->write];
    }
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t index = t->first + i;
        const TxnStep *step = &f->txns->steps.at[index];
        Local *local = local_of(f, step->key, txn);
        if (step->kind != TXN_READ)
            local->written = index;
        else if (step->known && f->txns->keys.at[step->key].list)
            look_at_list(f, local, txn, index);
        else if (step->known)
            look_at_register(f, local, txn, index);
    }
    look_at_updates(f, txn);
}

static void *numbers(size_t count)
{
    void *memory = calloc(count + 1, sizeof(uint32_t));
    if (!memory)
        die("out of memory");
    return memory;
}

void versions_find(Versions *versions, Transactions *txns, bool committed_only)
{
    *versions = (Versions){.txns = txns, .committed_only = committed_only};
    Finder f = {.versions = versions,
                .txns = txns,
                .values = txns->plan->history->values,
                .base = numbers(txns->keys.count),
                .place = numbers(txns->writes.count),
                .at = numbers(txns->writes.count),
                .locals = calloc(txns->keys.count + 1, sizeof(Local))};
    if (!f.locals)
        die("out of memory");
    for (uint32_t i = 0; i < txns->by_key.count; i++)
        f.at[txns->by_key.at[i]] = i;
    for (size_t w = 0; w < txns->writes.count; w++)
        txns->writes.at[w].place = 0;
    vec_reserve(&versions->reads, txns->steps.count + 1);
    versions->reads.count = txns->steps.count;
    for (size_t i = 0; i < txns->steps.count; i++)
        versions->reads.at[i] = (VersionRead){.source = VERSION_UNKNOWN};
    each_read(&f, find_base);
    for (uint32_t i = 0; i < f.lists.count; i++)
        fill_prefixes(&f, &f.lists.at[i]);
    each_read(&f, find_other);
    order_lists(&f);
    for (uint32_t t = 0; t < txns->txns.count; t++)
        if (txns->txns.at[t].status == TXN_COMMITTED)
            look_at_transaction(&f, t);
    vec_free(&f.prefixes);
    vec_free(&f.lists);
    hashmap_free(&f.others);
    hashmap_free(&f.updates);
    free(f.base);
    free(f.place);
    free(f.at);
    free(f.locals);
}

void versions_free(Versions *versions)
{
    vec_free(&versions->reads);
    vec_free(&versions->orders);
    vec_free(&versions->chain);
}
