/* The search: each pair of writes of a key whose order is open is a variable. A proposal gives all
 * of them an order; its graph is built, and its cycles, each with the pairs on it, become clauses.
 * That a key's order must be transitive needs no clause of its own: where it is not, the writes
 * form a cycle. A clause holds in every order without cycles, so that no proposal means that there
 * is no such order. */
#include "judge/isolation/orders.h"
#include "judge/isolation/choices.h"
#include <stdlib.h>
#include <string.h>

enum {
    MOST_PAIRS = 1000000,
    CYCLES_A_ROUND = 256,
    CORE_TO_SHRINK = 64 /* cycles: a longer proof is not made smaller */
};

static uint32_t *numbers(size_t count)
{
    uint32_t *memory = calloc(count + 1, sizeof *memory);
    if (!memory)
        die("out of memory");
    return memory;
}

/* A scheduler: nodes without predecessors, those first that returned first; a write waits until
 * what it overwrites has no more readers. */
typedef struct Scheduler {
    const Dependencies *graph;
    unsigned kinds;
    uint32_t *waits;   /* by node: predecessors to come */
    uint32_t *current; /* by key: the version, a write or TXN_NONE */
    uint32_t *left;    /* by version, as dependencies_readers counts them: readers to come */
    Vec(uint32_t) heap;
    uint32_t *waiting, *next; /* by key: the transactions that wait for it, + 1; by node */
    /* A version must give way to another one if it was seen, or written, by who returned before
     * something that saw the other was called (Gibbons and Korach, 1997). */
    uint32_t *seen_first, *seen_last; /* by write: the first return, the last call */
    uint32_t *by_return, *first;      /* writers of each open key by first return; the next */
    size_t stuck;                     /* where to look for a waiting one, if all wait */
    uint32_t *by_end, ended; /* transactions by return, if there are cycles; how many were tried */
    uint32_t *order, scheduled;
    unsigned char *done;
} Scheduler;

static uint64_t urgency(const Scheduler *s, uint32_t node)
{
    if (node >= s->graph->txns)
        return 0;
    return (uint64_t)s->graph->versions->txns->txns.at[node].returned + 1;
}

static void put(Scheduler *s, uint32_t node)
{
    vec_push(&s->heap, node);
    size_t i = s->heap.count - 1;
    while (i && urgency(s, s->heap.at[(i - 1) / 2]) > urgency(s, node)) {
        s->heap.at[i] = s->heap.at[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    s->heap.at[i] = node;
}

static uint32_t take(Scheduler *s)
{
    uint32_t first = s->heap.at[0], last = vec_pop(&s->heap);
    size_t i = 0;
    while (2 * i + 1 < s->heap.count) {
        size_t child = 2 * i + 1;
        if (child + 1 < s->heap.count &&
            urgency(s, s->heap.at[child + 1]) < urgency(s, s->heap.at[child]))
            child++;
        if (urgency(s, s->heap.at[child]) >= urgency(s, last))
            break;
        s->heap.at[i] = s->heap.at[child];
        i = child;
    }
    if (s->heap.count)
        s->heap.at[i] = last;
    return first;
}

static size_t version(const Scheduler *s, uint32_t write, uint32_t key)
{
    return write != TXN_NONE ? write : s->graph->versions->txns->writes.count + key;
}

static bool is_done(const Scheduler *s, uint32_t write)
{
    return s->done[s->graph->versions->txns->writes.at[write].txn];
}

/* Must another version of the key come before this one? */
static bool has_earlier(Scheduler *s, uint32_t key, uint32_t write)
{
    const OpenKey *open = &s->graph->open.at[key];
    uint32_t *first = &s->first[key];
    while (*first < open->count && is_done(s, s->by_return[open->first + *first]))
        ++*first;
    for (uint32_t i = *first; i < open->count; i++) {
        uint32_t other = s->by_return[open->first + i];
        if (s->seen_first[other] >= s->seen_last[write])
            return false;
        if (other != write && !is_done(s, other))
            return true;
    }
    return false;
}

/* Does a version that the transaction overwrites have readers to come, other than itself? *key:
 * of which it is a version. */
static bool is_blocked(Scheduler *s, uint32_t t, uint32_t *key)
{
    const Transactions *txns = s->graph->versions->txns;
    const Txn *txn = &txns->txns.at[t];
    for (uint32_t i = txn->first; i < txn->first + txn->count; i++) {
        const TxnStep *step = &txns->steps.at[i];
        if (step->kind != TXN_WRITE || !txns->writes.at[step->write].last)
            continue;
        *key = step->key;
        if (has_earlier(s, step->key, step->write))
            return true;
        uint32_t now = s->current[step->key];
        size_t slot = version(s, now, step->key), count, own = 0;
        const uint32_t *readers = dependencies_readers(s->graph, (uint32_t)slot, &count);
        if (s->left[slot] > 2)
            return true;
        for (size_t r = 0; s->left[slot] && r < count; r++)
            own += readers[r] == t;
        if (s->left[slot] > own)
            return true;
    }
    return false;
}

/* Those that wait for the key are looked at again. */
static void release(Scheduler *s, uint32_t key)
{
    while (s->waiting[key]) {
        uint32_t node = s->waiting[key] - 1;
        s->waiting[key] = s->next[node];
        put(s, node);
    }
}

static void run(Scheduler *s, uint32_t node)
{
    const Dependencies *g = s->graph;
    s->done[node] = 1;
    for (uint32_t e = g->start[node]; e < g->start[node + 1]; e++)
        if (g->edges[e].kind & s->kinds && !--s->waits[g->edges[e].to])
            put(s, g->edges[e].to);
    if (node >= g->txns)
        return;
    const Transactions *txns = g->versions->txns;
    const Txn *txn = &txns->txns.at[node];
    for (uint32_t i = txn->first; i < txn->first + txn->count; i++) {
        const TxnStep *step = &txns->steps.at[i];
        const VersionRead *read = &g->versions->reads.at[i];
        if (step->kind == TXN_READ && read->source < VERSION_UNKNOWN) {
            if (!read->own)
                s->left[read->source] -= s->left[read->source] > 0;
        } else if (step->kind == TXN_READ && read->source == TXN_NONE && step->known) {
            size_t slot = version(s, TXN_NONE, step->key);
            s->left[slot] -= s->left[slot] > 0 && !read->own;
        } else if (step->kind == TXN_WRITE && txns->writes.at[step->write].last) {
            s->order[step->write] = ++s->scheduled;
            s->current[step->key] = step->write;
        } else if (step->kind == TXN_APPEND) {
            s->order[step->write] = ++s->scheduled;
        }
    }
    for (uint32_t i = txn->first; i < txn->first + txn->count; i++)
        release(s, txns->steps.at[i].key);
}

static int by_number(const void *a, const void *b, void *numbers_by)
{
    const uint32_t *number = numbers_by;
    uint32_t x = number[*(const uint32_t *)a], y = number[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

/* When each version was there at the latest and at the earliest. */
static void find_spans(Scheduler *s)
{
    const Dependencies *g = s->graph;
    dependencies_find_spans(g, s->seen_first, s->seen_last);
    if (g->writers.count)
        memcpy(s->by_return, g->writers.at, g->writers.count * sizeof(uint32_t));
    for (size_t k = 0; k < g->open.count; k++)
        qsort_r(s->by_return + g->open.at[k].first, g->open.at[k].count, sizeof(uint32_t),
                by_number, s->seen_first);
}

/* One of those that wait, if all do. */
static uint32_t take_waiting(Scheduler *s)
{
    size_t keys = s->graph->versions->txns->keys.count;
    for (size_t tried = 0; tried < keys; tried++, s->stuck = (s->stuck + 1) % keys)
        if (s->waiting[s->stuck]) {
            uint32_t node = s->waiting[s->stuck] - 1;
            s->waiting[s->stuck] = s->next[node];
            return node;
        }
    return TXN_NONE;
}

/* One that is on a cycle, or behind one, if all others are done: the first that returned. */
static uint32_t take_unready(Scheduler *s)
{
    const Dependencies *g = s->graph;
    if (!s->by_end) {
        uint32_t *returned = numbers(g->txns);
        s->by_end = numbers(g->txns);
        for (uint32_t t = 0; t < g->txns; t++) {
            s->by_end[t] = t;
            returned[t] = g->versions->txns->txns.at[t].returned;
        }
        qsort_r(s->by_end, g->txns, sizeof(uint32_t), by_number, returned);
        free(returned);
    }
    while (s->ended < g->txns && s->done[s->by_end[s->ended]])
        s->ended++;
    return s->ended < g->txns ? s->by_end[s->ended] : TXN_NONE;
}

void orders_guess(const Dependencies *g, unsigned kinds, uint32_t *order)
{
    const Transactions *txns = g->versions->txns;
    size_t slots = txns->writes.count + txns->keys.count;
    Scheduler s = {.graph = g,
                   .kinds = kinds,
                   .waits = numbers(g->nodes),
                   .current = numbers(txns->keys.count),
                   .left = numbers(slots),
                   .waiting = numbers(txns->keys.count),
                   .next = numbers(g->nodes),
                   .seen_first = numbers(txns->writes.count),
                   .seen_last = numbers(txns->writes.count),
                   .by_return = numbers(g->writers.count),
                   .first = numbers(txns->keys.count),
                   .order = order,
                   .done = (unsigned char *)numbers(g->nodes)};
    for (uint32_t n = 0; n < g->nodes; n++)
        for (uint32_t e = g->start[n]; e < g->start[n + 1]; e++)
            s.waits[g->edges[e].to] += (g->edges[e].kind & kinds) != 0;
    for (size_t k = 0; k < txns->keys.count; k++)
        s.current[k] = TXN_NONE;
    for (size_t i = 0; i < slots; i++)
        s.left[i] = g->reader_start[i + 1] - g->reader_start[i];
    for (uint32_t n = 0; n < g->nodes; n++)
        if (!s.waits[n])
            put(&s, n);
    find_spans(&s);
    for (;;) {
        bool forced = !s.heap.count;
        uint32_t node = forced ? take_waiting(&s) : take(&s), key;
        if (node == TXN_NONE)
            node = take_unready(&s);
        if (node == TXN_NONE)
            break;
        if (s.done[node])
            continue;
        if (!forced && node < g->txns && is_blocked(&s, node, &key)) {
            s.next[node] = s.waiting[key];
            s.waiting[key] = node + 1;
            continue;
        }
        run(&s, node);
    }
    for (uint32_t w = 0; w < txns->writes.count; w++) /* written over by their transaction */
        if (!order[w])
            order[w] = ++s.scheduled;
    free(s.by_end);
    free(s.waits);
    free(s.current);
    free(s.left);
    free(s.done);
    free(s.waiting);
    free(s.next);
    free(s.seen_first);
    free(s.seen_last);
    free(s.by_return);
    free(s.first);
    vec_free(&s.heap);
}

static bool wants_end(const void *limits)
{
    return linearize_end_wanted(limits) != NULL;
}

static void add_pair(OrderSearch *search, uint32_t key, uint32_t before, uint32_t after,
                     bool certain)
{
    OrderPair pair = {key, before, after, false, certain};
    vec_push(&search->pairs, pair);
}

/* All pairs of writes of a key, in the order of the guess. */
static bool list_key(OrderSearch *search, const Dependencies *g, const OpenKey *open,
                     const uint32_t *order)
{
    if ((uint64_t)open->count * open->count / 2 + search->pairs.count > MOST_PAIRS)
        return false;
    for (uint32_t i = 0; i < open->count; i++)
        for (uint32_t j = i + 1; j < open->count; j++) {
            uint32_t a = g->writers.at[open->first + i], b = g->writers.at[open->first + j];
            bool turn = order[a] > order[b];
            add_pair(search, open->key, turn ? b : a, turn ? a : b, false);
        }
    return true;
}

/* The writes of a key where real time counts, in the order in which their versions were first seen.
 * A comes before B if first[A] < last[B]; if each comes before the other, there is no order. */
typedef struct TimedKey {
    const uint32_t *first, *last; /* by write */
    uint32_t *writes, count;
    uint32_t (*latest)[3]; /* of the first I writes: those whose versions were last seen */
    uint32_t *least;       /* the least `last` of those from I on */
} TimedKey;

static void prepare_key(TimedKey *key)
{
    qsort_r(key->writes, key->count, sizeof(uint32_t), by_number, (void *)(uintptr_t)key->first);
    for (size_t t = 0; t < 3; t++)
        key->latest[0][t] = TXN_NONE;
    for (uint32_t i = 0; i < key->count; i++) {
        uint32_t *latest = key->latest[i + 1], write = key->writes[i];
        memcpy(latest, key->latest[i], sizeof *key->latest);
        for (size_t t = 0; t < 3; t++)
            if (latest[t] == TXN_NONE || key->last[write] > key->last[latest[t]]) {
                uint32_t swap = latest[t];
                latest[t] = write;
                write = swap;
                if (write == TXN_NONE)
                    break;
            }
    }
    key->least[key->count] = TXN_NONE;
    for (uint32_t i = key->count; i-- > 0;)
        key->least[i] = MIN(key->least[i + 1], key->last[key->writes[i]]);
}

/* The greatest `last` of the first COUNT writes, without A and B; 0 if there is no other. */
static uint32_t latest_but(const TimedKey *key, uint32_t count, uint32_t a, uint32_t b)
{
    for (size_t t = 0; t < 3; t++) {
        uint32_t write = key->latest[count][t];
        if (write != TXN_NONE && write != a && write != b)
            return key->last[write];
    }
    return 0;
}

/* Lists what certainly comes before TO: the first ones. Those are left out that come before another
 * of them, which then has that pair. */
static void list_certain(OrderSearch *search, const TimedKey *key, uint32_t name, uint32_t to)
{
    uint32_t before = 0, high = key->count;
    while (before < high) {
        uint32_t middle = (before + high) / 2;
        if (key->first[key->writes[middle]] < key->last[to])
            before = middle + 1;
        else
            high = middle;
    }
    const uint32_t *latest = key->latest[before];
    for (size_t t = 0; t < 3; t++)
        if (latest[t] != TXN_NONE && latest[t] != to && key->last[latest[t]] > key->first[to]) {
            add_pair(search, name, latest[t], to, true);
            add_pair(search, name, to, latest[t], true);
        }
    uint32_t third = latest[2] == TXN_NONE ? 0 : key->last[latest[2]];
    for (uint32_t i = before; i-- > 0 && key->first[key->writes[i]] >= third;) {
        uint32_t from = key->writes[i];
        if (from != to && key->first[from] >= latest_but(key, before, from, to))
            add_pair(search, name, from, to, true);
    }
}

static bool list_key_in_time(OrderSearch *search, const TimedKey *key, uint32_t name,
                             const uint32_t *order)
{
    for (uint32_t i = 0; i < key->count && search->pairs.count <= MOST_PAIRS; i++) {
        uint32_t a = key->writes[i];
        list_certain(search, key, name, a);
        for (uint32_t j = i + 1; j < key->count && key->least[j] <= key->first[a]; j++) {
            uint32_t b = key->writes[j];
            bool turn = order[a] > order[b];
            if (key->last[b] <= key->first[a] && key->last[a] <= key->first[b])
                add_pair(search, name, turn ? b : a, turn ? a : b, false);
        }
    }
    return search->pairs.count <= MOST_PAIRS;
}

static bool list_in_time(OrderSearch *search, const Dependencies *g, const uint32_t *order)
{
    size_t writes = g->versions->txns->writes.count;
    uint32_t *first = numbers(writes), *last = numbers(writes);
    TimedKey key = {.first = first,
                    .last = last,
                    .writes = numbers(g->writers.count),
                    .latest = calloc(g->writers.count + 1, sizeof *key.latest),
                    .least = numbers(g->writers.count + 1)};
    if (!key.latest)
        die("out of memory");
    dependencies_find_spans(g, first, last);
    bool ok = true;
    for (size_t k = 0; k < g->open.count && ok; k++) {
        key.count = g->open.at[k].count;
        if (key.count < 2)
            continue;
        memcpy(key.writes, g->writers.at + g->open.at[k].first, key.count * sizeof(uint32_t));
        prepare_key(&key);
        ok = list_key_in_time(search, &key, g->open.at[k].key, order);
    }
    free(first);
    free(last);
    free(key.writes);
    free(key.latest);
    free(key.least);
    return ok;
}

/* All pairs whose order is open or, if real time counts, told by that. */
static bool list_pairs(OrderSearch *search, const Dependencies *g, Level level,
                       const uint32_t *order)
{
    if (level_rules[level].depends & DEPENDS_TIME)
        return list_in_time(search, g, order);
    for (size_t k = 0; k < g->open.count; k++)
        if (!list_key(search, g, &g->open.at[k], order))
            return false;
    return true;
}

/* The clause: not all the pairs on the cycle as they are. */
static void learn(Choices *choices, const OrderSearch *search, const Cycle *cycle)
{
    Vec(uint32_t) clause = {0};
    for (size_t i = 0; i < cycle->count; i++) {
        uint32_t choice = cycle->at[i].choice;
        if (choice)
            vec_push(&clause, 2 * (choice - 1) + search->pairs.at[choice - 1].turned);
    }
    choices_add(choices, clause.at, clause.count);
    vec_free(&clause);
}

/* Adds the cycles of a proposal; false if it has none. */
static bool find_cycles(OrderSearch *search, const Dependencies *g, Level level, Choices *choices,
                        const LinearizeLimits *limits)
{
    Components on;
    bool broken = cycles_broken(g, level, NULL, &on);
    CycleSpace space = {0};
    if (broken)
        cycles_start(&space, g);
    size_t found = 0;
    uint32_t stride = 1, members = 0;
    for (uint32_t n = 0; n < g->txns; n++)
        members += on.of[n] != 0;
    stride = MAX(1u, members / CYCLES_A_ROUND);
    for (uint32_t n = 0, seen = 0; broken && n < g->txns && found < CYCLES_A_ROUND; n++) {
        Cycle cycle = {0};
        if (!on.of[n] || seen++ % stride || (found && linearize_end_wanted(limits)))
            continue;
        if (cycles_find_breaking(g, level, &on, n, 0, &space, &cycle)) {
            learn(choices, search, &cycle);
            vec_push(&search->cycles, cycle);
            found++;
        } else {
            vec_free(&cycle);
        }
    }
    Cycle cycle = {0};
    if (broken && !found && cycles_find_breaking(g, level, &on, TXN_NONE, 0, &space, &cycle)) {
        learn(choices, search, &cycle);
        vec_push(&search->cycles, cycle);
    }
    components_free(&on);
    cycles_end(&space);
    return broken;
}

/* Is the rest a contradiction without cycle OUT? */
static bool needs(const OrderSearch *search, const bool *dropped, size_t out)
{
    Choices *choices = choices_new((uint32_t)search->pairs.count);
    for (size_t i = 0; i < search->cycles.count; i++) {
        const Cycle *cycle = &search->cycles.at[i];
        Vec(uint32_t) clause = {0};
        for (size_t e = 0; i != out && !dropped[i] && e < cycle->count; e++)
            if (cycle->at[e].choice)
                vec_push(&clause, cycle->at[e].choice - 1);
        if (i != out && !dropped[i])
            choices_add(choices, clause.at, clause.count);
        vec_free(&clause);
    }
    bool needed = choices_solve(choices, NULL, NULL) != CHOICES_NONE;
    choices_free(choices);
    return needed;
}

/* Leaves out cycles that the contradiction does without. */
static void shrink(OrderSearch *search)
{
    bool *dropped = (bool *)numbers(search->cycles.count);
    size_t kept = 0;
    for (size_t i = 0; i < search->cycles.count && search->cycles.count <= CORE_TO_SHRINK; i++)
        dropped[i] = !needs(search, dropped, i);
    for (size_t i = 0; i < search->cycles.count; i++)
        if (dropped[i])
            vec_free(&search->cycles.at[i]);
        else
            search->cycles.at[kept++] = search->cycles.at[i];
    search->cycles.count = kept;
    free(dropped);
}

/* From now on the choice of an edge is a literal + 1: the order that is supposed. */
static void keep_signs(const OrderSearch *search, size_t from)
{
    for (size_t i = from; i < search->cycles.count; i++)
        for (size_t e = 0; e < search->cycles.at[i].count; e++) {
            CycleEdge *edge = &search->cycles.at[i].at[e];
            if (edge->choice)
                edge->choice =
                    2 * (edge->choice - 1) + search->pairs.at[edge->choice - 1].turned + 1;
        }
}

Verdict orders_search(OrderSearch *search, Dependencies *g, Level level, const uint32_t *order,
                      const LinearizeLimits *limits)
{
    *search = (OrderSearch){0};
    if (!list_pairs(search, g, level, order)) {
        search->reason = "orders";
        return VERDICT_INCONCLUSIVE;
    }
    Choices *choices = choices_new((uint32_t)search->pairs.count);
    Verdict verdict = VERDICT_INCONCLUSIVE;
    for (;;) {
        search->reason = linearize_end_wanted(limits);
        if (search->reason)
            break;
        dependencies_build(g, NULL, search->pairs.at, search->pairs.count);
        size_t before = search->cycles.count;
        if (!find_cycles(search, g, level, choices, limits)) {
            verdict = VERDICT_HOLDS;
            break;
        }
        keep_signs(search, before);
        ChoicesAnswer answer = choices_solve(choices, wants_end, limits);
        if (answer == CHOICES_STOPPED)
            continue;
        if (answer == CHOICES_NONE) {
            verdict = VERDICT_VIOLATED;
            shrink(search);
            break;
        }
        for (size_t i = 0; i < search->pairs.count; i++)
            search->pairs.at[i].turned = choices_value(choices, (uint32_t)i);
    }
    choices_free(choices);
    return verdict;
}

void orders_free(OrderSearch *search)
{
    for (size_t i = 0; i < search->cycles.count; i++)
        vec_free(&search->cycles.at[i]);
    vec_free(&search->cycles);
    vec_free(&search->pairs);
}
