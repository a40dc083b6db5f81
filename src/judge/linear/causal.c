/* Values are distinct, so that "read from" is a function and causality (CO) is the least order that
 * holds the orders of the processes and has each write before those who read from it.
 *
 * PRAM and causal memory, for each process p: let B be the order of every process, with the writes
 * that p read from before its reads (PRAM), or CO (causal memory). If a write w1 of key x comes
 * before a read r of p that gives what w2 wrote to x, then in every serial order that suits p, w1
 * comes before w2. Let H be the least order that holds B and all that follows in this way. Such a
 * serial order exists iff H has no circle and no write of x comes in H before a read of p that
 * gives the initial value of x. It is necessary by what was said. It is enough: let r1, r2, ... be
 * the reads of p in their order. For i = 1, 2, ... put all writes that come in H before ri and were
 * not put yet, in an order that H allows, then ri; in the end all the rest. What was put before ri
 * comes in H before ri, since r1 .. r(i-1) do. So each write of its key x that was put is either
 * the one it read from, w, or comes in H before w; and the order agrees with H: w is the last one.
 *
 * Convergence: if w1 comes in CO before a read of x that gives what w2 wrote, then w1 must come
 * before w2 in the order of all writes; any order that has all this suits (Bouajjani and others).
 *
 * A write whose outcome is unknown happened if it was read from; otherwise it is left out. Nothing
 * comes after it in the order of its process: it is a chain of its own that others can only read
 * from. What comes before a node is kept as a vector: of each chain, how many (Fidge; Mattern). Of
 * the writes of a key in a chain only the last that comes before a read needs an edge. */
#include "judge/linear/causal.h"
#include "judge/linear/monitor_internal.h"
#include <stdlib.h>
#include <string.h>

#define NO MONITOR_NO

typedef struct Node {
    uint32_t op, process;
    uint32_t key;    /* index */
    uint32_t source; /* a read: the node it read from, or NO: the initial value */
    uint32_t chain, index;
    bool writes, open; /* open: its outcome is unknown */
} Node;
typedef enum EdgeKind { EDGE_PROCESS, EDGE_READ, EDGE_FOLLOWS } EdgeKind;
typedef struct Edge {
    uint32_t from, to, next; /* next: of the same node, or NO */
    uint32_t reader;         /* EDGE_FOLLOWS: the read that it follows from */
    uint32_t round;
    EdgeKind kind;
} Edge;
/* The writes of a key in a chain, in their order: at first .. first + count of Causal.by_key. */
typedef struct Run {
    uint32_t chain, first, count;
} Run;

typedef struct Causal {
    const Plan *plan;
    CausalModel model;
    const LinearizeLimits *limits;
    MonitorResult *result;
    HashMap keys;      /* word of the key -> index */
    HashMap writes;    /* hash of key and value -> node + 1 */
    Vec(Node) nodes;   /* by process, in its order; open writes last */
    Vec(Value) values; /* by node */
    Vec(Edge) edges;
    size_t certain; /* edges that are there for every process */
    HashMap known;  /* EDGE_FOLLOWS that are there */
    Vec(uint32_t) by_key;
    Vec(Run) runs;
    Vec(uint32_t) run_start; /* by key: in runs, with one more at the end */
    Vec(uint32_t) queue;
    uint32_t chains;
    uint32_t *heads, *missing; /* by node: first edge; edges into it that have not been passed */
    uint32_t *before; /* by node, then chain: how many of the chain come before it, or are it */
    uint32_t round;
} Causal;

static uint32_t *row(const Causal *c, uint32_t node)
{
    return c->before + (size_t)node * c->chains;
}

static bool precedes(const Causal *c, uint32_t a, uint32_t b)
{
    return row(c, b)[c->nodes.at[a].chain] > c->nodes.at[a].index;
}

/* ---- the operations ---- */

static uint32_t find_write(const Causal *c, uint32_t key, Value value)
{
    for (uint32_t attempt = 0;; attempt++) {
        const uint64_t *slot =
            hashmap_find(&c->writes, hash_combine(value.word, (uint64_t)attempt << 32 | key));
        if (!slot)
            return NO;
        uint32_t node = (uint32_t)*slot - 1;
        if (c->nodes.at[node].key == key && value_equal(c->values.at[node], value))
            return node;
    }
}

static bool put_write(Causal *c, uint32_t node)
{
    uint32_t key = c->nodes.at[node].key;
    for (uint32_t attempt = 0;; attempt++) {
        uint64_t *slot = hashmap_put(
            &c->writes, hash_combine(c->values.at[node].word, (uint64_t)attempt << 32 | key), NULL);
        if (!*slot) {
            *slot = node + 1;
            return true;
        }
        if (c->nodes.at[*slot - 1].key == key &&
            value_equal(c->values.at[*slot - 1], c->values.at[node]))
            return false;
    }
}

static uint32_t key_of(Causal *c, const SpecCall *call)
{
    Value part = {0};
    bool absent;
    if (c->plan->spec->part && !c->plan->spec->part(c->plan->spec, call, &part))
        return NO;
    uint64_t *index = hashmap_put(&c->keys, part.word, &absent);
    if (absent)
        *index = c->keys.count - 1;
    return (uint32_t)*index;
}

static int by_process(const void *a, const void *b)
{
    const Node *x = a, *y = b;
    if (x->open != y->open)
        return x->open ? 1 : -1;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

/* Lists reads that returned, and writes; false if there is anything else. */
static bool find_nodes(Causal *c, const PlanGroup *group)
{
    const Spec *spec = c->plan->spec;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t op = c->plan->members.at[group->first + i];
        const Operation *operation = &c->plan->history->operations.at[op];
        SpecCall call;
        Value value;
        plan_call(c->plan, op, &call);
        SpecRole role = spec->role(spec, &call, &value);
        bool open = operation->returned == HISTORY_PENDING;
        if (open && spec->effect(spec, &call) == SPEC_READS)
            continue;
        if (role != SPEC_ROLE_TAKE && (role != SPEC_ROLE_PUT || monitor_is_initial(spec, value)))
            return false;
        Node node = {.op = op,
                     .process = operation->process,
                     .source = NO,
                     .key = key_of(c, &call),
                     .writes = role == SPEC_ROLE_PUT,
                     .open = open};
        if (node.key == NO)
            return false;
        vec_push(&c->nodes, node);
    }
    if (c->nodes.count)
        qsort(c->nodes.at, c->nodes.count, sizeof *c->nodes.at, by_process);
    for (uint32_t n = 0; n < c->nodes.count; n++) {
        SpecCall call;
        Value value;
        plan_call(c->plan, c->nodes.at[n].op, &call);
        spec->role(spec, &call, &value);
        vec_push(&c->values, value);
        if (c->nodes.at[n].writes && !put_write(c, n))
            return false;
    }
    return true;
}

/* Finds what each read gave; false and a violation if nobody wrote that. Open writes that nobody
 * read are left out. */
static bool find_sources(Causal *c)
{
    uint32_t count = (uint32_t)c->nodes.count, kept = 0;
    bool *read = calloc(count + 1u, sizeof *read);
    uint32_t *place = calloc(count + 1u, sizeof *place);
    if (!read || !place)
        die("out of memory");
    const uint32_t *strange = NULL;
    for (uint32_t n = 0; n < count && !strange; n++) {
        Node *node = &c->nodes.at[n];
        if (node->writes || monitor_is_initial(c->plan->spec, c->values.at[n]))
            continue;
        node->source = find_write(c, node->key, c->values.at[n]);
        if (node->source == NO)
            strange = &node->op;
        else
            read[node->source] = true;
    }
    for (uint32_t n = 0; n < count; n++)
        if (!c->nodes.at[n].open || read[n]) {
            place[n] = kept;
            c->nodes.at[kept++] = c->nodes.at[n];
        }
    if (strange)
        monitor_violated(c->result, "a value is read that was never written", strange, 1);
    c->nodes.count = kept;
    for (uint32_t n = 0; n < kept; n++)
        if (c->nodes.at[n].source != NO)
            c->nodes.at[n].source = place[c->nodes.at[n].source];
    free(read);
    free(place);
    return !strange;
}

static void find_chains(Causal *c)
{
    for (uint32_t n = 0; n < c->nodes.count; n++) {
        Node *node = &c->nodes.at[n];
        const Node *last = n ? &c->nodes.at[n - 1] : NULL;
        bool same = last && !node->open && last->process == node->process;
        node->chain = !last ? 0 : same ? last->chain : last->chain + 1;
        node->index = same ? last->index + 1 : 0;
        c->chains = node->chain + 1;
    }
}

static int by_key_and_chain(const void *a, const void *b, void *nodes)
{
    const Node *all = nodes;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (all[x].key != all[y].key)
        return all[x].key < all[y].key ? -1 : 1;
    return x < y ? -1 : x > y; /* nodes stand by chain, in its order */
}

static void find_runs(Causal *c)
{
    for (uint32_t n = 0; n < c->nodes.count; n++)
        if (c->nodes.at[n].writes)
            vec_push(&c->by_key, n);
    if (c->by_key.count)
        qsort_r(c->by_key.at, c->by_key.count, sizeof *c->by_key.at, by_key_and_chain, c->nodes.at);
    uint32_t key = 0;
    vec_push(&c->run_start, 0);
    for (uint32_t i = 0; i < c->by_key.count; i++) {
        const Node *node = &c->nodes.at[c->by_key.at[i]];
        for (; key < node->key; key++)
            vec_push(&c->run_start, (uint32_t)c->runs.count);
        if (!i || node->key != c->nodes.at[c->by_key.at[i - 1]].key ||
            node->chain != vec_last(&c->runs).chain) {
            Run run = {node->chain, i, 0};
            vec_push(&c->runs, run);
        }
        vec_last(&c->runs).count++;
    }
    for (; key < c->keys.count; key++)
        vec_push(&c->run_start, (uint32_t)c->runs.count);
}

/* ---- what comes before what ---- */

static void add_edge(Causal *c, uint32_t from, uint32_t to, EdgeKind kind, uint32_t reader)
{
    Edge edge = {from, to, c->heads[from], reader, c->round, kind};
    c->heads[from] = (uint32_t)c->edges.count;
    vec_push(&c->edges, edge);
}

static void add_certain(Causal *c)
{
    uint32_t last = NO; /* the last node of the process of an open write */
    for (uint32_t n = 0; n < c->nodes.count; n++) {
        const Node *node = &c->nodes.at[n];
        if (!node->open && n && c->nodes.at[n - 1].chain == node->chain)
            add_edge(c, n - 1, n, EDGE_PROCESS, NO);
        if (node->source != NO && c->model != CAUSAL_PRAM)
            add_edge(c, node->source, n, EDGE_READ, NO);
        if (!node->open)
            continue;
        last = NO;
        uint32_t low = 0, high = n; /* nodes are sorted: the last of its process before it */
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            const Node *other = &c->nodes.at[middle];
            if (!other->open && (other->process < node->process ||
                                 (other->process == node->process && other->op < node->op)))
                low = middle + 1;
            else
                high = middle;
        }
        if (low && c->nodes.at[low - 1].process == node->process)
            last = low - 1;
        if (last != NO)
            add_edge(c, last, n, EDGE_PROCESS, NO);
    }
    c->certain = c->edges.count;
}

/* Forgets what followed for another process. */
static void keep_certain(Causal *c)
{
    while (c->edges.count > c->certain) { /* the last edge of a node is its first in the list */
        const Edge *edge = &vec_last(&c->edges);
        c->heads[edge->from] = edge->next;
        c->edges.count--;
    }
    hashmap_clear(&c->known);
    c->round = 0;
}

/* Fills `before`, in an order that the edges allow; false if there is a circle. */
static bool find_before(Causal *c)
{
    uint32_t count = (uint32_t)c->nodes.count;
    memset(c->missing, 0, count * sizeof *c->missing);
    memset(c->before, 0, (size_t)count * c->chains * sizeof *c->before);
    for (size_t e = 0; e < c->edges.count; e++)
        c->missing[c->edges.at[e].to]++;
    vec_clear(&c->queue);
    for (uint32_t n = 0; n < count; n++)
        if (!c->missing[n])
            vec_push(&c->queue, n);
    for (size_t at = 0; at < c->queue.count; at++) {
        uint32_t n = c->queue.at[at];
        uint32_t *mine = row(c, n);
        mine[c->nodes.at[n].chain] = c->nodes.at[n].index + 1;
        for (uint32_t e = c->heads[n]; e != NO; e = c->edges.at[e].next) {
            uint32_t to = c->edges.at[e].to, *theirs = row(c, to);
            for (uint32_t k = 0; k < c->chains; k++)
                if (mine[k] > theirs[k])
                    theirs[k] = mine[k];
            if (!--c->missing[to])
                vec_push(&c->queue, to);
        }
    }
    return c->queue.count == count;
}

/* ---- evidence ---- */

/* A shortest way from FROM to TO by edges of rounds before ROUND, as edges, the last first; false
 * if there is none. */
static bool find_way(const Causal *c, uint32_t from, uint32_t to, uint32_t round, uint32_t **way,
                     size_t *length)
{
    uint32_t count = (uint32_t)c->nodes.count;
    uint32_t *by = malloc(count * sizeof *by); /* the edge by which a node was reached */
    Vec(uint32_t) queue = {0};
    if (!by)
        die("out of memory");
    memset(by, 0xFF, count * sizeof *by);
    vec_push(&queue, from);
    bool found = false;
    for (size_t at = 0; at < queue.count && !found; at++)
        for (uint32_t e = c->heads[queue.at[at]]; e != NO && !found; e = c->edges.at[e].next) {
            const Edge *edge = &c->edges.at[e];
            if (edge->round >= round || by[edge->to] != NO)
                continue;
            by[edge->to] = e;
            vec_push(&queue, edge->to);
            found = edge->to == to;
        }
    vec_clear(&queue);
    for (uint32_t node = to; found && (node != from || !queue.count);) {
        vec_push(&queue, by[node]);
        node = c->edges.at[by[node]].from;
    }
    *way = queue.at;
    *length = queue.count;
    free(by);
    return found;
}

/* Adds the operations of a way, and what the edges on it follow from. In a run of edges of one
 * process only its ends count. */
static void add_way(Causal *c, const uint32_t *way, size_t length, bool circle, bool *shown,
                    uint32_t *todo, size_t *todo_count, bool *explained)
{
    for (size_t i = 0; i < length; i++) { /* the last edge first */
        const Edge *edge = &c->edges.at[way[i]];
        const Edge *after = i        ? &c->edges.at[way[i - 1]]
                            : circle ? &c->edges.at[way[length - 1]]
                                     : NULL;
        if (!after || edge->kind != EDGE_PROCESS || after->kind != EDGE_PROCESS)
            shown[edge->to] = true;
        if (i + 1 == length && !circle)
            shown[edge->from] = true;
        if (edge->kind == EDGE_FOLLOWS && !explained[way[i]]) {
            explained[way[i]] = true;
            todo[(*todo_count)++] = way[i];
        }
    }
}

/* The evidence: a way (or a circle, from a node to itself) and all that its edges follow from. */
static void explain(Causal *c, const char *why, uint32_t from, uint32_t to)
{
    uint32_t count = (uint32_t)c->nodes.count;
    bool *shown = calloc(count + 1u, sizeof *shown);
    bool *explained = calloc(c->edges.count + 1, sizeof *explained);
    uint32_t *todo = calloc(c->edges.count + 1, sizeof *todo), *way;
    size_t todo_count = 0, length;
    if (!shown || !explained || !todo)
        die("out of memory");
    bool found = find_way(c, from, to, UINT32_MAX, &way, &length);
    ASSERT(found);
    add_way(c, way, length, from == to, shown, todo, &todo_count, explained);
    vec_release(way);
    for (size_t i = 0; i < todo_count; i++) { /* w1 -> w2 follows from a way from w1 to the read */
        Edge edge = c->edges.at[todo[i]];
        shown[edge.reader] = true;
        found = find_way(c, edge.from, edge.reader, edge.round, &way, &length);
        ASSERT(found);
        add_way(c, way, length, false, shown, todo, &todo_count, explained);
        vec_release(way);
    }
    vec_clear(&c->queue);
    for (uint32_t n = 0; n < count; n++)
        if (shown[n])
            vec_push(&c->queue, c->nodes.at[n].op);
    monitor_violated(c->result, why, c->queue.at, c->queue.count);
    for (uint32_t n = 0; n < count; n++) /* the writes of what they read */
        if (shown[n] && c->nodes.at[n].source != NO && !shown[c->nodes.at[n].source]) {
            shown[c->nodes.at[n].source] = true;
            vec_push(&c->result->context, c->nodes.at[c->nodes.at[n].source].op);
        }
    free(shown);
    free(explained);
    free(todo);
}

/* After find_before failed: nodes that are left have predecessors that are left; going back from
 * one to the other ends in a circle. */
static void explain_circle(Causal *c)
{
    uint32_t count = (uint32_t)c->nodes.count, at = 0;
    uint32_t *from = malloc(count * sizeof *from);
    bool *passed = calloc(count, sizeof *passed);
    if (!from || !passed)
        die("out of memory");
    for (size_t e = 0; e < c->edges.count; e++)
        if (c->missing[c->edges.at[e].from] && c->missing[c->edges.at[e].to])
            from[c->edges.at[e].to] = c->edges.at[e].from;
    while (!c->missing[at])
        at++;
    for (; !passed[at]; at = from[at])
        passed[at] = true;
    explain(c, "each of some operations has to come before the next, in a circle", at, at);
    free(from);
    free(passed);
}

/* ---- the models ---- */

/* The last write of the run that comes before the node, or NO. */
static uint32_t last_before(const Causal *c, const Run *run, uint32_t node)
{
    uint32_t most = row(c, node)[run->chain], low = 0, high = run->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (c->nodes.at[c->by_key.at[run->first + middle]].index < most)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? c->by_key.at[run->first + low - 1] : NO;
}

/* Adds what follows from one read; false and a violation if it gives the initial value too late. */
static bool follow_read(Causal *c, uint32_t reader, bool *more)
{
    const Node *node = &c->nodes.at[reader];
    for (uint32_t r = c->run_start.at[node->key]; r < c->run_start.at[node->key + 1]; r++) {
        uint32_t other = last_before(c, &c->runs.at[r], reader);
        if (other == NO || other == node->source)
            continue;
        if (node->source == NO) {
            explain(c, "a read gives what was there before the first write, which it comes after",
                    other, reader);
            return false;
        }
        bool absent = !precedes(c, other, node->source);
        if (absent)
            hashmap_put(&c->known, (uint64_t)other << 32 | node->source, &absent);
        if (absent) {
            add_edge(c, other, node->source, EDGE_FOLLOWS, reader);
            *more = true;
        }
    }
    return true;
}

/* Nodes FROM .. END are those of a process, or all of them. False: violated, or over a limit. */
static bool judge_reads(Causal *c, uint32_t from, uint32_t end, const char **reason)
{
    for (bool more = true; more;) {
        if ((*reason = linearize_end_wanted(c->limits)) != NULL)
            return false;
        if (!find_before(c)) {
            explain_circle(c);
            return false;
        }
        more = false;
        c->round++;
        for (uint32_t n = from; n < end; n++)
            if (!c->nodes.at[n].writes && !follow_read(c, n, &more))
                return false;
        if (c->model != CAUSAL_CONVERGENCE)
            continue;
        if (more && !find_before(c)) /* what follows is about causality alone */
            explain_circle(c);
        return c->result->answer != MONITOR_VIOLATED;
    }
    return true;
}

static const char *judge_processes(Causal *c)
{
    const char *reason = NULL;
    uint32_t count = (uint32_t)c->nodes.count;
    if (c->model == CAUSAL_CONVERGENCE) {
        judge_reads(c, 0, count, &reason);
        return reason;
    }
    for (uint32_t from = 0, end; from < count && !c->nodes.at[from].open; from = end) {
        keep_certain(c);
        for (end = from; end < count && c->nodes.at[end].chain == c->nodes.at[from].chain; end++)
            if (c->model == CAUSAL_PRAM && c->nodes.at[end].source != NO)
                add_edge(c, c->nodes.at[end].source, end, EDGE_READ, NO);
        if (!judge_reads(c, from, end, &reason))
            break;
    }
    return reason;
}

static const char *judge(Causal *c)
{
    find_chains(c);
    find_runs(c);
    size_t count = c->nodes.count, bytes = (count + 1) * c->chains * sizeof *c->before;
    if (c->limits->memory && bytes > c->limits->memory)
        return "memory";
    c->heads = malloc((count + 1) * sizeof *c->heads);
    c->missing = malloc((count + 1) * sizeof *c->missing);
    c->before = malloc(bytes + 1);
    if (!c->heads || !c->missing || !c->before)
        die("out of memory");
    memset(c->heads, 0xFF, (count + 1) * sizeof *c->heads);
    add_certain(c);
    return judge_processes(c);
}

const char *causal_check(const Plan *plan, const PlanGroup *group, CausalModel model,
                         const LinearizeLimits *limits, MonitorResult *result)
{
    Causal c = {.plan = plan, .model = model, .limits = limits, .result = result};
    SpecShape shape = plan->spec->shape;
    const char *reason = "values";
    vec_clear(&result->core);
    vec_clear(&result->context);
    result->why = NULL;
    result->answer = MONITOR_UNABLE;
    if ((shape == SPEC_SHAPE_REGISTER || shape == SPEC_SHAPE_LOG) && !plan->history->before &&
        !plan->history->stuck && find_nodes(&c, group)) {
        result->answer = MONITOR_HOLDS;
        reason = find_sources(&c) ? judge(&c) : NULL;
        if (reason)
            result->answer = MONITOR_UNABLE;
    }
    hashmap_free(&c.keys);
    hashmap_free(&c.writes);
    hashmap_free(&c.known);
    vec_free(&c.nodes);
    vec_free(&c.values);
    vec_free(&c.edges);
    vec_free(&c.by_key);
    vec_free(&c.runs);
    vec_free(&c.run_start);
    vec_free(&c.queue);
    free(c.heads);
    free(c.missing);
    free(c.before);
    return reason;
}
