/* Why the answers are exact. Unread transactions of unknown outcome are left out: without a
 * transaction that nobody read, every cycle of a rule that is left was there before, with the same
 * number of anti-dependencies. Orders that the history does not tell matter only where
 * anti-dependencies count: the other rules ask for an acyclic graph of ww and wr, and any of its
 * topological orders gives the missing versions an order that adds no cycle. The same holds for
 * elements of lists that no read shows, under rules that forbid all cycles: nothing but the edges
 * from the end of the list that was read leads to them by the list, and these are there. For the
 * rest, an order is searched for (orders.h). */
#include "judge/isolation/isolation.h"
#include <stdlib.h>
#include <string.h>

#define WORK_FOR_SHORTER ((uint64_t)20000000)
#define MEMORY_FOR_GRAPH 2u /* times what the transactions take */

static bool is_found(const Isolation *i, Level level)
{
    for (Anomaly a = 0; a < ANOMALY_COUNT; a++)
        if (i->versions.found[a].count && level_forbids(level, a))
            return true;
    return false;
}

/* Is there a key with several writes whose order is open; of registers only, or of lists, too? */
static bool has_open(const Isolation *i, bool lists)
{
    for (size_t k = 0; k < i->graph.open.count; k++)
        if (i->graph.open.at[k].count > 1 && (lists || !i->txns.keys.at[k].list))
            return true;
    return false;
}

static void add_anomaly(Isolation *i, IsolationAnomaly anomaly)
{
    vec_push(&i->anomalies, anomaly);
}

/* Names for cycles of a special shape. */
static Anomaly special_name(const Cycle *cycle)
{
    const CycleEdge *e = cycle->at;
    if (cycle->count == 2 && e[0].kind == DEPENDS_RW && e[1].kind == DEPENDS_RW &&
        e[0].key != e[1].key)
        return ANOMALY_WRITE_SKEW;
    if (cycle->count == 2 && (e[0].kind == DEPENDS_RW || e[1].kind == DEPENDS_RW) &&
        (e[0].kind | e[1].kind) == (DEPENDS_RW | DEPENDS_WW) && e[0].key == e[1].key)
        return ANOMALY_LOST_UPDATE;
    for (unsigned turn = 0; turn < 2 && cycle->count == 4; turn++)
        if (e[turn].kind == DEPENDS_RW && e[turn + 2].kind == DEPENDS_RW &&
            e[1 - turn].kind == DEPENDS_WR && e[3 - turn].kind == DEPENDS_WR)
            return ANOMALY_LONG_FORK;
    return ANOMALY_COUNT;
}

static IsolationAnomaly name_cycle(const Isolation *i, const Cycle *cycle)
{
    IsolationAnomaly anomaly = {.anomaly = cycles_name(cycle),
                                .also = special_name(cycle),
                                .cycle = *cycle,
                                .reader = TXN_NONE,
                                .other = TXN_NONE,
                                .step = TXN_NONE};
    for (size_t e = 0; e < cycle->count; e++)
        anomaly.through |= cycle->at[e].kind & (DEPENDS_PROCESS | DEPENDS_TIME);
    for (size_t e = 0; e < cycle->count; e++) /* a register's order was told by reads */
        if (anomaly.anomaly == ANOMALY_G0 && cycle->at[e].kind == DEPENDS_WW &&
            !cycle->at[e].choice && !i->txns.keys.at[cycle->at[e].key].list)
            anomaly.anomaly = ANOMALY_G1C;
    if (anomaly.through & DEPENDS_TIME)
        anomaly.through = DEPENDS_TIME;
    return anomaly;
}

bool isolation_rules_out(const IsolationAnomaly *a, Level level)
{
    const LevelRules *rules = &level_rules[level];
    if (a->anomaly == ANOMALY_NO_ORDER)
        return false; /* the verdicts tell */
    if (!a->cycle.count)
        return level_forbids(level, a->anomaly);
    if (a->supposed)
        return false;
    for (size_t e = 0; e < a->cycle.count; e++) {
        unsigned kind = a->cycle.at[e].kind;
        bool within = kind == DEPENDS_PROCESS && rules->depends & DEPENDS_TIME;
        if (!(kind & rules->depends) && !within)
            return false;
    }
    switch (rules->rule) {
    case CYCLES_ANY:
        return true;
    case CYCLES_ONE:
        return a->anomaly == ANOMALY_G0 || a->anomaly == ANOMALY_G1C ||
               a->anomaly == ANOMALY_G_SINGLE;
    case CYCLES_SPLIT:
        return a->anomaly != ANOMALY_G2_ITEM;
    }
    return false;
}

/* The shortest cycle of each kind that there is, the strongest kinds first. LEVELS: those for which
 * it is of interest, as bits. */
static void collect_cycles(Isolation *i, unsigned levels)
{
    static const struct {
        unsigned kinds;
        CycleRule rule;
    } ways[] = {
        {DEPENDS_WW, CYCLES_ANY},
        {DEPENDS_WW | DEPENDS_WR, CYCLES_ANY},
        {DEPENDS_WW | DEPENDS_WR | DEPENDS_OTV, CYCLES_ANY},
        {DEPENDS_WW | DEPENDS_WR | DEPENDS_RW, CYCLES_ONE},
        {DEPENDS_WW | DEPENDS_WR | DEPENDS_RW, CYCLES_SPLIT},
        {DEPENDS_WW | DEPENDS_WR | DEPENDS_RW, CYCLES_ANY},
    };
    static const unsigned more[] = {0, DEPENDS_PROCESS, DEPENDS_TIME};
    CycleSpace space;
    if (!i->cyclic.count)
        return;
    cycles_start(&space, &i->graph);
    for (size_t m = 0; m < COUNT_OF(more); m++)
        for (size_t w = 0; w < COUNT_OF(ways); w++) {
            Cycle cycle = {0};
            unsigned kinds = ways[w].kinds | more[m];
            Components part;
            components_find(&i->graph, kinds, false, &i->cyclic, &part);
            bool found =
                part.count && cycles_find_shortest(&i->graph, kinds, ways[w].rule, &part, TXN_NONE,
                                                   WORK_FOR_SHORTER, &space, &cycle);
            components_free(&part);
            IsolationAnomaly anomaly = name_cycle(i, &cycle);
            for (size_t a = 0; found && a < i->anomalies.count; a++)
                found = !(i->anomalies.at[a].anomaly == anomaly.anomaly &&
                          i->anomalies.at[a].cycle.count &&
                          i->anomalies.at[a].through <= anomaly.through);
            bool wanted = false;
            for (Level level = 0; found && level < LEVEL_COUNT; level++)
                wanted = wanted || (levels >> level & 1 && isolation_rules_out(&anomaly, level));
            if (wanted)
                add_anomaly(i, anomaly);
            else
                vec_free(&cycle);
        }
    cycles_end(&space);
}

static void collect_found(Isolation *i, unsigned levels)
{
    for (Anomaly a = 0; a < ANOMALY_COUNT; a++) {
        const VersionFound *found = &i->versions.found[a];
        bool wanted = false;
        for (Level level = 0; level < LEVEL_COUNT; level++)
            wanted = wanted || (levels >> level & 1 && level_forbids(level, a));
        if (!found->count || !wanted)
            continue;
        IsolationAnomaly anomaly = {.anomaly = a,
                                    .also = ANOMALY_COUNT,
                                    .count = found->count,
                                    .reader = found->reader,
                                    .step = found->step,
                                    .other = found->other,
                                    .key = found->key};
        add_anomaly(i, anomaly);
    }
}

/* The cycles of a proof that there is no order, in place of one for a stronger level. */
static void collect_proof(Isolation *i, OrderSearch *search)
{
    size_t kept = 0;
    for (size_t a = 0; a < i->anomalies.count; a++)
        if (i->anomalies.at[a].supposed || i->anomalies.at[a].anomaly == ANOMALY_NO_ORDER)
            vec_free(&i->anomalies.at[a].cycle);
        else
            i->anomalies.at[kept++] = i->anomalies.at[a];
    i->anomalies.count = kept;
    IsolationAnomaly head = {.anomaly = ANOMALY_NO_ORDER,
                             .also = ANOMALY_COUNT,
                             .count = search->cycles.count,
                             .reader = TXN_NONE,
                             .step = TXN_NONE,
                             .other = TXN_NONE};
    add_anomaly(i, head);
    for (size_t c = 0; c < search->cycles.count; c++) {
        IsolationAnomaly anomaly = name_cycle(i, &search->cycles.at[c]);
        anomaly.supposed = true;
        add_anomaly(i, anomaly);
    }
    search->cycles.count = 0; /* they belong to the anomalies now */
}

/* Is it strictly serializable? Then it has every level. */
static bool holds_strictly(Isolation *i, const uint32_t *order, const LinearizeLimits *limits)
{
    Components on;
    if (i->judged[LEVEL_STRICT_SERIALIZABLE]) /* it has not, or that is not known */
        return false;
    if (is_found(i, LEVEL_STRICT_SERIALIZABLE))
        return false;
    bool broken = cycles_broken(&i->graph, LEVEL_STRICT_SERIALIZABLE, &i->cyclic, &on);
    components_free(&on);
    if (broken)
        return false;
    OrderSearch search;
    Verdict verdict = orders_search(&search, &i->graph, LEVEL_STRICT_SERIALIZABLE, order, limits);
    orders_free(&search);
    return verdict == VERDICT_HOLDS;
}

/* Decides a level whose rule the certain edges do not break. */
static Verdict search_orders(Isolation *i, Level level, bool explain, const LinearizeLimits *limits)
{
    uint32_t *order = calloc(i->txns.writes.count + 1, sizeof *order);
    Components on;
    if (!order)
        die("out of memory");
    bool broken = true;
    for (int way = 0; way < 2 && broken; way++) { /* in real time, too, if that is possible */
        unsigned kinds = level_rules[level].depends;
        memset(order, 0, i->txns.writes.count * sizeof *order);
        orders_guess(&i->graph, way ? kinds : kinds | DEPENDS_TIME, order);
        dependencies_build(&i->graph, order, NULL, 0);
        broken = cycles_broken(&i->graph, level, NULL, &on);
        components_free(&on);
        if (broken)
            dependencies_build(&i->graph, NULL, NULL, 0);
    }
    Verdict verdict = VERDICT_HOLDS;
    if (!broken) {
        i->how = MAX(i->how, ISOLATION_GUESSED);
    } else if (level != LEVEL_STRICT_SERIALIZABLE && holds_strictly(i, order, limits)) {
        i->how = ISOLATION_SEARCHED; /* in real time fewer orders are open */
    } else {
        OrderSearch search;
        verdict = orders_search(&search, &i->graph, level, order, limits);
        i->how = ISOLATION_SEARCHED;
        i->reason = verdict == VERDICT_INCONCLUSIVE ? search.reason : i->reason;
        if (verdict == VERDICT_VIOLATED && explain)
            collect_proof(i, &search);
        orders_free(&search);
    }
    dependencies_build(&i->graph, NULL, NULL, 0);
    free(order);
    return verdict;
}

/* Read uncommitted may take transactions of unknown outcome as aborted, too, even if they were read
 * from. */
static Verdict judge_weakest(Isolation *i)
{
    Versions versions;
    Dependencies graph;
    Components on;
    versions_find(&versions, &i->txns, true);
    bool broken = false;
    for (Anomaly a = 0; a < ANOMALY_COUNT; a++)
        broken = broken || (versions.found[a].count && level_forbids(LEVEL_READ_UNCOMMITTED, a));
    if (!broken) {
        dependencies_start(&graph, &versions);
        graph.weakest = true;
        dependencies_build(&graph, NULL, NULL, 0);
        broken = cycles_broken(&graph, LEVEL_READ_UNCOMMITTED, NULL, &on);
        components_free(&on);
        dependencies_free(&graph);
    }
    versions_free(&versions);
    versions_free(&i->versions); /* places of writes were changed */
    versions_find(&i->versions, &i->txns, false);
    return broken ? VERDICT_VIOLATED : VERDICT_HOLDS;
}

static Verdict judge_level(Isolation *i, Level level, bool explain, const LinearizeLimits *limits)
{
    Components on;
    if (linearize_end_wanted(limits)) {
        i->reason = linearize_end_wanted(limits);
        return VERDICT_INCONCLUSIVE;
    }
    bool broken = is_found(i, level);
    if (!broken) {
        broken = cycles_broken(&i->graph, level, &i->cyclic, &on);
        components_free(&on);
    }
    if (broken)
        return level == LEVEL_READ_UNCOMMITTED ? judge_weakest(i) : VERDICT_VIOLATED;
    const LevelRules *rules = &level_rules[level];
    if (!(rules->depends & DEPENDS_RW) || !has_open(i, rules->rule != CYCLES_ANY))
        return VERDICT_HOLDS;
    return search_orders(i, level, explain, limits);
}

/* All levels, the strongest first: what it implies holds, too. */
static void judge_all(Isolation *i, bool explain, const LinearizeLimits *limits)
{
    unsigned hold = 0;
    for (Level level = LEVEL_COUNT; level-- > 0;) {
        i->judged[level] = true;
        i->verdicts[level] =
            hold >> level & 1 ? VERDICT_HOLDS : judge_level(i, level, explain, limits);
        if (i->verdicts[level] == VERDICT_HOLDS)
            hold |= level_implies(level);
    }
    for (Level level = 0; level < LEVEL_COUNT; level++) /* decided below what was not */
        if (hold >> level & 1)
            i->verdicts[level] = VERDICT_HOLDS;
}

void isolation_judge(Isolation *i, const Plan *plan, const PlanGroup *group, Level level,
                     bool explain, const LinearizeLimits *limits)
{
    *i = (Isolation){0};
    for (Level l = 0; l < LEVEL_COUNT; l++)
        i->verdicts[l] = VERDICT_INCONCLUSIVE;
    if (!transactions_load(&i->txns, plan, group)) {
        i->reason = "values";
        return;
    }
    if (limits->memory && MEMORY_FOR_GRAPH * transactions_memory(&i->txns) > limits->memory) {
        i->reason = "memory";
        return;
    }
    versions_find(&i->versions, &i->txns, false);
    dependencies_start(&i->graph, &i->versions);
    dependencies_build(&i->graph, NULL, NULL, 0);
    i->has_graph = true;
    components_find(&i->graph, DEPENDS_KINDS, false, NULL, &i->cyclic);
    unsigned wanted = 0;
    if (level == LEVEL_AUTO) {
        judge_all(i, explain, limits);
    } else {
        i->judged[level] = true;
        i->verdicts[level] = judge_level(i, level, explain, limits);
    }
    for (Level l = 0; l < LEVEL_COUNT; l++)
        if (i->judged[l] && i->verdicts[l] == VERDICT_VIOLATED)
            wanted |= 1u << l;
    if (explain && wanted) {
        collect_found(i, wanted);
        collect_cycles(i, wanted);
    }
}

Verdict isolation_verdict(const Isolation *i, Level level)
{
    if (level != LEVEL_AUTO)
        return i->verdicts[level];
    Verdict verdict = VERDICT_VIOLATED;
    for (Level l = 0; l < LEVEL_COUNT; l++) {
        if (i->verdicts[l] == VERDICT_HOLDS)
            return VERDICT_HOLDS;
        if (i->verdicts[l] == VERDICT_INCONCLUSIVE)
            verdict = VERDICT_INCONCLUSIVE;
    }
    return verdict;
}

unsigned isolation_strongest(const Isolation *i)
{
    unsigned hold = 0, covered = 0;
    for (Level l = 0; l < LEVEL_COUNT; l++)
        if (i->verdicts[l] == VERDICT_HOLDS) {
            hold |= 1u << l;
            covered |= level_implies(l) & ~(1u << l);
        }
    return hold & ~covered;
}

void isolation_free(Isolation *i)
{
    for (size_t a = 0; a < i->anomalies.count; a++)
        vec_free(&i->anomalies.at[a].cycle);
    vec_free(&i->anomalies);
    if (i->has_graph) {
        dependencies_free(&i->graph);
        components_free(&i->cyclic);
    }
    versions_free(&i->versions);
    transactions_free(&i->txns);
}
