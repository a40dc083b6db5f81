#include "guest/states/visited.h"
#include <string.h>
#include "guest/explore/ops.h"
#include "guest/runtime/pages.h"
#include "guest/states/sets.h"
#include "base/vec.h"

typedef struct Entry {
    StatesKey key;
    uint32_t state; /* + 1; 0: free */
} __attribute__((packed, aligned(4))) Entry;
typedef struct Node {
    VisitedStep step;
    uint32_t set, state;
    uint32_t next; /* node of the same state, + 1 */
} Node;

static Vec(Entry) table;
static uint32_t mask;
static Vec(uint32_t) first; /* by state: its newest node + 1 */
static Vec(Node) nodes;

void visited_begin(void)
{
    if (!table.capacity) {
        mask = (1u << 12) - 1;
        vec_reserve(&table, (size_t)mask + 1);
    }
    memset(table.at, 0, sizeof *table.at * ((size_t)mask + 1));
    first.count = nodes.count = 0;
}

static uint32_t slot_of(StatesKey key)
{
    uint32_t slot = (uint32_t)key.a & mask;
    while (table.at[slot].state && (table.at[slot].key.a != key.a || table.at[slot].key.b != key.b))
        slot = (slot + 1) & mask;
    return slot;
}

static void grow(void)
{
    Vec(Entry) old;
    memcpy(&old, &table, sizeof old);
    size_t count = (size_t)mask + 1;
    if (mask >= UINT32_MAX / 2)
        op_unsupported("more states than can be numbered");
    memset(&table, 0, sizeof table);
    mask = mask * 2 + 1;
    vec_reserve(&table, (size_t)mask + 1);
    memset(table.at, 0, sizeof *table.at * ((size_t)mask + 1));
    for (size_t i = 0; i < count; i++)
        if (old.at[i].state)
            table.at[slot_of(old.at[i].key)] = old.at[i];
    vec_free(&old);
}

uint32_t visited_state(StatesKey key)
{
    if (first.count * 10 > (size_t)mask * 7)
        grow();
    Entry *entry = &table.at[slot_of(key)];
    if (!entry->state) {
        vec_push(&first, 0);
        *entry = (Entry){key, (uint32_t)first.count};
    }
    return entry->state - 1;
}

uint32_t visited_states(void)
{
    return (uint32_t)first.count;
}

bool visited_add(uint32_t state, uint32_t set, const VisitedStep *step)
{
    for (uint32_t n = first.at[state]; n; n = nodes.at[n - 1].next)
        if (sets_include(set, nodes.at[n - 1].set))
            return false;
    vec_push(&nodes, (Node){*step, set, state, first.at[state]});
    first.at[state] = (uint32_t)nodes.count;
    return true;
}

uint32_t visited_nodes(void)
{
    return (uint32_t)nodes.count;
}

const VisitedStep *visited_step(uint32_t node)
{
    return &nodes.at[node].step;
}

uint32_t visited_set_of(uint32_t node)
{
    return nodes.at[node].set;
}

uint32_t visited_state_of(uint32_t node)
{
    return nodes.at[node].state;
}

uint64_t visited_bytes(void)
{
    return table.capacity * sizeof *table.at + first.capacity * sizeof *first.at +
           nodes.capacity * sizeof *nodes.at;
}
