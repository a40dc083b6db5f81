#include "judge/isolation/dependencies.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_UPDATES = 2 }; /* of one version: two of them are a lost update already */

static void *numbers(size_t count)
{
    void *memory = calloc(count + 1, sizeof(uint32_t));
    if (!memory)
        die("out of memory");
    return memory;
}

static void add_edge(Dependencies *g, uint32_t from, uint32_t to, unsigned kind, uint32_t key,
                     uint32_t choice)
{
    if (from == to)
        return;
    if (g->counting)
        g->start[from + 1]++;
    else
        g->edges[g->start[from]++] =
            (Dependency){.to = to, .key = key, .kind = kind & 0xFFu, .choice = choice & 0xFFFFFFu};
}

static const TxnWrite *write_at(const Dependencies *g, uint32_t write)
{
    return &g->versions->txns->writes.at[write];
}

static bool counts(const Dependencies *g, uint32_t txn)
{
    const Txn *t = &g->versions->txns->txns.at[txn];
    return t->status == TXN_COMMITTED ||
           (t->status == TXN_UNKNOWN && t->seen && !g->versions->committed_only);
}

/* Is the step an external read of a version that takes part? */
static bool is_version_read(const Dependencies *g, const Txn *txn, uint32_t index)
{
    const Transactions *txns = g->versions->txns;
    const TxnStep *step = &txns->steps.at[index];
    uint32_t source = g->versions->reads.at[index].source;
    if (step->kind != TXN_READ || !step->known || source == VERSION_OWN ||
        source == VERSION_UNKNOWN || txn->status != TXN_COMMITTED)
        return false;
    return source == TXN_NONE || counts(g, write_at(g, source)->txn);
}

/* Readers by version: of write W at W, of the initial version of key K behind all writes, at K. */
static size_t version_of(const Dependencies *g, uint32_t index)
{
    uint32_t source = g->versions->reads.at[index].source;
    const Transactions *txns = g->versions->txns;
    return source != TXN_NONE ? source : txns->writes.count + txns->steps.at[index].key;
}

static void find_readers(Dependencies *g)
{
    const Transactions *txns = g->versions->txns;
    size_t slots = txns->writes.count + txns->keys.count;
    g->reader_start = numbers(slots + 1);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t t = 0; t < txns->txns.count; t++) {
            const Txn *txn = &txns->txns.at[t];
            for (uint32_t i = txn->first; i < txn->first + txn->count; i++) {
                if (!is_version_read(g, txn, i) || g->versions->reads.at[i].own)
                    continue;
                if (!pass)
                    g->reader_start[version_of(g, i) + 1]++;
                else
                    g->readers[g->reader_start[version_of(g, i)]++] = t;
            }
        }
        if (!pass) {
            for (size_t s = 0; s < slots; s++)
                g->reader_start[s + 1] += g->reader_start[s];
            g->readers = numbers(g->reader_start[slots]);
        }
    }
    memmove(g->reader_start + 1, g->reader_start, slots * sizeof *g->reader_start);
    g->reader_start[0] = 0;
}

const uint32_t *dependencies_readers(const Dependencies *g, uint32_t write, size_t *count)
{
    *count = g->reader_start[write + 1] - g->reader_start[write];
    return g->readers + g->reader_start[write];
}

/* Writers whose place among the versions of the key is not told. */
static void find_open(Dependencies *g)
{
    const Transactions *txns = g->versions->txns;
    for (uint32_t k = 0; k < txns->keys.count; k++) {
        const TxnKey *key = &txns->keys.at[k];
        OpenKey open = {.key = k, .first = (uint32_t)g->writers.count};
        for (uint32_t i = 0; i < key->count; i++) {
            uint32_t w = txns->by_key.at[key->first + i];
            const TxnWrite *write = &txns->writes.at[w];
            if (counts(g, write->txn) && write->last && !(key->list && write->place))
                vec_push(&g->writers, w);
        }
        open.count = (uint32_t)g->writers.count - open.first;
        vec_push(&g->open, open);
    }
}

/* READERS of a version come before all the writers behind it. Those that write themselves have an
 * edge to each writer, the others one to a node in front of all of them. */
static void add_next_ones(Dependencies *g, const OpenKey *open, size_t version)
{
    const uint32_t *readers = g->readers + g->reader_start[version];
    size_t count = g->reader_start[version + 1] - g->reader_start[version];
    uint32_t node = TXN_NONE, updates = 0;
    if (!open->count || !count)
        return;
    for (size_t i = 0; i < count; i++) {
        bool writes = false;
        for (uint32_t j = 0; count + open->count <= 16 && j < open->count; j++)
            writes = writes || write_at(g, g->writers.at[open->first + j])->txn == readers[i];
        if (count + open->count > 16) { /* its steps are fewer */
            const Txn *txn = &g->versions->txns->txns.at[readers[i]];
            for (uint32_t j = txn->first; j < txn->first + txn->count && !writes; j++) {
                const TxnStep *step = &g->versions->txns->steps.at[j];
                writes = step->kind != TXN_READ && step->key == open->key;
            }
        }
        bool direct = open->count == 1 || (writes && ++updates <= MOST_UPDATES);
        if (writes && !direct)
            continue;
        for (uint32_t j = 0; direct && j < open->count; j++)
            add_edge(g, readers[i], write_at(g, g->writers.at[open->first + j])->txn, DEPENDS_RW,
                     open->key, 0);
        if (direct)
            continue;
        if (node == TXN_NONE) {
            node = g->nodes++;
            for (uint32_t j = 0; j < open->count; j++)
                add_edge(g, node, write_at(g, g->writers.at[open->first + j])->txn,
                         DEPENDS_RW | DEPENDS_OUT, open->key, 0);
        }
        add_edge(g, readers[i], node, DEPENDS_RW | DEPENDS_INTO, open->key, 0);
    }
}

static void add_list(Dependencies *g, uint32_t k)
{
    const VersionOrder *order = &g->versions->orders.at[k];
    const uint32_t *chain = vec_from(&g->versions->chain, order->first);
    for (uint32_t i = 0; i + 1 < order->count; i++) {
        uint32_t next = write_at(g, chain[i + 1])->txn;
        add_edge(g, write_at(g, chain[i])->txn, next, DEPENDS_WW, k, 0);
        for (uint32_t r = g->reader_start[chain[i]]; r < g->reader_start[chain[i] + 1]; r++)
            add_edge(g, g->readers[r], next, DEPENDS_RW, k, 0);
    }
    size_t initial = g->versions->txns->writes.count + k;
    const OpenKey *open = &g->open.at[k];
    if (!order->count) {
        add_next_ones(g, open, initial);
        return;
    }
    for (uint32_t r = g->reader_start[initial]; r < g->reader_start[initial + 1]; r++)
        add_edge(g, g->readers[r], write_at(g, chain[0])->txn, DEPENDS_RW, k, 0);
    uint32_t last = chain[order->count - 1];
    for (uint32_t j = 0; j < open->count; j++)
        add_edge(g, write_at(g, last)->txn, write_at(g, g->writers.at[open->first + j])->txn,
                 DEPENDS_WW, k, 0);
    add_next_ones(g, open, last);
}

/* A transaction that read a version of a register and wrote the key comes behind the version's
 * writer: else both would depend on each other, by ww and wr. Then what read the version comes
 * before it, too. */
static void add_updates(Dependencies *g, const Txn *txn, uint32_t t)
{
    const Transactions *txns = g->versions->txns;
    for (uint32_t i = txn->first; i < txn->first + txn->count; i++) {
        const TxnStep *step = &txns->steps.at[i];
        if (step->kind != TXN_WRITE || !write_at(g, step->write)->last)
            continue;
        for (uint32_t j = txn->first; j < i; j++) {
            uint32_t source = g->versions->reads.at[j].source;
            if (txns->steps.at[j].key != step->key || !is_version_read(g, txn, j) ||
                source == TXN_NONE)
                continue;
            add_edge(g, write_at(g, source)->txn, t, DEPENDS_WW, step->key, 0);
            if (g->updates[source]++ >= MOST_UPDATES)
                continue;
            for (uint32_t r = g->reader_start[source]; r < g->reader_start[source + 1]; r++)
                add_edge(g, g->readers[r], t, DEPENDS_RW, step->key, 0);
        }
    }
}

static void add_reads(Dependencies *g)
{
    const Transactions *txns = g->versions->txns;
    for (uint32_t t = 0; t < txns->txns.count; t++) {
        const Txn *txn = &txns->txns.at[t];
        for (uint32_t i = txn->first; i < txn->first + txn->count; i++) {
            uint32_t source = g->versions->reads.at[i].source;
            if (is_version_read(g, txn, i) && source != TXN_NONE)
                add_edge(g, write_at(g, source)->txn, t, DEPENDS_WR, txns->steps.at[i].key, 0);
        }
        if (counts(g, t) && !g->weakest)
            add_updates(g, txn, t);
    }
}

/* Checks that what T observed of OTHER, by its step I, does not vanish in its later reads. */
static void add_observed(Dependencies *g, uint32_t t, uint32_t i, uint32_t other)
{
    const Versions *v = g->versions;
    const Transactions *txns = v->txns;
    const Txn *txn = &txns->txns.at[t], *from = &txns->txns.at[other];
    for (uint32_t j = i + 1; j < txn->first + txn->count; j++) {
        if (!is_version_read(g, txn, j) || v->reads.at[j].own)
            continue;
        uint32_t key = txns->steps.at[j].key, source = v->reads.at[j].source;
        for (uint32_t s = from->first; s < from->first + from->count; s++) {
            const TxnStep *step = &txns->steps.at[s];
            if (step->kind == TXN_READ || step->key != key || !write_at(g, step->write)->last)
                continue;
            uint32_t place = write_at(g, step->write)->place;
            uint32_t shown = source == TXN_NONE ? 0 : write_at(g, source)->place;
            if (source == TXN_NONE || (txns->keys.at[key].list && (!place || place > shown)))
                add_edge(g, t, other, DEPENDS_OTV, key, 0);
            else if (!txns->keys.at[key].list)
                add_edge(g, other, write_at(g, source)->txn, DEPENDS_OTV, key, 0);
        }
    }
}

static void add_views(Dependencies *g)
{
    const Transactions *txns = g->versions->txns;
    for (uint32_t t = 0; t < txns->txns.count; t++) {
        const Txn *txn = &txns->txns.at[t];
        for (uint32_t i = txn->first; i < txn->first + txn->count; i++)
            if (is_version_read(g, txn, i) && g->versions->reads.at[i].source != TXN_NONE)
                add_observed(g, t, i, write_at(g, g->versions->reads.at[i].source)->txn);
    }
}

static void add_processes(Dependencies *g)
{
    const Transactions *txns = g->versions->txns;
    uint32_t *last = numbers(txns->plan->history->processes.count);
    for (uint32_t t = 0; t < txns->txns.count; t++) {
        const Txn *txn = &txns->txns.at[t];
        if (!counts(g, t))
            continue;
        if (last[txn->process])
            add_edge(g, last[txn->process] - 1, t, DEPENDS_PROCESS, 0, 0);
        if (txn->status == TXN_COMMITTED)
            last[txn->process] = t + 1;
    }
    free(last);
}

/* A barrier stands behind each run of returns: all that returned in it or earlier precedes all that
 * is called later. */
static void add_time(Dependencies *g)
{
    const Transactions *txns = g->versions->txns;
    size_t positions = txns->plan->history->positions;
    uint32_t *events = numbers(positions);
    for (uint32_t t = 0; t < txns->txns.count; t++) {
        const Txn *txn = &txns->txns.at[t];
        if (!counts(g, t))
            continue;
        events[txn->called] = t + 1;
        if (txn->status == TXN_COMMITTED)
            events[txn->returned] = t + 1;
    }
    uint32_t barrier = TXN_NONE;
    bool called = true; /* since the barrier was put */
    for (size_t p = 0; p < positions; p++) {
        if (!events[p])
            continue;
        uint32_t t = events[p] - 1;
        if (txns->txns.at[t].called == p) {
            if (barrier != TXN_NONE)
                add_edge(g, barrier, t, DEPENDS_TIME, 0, 0);
            called = true;
            continue;
        }
        if (called) {
            uint32_t next = g->nodes++;
            if (barrier != TXN_NONE)
                add_edge(g, barrier, next, DEPENDS_TIME, 0, 0);
            barrier = next;
            called = false;
        }
        add_edge(g, t, barrier, DEPENDS_TIME, 0, 0);
    }
    free(events);
}

static void add_choice(Dependencies *g, uint32_t before, uint32_t after, uint32_t choice)
{
    const TxnWrite *a = write_at(g, before), *b = write_at(g, after);
    add_edge(g, a->txn, b->txn, DEPENDS_WW, a->key, choice);
    for (uint32_t r = g->reader_start[before]; r < g->reader_start[before + 1]; r++)
        add_edge(g, g->readers[r], b->txn, DEPENDS_RW, a->key, choice);
}

static int by_rank(const void *a, const void *b, void *ranks)
{
    const uint32_t *rank = ranks;
    uint32_t x = rank[*(const uint32_t *)a], y = rank[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

static void add_all(Dependencies *g, const uint32_t *order, const OrderPair *pairs, size_t count)
{
    const Transactions *txns = g->versions->txns;
    g->nodes = (uint32_t)txns->txns.count;
    memset(g->updates, 0, txns->writes.count * sizeof *g->updates);
    for (uint32_t k = 0; k < txns->keys.count; k++)
        if (txns->keys.at[k].list)
            add_list(g, k);
        else
            add_next_ones(g, &g->open.at[k], txns->writes.count + k);
    add_reads(g);
    add_views(g);
    add_processes(g);
    add_time(g);
    for (size_t k = 0; order && k < g->open.count; k++) {
        const OpenKey *open = &g->open.at[k];
        for (uint32_t i = 0; i + 1 < open->count; i++)
            add_choice(g, g->writers.at[open->first + i], g->writers.at[open->first + i + 1], 1);
    }
    for (size_t i = 0; pairs && i < count; i++)
        add_choice(g, pairs[i].turned ? pairs[i].after : pairs[i].before,
                   pairs[i].turned ? pairs[i].before : pairs[i].after,
                   pairs[i].certain ? 0 : (uint32_t)i + 1);
}

void dependencies_start(Dependencies *g, const Versions *versions)
{
    *g = (Dependencies){.versions = versions, .txns = (uint32_t)versions->txns->txns.count};
    g->updates = numbers(versions->txns->writes.count);
    find_readers(g);
    find_open(g);
}

void dependencies_build(Dependencies *g, const uint32_t *order, const OrderPair *pairs,
                        size_t count)
{
    const Transactions *txns = g->versions->txns;
    for (size_t k = 0; order && k < g->open.count; k++)
        if (g->open.at[k].count > 1)
            qsort_r(g->writers.at + g->open.at[k].first, g->open.at[k].count, sizeof(uint32_t),
                    by_rank, (void *)(uintptr_t)order);
    /* at most a node a return, and one a version that was read */
    size_t most = 2 * txns->txns.count + txns->keys.count + 2;
    free(g->start);
    free(g->edges);
    g->start = numbers(most + 1);
    g->counting = true;
    add_all(g, order, pairs, count);
    for (size_t i = 0; i < most; i++)
        g->start[i + 1] += g->start[i];
    g->edges = malloc(((size_t)g->start[most] + 1) * sizeof *g->edges);
    if (!g->edges)
        die("out of memory");
    g->counting = false;
    add_all(g, order, pairs, count);
    memmove(g->start + 1, g->start, most * sizeof *g->start);
    g->start[0] = 0;
}

void dependencies_find_spans(const Dependencies *g, uint32_t *first, uint32_t *last)
{
    const Transactions *txns = g->versions->txns;
    for (uint32_t w = 0; w < txns->writes.count; w++) {
        size_t count;
        const uint32_t *readers = dependencies_readers(g, w, &count);
        const Txn *writer = &txns->txns.at[txns->writes.at[w].txn];
        first[w] = writer->returned;
        last[w] = writer->called;
        for (size_t r = 0; r < count; r++) {
            first[w] = MIN(first[w], txns->txns.at[readers[r]].returned);
            last[w] = MAX(last[w], txns->txns.at[readers[r]].called);
        }
    }
}

void dependencies_free(Dependencies *g)
{
    free(g->start);
    free(g->edges);
    free(g->reader_start);
    free(g->readers);
    free(g->updates);
    vec_free(&g->open);
    vec_free(&g->writers);
}
