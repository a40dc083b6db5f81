/* Comparisons and offsets as edges between classes: a cycle of negative weight is a conflict
 * (Bellman and Ford), and where there is none the distances are values. Values may be equal where
 * the classes are not: they are moved apart where the edges leave room, and where that is not
 * enough the search is told that two integers are equal, or one is less. */
#include "prove/decide/private.h"

static void decide_add_edge(Decide *decide, uint32_t from, uint32_t to, int64_t weight, Lit because)
{
    vec_push(&decide->edges, (DecideEdge){from, to, weight, because});
}

bool decide_has_differences(const Decide *decide)
{
    if (decide->comparisons.count > 0 || decide->sums.count > 0)
        return true;
    for (size_t i = 0; i < decide->linked.count; i++)
        if (decide->nodes.at[decide->linked.at[i]].kind != NODE_NUMBER)
            return true;
    return false;
}

static void decide_collect_edges(Decide *decide)
{
    vec_clear(&decide->edges);
    for (size_t i = 0; i < decide->comparisons.count; i++) {
        Lit lit = 2 * decide->comparisons.at[i];
        const DecideVariable *variable = &decide->variables.at[decide->comparisons.at[i]];
        if (variable->value > 0)
            decide_add_edge(decide, variable->b, variable->a, variable->offset, lit);
        else if (variable->value < 0)
            decide_add_edge(decide, variable->a, variable->b, -variable->offset - 1, lit ^ 1);
    }
    for (size_t i = 0; i < decide->linked.count; i++) {
        uint32_t number = decide->linked.at[i];
        const DecideNode *node = &decide->nodes.at[number];
        decide_add_edge(decide, node->base, number, node->offset, NOTHING);
        decide_add_edge(decide, number, node->base, -node->offset, NOTHING);
    }
}

/* Shortens the distance of the class that EDGE leads to; says whether it did. */
static bool decide_relax(Decide *decide, uint32_t edge)
{
    const DecideEdge *e = &decide->edges.at[edge];
    uint32_t from = decide->nodes.at[e->from].find, to = decide->nodes.at[e->to].find;
    int64_t through = decide->distance.at[from] + e->weight;
    if (through >= decide->distance.at[to])
        return false;
    decide->distance.at[to] = through;
    decide->predecessor.at[to] = edge;
    return true;
}

/* The negative cycle that CLASS can be reached from. */
static void decide_explain_cycle(Decide *decide, uint32_t class)
{
    const DecideNode *nodes = decide->nodes.at;
    for (size_t i = 0; i < decide->arithmetic.count; i++)
        class = nodes[decide->edges.at[decide->predecessor.at[class]].from].find;
    vec_clear(&decide->conflict);
    uint32_t at = class;
    DecideEdge next = decide->edges.at[decide->predecessor.at[at]];
    do {
        DecideEdge edge = next;
        at = nodes[edge.from].find;
        next = decide->edges.at[decide->predecessor.at[at]];
        if (edge.because != NOTHING)
            vec_push(&decide->conflict, edge.because);
        if (next.to != edge.from)
            decide_explain_equal(decide, next.to, edge.from, &decide->conflict);
    } while (at != class);
}

bool decide_differences(Decide *decide)
{
    if (!decide_has_differences(decide))
        return true;
    decide_collect_edges(decide);
    while (decide->distance.count < decide->nodes.count) {
        vec_push(&decide->distance, 0);
        vec_push(&decide->predecessor, NOTHING);
        vec_push(&decide->component, NOTHING);
    }
    vec_clear(&decide->arithmetic);
    for (uint32_t i = 0; i < decide->nodes.count; i++)
        decide->component.at[i] = NOTHING;
    for (uint32_t i = 0; i < decide->nodes.count; i++) {
        uint32_t class = decide->nodes.at[i].find;
        if (!decide->nodes.at[i].arithmetic || decide->component.at[class] == class)
            continue;
        decide->component.at[class] = class;
        decide->distance.at[class] = 0;
        decide->predecessor.at[class] = NOTHING;
        vec_push(&decide->arithmetic, class);
    }
    for (size_t round = 0; round <= decide->arithmetic.count; round++) {
        uint32_t shortened = NOTHING;
        decide->steps += decide->edges.count;
        for (uint32_t i = 0; i < decide->edges.count; i++)
            if (decide_relax(decide, i))
                shortened = decide->nodes.at[decide->edges.at[i].to].find;
        if (shortened == NOTHING)
            return true;
        if (round == decide->arithmetic.count)
            decide_explain_cycle(decide, shortened);
    }
    return false;
}

static uint32_t decide_component(Decide *decide, uint32_t class)
{
    while (decide->component.at[class] != class)
        class = decide->component.at[class];
    return class;
}

/* Gives the classes of a component their distances as values, moved by BY. */
static void decide_place(Decide *decide, uint32_t root, int64_t by)
{
    decide->placed.at[root] = true;
    for (size_t i = 0; i < decide->arithmetic.count; i++) {
        uint32_t class = decide->arithmetic.at[i];
        if (decide_component(decide, class) == root)
            decide->nodes.at[class].value = decide->distance.at[class] + by;
    }
}

/* Places a component above all that have values, if it is not placed yet. */
static void decide_place_above(Decide *decide, uint32_t root)
{
    if (decide->placed.at[root])
        return;
    int64_t top = 0, least = INT64_MAX;
    for (size_t i = 0; i < decide->arithmetic.count; i++) {
        uint32_t class = decide->arithmetic.at[i], component = decide_component(decide, class);
        if (component == root)
            least = MIN(least, decide->distance.at[class]);
        else if (decide->placed.at[component])
            top = MAX(top, decide->nodes.at[class].value);
    }
    decide_place(decide, root, top + 1 - least);
}

static uint32_t decide_component_of(Decide *decide, uint32_t node)
{
    return decide_component(decide, decide->nodes.at[node].find);
}

/* Puts classes that no edge connects in different ranges: that of 0 first, those with a sum where
 * the sum is right, each other one above those before it. */
static void decide_spread_components(Decide *decide)
{
    DecideNode *nodes = decide->nodes.at;
    while (decide->placed.count < decide->nodes.count)
        vec_push(&decide->placed, false);
    for (size_t i = 0; i < decide->nodes.count; i++)
        decide->placed.at[i] = false;
    for (size_t i = 0; i < decide->edges.count; i++) {
        uint32_t a = decide_component_of(decide, decide->edges.at[i].from);
        uint32_t b = decide_component_of(decide, decide->edges.at[i].to);
        decide->component.at[a] = b;
    }
    decide_place(decide, decide_component_of(decide, 0), -decide->distance.at[nodes[0].find]);
    for (size_t i = 0; i < decide->sums.count; i++) {
        const DecideSum *sum = &decide->sums.at[i];
        decide_place_above(decide, decide_component_of(decide, sum->a));
        decide_place_above(decide, decide_component_of(decide, sum->b));
        int64_t a = nodes[nodes[sum->a].find].value, b = nodes[nodes[sum->b].find].value;
        uint32_t root = decide_component_of(decide, sum->node);
        if (!decide->placed.at[root])
            decide_place(decide, root,
                         (sum->minus ? a - b : a + b) - decide->distance.at[nodes[sum->node].find]);
    }
    for (size_t i = 0; i < decide->arithmetic.count; i++)
        decide_place_above(decide, decide_component(decide, decide->arithmetic.at[i]));
}

static bool decide_value_taken(const Decide *decide, uint32_t class, int64_t value)
{
    for (size_t i = 0; i < decide->arithmetic.count; i++)
        if (decide->arithmetic.at[i] != class &&
            decide->nodes.at[decide->arithmetic.at[i]].value == value)
            return true;
    return false;
}

/* Gives a class a value of its own, if the edges leave one. */
static void decide_move_apart(Decide *decide, uint32_t class)
{
    DecideNode *nodes = decide->nodes.at;
    int64_t most = INT64_MAX, least = INT64_MIN, value = nodes[class].value;
    if (class == nodes[0].find)
        return;
    for (size_t i = 0; i < decide->edges.count; i++) {
        const DecideEdge *edge = &decide->edges.at[i];
        uint32_t from = nodes[edge->from].find, to = nodes[edge->to].find;
        if (from == to)
            continue;
        if (to == class)
            most = MIN(most, nodes[from].value + edge->weight);
        if (from == class)
            least = MAX(least, nodes[to].value - edge->weight);
    }
    int64_t tries = (int64_t)decide->arithmetic.count + 1;
    for (int64_t by = 1; by <= tries && value + by <= most; by++)
        if (!decide_value_taken(decide, class, value + by)) {
            nodes[class].value = value + by;
            return;
        }
    for (int64_t by = 1; by <= tries && value - by >= least; by++)
        if (!decide_value_taken(decide, class, value - by)) {
            nodes[class].value = value - by;
            return;
        }
}

/* Two nodes of different classes with one value. Tells the search: they are equal, or one is
 * less. */
static void decide_split(Decide *decide, uint32_t a, uint32_t b)
{
    Lit clause[] = {decide_equal(decide, a, b), decide_at_most(decide, a, b, 0) ^ 1,
                    decide_at_most(decide, b, a, 0) ^ 1};
    decide_add_clause(decide, clause, 3);
}

/* Two reads of one map, with different values, at indexes of one value; NULL-like if none. */
static bool decide_reads_collide(const Decide *decide, uint32_t a, uint32_t b, uint32_t pair[2])
{
    for (size_t map = 0; map < decide->map_count; map++) {
        uint32_t x = decide->reads.at[a * decide->map_count + map];
        uint32_t y = decide->reads.at[b * decide->map_count + map];
        if (x == NOTHING || y == NOTHING || decide->nodes.at[x].find == decide->nodes.at[y].find)
            continue;
        pair[0] = decide->nodes.at[x].argument;
        pair[1] = decide->nodes.at[y].argument;
        return true;
    }
    return false;
}

/* Lists the pairs of nodes that must be told apart, or made equal. */
static void decide_find_collisions(const Decide *decide, Lits *pairs)
{
    const DecideNode *nodes = decide->nodes.at;
    for (size_t i = 1; i < decide->variables.count; i++) {
        const DecideVariable *variable = &decide->variables.at[i];
        if (variable->kind != ATOM_EQUAL || variable->value >= 0)
            continue;
        uint32_t a = nodes[variable->a].find, b = nodes[variable->b].find;
        if (decide->component.at[a] != NOTHING && decide->component.at[b] != NOTHING &&
            nodes[a].value == nodes[b].value) {
            vec_push(pairs, variable->a);
            vec_push(pairs, variable->b);
        }
    }
    for (size_t i = 0; i < decide->arithmetic.count; i++)
        for (size_t k = 0; k < i; k++) {
            uint32_t a = decide->arithmetic.at[i], b = decide->arithmetic.at[k], pair[2];
            if (nodes[a].value != nodes[b].value || !decide_reads_collide(decide, a, b, pair))
                continue;
            vec_push(pairs, pair[0]);
            vec_push(pairs, pair[1]);
        }
}

bool decide_arrange(Decide *decide)
{
    if (!decide_has_differences(decide))
        return true;
    Lits pairs = {0};
    decide->steps += decide->variables.count + decide->arithmetic.count * decide->arithmetic.count;
    decide_spread_components(decide);
    for (size_t i = 0; i < decide->arithmetic.count; i++) {
        uint32_t class = decide->arithmetic.at[i];
        if (decide_value_taken(decide, class, decide->nodes.at[class].value))
            decide_move_apart(decide, class);
    }
    decide_find_collisions(decide, &pairs);
    bool arranged = pairs.count == 0;
    if (!arranged)
        decide_go_back(decide, 0);
    for (size_t i = 0; i < pairs.count; i += 2)
        decide_split(decide, pairs.at[i], pairs.at[i + 1]);
    vec_free(&pairs);
    return arranged;
}
