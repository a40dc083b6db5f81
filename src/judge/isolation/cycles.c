/* Cycles are looked for among states: a node and a phase. CYCLES_ANY has one phase. With
 * CYCLES_SPLIT, a transaction begins (phase 0) and ends (phase 1): dependencies lead from its end
 * to a beginning, anti-dependencies from its beginning to an end, and a beginning to its own end.
 * Two adjacent anti-dependencies do not compose, so the cycles of these states are those in which
 * none are adjacent (Cerone and Gotsman, PODC 2016). With CYCLES_ONE the phase counts the
 * anti-dependencies so far. */
#include "judge/isolation/cycles.h"
#include <stdlib.h>
#include <string.h>

static void *room(size_t count, size_t bytes)
{
    void *memory = calloc(count + 1, bytes);
    if (!memory)
        die("out of memory");
    return memory;
}

/* The phase behind an edge from PHASE, or -1: it can't be taken. */
static int phase_behind(CycleRule rule, int phase, unsigned kind)
{
    bool anti = kind & DEPENDS_RW, out = kind & DEPENDS_OUT;
    switch (rule) {
    case CYCLES_ANY:
        return 0;
    case CYCLES_SPLIT:
        return out ? (phase == 1 ? 1 : -1) : anti ? (phase == 0 ? 1 : -1) : (phase == 1 ? 0 : -1);
    case CYCLES_ONE:
        return out || !anti ? phase : phase == 0 ? 1 : -1;
    }
    return -1;
}

/* Tarjan's algorithm without recursion, on states node * phases + phase. */
typedef struct Walk {
    const Dependencies *graph;
    unsigned kinds;
    bool split;
    const Components *within;
    uint32_t *index, *low; /* by state; index 0: not visited */
    uint32_t *edge;        /* by state: the next edge to follow; 0 is the one from begin to end */
    uint32_t next;
    Vec(uint32_t) path, stack;
    Components *found;
} Walk;

static bool is_in(const Components *within, uint32_t node)
{
    return !within || within->of[node];
}

/* The successor of the state by its next edge, or TXN_NONE at the last. */
static uint32_t next_state(Walk *w, uint32_t state)
{
    const Dependencies *g = w->graph;
    uint32_t node = w->split ? state / 2 : state;
    int phase = w->split ? (int)(state % 2) : 0;
    if (w->split && !phase && !w->edge[state]) {
        w->edge[state] = 1;
        return state + 1;
    }
    uint32_t done = w->edge[state] - (w->split && !phase);
    while (g->start[node] + done < g->start[node + 1]) {
        const Dependency *edge = &g->edges[g->start[node] + done];
        done++;
        w->edge[state]++;
        int to = phase_behind(w->split ? CYCLES_SPLIT : CYCLES_ANY, phase, edge->kind);
        if (!(edge->kind & w->kinds) || to < 0 || !is_in(w->within, edge->to))
            continue;
        return w->split ? 2 * edge->to + (uint32_t)to : edge->to;
    }
    return TXN_NONE;
}

static void close_component(Walk *w, uint32_t state)
{
    bool several = vec_last(&w->stack) != state;
    if (several)
        w->found->count++;
    uint32_t member;
    do {
        member = vec_pop(&w->stack);
        w->low[member] = TXN_NONE; /* no longer on the stack */
        if (several)
            w->found->of[w->split ? member / 2 : member] = w->found->count;
    } while (member != state);
}

static void visit(Walk *w, uint32_t root)
{
    vec_push(&w->path, root);
    while (w->path.count) {
        uint32_t state = vec_last(&w->path);
        if (!w->index[state]) {
            w->index[state] = w->low[state] = ++w->next;
            vec_push(&w->stack, state);
        }
        uint32_t to = next_state(w, state);
        if (to != TXN_NONE) {
            if (!w->index[to])
                vec_push(&w->path, to);
            else if (w->low[to] != TXN_NONE)
                w->low[state] = MIN(w->low[state], w->index[to]);
            continue;
        }
        (void)vec_pop(&w->path);
        uint32_t low = w->low[state];
        if (low == w->index[state])
            close_component(w, state);
        else if (w->path.count && w->low[vec_last(&w->path)] != TXN_NONE)
            w->low[vec_last(&w->path)] = MIN(w->low[vec_last(&w->path)], low);
    }
}

void components_find(const Dependencies *graph, unsigned kinds, bool split,
                     const Components *within, Components *found)
{
    size_t states = (size_t)graph->nodes * (split ? 2 : 1);
    *found = (Components){.of = room(graph->nodes, sizeof(uint32_t))};
    if (within && !within->count)
        return;
    Walk w = {.graph = graph,
              .kinds = kinds,
              .split = split,
              .within = within,
              .index = room(states, sizeof(uint32_t)),
              .low = room(states, sizeof(uint32_t)),
              .edge = room(states, sizeof(uint32_t)),
              .found = found};
    for (uint32_t state = 0; state < states; state++)
        if (!w.index[state] && is_in(within, split ? state / 2 : state))
            visit(&w, state);
    free(w.index);
    free(w.low);
    free(w.edge);
    vec_free(&w.path);
    vec_free(&w.stack);
}

void components_free(Components *components)
{
    free(components->of);
    components->of = NULL;
}

/* An edge that is no anti-dependency, or leads on behind one. */
static bool goes_on(const Dependency *edge, unsigned kinds)
{
    return edge->kind & DEPENDS_RW ? edge->kind & DEPENDS_OUT
                                   : (edge->kind & kinds & DEPENDS_KINDS) != 0;
}

/* The nodes of WITHIN in a topological order of the edges that go on. */
static uint32_t *sort_nodes(const Dependencies *g, unsigned kinds, const Components *within,
                            uint32_t *count)
{
    uint32_t *waits = room(g->nodes, sizeof *waits), *order = room(g->nodes, sizeof *order);
    for (uint32_t n = 0; n < g->nodes; n++)
        for (uint32_t e = g->start[n]; within->of[n] && e < g->start[n + 1]; e++)
            waits[g->edges[e].to] += within->of[g->edges[e].to] && goes_on(&g->edges[e], kinds);
    *count = 0;
    for (uint32_t n = 0; n < g->nodes; n++)
        if (within->of[n] && !waits[n])
            order[(*count)++] = n;
    for (uint32_t i = 0; i < *count; i++)
        for (uint32_t e = g->start[order[i]]; e < g->start[order[i] + 1]; e++) {
            uint32_t to = g->edges[e].to;
            if (within->of[to] && goes_on(&g->edges[e], kinds) && !--waits[to])
                order[(*count)++] = to;
        }
    free(waits);
    return order;
}

bool cycles_have_single(const Dependencies *g, unsigned kinds, const Components *within,
                        uint32_t *on_cycle)
{
    uint32_t count, edge = 0;
    uint32_t *order = sort_nodes(g, kinds, within, &count);
    uint64_t *reached = room(g->nodes, sizeof *reached);
    struct Anti {
        uint32_t from, to;
    } batch[64];
    bool found = false;
    for (uint32_t i = 0; i < count && !found;) {
        size_t size = 0;
        for (; i < count && size < COUNT_OF(batch); i++, edge = 0) {
            uint32_t from = order[i];
            for (edge += g->start[from]; edge < g->start[from + 1] && size < 64; edge++) {
                const Dependency *e = &g->edges[edge];
                if (e->kind & DEPENDS_RW && !(e->kind & DEPENDS_OUT) && within->of[e->to])
                    batch[size++] = (struct Anti){from, e->to};
            }
            if (edge < g->start[from + 1]) {
                edge -= g->start[from];
                break;
            }
        }
        for (uint32_t n = 0; n < count; n++)
            reached[order[n]] = 0;
        for (size_t b = 0; b < size; b++)
            reached[batch[b].to] |= (uint64_t)1 << b;
        for (uint32_t n = 0; n < count; n++)
            for (uint32_t e = g->start[order[n]]; reached[order[n]] && e < g->start[order[n] + 1];
                 e++)
                if (within->of[g->edges[e].to] && goes_on(&g->edges[e], kinds))
                    reached[g->edges[e].to] |= reached[order[n]];
        for (size_t b = 0; b < size && !found; b++)
            if (reached[batch[b].from] >> b & 1) {
                found = true;
                *on_cycle = batch[b].from;
            }
    }
    free(order);
    free(reached);
    return found;
}

/* A search for the shortest cycle through one state, by breadth: edges between nodes that are no
 * transactions cost nothing. */
typedef struct Search {
    const Dependencies *graph;
    unsigned kinds;
    CycleRule rule;
    const Components *within;
    CycleSpace *space;
    uint32_t closed, closed_from, closed_by; /* the shortest cycle so far; TXN_NONE: none */
    Vec(uint32_t) now, later;
    uint64_t work;
} Search;

static void reach(Search *s, uint32_t from, uint32_t to, uint32_t edge, uint32_t cost, bool free)
{
    CycleSpace *space = s->space;
    if (space->seen[to] == space->round && space->cost[to] <= cost)
        return;
    space->seen[to] = space->round;
    space->cost[to] = cost;
    space->from[to] = from;
    space->by[to] = edge;
    if (free)
        vec_push(&s->now, to);
    else
        vec_push(&s->later, to);
}

/* Follows every edge of a state, and notes where the cycle is closed at GOAL. */
static void expand(Search *s, uint32_t state, uint32_t goal, uint32_t most)
{
    const Dependencies *g = s->graph;
    uint32_t node = state / 2;
    int phase = (int)(state % 2);
    uint32_t cost = s->space->cost[state];
    if (s->rule == CYCLES_SPLIT && !phase)
        reach(s, state, state + 1, TXN_NONE, cost, true);
    for (uint32_t e = g->start[node]; e < g->start[node + 1]; e++) {
        const Dependency *edge = &g->edges[e];
        int to = phase_behind(s->rule, phase, edge->kind);
        s->work++;
        if (!(edge->kind & s->kinds) || to < 0 || s->within->of[edge->to] != s->within->of[node])
            continue;
        uint32_t next = 2 * edge->to + (uint32_t)to;
        bool inner = node >= g->txns; /* the edge that led in was counted */
        uint32_t longer = cost + !inner;
        if (longer > most)
            continue;
        if (next != goal) {
            reach(s, state, next, e, longer, inner);
        } else if (longer < s->closed) {
            s->closed = longer;
            s->closed_from = state;
            s->closed_by = e;
        }
    }
}

/* Collects the cycle that ends in GOAL, without the nodes that are no transactions. */
static void collect(const Search *s, uint32_t first, uint32_t goal, Cycle *cycle)
{
    const Dependencies *g = s->graph;
    vec_clear(cycle);
    CycleEdge edge = {.to = goal / 2};
    uint32_t state = goal;
    do {
        uint32_t before = s->space->from[state], by = s->space->by[state];
        if (by != TXN_NONE) {
            const Dependency *e = &g->edges[by];
            if (state / 2 < g->txns)
                edge.to = state / 2;
            edge.kind = e->kind & DEPENDS_KINDS;
            edge.key = e->key;
            edge.choice = e->choice;
            if (before / 2 < g->txns) {
                edge.from = before / 2;
                vec_push(cycle, edge);
            }
        }
        state = before;
    } while (state != first);
    for (size_t i = 0; i < cycle->count / 2; i++) {
        CycleEdge swap = cycle->at[i];
        cycle->at[i] = cycle->at[cycle->count - 1 - i];
        cycle->at[cycle->count - 1 - i] = swap;
    }
}

/* A cycle from FIRST back to it, or to GOAL, of at most MOST edges. */
static bool search_from(Search *s, uint32_t first, uint32_t goal, uint32_t most)
{
    CycleSpace *space = s->space;
    space->round++;
    s->closed = TXN_NONE;
    vec_clear(&s->now);
    vec_clear(&s->later);
    space->seen[first] = space->round;
    space->cost[first] = 0;
    space->from[first] = first;
    vec_push(&s->now, first);
    while (s->now.count || s->later.count) {
        if (!s->now.count) {
            void *at = s->now.at;
            size_t capacity = s->now.capacity;
            s->now.at = s->later.at;
            s->now.count = s->later.count;
            s->now.capacity = s->later.capacity;
            s->later.at = at;
            s->later.count = 0;
            s->later.capacity = capacity;
        }
        uint32_t state = vec_pop(&s->now);
        if (space->cost[state] >= s->closed)
            break;
        expand(s, state, goal, most);
    }
    if (s->closed == TXN_NONE)
        return false;
    space->from[goal] = s->closed_from;
    space->by[goal] = s->closed_by;
    return true;
}

void cycles_start(CycleSpace *space, const Dependencies *graph)
{
    size_t states = 2 * (size_t)graph->nodes;
    *space = (CycleSpace){.seen = room(states, sizeof(uint32_t)),
                          .cost = room(states, sizeof(uint32_t)),
                          .from = room(states, sizeof(uint32_t)),
                          .by = room(states, sizeof(uint32_t))};
}

void cycles_end(CycleSpace *space)
{
    free(space->seen);
    free(space->cost);
    free(space->from);
    free(space->by);
    *space = (CycleSpace){0};
}

bool cycles_find_shortest(const Dependencies *g, unsigned kinds, CycleRule rule,
                          const Components *within, uint32_t start, uint64_t work,
                          CycleSpace *space, Cycle *cycle)
{
    Search s = {.graph = g, .kinds = kinds, .rule = rule, .within = within, .space = space};
    bool found = false;
    uint32_t best = TXN_NONE - 1;
    vec_clear(cycle);
    uint32_t from = start == TXN_NONE ? 0 : start, to = start == TXN_NONE ? g->txns : start + 1;
    for (uint32_t n = from; n < to && best > 2 && (!found || s.work < work); n++) {
        if (!within->of[n])
            continue;
        for (uint32_t phase = 0; phase < (rule == CYCLES_SPLIT ? 2 : 1) && best > 2; phase++) {
            uint32_t first = 2 * n + phase, goal = rule == CYCLES_ONE ? first + 1 : first;
            if (!search_from(&s, first, goal, best - 1))
                continue;
            collect(&s, first, goal, cycle);
            best = (uint32_t)cycle->count;
            found = true;
        }
    }
    vec_free(&s.now);
    vec_free(&s.later);
    return found;
}

bool cycles_broken(const Dependencies *g, Level level, const Components *within, Components *on)
{
    const LevelRules *rules = &level_rules[level];
    uint32_t through;
    components_find(g, rules->depends, false, within, on);
    if (!on->count || rules->rule == CYCLES_ANY)
        return on->count > 0;
    Components part;
    bool split = rules->rule == CYCLES_SPLIT;
    components_find(g, split ? rules->depends : rules->depends & ~(unsigned)DEPENDS_RW, split, on,
                    &part);
    bool broken =
        part.count > 0 ||
        (!split && cycles_have_single(g, rules->depends & ~(unsigned)DEPENDS_RW, on, &through));
    components_free(&part);
    return broken;
}

bool cycles_find_breaking(const Dependencies *g, Level level, const Components *within,
                          uint32_t start, uint64_t work, CycleSpace *space, Cycle *cycle)
{
    const LevelRules *rules = &level_rules[level];
    if (rules->rule != CYCLES_ONE)
        return cycles_find_shortest(g, rules->depends, rules->rule, within, start, work, space,
                                    cycle);
    return cycles_find_shortest(g, rules->depends & ~(unsigned)DEPENDS_RW, CYCLES_ANY, within,
                                start, work, space, cycle) ||
           cycles_find_shortest(g, rules->depends, CYCLES_ONE, within, start, work, space, cycle);
}

Anomaly cycles_name(const Cycle *cycle)
{
    size_t anti = 0, count = cycle->count;
    bool read = false, adjacent = false, observed = false;
    for (size_t i = 0; i < count; i++) {
        unsigned kind = cycle->at[i].kind, next = cycle->at[(i + 1) % count].kind;
        anti += kind == DEPENDS_RW;
        read = read || kind == DEPENDS_WR;
        observed = observed || kind == DEPENDS_OTV;
        adjacent = adjacent || (kind == DEPENDS_RW && next == DEPENDS_RW);
    }
    if (observed)
        return ANOMALY_OTV;
    if (!anti)
        return read ? ANOMALY_G1C : ANOMALY_G0;
    if (anti == 1)
        return ANOMALY_G_SINGLE;
    return adjacent ? ANOMALY_G2_ITEM : ANOMALY_G_NONADJACENT;
}
