/* STACK, with the notation of monitor.c: push e(v), pop d(v), distinct values, no empty-handed
 * pops (monitor.c deals with those), pops of values never popped at the end of time.
 *
 * (1) A value whose push and pop overlap, inv d(v) <= ret e(v), can be removed: if the rest has a
 * linearization, push and pop of v can be put into it side by side. They must come after all
 * operations x with ret x < max(inv e, inv d), and before all y with inv y > min(ret e, ret d).
 * Since max(inv) <= min(ret), such an x precedes such a y in real time, so there is a place.
 *
 * (2) For the others, v is certainly inside in the gaps from a(v) = ret e(v) to b(v) = inv d(v).
 * If no value is certainly inside gap t, values with b(v) <= t and those with a(v) >= t can be
 * linearized apart and concatenated (an operation of the second kind returns after t, one of the
 * first is called before t). So consider a maximal run of gaps [l, r) each covered by some value:
 * l is the least a(v), r the greatest b(v). In a linearization the stack is not empty inside the
 * run, so one value v lies below all others of the run: its push comes first and its pop last.
 * That needs inv e(v) < ret x for all other operations x of the run, and ret d(v) > inv x. The
 * least return is l and the greatest call is r (or they are v's own, where it holds anyhow), so
 * the condition is inv e(v) < l and ret d(v) > r.
 *
 * (3) Any v that satisfies it may be taken: if the run is linearizable, so it is without v
 * (stacks are closed under removing a value); and if it is without v, put e(v) first and d(v)
 * last.
 *
 * So: remove such a v, split the run at the gaps that are no longer covered, go on; if a run has
 * no such v, the history is not linearizable. Each value is removed once; with two segment trees
 * (coverage of gaps; least inv e over positions of a) this is O(n log n) plus, for each run, the
 * pushes open at l that are no candidates, of which there are at most as many as processes. */
#include "judge/linear/monitor_internal.h"
#include <stdlib.h>

typedef struct StackValue {
    uint32_t push_called, pop_returned; /* positions */
    uint32_t from, to;                  /* points a and b, compressed; covers gaps from .. to - 1 */
    uint32_t value;                     /* in the table */
} StackValue;

typedef struct StackMonitor {
    StackValue *values; /* in the order of `from` */
    uint32_t *position; /* of a point */
    uint32_t *at;       /* point -> value + 1 if the point is its `from` */
    uint32_t count, points, leaves;
    int32_t *cover, *add; /* least cover in a subtree, including what was added to all of it */
    uint32_t *least;      /* least push_called in a subtree; MONITOR_NO if none is left */
} StackMonitor;

static void *zeroed(size_t count, size_t bytes)
{
    void *memory = calloc(count + 1, bytes);
    if (!memory)
        die("out of memory");
    return memory;
}

static void cover_add(StackMonitor *m, uint32_t node, uint32_t low, uint32_t high, uint32_t from,
                      uint32_t to, int32_t amount)
{
    if (from <= low && high <= to) {
        m->cover[node] += amount;
        m->add[node] += amount;
        return;
    }
    uint32_t middle = (low + high) / 2;
    if (from < middle)
        cover_add(m, node * 2, low, middle, from, to, amount);
    if (to > middle)
        cover_add(m, node * 2 + 1, middle, high, from, to, amount);
    m->cover[node] = MIN(m->cover[node * 2], m->cover[node * 2 + 1]) + m->add[node];
}

/* The first gap in [from, to) that nothing covers, or `to`. */
static uint32_t first_free(const StackMonitor *m, uint32_t node, uint32_t low, uint32_t high,
                           uint32_t from, uint32_t to, int32_t above)
{
    if (to <= low || high <= from || m->cover[node] + above > 0)
        return to;
    if (high - low == 1)
        return low;
    uint32_t middle = (low + high) / 2;
    above += m->add[node];
    uint32_t found = first_free(m, node * 2, low, middle, from, to, above);
    return found < to ? found : first_free(m, node * 2 + 1, middle, high, from, to, above);
}

/* A value with `from` in [from, to), push_called < l and pop_returned > r; MONITOR_NO if none. */
static uint32_t find_bottom(const StackMonitor *m, uint32_t node, uint32_t low, uint32_t high,
                            uint32_t from, uint32_t to, uint32_t l, uint32_t r)
{
    if (to <= low || high <= from || m->least[node] >= l)
        return MONITOR_NO;
    if (high - low == 1) {
        uint32_t value = m->at[low] - 1;
        return m->values[value].pop_returned > r ? value : MONITOR_NO;
    }
    uint32_t middle = (low + high) / 2;
    uint32_t found = find_bottom(m, node * 2, low, middle, from, to, l, r);
    return found != MONITOR_NO ? found : find_bottom(m, node * 2 + 1, middle, high, from, to, l, r);
}

static void least_remove(StackMonitor *m, uint32_t point)
{
    uint32_t node = point + m->leaves;
    m->least[node] = MONITOR_NO;
    while (node /= 2)
        m->least[node] = MIN(m->least[node * 2], m->least[node * 2 + 1]);
}

/* Points: the positions of all a and b, in order. */
static void compress(StackMonitor *m, const MonitorTable *table)
{
    uint32_t *point = zeroed((size_t)table->end + 2, sizeof *point);
    uint32_t inside = 0;
    for (uint32_t i = 0; i < table->values.count; i++) {
        MonitorSpan span = monitor_span(table, &table->values.at[i]);
        if (span.put_returned < span.take_called) {
            point[span.put_returned] = point[span.take_called] = 1;
            inside++;
        }
    }
    m->values = zeroed(inside, sizeof *m->values);
    m->position = zeroed((size_t)inside * 2 + 1, sizeof *m->position);
    for (uint32_t p = 0; p <= table->end; p++)
        if (point[p]) {
            m->position[m->points] = p;
            point[p] = m->points++;
        }
    for (uint32_t i = 0; i < table->values.count; i++) {
        MonitorSpan span = monitor_span(table, &table->values.at[i]);
        if (span.put_returned < span.take_called)
            m->values[m->count++] =
                (StackValue){span.put_called, span.take_returned, point[span.put_returned],
                             point[span.take_called], i};
    }
    free(point);
}

static void build(StackMonitor *m)
{
    m->leaves = 1;
    while (m->leaves < m->points)
        m->leaves *= 2;
    m->cover = zeroed((size_t)m->leaves * 2, sizeof *m->cover);
    m->add = zeroed((size_t)m->leaves * 2, sizeof *m->add);
    m->least = zeroed((size_t)m->leaves * 2, sizeof *m->least);
    m->at = zeroed(m->leaves, sizeof *m->at);
    for (uint32_t i = 0; i < m->leaves * 2; i++)
        m->least[i] = MONITOR_NO;
    for (uint32_t i = 0; i < m->count; i++) {
        m->at[m->values[i].from] = i + 1;
        m->least[m->leaves + m->values[i].from] = m->values[i].push_called;
        cover_add(m, 1, 0, m->leaves, m->values[i].from, m->values[i].to, 1);
    }
    for (uint32_t i = m->leaves; i-- > 1;)
        m->least[i] = MIN(m->least[i * 2], m->least[i * 2 + 1]);
}

typedef struct Run {
    uint32_t from, to;
} Run;
typedef Vec(Run) Runs;

static void push_runs(const StackMonitor *m, uint32_t from, uint32_t to, Runs *runs)
{
    while (from < to) {
        uint32_t stop = first_free(m, 1, 0, m->leaves, from, to, 0);
        if (stop > from)
            vec_push(runs, (Run){from, stop});
        from = stop + 1;
    }
}

static void no_bottom(const StackMonitor *m, const MonitorTable *table, Run run,
                      MonitorResult *result)
{
    monitor_violated(result, "no value can lie at the bottom of the stack", NULL, 0);
    for (uint32_t i = 0; i < m->count; i++) {
        const StackValue *value = &m->values[i];
        if (value->from < run.from || value->from >= run.to ||
            m->least[m->leaves + value->from] == MONITOR_NO)
            continue;
        const MonitorValue *ops = &table->values.at[value->value];
        vec_push(&result->core, ops->put);
        if (ops->take != MONITOR_NO)
            vec_push(&result->core, ops->take);
    }
}

void monitor_stack(const MonitorTable *table, MonitorResult *result)
{
    StackMonitor m = {0};
    compress(&m, table);
    if (m.count) {
        build(&m);
        Runs runs = {0};
        push_runs(&m, 0, m.points, &runs);
        while (runs.count) {
            Run run = vec_pop(&runs);
            uint32_t bottom = find_bottom(&m, 1, 0, m.leaves, run.from, run.to,
                                          m.position[run.from], m.position[run.to]);
            if (bottom == MONITOR_NO) {
                no_bottom(&m, table, run, result);
                break;
            }
            const StackValue *value = &m.values[bottom];
            cover_add(&m, 1, 0, m.leaves, value->from, value->to, -1);
            least_remove(&m, value->from);
            push_runs(&m, run.from, run.to, &runs);
        }
        vec_free(&runs);
        free(m.cover);
        free(m.add);
        free(m.least);
        free(m.at);
    }
    free(m.values);
    free(m.position);
}
