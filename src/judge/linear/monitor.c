/* Notation: for a value v put by an operation e(v) and taken by d(v), `<` is real-time precedence
 * of operations (a returned before b was called), inv and ret their positions. A value that is
 * never taken has a d(v) after everything. Assume each value is put at most once and no operation
 * is pending, except as said below.
 *
 * REGISTER. Each value v has a cluster: its write and its reads; the initial value's write stands
 * before everything. In a linearization the cluster is contiguous (nobody else writes v), so
 * clusters are totally ordered, write first. Let f(A) be the least return and s(A) the greatest
 * call in a cluster; A must come before B iff some operation of A precedes one of B, iff f(A) <
 * s(B).
 *
 * Theorem: linearizable iff every value read is written, no read of v precedes the write of v,
 * and no two clusters have f(A) < s(B) and f(B) < s(A).
 *
 * Proof. Necessity is clear. Order clusters by the relation A -> B iff f(A) < s(B); any
 * topological order, with each cluster's reads in the order of their calls behind its write, is a
 * linearization. If it had a cycle, take a shortest A1 -> A2 -> ... -> Ak -> A1, k >= 3, with
 * f(A1) least: f(A1) <= f(A(k-1)) < s(Ak), so A1 -> Ak, and Ak -> A1: a shorter cycle. QED
 *
 * A pending write is in its cluster with ret = infinity, or ignored if its value is never read.
 *
 * QUEUE. Since e(v) must take effect before d(v) returns, and d(v) after e(v) was called, let
 * re'(v) = min(ret e(v), ret d(v)) and id'(v) = max(inv d(v), inv e(v)).
 *
 * Theorem: without empty-handed dequeues, linearizable iff every value taken is put, taken once,
 * not (ret d(v) < inv e(v)), and no two values have re'(a) < inv e(b) and ret d(b) < id'(a).
 *
 * Proof. In a linearization values leave in the order in which they enter; call it S. S must
 * extend the relation a -> b iff re'(a) < inv e(b) or ret d(a) < id'(b). (i) If S extends it, a
 * linearization exists: consider the edges of S on the puts, of S on the takes, and e(v) to d(v).
 * Along any path of these edges from x to y, inv x < ret y: for two puts or two takes because S
 * extends the relation; for e(a) to d(b), a before or equal to b in S, because ret d(b) < inv
 * e(a) gives re'(b) < inv e(a), hence b -> a. A cycle of such paths and real-time edges (ret y <
 * inv x') would give inv x < ret y < inv x' < ... < inv x. So the union is acyclic, and any
 * topological order is a linearization. (ii) The relation is the union of two interval orders E
 * and D. A shortest cycle alternates between them (each is transitive). If it has more than two
 * values, it contains a E b D c E d; interval orders have no 2+2, so a E d, which shortens the
 * cycle, or c E b, which with b D c is a cycle of two values. QED
 *
 * EMPTY. v is certainly inside in the gaps between events from ret e(v) to inv d(v), if that is
 * not empty.
 *
 * Theorem: with empty-handed takes, a queue or stack history is linearizable iff it is without
 * them and each of them has a gap inside its interval where no value is certainly inside.
 *
 * Proof. Necessity: its point of linearization. Sufficiency: fix such a gap t for each. Put the
 * operations of v before t if min(ret e, ret d) < t, else after; what is before one t is before
 * all later ones. Then operations of v called after t are after it: if max(inv e, inv d) > t and
 * v were before t, then ret e < t < inv d, or ret d < t < inv e. So each operation overlaps the
 * part it is in; parts are sub-histories, so linearizable, and concatenate; the structure is
 * empty between them. QED
 *
 * PRIORITY QUEUE, the smallest value first; values are distinct.
 *
 * Theorem: linearizable iff every value taken is put, taken once, and each taken v has a gap
 * between max(inv d(v), inv e(v)) and ret d(v) in which no smaller value is certainly inside.
 *
 * Proof. Necessity: the point of d(v), when no smaller value is inside. Sufficiency: by induction
 * on the values, smallest first. v is larger than all before, so e(v) changes none of their steps;
 * and d(v) is an empty-handed take of what is smaller: as in EMPTY it goes between the parts before
 * and after its gap t. All that precedes e(v) returned before inv e(v) <= t and so is in the part
 * before; put e(v) directly behind the last of it. What e(v) precedes comes later, since the order
 * extends real time. QED With empty-handed takes the argument of EMPTY applies to all values. A BAG
 * needs no order at all. Both are closed under removing a value.
 *
 * PENDING puts: of a value that is taken, completed at infinity; of others, ignored (they need
 * not happen). Pending takes: ignored at first; if the history is linearizable then it is. If it
 * is not, a pending take called at i may take a value a that is never taken otherwise. In a
 * queue, a is then in no conflict iff i < m(a) = min { ret d(b) : re'(a) < inv e(b) }. The values
 * with finite m need different pending takes, and by Hall's theorem, the conditions being
 * thresholds, that is possible iff after sorting both the k-th i is less than the k-th m; since a
 * taken value is inside for less time, empty-handed takes that were fine stay so. Otherwise, what
 * is wrong without the values that are never taken stays wrong (queues and stacks are closed
 * under removing a value), and of the rest the general search has to decide. */
#include "judge/linear/deque.h"
#include "judge/linear/monitor_internal.h"
#include <stdlib.h>

void monitor_violated(MonitorResult *result, const char *why, const uint32_t *core, size_t count)
{
    result->answer = MONITOR_VIOLATED;
    result->why = why;
    vec_clear(&result->core);
    for (size_t i = 0; i < count; i++) {
        bool repeated = core[i] == MONITOR_NO;
        for (size_t j = 0; j < result->core.count && !repeated; j++)
            repeated = result->core.at[j] == core[i];
        if (!repeated)
            vec_push(&result->core, core[i]);
    }
}

void monitor_result_free(MonitorResult *result)
{
    vec_free(&result->core);
    vec_free(&result->context);
}

static void *zeroed(size_t count, size_t bytes)
{
    void *memory = calloc(count + 1, bytes);
    if (!memory)
        die("out of memory");
    return memory;
}

static MonitorValue *value_of(MonitorTable *table, Value value)
{
    bool absent;
    uint64_t *index = hashmap_put(&table->index, value.word, &absent);
    if (absent) {
        *index = table->values.count;
        vec_push(&table->values, (MonitorValue){MONITOR_NO, MONITOR_NO});
    }
    return &table->values.at[*index];
}

/* Fills the table of a queue or stack. False if the monitor is unable, or result is set. */
static bool collect(MonitorTable *table, const PlanGroup *group, MonitorResult *result)
{
    const Plan *plan = table->plan;
    uint32_t twice[3] = {MONITOR_NO, MONITOR_NO, MONITOR_NO};
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t op = plan->members.at[group->first + i];
        const Operation *operation = &plan->history->operations.at[op];
        bool pending = operation->returned >= table->end;
        if (operation->called >= table->end)
            break; /* members stand in the order of their calls */
        SpecCall call;
        Value value;
        plan_call(plan, op, &call);
        if (pending)
            call.result = VALUE_UNKNOWN;
        SpecRole role = plan->spec->role(plan->spec, &call, &value);
        if (role == SPEC_ROLE_PUT) {
            MonitorValue *entry = value_of(table, value);
            if (entry->put != MONITOR_NO)
                return false;
            entry->put = op;
        } else if (role == SPEC_ROLE_TAKE && pending) {
            vec_push(&table->pending, op);
        } else if (role == SPEC_ROLE_TAKE) {
            MonitorValue *entry = value_of(table, value);
            if (entry->take != MONITOR_NO && twice[0] == MONITOR_NO) {
                twice[0] = entry->take;
                twice[1] = op;
                twice[2] = (uint32_t)(entry - table->values.at);
            } else {
                entry->take = op;
            }
        } else if (role == SPEC_ROLE_EMPTY) {
            vec_push(&table->empties, op);
        } else if (!pending || plan->spec->effect(plan->spec, &call) != SPEC_READS) {
            return false;
        }
    }
    if (twice[0] != MONITOR_NO) {
        uint32_t core[] = {table->values.at[twice[2]].put, twice[0], twice[1]};
        monitor_violated(result, "a value is taken twice", core, 3);
        return false;
    }
    return true;
}

/* Values without a put, or taken before it; drops pending puts that nobody needs. */
static bool check_values(MonitorTable *table, MonitorResult *result)
{
    const Operation *ops = table->plan->history->operations.at;
    size_t kept = 0;
    for (size_t i = 0; i < table->values.count; i++) {
        MonitorValue value = table->values.at[i];
        if (value.put == MONITOR_NO) {
            monitor_violated(result, "a value is taken that was never put", &value.take, 1);
            return false;
        }
        if (value.take != MONITOR_NO && ops[value.take].returned < ops[value.put].called) {
            uint32_t core[] = {value.put, value.take};
            monitor_violated(result, "a value is taken before it is put", core, 2);
            return false;
        }
        if (value.take != MONITOR_NO || ops[value.put].returned < table->end)
            table->values.at[kept++] = value;
    }
    table->values.count = kept;
    return true;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Can a pending take be found for each value that needs one? The head of the file says when. */
static bool pending_takes_suffice(const MonitorTable *table, uint32_t *needs, size_t count)
{
    if (count > table->pending.count)
        return false;
    uint32_t *calls = zeroed(table->pending.count, sizeof *calls);
    for (size_t i = 0; i < table->pending.count; i++)
        calls[i] = table->plan->history->operations.at[table->pending.at[i]].called;
    qsort(calls, table->pending.count, sizeof *calls, by_number);
    qsort(needs, count, sizeof *needs, by_number);
    bool suffice = true;
    for (size_t i = 0; i < count && suffice; i++)
        suffice = calls[i] < needs[i];
    free(calls);
    return suffice;
}

static void check_queue(const MonitorTable *table, MonitorResult *result)
{
    /* mark[p] = 2 * value + 1 where its put is called, + 2 where re' is; 0: nothing */
    uint32_t *mark = zeroed((size_t)table->end + 2, sizeof *mark);
    uint32_t *needs = zeroed(table->values.count, sizeof *needs);
    size_t needy = 0;
    for (uint32_t i = 0; i < table->values.count; i++) {
        MonitorSpan span = monitor_span(table, &table->values.at[i]);
        mark[span.put_called] = 2 * i + 1;
        mark[MIN(span.put_returned, span.take_returned)] = 2 * i + 2;
    }
    uint32_t latest = MONITOR_NO,
             latest_call = 0; /* greatest id' of a taken value entered so far */
    for (uint32_t p = 0; p <= table->end; p++) {
        if (!mark[p])
            continue;
        uint32_t i = (mark[p] - 1) / 2;
        MonitorSpan span = monitor_span(table, &table->values.at[i]);
        bool taken = table->values.at[i].take != MONITOR_NO;
        uint32_t id = MAX(span.take_called, span.put_called);
        if (mark[p] % 2 == 0) {
            if (taken && (latest == MONITOR_NO || id > latest_call)) {
                latest = i;
                latest_call = id;
            }
        } else if (taken && latest != MONITOR_NO && span.take_returned < latest_call) {
            const MonitorValue *a = &table->values.at[latest], *b = &table->values.at[i];
            uint32_t core[] = {a->put, b->put, b->take, a->take};
            monitor_violated(result, "a value overtakes one that was put before it", core, 4);
            goto done;
        }
    }
    /* values never taken, from the end: the first take of what was put after them */
    uint32_t first = MONITOR_NO, first_return = table->end;
    uint32_t core[3] = {MONITOR_NO, MONITOR_NO, MONITOR_NO}; /* of the neediest: seen last */
    for (uint32_t p = table->end + 1; p-- > 0;) {
        if (!mark[p])
            continue;
        uint32_t i = (mark[p] - 1) / 2;
        const MonitorValue *value = &table->values.at[i];
        if (mark[p] % 2 && value->take != MONITOR_NO) {
            uint32_t returned = monitor_span(table, value).take_returned;
            if (returned < first_return) {
                first = i;
                first_return = returned;
            }
        } else if (mark[p] % 2 == 0 && value->take == MONITOR_NO && first != MONITOR_NO) {
            needs[needy++] = first_return;
            core[0] = value->put;
            core[1] = table->values.at[first].put;
            core[2] = table->values.at[first].take;
        }
    }
    if (needy && !pending_takes_suffice(table, needs, needy)) {
        monitor_violated(result, "a value is never taken, but one put after it is", core, 3);
        for (size_t i = 0; i < table->pending.count; i++)
            vec_push(&result->core, table->pending.at[i]);
    }
done:
    free(mark);
    free(needs);
}

static int by_priority(const void *a, const void *b, void *context)
{
    const MonitorTable *table = context;
    const MonitorValue *x = &table->values.at[*(const uint32_t *)a];
    const MonitorValue *y = &table->values.at[*(const uint32_t *)b];
    const History *history = table->plan->history;
    SpecCall call_x, call_y;
    plan_call(table->plan, x->put, &call_x);
    plan_call(table->plan, y->put, &call_y);
    return value_compare(history->values, call_x.arguments[0], call_y.arguments[0]);
}

/* The first gap from GAP on that is not covered; paths are halved on the way. */
static uint32_t first_free(uint32_t *next, uint32_t gap)
{
    while (next[gap] != gap) {
        next[gap] = next[next[gap]];
        gap = next[gap];
    }
    return gap;
}

/* Values from the smallest on; next[] leads over the gaps in which a smaller one is certainly
 * inside. */
static void check_priority(const MonitorTable *table, MonitorResult *result)
{
    uint32_t *order = zeroed(table->values.count, sizeof *order);
    uint32_t *next = zeroed((size_t)table->end + 2, sizeof *next);
    for (uint32_t i = 0; i < table->values.count; i++)
        order[i] = i;
    for (uint32_t i = 0; i <= table->end + 1; i++)
        next[i] = i;
    qsort_r(order, table->values.count, sizeof *order, by_priority, (void *)(uintptr_t)table);
    for (uint32_t i = 0; i < table->values.count; i++) {
        const MonitorValue *value = &table->values.at[order[i]];
        MonitorSpan span = monitor_span(table, value);
        uint32_t from = MAX(span.put_called, span.take_called);
        if (value->take != MONITOR_NO && first_free(next, from) >= span.take_returned) {
            uint32_t core[] = {value->put, value->take};
            monitor_violated(result, "a value is taken while a smaller one is always inside", core,
                             2);
            for (uint32_t gap = from;
                 gap < span.take_returned;) { /* the smaller ones that cover it */
                uint32_t best = MONITOR_NO, reach = gap;
                for (uint32_t j = 0; j < i; j++) {
                    MonitorSpan other = monitor_span(table, &table->values.at[order[j]]);
                    if (other.put_returned <= gap && other.take_called > reach) {
                        best = order[j];
                        reach = other.take_called;
                    }
                }
                ASSERT(best != MONITOR_NO);
                vec_push(&result->core, table->values.at[best].put);
                if (table->values.at[best].take != MONITOR_NO)
                    vec_push(&result->core, table->values.at[best].take);
                gap = reach;
            }
            break;
        }
        for (uint32_t gap = first_free(next, span.put_returned); gap < span.take_called;
             gap = first_free(next, gap))
            next[gap] = gap + 1;
    }
    free(order);
    free(next);
}

/* The chain of values that covers the gaps of an empty-handed take. */
static void cover_core(const MonitorTable *table, uint32_t empty, MonitorResult *result)
{
    const Operation *op = &table->plan->history->operations.at[empty];
    monitor_violated(result, "nothing was found, but at every moment some value was inside", &empty,
                     1);
    for (uint32_t gap = op->called; gap < op->returned;) {
        uint32_t best = MONITOR_NO, reach = gap;
        for (uint32_t i = 0; i < table->values.count; i++) {
            MonitorSpan span = monitor_span(table, &table->values.at[i]);
            if (span.put_returned <= gap && span.take_called > reach) {
                best = i;
                reach = span.take_called;
            }
        }
        ASSERT(best != MONITOR_NO);
        vec_push(&result->core, table->values.at[best].put);
        if (table->values.at[best].take != MONITOR_NO)
            vec_push(&result->core, table->values.at[best].take);
        gap = reach;
    }
}

/* Every point of an empty-handed take lies where some value is certainly inside: the core is that
 * take and a chain of such values. Sets result if so. */
static void monitor_check_empties(const MonitorTable *table, MonitorResult *result)
{
    if (!table->empties.count)
        return;
    /* first the number of values certainly inside each gap, then the number of free gaps before
     * it */
    int32_t *inside = zeroed((size_t)table->end + 2, sizeof *inside);
    for (size_t i = 0; i < table->values.count; i++) {
        MonitorSpan span = monitor_span(table, &table->values.at[i]);
        if (span.put_returned < span.take_called) {
            inside[span.put_returned]++;
            inside[span.take_called]--;
        }
    }
    int32_t sum = 0, free_gaps = 0;
    for (uint32_t p = 0; p <= table->end; p++) {
        sum += inside[p];
        inside[p] = free_gaps;
        free_gaps += sum == 0;
    }
    for (size_t i = 0; i < table->empties.count; i++) {
        const Operation *op = &table->plan->history->operations.at[table->empties.at[i]];
        if (inside[op->returned] == inside[op->called]) {
            cover_core(table, table->empties.at[i], result);
            break;
        }
    }
    free(inside);
}

typedef struct Cluster {
    uint32_t write;                   /* operation; MONITOR_NO for the initial value */
    uint32_t first_return, last_call; /* operations that give f and s */
    uint32_t f, s;                    /* positions + 1; 0 is before everything */
    bool read;
} Cluster;

/* A key that was never written reads as nothing or as the empty text. */
static Value version_of(const Spec *spec, Value value)
{
    bool nothing = spec->shape == SPEC_SHAPE_LOG && value.word == value_of_symbol(0).word;
    return nothing ? spec->start : value;
}

static void check_register(const Plan *plan, const PlanGroup *group, uint32_t cut,
                           MonitorResult *result)
{
    const Operation *ops = plan->history->operations.at;
    HashMap index = {0};
    Vec(Cluster) clusters = {0};
    uint32_t end = cut + 1;
    uint32_t *mark = NULL;
    *hashmap_put(&index, plan->spec->start.word, NULL) = 0;
    vec_push(&clusters,
             (Cluster){.write = MONITOR_NO, .first_return = MONITOR_NO, .last_call = MONITOR_NO});
    for (uint32_t i = 0; i < group->count; i++) { /* writes first: reads must find them */
        uint32_t op = plan->members.at[group->first + i];
        if (ops[op].called >= cut)
            break;
        SpecCall call;
        Value value;
        plan_call(plan, op, &call);
        if (ops[op].returned >= cut)
            call.result = VALUE_UNKNOWN;
        SpecRole role = plan->spec->role(plan->spec, &call, &value);
        result->answer = MONITOR_UNABLE;
        if (role == SPEC_ROLE_OTHER || role == SPEC_ROLE_APPEND)
            goto done;
        if (role != SPEC_ROLE_PUT)
            continue;
        bool absent;
        value = version_of(plan->spec, value);
        uint64_t *at = hashmap_put(&index, value.word, &absent);
        if (!absent)
            goto done;
        *at = clusters.count;
        Cluster cluster = {op,
                           op,
                           op,
                           MIN(ops[op].returned, end - 1) + 1,
                           ops[op].called + 1,
                           ops[op].returned < cut};
        vec_push(&clusters, cluster);
    }
    result->answer = MONITOR_HOLDS;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t op = plan->members.at[group->first + i];
        if (ops[op].called >= cut)
            break;
        SpecCall call;
        Value value;
        plan_call(plan, op, &call);
        if (ops[op].returned >= cut || plan->spec->role(plan->spec, &call, &value) == SPEC_ROLE_PUT)
            continue;
        uint64_t *at = hashmap_find(&index, version_of(plan->spec, value).word);
        if (!at) {
            monitor_violated(result, "a value is read that was never written", &op, 1);
            goto done;
        }
        Cluster *cluster = &clusters.at[*at];
        cluster->read = true;
        if (cluster->write != MONITOR_NO && ops[op].returned < ops[cluster->write].called) {
            uint32_t core[] = {cluster->write, op};
            monitor_violated(result, "a value is read before it is written", core, 2);
            goto done;
        }
        if (cluster->write != MONITOR_NO && ops[op].returned + 1 < cluster->f) {
            cluster->f = ops[op].returned + 1;
            cluster->first_return = op;
        }
        if (ops[op].called + 1 > cluster->s) {
            cluster->s = ops[op].called + 1;
            cluster->last_call = op;
        }
    }
    /* mark[p] = 2 * cluster + 1 at f, + 2 at s; a sweep keeps the two greatest s entered so far */
    mark = zeroed((size_t)end + 2, sizeof *mark);
    for (uint32_t i = 1; i < clusters.count; i++)
        if (clusters.at[i].read) {
            mark[clusters.at[i].f] = 2 * i + 1;
            mark[clusters.at[i].s] = 2 * i + 2;
        }
    if (clusters.at[0].s)
        mark[clusters.at[0].s] = 2;
    uint32_t top[2] = {0, MONITOR_NO}; /* the initial value is there from the start */
    for (uint32_t p = 1; p <= end; p++) {
        if (!mark[p])
            continue;
        uint32_t i = (mark[p] - 1) / 2;
        const Cluster *b = &clusters.at[i];
        if (mark[p] % 2) {
            if (b->s > clusters.at[top[0]].s) {
                top[1] = top[0];
                top[0] = i;
            } else if (top[1] == MONITOR_NO || b->s > clusters.at[top[1]].s) {
                top[1] = i;
            }
            continue;
        }
        uint32_t other = top[0] == i ? top[1] : top[0];
        if (other != MONITOR_NO && clusters.at[other].s > b->f) {
            const Cluster *a = &clusters.at[other];
            uint32_t core[] = {a->write, a->first_return, a->last_call,
                               b->write, b->first_return, b->last_call};
            monitor_violated(result, "two values each have to be the register's before the other",
                             core, 6);
            goto done;
        }
    }
done:
    hashmap_free(&index);
    vec_free(&clusters);
    free(mark);
}

/* By the shape: are the values taken in an order that is allowed? */
static void check_order(const MonitorTable *table, MonitorResult *result)
{
    switch (table->plan->spec->shape) {
    case SPEC_SHAPE_QUEUE:
        check_queue(table, result); /* knows about pending takes */
        break;
    case SPEC_SHAPE_STACK:
        monitor_stack(table, result);
        break;
    case SPEC_SHAPE_PRIORITY:
        check_priority(table, result);
        break;
    case SPEC_SHAPE_DEQUE:
        deque_check(table, result); /* contradictions only: a search has to tell the rest */
        break;
    default:
        break; /* a bag has no order */
    }
}

static void check_table(MonitorTable *table, MonitorResult *result)
{
    bool is_queue = table->plan->spec->shape == SPEC_SHAPE_QUEUE;
    check_order(table, result);
    bool mendable = result->answer == MONITOR_HOLDS || !is_queue;
    if (result->answer == MONITOR_HOLDS)
        monitor_check_empties(table, result);
    if (result->answer != MONITOR_VIOLATED || !mendable || !table->pending.count)
        return;
    /* Pending takes might mend it, but not what is wrong without the values that are never
     * taken. */
    size_t kept = 0;
    for (size_t i = 0; i < table->values.count; i++)
        if (table->values.at[i].take != MONITOR_NO)
            table->values.at[kept++] = table->values.at[i];
    table->values.count = kept;
    result->answer = MONITOR_HOLDS;
    if (!is_queue)
        check_order(table, result);
    if (result->answer == MONITOR_HOLDS)
        monitor_check_empties(table, result);
    if (result->answer == MONITOR_HOLDS)
        result->answer = MONITOR_UNABLE;
}

void monitor_check(const Plan *plan, const PlanGroup *group, uint32_t cut, MonitorResult *result)
{
    cut = MIN(cut, plan->history->positions);
    vec_clear(&result->core);
    vec_clear(&result->context);
    result->why = NULL;
    result->answer = MONITOR_UNABLE;
    /* one key of a store that is only put and got is a register */
    bool key = plan->spec->shape == SPEC_SHAPE_LOG && group->part.word != VALUE_UNKNOWN.word;
    if (plan->spec->shape == SPEC_SHAPE_OTHER || (plan->spec->shape == SPEC_SHAPE_LOG && !key) ||
        plan->history->before || plan->history->stuck)
        return;
    if (plan->spec->shape == SPEC_SHAPE_REGISTER || key) {
        check_register(plan, group, cut, result);
        return;
    }
    MonitorTable table = {.plan = plan, .end = cut};
    if (collect(&table, group, result)) {
        hashmap_free(&table.index);
        result->answer = MONITOR_HOLDS;
        if (check_values(&table, result))
            check_table(&table, result);
        if (plan->spec->shape == SPEC_SHAPE_DEQUE && result->answer == MONITOR_HOLDS)
            result->answer = MONITOR_UNABLE;
    }
    hashmap_free(&table.index);
    vec_free(&table.values);
    vec_free(&table.empties);
    vec_free(&table.pending);
}
