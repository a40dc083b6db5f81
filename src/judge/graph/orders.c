#include "judge/graph/orders.h"
#include <string.h>
#include "base/hash.h"

#define MOST_NODES 100000u

typedef struct Walk {
    const OrdersProblem *problem;
    OrdersEnd *ends;
    size_t count, most;
    uint64_t all, nodes, most_nodes;
    bool merges;  /* orders of the same operations that lead to the same state */
    HashMap seen; /* operations done and state */
    uint32_t order[ORDERS_MOST];
} Walk;

static void keep_end(Walk *walk, uint32_t length, uint32_t state, uint32_t next)
{
    size_t at = walk->count;
    for (size_t i = 0; i < at; i++) /* one order may end in several states, if it is relaxed */
        if (walk->ends[i].length == length &&
            !memcmp(walk->ends[i].order, walk->order, length * sizeof *walk->order))
            return;
    walk->all++;
    while (at > 0 && walk->ends[at - 1].length < length)
        at--;
    if (at == walk->most)
        return;
    size_t moved = MIN(walk->count, walk->most - 1) - at;
    memmove(&walk->ends[at + 1], &walk->ends[at], moved * sizeof *walk->ends);
    walk->ends[at] = (OrdersEnd){.length = length, .state = state, .next = next};
    memcpy(walk->ends[at].order, walk->order, length * sizeof *walk->order);
    walk->count = MIN(walk->count + 1, walk->most);
}

static void walk_from(Walk *walk, uint32_t done, uint32_t length, uint32_t state)
{
    const OrdersProblem *problem = walk->problem;
    uint64_t key = (uint64_t)done << 32 | state;
    if (walk->merges && (*hashmap_put(&walk->seen, key, NULL))++)
        return;
    if (walk->nodes >= walk->most_nodes)
        return;
    walk->nodes++;
    uint32_t next = 0;
    bool goes_on = false;
    for (uint32_t i = 0; i < problem->count; i++) {
        if (done >> i & 1 || problem->before[i] & ~done)
            continue;
        size_t count;
        const uint32_t *steps =
            automaton_step(problem->automaton, state, problem->labels[i], &count);
        uint32_t copy[64];
        count = MIN(count, COUNT_OF(copy));
        memcpy(copy, steps, count * sizeof *copy);
        next |= 1u << i;
        goes_on |= count > 0;
        walk->order[length] = i;
        for (size_t s = 0; s < count; s++)
            walk_from(walk, done | 1u << i, length + 1, copy[s]);
    }
    if (!goes_on)
        keep_end(walk, length, state, next);
}

size_t orders_find(const OrdersProblem *problem, OrdersEnd *ends, size_t most, uint64_t *all)
{
    ASSERT(problem->count <= ORDERS_MOST && most > 0);
    Walk walk = {.problem = problem, .ends = ends, .most = most, .most_nodes = problem->apart};
    walk_from(&walk, 0, 0, automaton_initial(problem->automaton));
    if (walk.nodes >= problem->apart) {
        walk = (Walk){.problem = problem,
                      .ends = ends,
                      .most = most,
                      .most_nodes = MOST_NODES,
                      .merges = true};
        walk_from(&walk, 0, 0, automaton_initial(problem->automaton));
        hashmap_free(&walk.seen);
    }
    *all = walk.nodes >= MOST_NODES ? UINT64_MAX : walk.all;
    return walk.count;
}
