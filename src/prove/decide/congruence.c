/* Classes of equal nodes, closed under reads: equal indexes have equal values. Merging gives each
 * member of the smaller class the name of the larger one. Why two nodes are equal is the path
 * between them in a forest of reasons (Nieuwenhuis and Oliveras): later merges never change it, so
 * that an explanation that is asked for late names no literal that came later. */
#include "prove/decide/private.h"

/* Gives the table of reads room for every map of the pool. */
static void decide_widen_reads(Decide *decide)
{
    size_t before = decide->map_count, after = decide->pool->maps.count;
    Vec(uint32_t) wide = {0};
    for (size_t i = 0; i < decide->nodes.count; i++)
        for (size_t map = 0; map < after; map++)
            vec_push(&wide, map < before ? decide->reads.at[i * before + map] : NOTHING);
    for (size_t i = 0; i < decide->read_trail.count; i++) {
        size_t entry = decide->read_trail.at[i];
        decide->read_trail.at[i] = entry / before * after + entry % before;
    }
    vec_free(&decide->reads);
    decide->reads.at = wide.at;
    decide->reads.count = wide.count;
    decide->reads.capacity = wide.capacity;
    decide->map_count = after;
}

static void decide_set_read(Decide *decide, uint32_t class, uint32_t map, uint32_t read)
{
    size_t entry = class * decide->map_count + map;
    decide->reads.at[entry] = read;
    vec_push(&decide->read_trail, entry);
}

uint32_t decide_new_node(Decide *decide, DecideNode node)
{
    uint32_t number = (uint32_t)decide->nodes.count;
    if (node.kind == NODE_READ && node.map >= decide->map_count)
        decide_widen_reads(decide);
    node.find = node.next = number;
    node.size = 1;
    node.constant = node.kind == NODE_NUMBER ? number : NOTHING;
    node.arithmetic |= node.kind == NODE_NUMBER;
    node.atoms = node.parent = NOTHING;
    node.walk = node.edge_mark = 0;
    vec_push(&decide->nodes, node);
    for (size_t map = 0; map < decide->map_count; map++)
        vec_push(&decide->reads, NOTHING);
    if (node.base != NOTHING)
        vec_push(&decide->linked, number);
    if (node.kind == NODE_READ) {
        uint32_t class = decide->nodes.at[node.argument].find;
        uint32_t known = decide->reads.at[class * decide->map_count + node.map];
        if (known == NOTHING)
            decide_set_read(decide, class, node.map, number);
        else
            vec_push(&decide->pending,
                     (DecidePending){number, known, BECAUSE_READS, {number, known}});
    }
    return number;
}

/* Appends the true literals that the edge from CHILD to its parent rests on; equalities of
 * arguments are explained later. */
static void decide_explain_edge(Decide *decide, Lit because, const uint32_t pair[2], Lits *out)
{
    if (because != BECAUSE_READS) {
        vec_push(out, because);
        return;
    }
    uint32_t a = decide->nodes.at[pair[0]].argument, b = decide->nodes.at[pair[1]].argument;
    if (a != b)
        vec_push(&decide->to_explain, (DecidePending){.a = a, .b = b});
}

static void decide_explain_path(Decide *decide, uint32_t from, uint32_t to, Lits *out)
{
    while (from != to) {
        DecideNode *node = &decide->nodes.at[from];
        if (node->edge_mark != decide->mark) {
            node->edge_mark = decide->mark;
            decide_explain_edge(decide, node->because, node->pair, out);
        }
        from = node->parent;
    }
}

static uint32_t decide_common_ancestor(Decide *decide, uint32_t a, uint32_t b)
{
    unsigned walk = ++decide->walk;
    for (; a != NOTHING; a = decide->nodes.at[a].parent)
        decide->nodes.at[a].walk = walk;
    while (decide->nodes.at[b].walk != walk)
        b = decide->nodes.at[b].parent;
    return b;
}

/* Explains what waits. Each edge of the forest is named once. */
static void decide_explain_waiting(Decide *decide, Lits *out)
{
    while (decide->to_explain.count > 0) {
        DecidePending next = vec_pop(&decide->to_explain);
        uint32_t top = decide_common_ancestor(decide, next.a, next.b);
        decide_explain_path(decide, next.a, top, out);
        decide_explain_path(decide, next.b, top, out);
    }
}

void decide_explain_equal(Decide *decide, uint32_t a, uint32_t b, Lits *out)
{
    decide->mark++;
    vec_push(&decide->to_explain, (DecidePending){.a = a, .b = b});
    decide_explain_waiting(decide, out);
}

void decide_explain(Decide *decide, Lit lit, Lits *out)
{
    const DecideVariable *variable = &decide->variables.at[lit_variable(lit)];
    uint32_t a = variable->a, b = variable->b;
    decide->mark++;
    if (!(lit & 1)) {
        vec_push(&decide->to_explain, (DecidePending){.a = a, .b = b});
    } else { /* they equal different numbers */
        const DecideNode *nodes = decide->nodes.at;
        vec_push(&decide->to_explain, (DecidePending){.a = a, .b = nodes[nodes[a].find].constant});
        vec_push(&decide->to_explain, (DecidePending){.a = b, .b = nodes[nodes[b].find].constant});
    }
    decide_explain_waiting(decide, out);
}

/* Makes NODE the root of its tree. */
static void decide_reroot(Decide *decide, uint32_t node)
{
    DecideNode *nodes = decide->nodes.at;
    uint32_t at = node, parent = nodes[at].parent;
    Lit because = nodes[at].because;
    uint32_t pair[2] = {nodes[at].pair[0], nodes[at].pair[1]};
    nodes[at].parent = NOTHING;
    while (parent != NOTHING) {
        uint32_t next = nodes[parent].parent;
        Lit next_because = nodes[parent].because;
        uint32_t next_pair[2] = {nodes[parent].pair[0], nodes[parent].pair[1]};
        nodes[parent].parent = at;
        nodes[parent].because = because;
        nodes[parent].pair[0] = pair[0];
        nodes[parent].pair[1] = pair[1];
        at = parent;
        parent = next;
        because = next_because;
        pair[0] = next_pair[0];
        pair[1] = next_pair[1];
    }
}

/* Looks at the atoms on the nodes FIRST to LAST of a circle. With EQUAL, those whose other side is
 * in the same class are true; with NUMBERED, those whose other side equals another number are
 * false. */
static bool decide_settle_atoms(Decide *decide, uint32_t first, uint32_t last, bool equal,
                                bool numbered)
{
    DecideNode *nodes = decide->nodes.at;
    for (uint32_t at = first;; at = nodes[at].next) {
        decide->steps++;
        for (uint32_t entry = nodes[at].atoms; entry != NOTHING;) {
            const DecideVariable *variable = &decide->variables.at[entry >> 1];
            uint32_t mine = nodes[at].find;
            uint32_t other = nodes[entry & 1 ? variable->a : variable->b].find;
            Lit lit = entry & ~1u;
            if (equal && other == mine && variable->value <= 0) {
                if (variable->value < 0) {
                    vec_clear(&decide->conflict);
                    decide_explain_equal(decide, variable->a, variable->b, &decide->conflict);
                    vec_push(&decide->conflict, lit ^ 1);
                    return false;
                }
                decide_assign(decide, lit, REASON_CLASSES);
            } else if (numbered && other != mine && variable->value == 0 &&
                       nodes[other].constant != NOTHING) {
                decide_assign(decide, lit ^ 1, REASON_CLASSES);
            }
            entry = variable->next[entry & 1];
        }
        if (at == last)
            return true;
    }
}

static void decide_join_classes(Decide *decide, uint32_t from, uint32_t into)
{
    DecideNode *nodes = decide->nodes.at;
    uint32_t at = from;
    do {
        nodes[at].find = into;
        at = nodes[at].next;
    } while (at != from);
    uint32_t next = nodes[from].next;
    nodes[from].next = nodes[into].next;
    nodes[into].next = next;
    nodes[into].size += nodes[from].size;
    for (uint32_t map = 0; map < decide->map_count; map++) {
        uint32_t a = decide->reads.at[from * decide->map_count + map];
        uint32_t b = decide->reads.at[into * decide->map_count + map];
        if (a == NOTHING)
            continue;
        if (b == NOTHING)
            decide_set_read(decide, into, map, a);
        else if (nodes[a].find != nodes[b].find)
            vec_push(&decide->pending, (DecidePending){a, b, BECAUSE_READS, {a, b}});
    }
}

/* Two classes with different numbers can't be merged. */
static void decide_explain_numbers(Decide *decide, const DecidePending *why)
{
    const DecideNode *nodes = decide->nodes.at;
    vec_clear(&decide->conflict);
    decide->mark++;
    decide_explain_edge(decide, why->because, why->pair, &decide->conflict);
    vec_push(&decide->to_explain,
             (DecidePending){.a = why->a, .b = nodes[nodes[why->a].find].constant});
    vec_push(&decide->to_explain,
             (DecidePending){.a = why->b, .b = nodes[nodes[why->b].find].constant});
    decide_explain_waiting(decide, &decide->conflict);
}

static bool decide_merge(Decide *decide, DecidePending why)
{
    DecideNode *nodes = decide->nodes.at;
    uint32_t child = why.a, parent = why.b;
    if (nodes[child].find == nodes[parent].find)
        return true;
    if (nodes[nodes[child].find].size > nodes[nodes[parent].find].size) {
        child = why.b;
        parent = why.a;
    }
    uint32_t from = nodes[child].find, into = nodes[parent].find;
    bool from_numbered = nodes[from].constant != NOTHING;
    bool into_numbered = nodes[into].constant != NOTHING;
    if (from_numbered && into_numbered) {
        decide_explain_numbers(decide, &why);
        return false;
    }
    DecideMerge merge = {from, into, {child, parent}, from_numbered, decide->read_trail.count};
    decide->steps += 1 + nodes[from].size;
    decide_reroot(decide, child);
    nodes[child].parent = parent;
    nodes[child].because = why.because;
    nodes[child].pair[0] = why.pair[0];
    nodes[child].pair[1] = why.pair[1];
    decide_join_classes(decide, from, into);
    if (from_numbered)
        nodes[into].constant = nodes[from].constant;
    vec_push(&decide->merges, merge);
    /* In the circle, FROM's members now stand behind INTO. */
    if (!decide_settle_atoms(decide, nodes[into].next, from, true, into_numbered))
        return false;
    return !from_numbered || decide_settle_atoms(decide, nodes[from].next, into, false, true);
}

bool decide_merge_pending(Decide *decide)
{
    while (decide->pending.count > 0) {
        DecidePending next = vec_pop(&decide->pending);
        if (!decide_merge(decide, next)) {
            vec_clear(&decide->pending);
            return false;
        }
    }
    return true;
}

bool decide_merge_equal(Decide *decide, Lit because)
{
    const DecideVariable *variable = &decide->variables.at[lit_variable(because)];
    vec_push(&decide->pending, (DecidePending){variable->a, variable->b, because, {0, 0}});
    return decide_merge_pending(decide);
}

void decide_undo_merges(Decide *decide, size_t count)
{
    DecideNode *nodes = decide->nodes.at;
    while (decide->merges.count > count) {
        DecideMerge merge = vec_pop(&decide->merges);
        uint32_t next = nodes[merge.from].next;
        nodes[merge.from].next = nodes[merge.into].next;
        nodes[merge.into].next = next;
        nodes[merge.into].size -= nodes[merge.from].size;
        uint32_t at = merge.from;
        do {
            nodes[at].find = merge.from;
            at = nodes[at].next;
        } while (at != merge.from);
        if (merge.gave_constant)
            nodes[merge.into].constant = NOTHING;
        uint32_t child = merge.ends[0], parent = merge.ends[1];
        nodes[nodes[child].parent == parent ? child : parent].parent = NOTHING;
        while (decide->read_trail.count > merge.reads)
            decide->reads.at[vec_pop(&decide->read_trail)] = NOTHING;
    }
}
