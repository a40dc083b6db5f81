/* Each guarantee says of pairs of versions which must be older; an order of the versions exists iff
 * these pairs have no cycle (with the initial version before all others). The pairs are exactly
 * what the definitions say, for each read and write of a process and each earlier one. */
#include "judge/linear/session.h"
#include "judge/linear/monitor_internal.h"
#include <stdlib.h>
#include <string.h>

#define INITIAL 0u /* the version before the first write */

typedef struct Access {
    uint32_t op, process, version;
    bool writes;
} Access;
typedef struct Pair {
    uint32_t older, newer;  /* versions */
    uint32_t first, second; /* the operations that say so */
} Pair;
typedef struct Session {
    const Plan *plan;
    HashMap versions;      /* word of the value -> version */
    Vec(uint32_t) writers; /* by version: operation, or MONITOR_NO */
    Vec(Access) accesses;  /* by process, in its order */
    Vec(Pair) pairs;
    HashMap known; /* pairs that are there */
} Session;

unsigned session_from_word(const char *word)
{
    static const char *const words[] = {
#define X(name, text) text,
        SESSION_GUARANTEES(X)
#undef X
    };
    if (!strcmp(word, "session"))
        return SESSION_ALL;
    for (unsigned i = 0; i < SESSION_COUNT; i++)
        if (!strcmp(word, words[i]))
            return 1u << i;
    return 0;
}

static bool nothing(const Spec *spec, Value value)
{
    return value_equal(value, spec->start) || value.word == VALUE_NONE.word ||
           (spec->shape == SPEC_SHAPE_LOG && value.word == value_of_symbol(0).word);
}

/* The versions; false if the values do not tell them. */
static bool find_versions(Session *s, const PlanGroup *group)
{
    const Plan *plan = s->plan;
    vec_push(&s->writers, MONITOR_NO);
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t op = plan->members.at[group->first + i];
        SpecCall call;
        Value value;
        plan_call(plan, op, &call);
        SpecRole role = plan->spec->role(plan->spec, &call, &value);
        bool pending = plan->history->operations.at[op].returned == HISTORY_PENDING;
        if (role == SPEC_ROLE_TAKE ||
            (pending && plan->spec->effect(plan->spec, &call) == SPEC_READS))
            continue;
        if (role != SPEC_ROLE_PUT || nothing(plan->spec, value))
            return false;
        bool absent;
        uint64_t *version = hashmap_put(&s->versions, value.word, &absent);
        if (!absent)
            return false;
        *version = s->writers.count;
        vec_push(&s->writers, op);
    }
    return true;
}

static int by_process(const void *a, const void *b)
{
    const Access *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

/* Lists what returned, by process; false and a violation if a read gives what nobody wrote. */
static bool find_accesses(Session *s, const PlanGroup *group, MonitorResult *result)
{
    const Plan *plan = s->plan;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t op = plan->members.at[group->first + i];
        const Operation *operation = &plan->history->operations.at[op];
        if (operation->returned == HISTORY_PENDING)
            continue;
        SpecCall call;
        Value value;
        plan_call(plan, op, &call);
        bool writes = plan->spec->role(plan->spec, &call, &value) == SPEC_ROLE_PUT;
        Access access = {op, operation->process, INITIAL, writes};
        uint64_t *version = hashmap_find(&s->versions, value.word);
        if (!version && !nothing(plan->spec, value)) {
            monitor_violated(result, "a value is read that was never written", &op, 1);
            return false;
        }
        if (version)
            access.version = (uint32_t)*version;
        vec_push(&s->accesses, access);
    }
    if (s->accesses.count)
        qsort(s->accesses.at, s->accesses.count, sizeof *s->accesses.at, by_process);
    return true;
}

static void add_pair(Session *s, uint32_t older, uint32_t newer, uint32_t first, uint32_t second)
{
    bool absent;
    hashmap_put(&s->known, (uint64_t)older << 32 | newer, &absent);
    if (absent)
        vec_push(&s->pairs, (Pair){older, newer, first, second});
}

static void find_pairs(Session *s, unsigned guarantees)
{
    for (uint32_t v = 1; v < s->writers.count; v++)
        add_pair(s, INITIAL, v, s->writers.at[v], s->writers.at[v]);
    for (size_t i = 0; i < s->accesses.count; i++) {
        const Access *now = &s->accesses.at[i];
        for (size_t j = i; j-- > 0 && s->accesses.at[j].process == now->process;) {
            const Access *before = &s->accesses.at[j];
            SessionGuarantee kind = before->writes ? now->writes ? SESSION_INDEX_MONOTONIC_WRITES
                                                                 : SESSION_INDEX_READ_YOUR_WRITES
                                    : now->writes  ? SESSION_INDEX_WRITES_FOLLOW_READS
                                                   : SESSION_INDEX_MONOTONIC_READS;
            /* a read may give the same version again; a write that was read before it is older than
             * itself */
            if (guarantees >> kind & 1 && (now->writes || before->version != now->version))
                add_pair(s, before->version, now->version, before->op, now->op);
        }
    }
}

static int by_older(const void *a, const void *b)
{
    const Pair *x = a, *y = b;
    return x->older != y->older ? (x->older < y->older ? -1 : 1)
                                : (x->newer < y->newer ? -1 : x->newer > y->newer);
}

/* The write of what OP read explains it too. */
static void add_writer(const Session *s, uint32_t op, MonitorResult *result)
{
    SpecCall call;
    Value value;
    plan_call(s->plan, op, &call);
    s->plan->spec->role(s->plan->spec, &call, &value);
    const uint64_t *version = hashmap_find(&s->versions, value.word);
    if (!version)
        return;
    uint32_t writer = s->writers.at[*version];
    for (size_t i = 0; i < result->core.count; i++)
        if (result->core.at[i] == writer)
            return;
    for (size_t i = 0; i < result->context.count; i++)
        if (result->context.at[i] == writer)
            return;
    vec_push(&result->context, writer);
}

/* A shortest cycle through version START, breadth first; its pairs go into the core. */
static bool cycle_through(const Session *s, const uint32_t *first, uint32_t start,
                          MonitorResult *result)
{
    uint32_t count = (uint32_t)s->writers.count;
    uint32_t *by = malloc(count * sizeof *by); /* the pair by which a version was reached */
    Vec(uint32_t) queue = {0};
    if (!by)
        die("out of memory");
    memset(by, 0xFF, count * sizeof *by);
    vec_push(&queue, start);
    bool found = false;
    for (size_t at = 0; at < queue.count && !found; at++)
        for (uint32_t p = first[queue.at[at]]; p < first[queue.at[at] + 1] && !found; p++) {
            uint32_t to = s->pairs.at[p].newer;
            if (by[to] != UINT32_MAX)
                continue;
            by[to] = p;
            vec_push(&queue, to);
            found = to == start;
        }
    if (found) {
        Vec(uint32_t) core = {0};
        uint32_t version = start;
        do {
            const Pair *pair = &s->pairs.at[by[version]];
            vec_push(&core, pair->first);
            vec_push(&core, pair->second);
            version = pair->older;
        } while (version != start);
        monitor_violated(result, "each of some versions has to be older than the next, in a circle",
                         core.at, core.count);
        for (size_t i = 0; i < result->core.count; i++)
            add_writer(s, result->core.at[i], result);
        vec_free(&core);
    }
    vec_free(&queue);
    free(by);
    return found;
}

/* Kahn: versions that nothing left is older than are taken away; if some stay, there is a cycle. */
static void find_cycle(Session *s, MonitorResult *result)
{
    uint32_t count = (uint32_t)s->writers.count;
    uint32_t *first = calloc((size_t)count + 2, sizeof *first);
    uint32_t *older = calloc((size_t)count + 1, sizeof *older);
    Vec(uint32_t) free_ones = {0};
    if (!first || !older)
        die("out of memory");
    if (s->pairs.count)
        qsort(s->pairs.at, s->pairs.count, sizeof *s->pairs.at, by_older);
    for (size_t i = 0; i < s->pairs.count; i++) {
        first[s->pairs.at[i].older + 1]++;
        older[s->pairs.at[i].newer]++;
    }
    for (uint32_t v = 0; v < count; v++)
        first[v + 1] += first[v];
    for (uint32_t v = 0; v < count; v++)
        if (!older[v])
            vec_push(&free_ones, v);
    for (size_t at = 0; at < free_ones.count; at++)
        for (uint32_t p = first[free_ones.at[at]]; p < first[free_ones.at[at] + 1]; p++)
            if (!--older[s->pairs.at[p].newer])
                vec_push(&free_ones, s->pairs.at[p].newer);
    if (free_ones.count < count)
        for (uint32_t v = 0; v < count && result->answer != MONITOR_VIOLATED; v++)
            if (older[v])
                cycle_through(s, first, v, result);
    vec_free(&free_ones);
    free(first);
    free(older);
}

void session_check(const Plan *plan, const PlanGroup *group, unsigned guarantees,
                   MonitorResult *result)
{
    vec_clear(&result->core);
    vec_clear(&result->context);
    result->why = NULL;
    result->answer = MONITOR_UNABLE;
    SpecShape shape = plan->spec->shape;
    if ((shape != SPEC_SHAPE_REGISTER && shape != SPEC_SHAPE_LOG) || plan->history->before ||
        plan->history->stuck)
        return;
    Session s = {.plan = plan};
    if (find_versions(&s, group)) {
        result->answer = MONITOR_HOLDS;
        if (find_accesses(&s, group, result)) {
            find_pairs(&s, guarantees);
            find_cycle(&s, result);
        }
    }
    hashmap_free(&s.versions);
    hashmap_free(&s.known);
    vec_free(&s.writers);
    vec_free(&s.accesses);
    vec_free(&s.pairs);
}
