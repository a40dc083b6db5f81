#include "guest/states/visited.h"
#include <string.h>
#include <sys/mman.h>
#include "base/hash.h"
#include "guest/explore/search/ops.h"
#include "guest/runtime/pages.h"
#include "guest/states/sets.h"
#include "guest/states/shelf.h"
#include "guest/states/symmetry.h"

uint32_t visited_known_sets = UINT32_MAX;
typedef struct State {
    uint64_t a;
    uint32_t b;     /* the key, as far as it is kept: 96 bits */
    uint32_t first; /* its newest node: a NodeName */
} State;
/* A node + 1, with OLDER if its state has an older one; 0: none. */
typedef uint32_t NodeName;
#define OLDER (UINT32_C(1) << 31)
/* Parents of nodes that follow each other lie close together, since nodes are expanded in their
 * order: of NEAR nodes the parent of the first is kept, and of each how far its own lies behind
 * that. The parent of one that lies too FAR behind is listed. */
enum { NEAR = 32, FAR = UINT16_MAX };
typedef struct FarParent {
    uint32_t node, parent;
} FarParent;
typedef struct Plain {
    uint32_t state;
    NodeName older; /* as in Odd */
} Plain;
typedef struct Nodes {
    bool plainly;
    Shelf(Plain) plain; /* if so */
    Shelf(uint32_t) set;
    Shelf(uint32_t) first;  /* by NEAR nodes: a parent */
    Shelf(uint16_t) behind; /* by node; or FAR */
    Shelf(FarParent) far;   /* in the order of their nodes */
} Nodes;

/* Most nodes are the first of a new state, so that their states are numbered as they are: by how
 * many nodes before them are odd. A node is odd if its state had a node before, or was met before
 * by a step that could not be followed. */
typedef struct Odd {
    uint32_t node;
    uint32_t state;
    NodeName older; /* the next older node of the state */
    uint32_t shift; /* nodes that come behind it, up to the next odd one, have states with numbers
                       that are smaller by this */
} Odd;

/* By key: a state + 1, or 0; in the bits that its number does not need, some of its key, so that
 * few other states are looked at. A table of 2^k places lies at place 2^k of `all`; before the
 * first of them is the mask of the one that is used, and how many odd nodes there are. So the
 * crew, which was forked with all of them, finds the present one. One that is left is given back,
 * and reads as empty: who still looks there does not find a state that is known, which the crew may
 * always do. */
static struct {
    Shelf(uint32_t) all;
    uint32_t *at; /* the present one */
    uint32_t mask;
} table;
static Shelf(State) states;
static Nodes nodes;
static Shelf(uint16_t) step_of; /* by node: of `steps` */
static Shelf(uint8_t) turn_of;  /* by node, where threads are interchangeable */
static Shelf(Odd) odds;         /* in the order of their nodes */
static Vec(VisitedStep) steps;  /* the different ones, without parents */
static HashMap step_number;

/* (The crew reads while the search writes.) */
static inline uint32_t slot_value(uint32_t slot)
{
    return __atomic_load_n(&table.at[slot], __ATOMIC_ACQUIRE);
}

static inline void set_slot(uint32_t slot, uint32_t value)
{
    __atomic_store_n(&table.at[slot], value, __ATOMIC_RELEASE);
}

static void use_table(uint32_t size)
{
    table.mask = size - 1;
    table.at = shelf_at(&table.all, size);
}

enum { PUBLIC_MASK, PUBLIC_ODDS }; /* places of `all` */

static void publish(uint32_t place, uint32_t value)
{
    __atomic_store_n(&table.all.at[place], value, __ATOMIC_RELEASE);
}

static inline uint32_t published(uint32_t place)
{
    return __atomic_load_n(&table.all.at[place], __ATOMIC_ACQUIRE);
}

void visited_begin(bool plainly)
{
    enum { FIRST = 1 << 12 };
    long owner = table.all.owner;
    shelf_clear(&table.all);
    shelf_clear(&states);
    nodes.plainly = plainly;
    shelf_clear(&nodes.plain);
    shelf_clear(&nodes.set);
    shelf_clear(&nodes.first);
    shelf_clear(&nodes.behind);
    shelf_clear(&nodes.far);
    shelf_clear(&step_of);
    shelf_clear(&turn_of);
    shelf_clear(&odds);
    if (!table.at || table.all.owner != owner)
        use_table(FIRST);
    else
        memset(table.at, 0, sizeof *table.at * ((size_t)table.mask + 1));
    publish(PUBLIC_MASK, table.mask);
    publish(PUBLIC_ODDS, 0);
    steps.count = 0;
    hashmap_clear(&step_number);
}

static inline uint32_t tag_of(uint64_t a)
{
    return (uint32_t)(a >> 32) & ~table.mask;
}

static inline uint32_t state_in(uint32_t value)
{
    return (value & table.mask) - 1;
}

/* Returns what the table has for KEY, or 0; *slot is where that is, or belongs. (It may be emptied
 * meanwhile, where the crew looks: each place is read once.) */
static uint32_t look_up(StatesKey key, uint32_t *slot)
{
    uint32_t at = (uint32_t)key.a & table.mask, tag = tag_of(key.a), value;
    for (; (value = slot_value(at)); at = (at + 1) & table.mask) {
        if ((value & ~table.mask) != tag)
            continue;
        const State *state = shelf_at(&states, state_in(value));
        if (state->a == key.a && state->b == (uint32_t)key.b)
            break;
    }
    *slot = at;
    return value;
}

static void grow(void)
{
    uint32_t *old = table.at;
    if (table.mask >= UINT32_MAX / 2)
        op_unsupported("more states than can be numbered");
    use_table((table.mask + 1) * 2);
    size_t bytes = sizeof *table.at * ((size_t)table.mask + 1);
    if (bytes >= PAGES_LARGE)
        pages_take_large(table.at, bytes);
    for (uint32_t i = 0; i < states.count; i++) {
        const State *state = shelf_at(&states, i);
        uint32_t slot = (uint32_t)state->a & table.mask;
        while (slot_value(slot))
            slot = (slot + 1) & table.mask;
        set_slot(slot, tag_of(state->a) | (i + 1));
    }
    publish(PUBLIC_MASK, table.mask);
    shelf_give_back((char *)old, (char *)table.at); /* (it ends where the next one begins) */
}

/* visited_is_covered will look at it soon. */
static inline void expect_set(uint32_t state)
{
    NodeName newest = __atomic_load_n(&shelf_at(&states, state)->first, __ATOMIC_RELAXED);
    if (newest)
        __builtin_prefetch(shelf_at(&nodes.set, (newest & ~OLDER) - 1));
}

uint32_t visited_state(StatesKey key)
{
    if (states.count * 5 > (size_t)table.mask * 4)
        grow();
    uint32_t slot, value = look_up(key, &slot);
    if (!value) {
        shelf_push(&states, (State){key.a, (uint32_t)key.b, 0});
        value = tag_of(key.a) | (uint32_t)states.count;
        set_slot(slot, value);
    }
    expect_set(state_in(value));
    return state_in(value);
}

/* In the crew: the search may use another table by now. */
static inline void follow_table(void)
{
    uint32_t present = published(PUBLIC_MASK);
    if (UNLIKELY(present != table.mask))
        use_table(present + 1);
}

void visited_expect(StatesKey key)
{
    if (shelf_is_guest)
        follow_table();
    __builtin_prefetch(&table.at[(uint32_t)key.a & table.mask]);
}

uint32_t visited_find(StatesKey key)
{
    uint32_t slot, value;
    if (shelf_is_guest)
        follow_table();
    value = look_up(key, &slot);
    if (!value)
        return VISITED_NONE;
    expect_set(state_in(value));
    return state_in(value);
}

uint32_t visited_states(void)
{
    return (uint32_t)states.count;
}

/* The number of a step like this one, wherever it begins. */
static uint16_t number_step(const VisitedStep *step)
{
    bool absent;
    uint64_t key = (uint64_t)(uint16_t)step->call | (uint64_t)step->requests << 16 |
                   (uint64_t)step->thread << 32 | (uint64_t)step->choice << 40 |
                   (uint64_t)step->site << 48;
    const uint64_t *known = hashmap_find(&step_number, key);
    if (known)
        return (uint16_t)*known;
    if (steps.count > UINT16_MAX) /* (the search goes on, and may ask again) */
        op_unsupported("the threads take more than %d different steps", UINT16_MAX);
    *hashmap_put(&step_number, key, &absent) = steps.count;
    vec_push(&steps, *step);
    return (uint16_t)(steps.count - 1);
}

/* How many odd nodes come before node N, or are that node? *LAST is the answer before: nodes are
 * often asked for in their order. */
static size_t odds_to(uint32_t n, size_t *last)
{
    size_t low = 0, high = shelf_is_guest ? published(PUBLIC_ODDS) : odds.count;
    if (*last <= high && (!*last || shelf_at(&odds, *last - 1)->node <= n)) {
        if (*last == high || shelf_at(&odds, *last)->node > n)
            return *last;
        low = *last;
    }
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (shelf_at(&odds, middle)->node <= n)
            low = middle + 1;
        else
            high = middle;
    }
    *last = low;
    return low;
}
static size_t odds_in_order; /* the last answer of those that are asked for in their order */

/* The next older node of the state of NODE. */
static NodeName older_than(uint32_t node, size_t *last)
{
    if (nodes.plainly)
        return shelf_at(&nodes.plain, node)->older;
    size_t i = odds_to(node, last);
    return i && shelf_at(&odds, i - 1)->node == node ? shelf_at(&odds, i - 1)->older : 0;
}

uint32_t visited_state_of(uint32_t node)
{
    DEBUG_ASSERT(node < visited_nodes());
    if (nodes.plainly)
        return shelf_at(&nodes.plain, node)->state;
    size_t i = odds_to(node, &odds_in_order);
    if (!i)
        return node;
    const Odd *odd = shelf_at(&odds, i - 1);
    return odd->node == node ? odd->state : node - odd->shift;
}

bool visited_is_first(uint32_t node)
{
    return !older_than(node, &odds_in_order);
}

bool visited_is_covered(uint32_t state, uint32_t set, VisitedLook *look)
{
    NodeName newest = __atomic_load_n(&shelf_at(&states, state)->first, __ATOMIC_ACQUIRE);
    bool all = true;
    size_t last = 0;
    for (NodeName n = newest; n && n != *look;) {
        uint32_t node = (n & ~OLDER) - 1, other = *shelf_at(&nodes.set, node);
        if (other >= visited_known_sets)
            all = false;
        else if (sets_include(set, other))
            return true;
        n = n & OLDER ? older_than(node, &last) : 0;
    }
    *look = all ? newest : 0;
    return false;
}

static void add_parent(uint32_t node, uint32_t parent)
{
    DEBUG_ASSERT(parent < node || !node);
    if (node % NEAR == 0)
        shelf_push(&nodes.first, parent);
    uint32_t behind = parent - *shelf_at(&nodes.first, node / NEAR);
    if (behind >= FAR)
        shelf_push(&nodes.far, (FarParent){node, parent});
    shelf_push(&nodes.behind, (uint16_t)MIN(behind, (uint32_t)FAR));
}

static uint32_t parent_of(uint32_t node)
{
    uint16_t behind = *shelf_at(&nodes.behind, node);
    if (behind < FAR)
        return *shelf_at(&nodes.first, node / NEAR) + behind;
    size_t low = 0, high = nodes.far.count; /* it is at one of [low, high) */
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (shelf_at(&nodes.far, middle)->node <= node)
            low = middle;
        else
            high = middle;
    }
    return shelf_at(&nodes.far, low)->parent;
}

void visited_add(uint32_t state, uint32_t set, uint8_t turn, const VisitedStep *step)
{
    DEBUG_ASSERT(state < visited_states());
    State *of = shelf_at(&states, state);
    uint32_t node = (uint32_t)nodes.set.count, odd = (uint32_t)odds.count;
    uint32_t shift = odd ? shelf_at(&odds, odd - 1)->shift : 0;
    if (node >= OLDER - 1)
        op_unsupported("more pairs of a state and explanations than can be numbered");
    if (nodes.plainly) {
        shelf_push(&nodes.plain, (Plain){state, of->first});
    } else if (of->first || state != node - shift) {
        shelf_push(&odds, (Odd){node, state, of->first, node + 1 - (uint32_t)states.count});
        publish(PUBLIC_ODDS, odd + 1);
    }
    add_parent(node, step->parent);
    shelf_push(&nodes.set, set);
    shelf_push(&step_of, number_step(step));
    if (symmetry_used)
        shelf_push(&turn_of, turn);
    __atomic_store_n(&of->first, (node + 1) | (of->first ? OLDER : 0), __ATOMIC_RELEASE);
}

bool visited_has_node(uint32_t state)
{
    return shelf_at(&states, state)->first != 0;
}

uint32_t visited_nodes(void)
{
    return (uint32_t)nodes.set.count;
}

VisitedStep visited_step(uint32_t node)
{
    VisitedStep step = steps.at[*shelf_at(&step_of, node)];
    step.parent = parent_of(node);
    return step;
}

uint32_t visited_set_of(uint32_t node)
{
    return *shelf_at(&nodes.set, node);
}

uint8_t visited_turn_of(uint32_t node)
{
    return symmetry_used ? *shelf_at(&turn_of, node) : 0;
}

uint64_t visited_bytes(void)
{
    return sizeof *table.at * ((size_t)table.mask + 1) + shelf_bytes(&states) +
           shelf_bytes(&nodes.plain) + shelf_bytes(&nodes.set) + shelf_bytes(&nodes.first) +
           shelf_bytes(&nodes.behind) + shelf_bytes(&nodes.far) + shelf_bytes(&step_of) +
           shelf_bytes(&turn_of) + shelf_bytes(&odds) + steps.capacity * sizeof *steps.at;
}
