/* Each guarantee says of pairs of versions which must be older; an order of the versions exists iff
 * these pairs have no cycle (with the initial version before all others). The pairs are exactly
 * what the definitions say, for each read and write of a process and each earlier one of its key,
 * or have the same consequences: of pairs a < b and b < c that the same guarantees give, a < c is
 * left out; and what "all that a process read (or wrote) so far" is older than goes through a node
 * that stands for all of it. */
#include "judge/linear/session.h"
#include "judge/linear/causal.h"
#include "judge/linear/monitor_internal.h"
#include "judge/linear/session_set.h"
#include "judge/linear/session_txn.h"
#include <stdlib.h>
#include <string.h>

#define INITIAL 0u /* the version before the first write, of registers and keys */

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

bool session_is_local(unsigned guarantees, const Spec *spec)
{
    return !(guarantees & ~SESSION_ALL) && spec->shape == SPEC_SHAPE_LOG;
}

/* ---- pairs of versions ---- */

static void add_pair(SessionAccesses *s, uint32_t older, uint32_t newer, uint32_t first,
                     uint32_t second)
{
    bool absent;
    hashmap_put(&s->known, (uint64_t)older << 32 | newer, &absent);
    if (absent)
        vec_push(&s->pairs, (SessionPair){older, newer, first, second});
}

/* A node that is newer than NODE (unless that is MONITOR_NO) and than VERSION. */
static uint32_t add_node(SessionAccesses *s, uint32_t node, const SessionAccess *access)
{
    uint32_t all = (uint32_t)s->writers.count;
    vec_push(&s->writers, MONITOR_NO);
    vec_push(&s->pairs, (SessionPair){access->version, all, access->op, access->op});
    if (node != MONITOR_NO)
        vec_push(&s->pairs, (SessionPair){node, all, MONITOR_NO, MONITOR_NO});
    return all;
}

/* All that a process did with a key so far. */
typedef struct Past {
    uint32_t read, write; /* the last accesses, or MONITOR_NO */
    uint32_t reads;       /* the node of all that it read, or MONITOR_NO */
    uint32_t before;      /* the first write, as a place in Pasts.writes, or MONITOR_NO */
} Past;
/* A write of the process, with the node of all that it wrote up to there. */
typedef struct PastWrite {
    uint32_t access, node, next, last; /* next of the key; last: of the first write only */
} PastWrite;
typedef struct Pasts {
    HashMap keys; /* key -> index into all */
    Vec(Past) all;
    Vec(PastWrite) writes;
    HashMap own; /* version -> place in writes */
} Pasts;

/* A read is no older than any write of the process: than the last, if their order is known, else
 * than all of them; the version that it gives is not older than itself. */
static void read_own(SessionAccesses *s, Pasts *pasts, const Past *past, const SessionAccess *now)
{
    if (past->before == MONITOR_NO)
        return;
    const PastWrite *first = &pasts->writes.at[past->before];
    const uint64_t *own = hashmap_find(&pasts->own, now->version);
    if (!own) {
        add_pair(s, pasts->writes.at[first->last].node, now->version, now->op, now->op);
        return;
    }
    uint32_t before = MONITOR_NO;
    for (uint32_t w = past->before; w != (uint32_t)*own; w = pasts->writes.at[w].next)
        before = pasts->writes.at[w].node;
    if (before != MONITOR_NO)
        add_pair(s, before, now->version, now->op, now->op);
    for (uint32_t w = pasts->writes.at[*own].next; w != MONITOR_NO; w = pasts->writes.at[w].next) {
        const SessionAccess *write = &s->at.at[pasts->writes.at[w].access];
        add_pair(s, write->version, now->version, write->op, now->op);
    }
}

static void add_write(SessionAccesses *s, Pasts *pasts, Past *past, uint32_t access)
{
    uint32_t place = (uint32_t)pasts->writes.count;
    PastWrite write = {access, MONITOR_NO, MONITOR_NO, place};
    uint32_t before = MONITOR_NO;
    if (past->before == MONITOR_NO) {
        past->before = place;
    } else {
        PastWrite *first = &pasts->writes.at[past->before];
        before = pasts->writes.at[first->last].node;
        pasts->writes.at[first->last].next = place;
        first->last = place;
    }
    write.node = add_node(s, before, &s->at.at[access]);
    vec_push(&pasts->writes, write);
    *hashmap_put(&pasts->own, s->at.at[access].version, NULL) = place;
}

/* The pairs of one access with those of its process and key that came before. */
static void pair_access(SessionAccesses *s, unsigned guarantees, Pasts *pasts, Past *past,
                        uint32_t access)
{
    const SessionAccess now = s->at.at[access];
    bool reads_up = guarantees & SESSION_BIT(MONOTONIC_READS);
    bool writes_up = guarantees & SESSION_BIT(MONOTONIC_WRITES);
    const SessionAccess *read = past->read == MONITOR_NO ? NULL : &s->at.at[past->read];
    const SessionAccess *write = past->write == MONITOR_NO ? NULL : &s->at.at[past->write];
    if (now.writes) {
        if (writes_up && write)
            add_pair(s, write->version, now.version, write->op, now.op);
        if (guarantees & SESSION_BIT(WRITES_FOLLOW_READS) && read) {
            if (reads_up)
                add_pair(s, read->version, now.version, read->op, now.op);
            else
                add_pair(s, past->reads, now.version, now.op, now.op);
        }
        if (guarantees & SESSION_BIT(READ_YOUR_WRITES) && !writes_up)
            add_write(s, pasts, past, access);
        past->write = access;
        return;
    }
    if (reads_up && read && read->version != now.version)
        add_pair(s, read->version, now.version, read->op, now.op);
    if (guarantees & SESSION_BIT(READ_YOUR_WRITES)) {
        if (!writes_up)
            read_own(s, pasts, past, &now);
        else if (write && write->version != now.version)
            add_pair(s, write->version, now.version, write->op, now.op);
    }
    if (guarantees & SESSION_BIT(WRITES_FOLLOW_READS) && !reads_up)
        past->reads = add_node(s, past->reads, &now);
    past->read = access;
}

static void find_pairs(SessionAccesses *s, unsigned guarantees)
{
    Pasts pasts = {0};
    for (uint32_t i = 0; i < s->at.count; i++) {
        if (!i || s->at.at[i].process != s->at.at[i - 1].process) {
            hashmap_clear(&pasts.keys);
            hashmap_clear(&pasts.own);
            vec_clear(&pasts.all);
            vec_clear(&pasts.writes);
        }
        bool absent;
        uint64_t *index = hashmap_put(&pasts.keys, s->at.at[i].key, &absent);
        if (absent) {
            *index = pasts.all.count;
            Past none = {MONITOR_NO, MONITOR_NO, MONITOR_NO, MONITOR_NO};
            vec_push(&pasts.all, none);
        }
        pair_access(s, guarantees, &pasts, &pasts.all.at[*index], i);
    }
    hashmap_free(&pasts.keys);
    hashmap_free(&pasts.own);
    vec_free(&pasts.all);
    vec_free(&pasts.writes);
}

/* ---- circles ---- */

static int by_older(const void *a, const void *b)
{
    const SessionPair *x = a, *y = b;
    return x->older != y->older ? (x->older < y->older ? -1 : 1)
                                : (x->newer < y->newer ? -1 : x->newer > y->newer);
}

/* A shortest cycle through version START, breadth first; its pairs go into the core. */
static void cycle_through(const SessionAccesses *s, const uint32_t *first, uint32_t start,
                          MonitorResult *result)
{
    uint32_t count = (uint32_t)s->writers.count;
    uint32_t *by = malloc(count * sizeof *by); /* the pair by which a version was reached */
    Vec(uint32_t) queue = {0}, core = {0};
    if (!by)
        die("out of memory");
    memset(by, 0xFF, count * sizeof *by);
    vec_push(&queue, start);
    for (size_t at = 0; at < queue.count && by[start] == UINT32_MAX; at++)
        for (uint32_t p = first[queue.at[at]]; p < first[queue.at[at] + 1]; p++) {
            uint32_t to = s->pairs.at[p].newer;
            if (by[to] != UINT32_MAX)
                continue;
            by[to] = p;
            vec_push(&queue, to);
        }
    ASSERT(by[start] != UINT32_MAX);
    uint32_t version = start;
    vec_clear(&queue); /* versions that have writers */
    do {
        const SessionPair *pair = &s->pairs.at[by[version]];
        vec_push(&core, pair->first);
        vec_push(&core, pair->second);
        vec_push(&queue, version);
        version = pair->older;
    } while (version != start);
    monitor_violated(result, "each of some versions has to be older than the next, in a circle",
                     core.at, core.count);
    for (size_t i = 0; i < queue.count; i++) { /* who made them explains it, too */
        uint32_t writer = s->writers.at[queue.at[i]];
        bool there = writer == MONITOR_NO;
        for (size_t k = 0; k < result->core.count && !there; k++)
            there = result->core.at[k] == writer;
        for (size_t k = 0; k < result->context.count && !there; k++)
            there = result->context.at[k] == writer;
        if (!there)
            vec_push(&result->context, writer);
    }
    vec_free(&queue);
    vec_free(&core);
    free(by);
}

/* Kahn: versions that nothing left is older than are taken away; if some stay, there is a cycle,
 * and going back from one of them to one that is older ends in it. */
static void find_cycle(SessionAccesses *s, MonitorResult *result)
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
    if (free_ones.count < count) {
        uint32_t *back = calloc(count, sizeof *back), at = 0;
        bool *passed = calloc(count, sizeof *passed);
        if (!back || !passed)
            die("out of memory");
        for (size_t i = 0; i < s->pairs.count; i++)
            if (older[s->pairs.at[i].older])
                back[s->pairs.at[i].newer] = s->pairs.at[i].older;
        while (!older[at])
            at++;
        for (; !passed[at]; at = back[at])
            passed[at] = true;
        cycle_through(s, first, at, result);
        free(back);
        free(passed);
    }
    vec_free(&free_ones);
    free(first);
    free(older);
}

void session_decide(SessionAccesses *accesses, unsigned guarantees, MonitorResult *result)
{
    result->answer = MONITOR_HOLDS;
    find_pairs(accesses, guarantees);
    find_cycle(accesses, result);
}

void session_free(SessionAccesses *accesses)
{
    vec_free(&accesses->at);
    vec_free(&accesses->pairs);
    vec_free(&accesses->writers);
    hashmap_free(&accesses->known);
}

/* ---- registers and keys ---- */

/* The versions; false if the values do not tell them. */
static bool find_versions(SessionAccesses *s, const Plan *plan, const PlanGroup *group,
                          HashMap *versions)
{
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
        if (role != SPEC_ROLE_PUT || monitor_is_initial(plan->spec, value))
            return false;
        bool absent;
        uint64_t *version = hashmap_put(versions, value.word, &absent);
        if (!absent)
            return false;
        *version = s->writers.count;
        vec_push(&s->writers, op);
        vec_push(&s->pairs, (SessionPair){INITIAL, (uint32_t)*version, op, op});
    }
    return true;
}

static int by_process(const void *a, const void *b)
{
    const SessionAccess *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

/* Lists what returned, by process; false and a violation if a read gives what nobody wrote. */
static bool find_accesses(SessionAccesses *s, const Plan *plan, const PlanGroup *group,
                          const HashMap *versions, MonitorResult *result)
{
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t op = plan->members.at[group->first + i];
        const Operation *operation = &plan->history->operations.at[op];
        if (operation->returned == HISTORY_PENDING)
            continue;
        SpecCall call;
        Value value;
        plan_call(plan, op, &call);
        bool writes = plan->spec->role(plan->spec, &call, &value) == SPEC_ROLE_PUT;
        SessionAccess access = {op, operation->process, 0, INITIAL, writes};
        const uint64_t *version = hashmap_find(versions, value.word);
        if (!version && !monitor_is_initial(plan->spec, value)) {
            monitor_violated(result, "a value is read that was never written", &op, 1);
            return false;
        }
        if (version)
            access.version = (uint32_t)*version;
        vec_push(&s->at, access);
    }
    if (s->at.count)
        qsort(s->at.at, s->at.count, sizeof *s->at.at, by_process);
    return true;
}

/* False if it can't be decided. */
static bool check_register(const Plan *plan, const PlanGroup *group, unsigned guarantees,
                           MonitorResult *result)
{
    SessionAccesses s = {0};
    HashMap versions = {0};
    bool told = find_versions(&s, plan, group, &versions);
    if (told && find_accesses(&s, plan, group, &versions, result))
        session_decide(&s, guarantees, result);
    hashmap_free(&versions);
    session_free(&s);
    return told;
}

const char *session_check(const Plan *plan, const PlanGroup *group, unsigned guarantees,
                          const LinearizeLimits *limits, MonitorResult *result)
{
    vec_clear(&result->core);
    vec_clear(&result->context);
    result->why = NULL;
    result->answer = MONITOR_UNABLE;
    SpecShape shape = plan->spec->shape;
    if (plan->history->before || plan->history->stuck)
        return "values";
    if (guarantees & ~SESSION_ALL)
        return causal_check(plan, group,
                            guarantees & SESSION_BIT(PRAM)     ? CAUSAL_PRAM
                            : guarantees & SESSION_BIT(CAUSAL) ? CAUSAL_MEMORY
                                                               : CAUSAL_CONVERGENCE,
                            limits, result);
    if (shape == SPEC_SHAPE_REGISTER || shape == SPEC_SHAPE_LOG)
        return check_register(plan, group, guarantees, result) ? NULL : "values";
    if (spec_is_builtin(plan->spec, "transactions"))
        return session_check_transactions(plan, group, guarantees, result);
    return session_check_set(plan, group, guarantees, limits, result);
}
