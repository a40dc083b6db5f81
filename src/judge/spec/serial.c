#include "judge/spec/serial.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"

typedef struct Node {
    uint32_t operation;
    Value result;               /* VALUE_UNKNOWN: it blocks, and nothing follows */
    uint32_t first_child, next; /* children in the order of their operations */
} Node;

struct SerialRuns {
    Spec spec;
    Vec(Node) nodes; /* 0 is the root; a child comes after its parent */
    /* By node: the last node from which the same can follow. Such nodes are one state, so that
     * searches meet again where calls commute. Made when the tree is first looked at. */
    Vec(uint32_t) state_of;
    Vec(uint32_t) index; /* of states by hash, while they are made */
    bool may_choose;
    uint32_t count;
    const char *names[SERIAL_MOST];
    uint16_t methods[SERIAL_MOST]; /* the first operation of the same name */
    Value numbers[SERIAL_MOST];
};

/* The first child for OPERATION from CHILD on; several if its result may differ. */
static uint32_t next_child(const SerialRuns *runs_seen, uint32_t child, uint32_t operation)
{
    while (child && runs_seen->nodes.at[child].operation != operation)
        child = runs_seen->nodes.at[child].next;
    return child;
}

static uint32_t find_child(const SerialRuns *runs_seen, uint32_t node, uint32_t operation)
{
    return next_child(runs_seen, runs_seen->nodes.at[node].first_child, operation);
}

static bool serial_resolve(const Spec *spec, Str name, size_t count, uint16_t *method)
{
    (void)count; /* a test file has one operation of a name */
    const SerialRuns *runs_seen = spec->data;
    for (uint32_t k = 0; k < runs_seen->count; k++)
        if (str_is(name, runs_seen->names[k])) {
            *method = runs_seen->methods[k];
            return true;
        }
    return false;
}

/* Can the same follow A and B, whose children have their states? */
static bool are_same(const SerialRuns *runs_seen, uint32_t a, uint32_t b)
{
    const Node *nodes = runs_seen->nodes.at;
    uint32_t x = nodes[a].first_child, y = nodes[b].first_child;
    for (; x && y; x = nodes[x].next, y = nodes[y].next)
        if (nodes[x].operation != nodes[y].operation ||
            !value_equal(nodes[x].result, nodes[y].result) ||
            runs_seen->state_of.at[x] != runs_seen->state_of.at[y])
            return false;
    return x == y;
}

static uint64_t hash_of(const SerialRuns *runs_seen, uint32_t node)
{
    const Node *nodes = runs_seen->nodes.at;
    uint64_t hash = 0;
    for (uint32_t x = nodes[node].first_child; x; x = nodes[x].next)
        hash = hash_combine(hash ^ nodes[x].result.word,
                            (uint64_t)runs_seen->state_of.at[x] << 32 | nodes[x].operation);
    return hash;
}

static void find_states(SerialRuns *runs_seen)
{
    uint32_t count = (uint32_t)runs_seen->nodes.count;
    size_t size = 16;
    while (size < 2 * (size_t)count)
        size *= 2;
    vec_reserve(&runs_seen->state_of, count);
    vec_reserve(&runs_seen->index, size);
    memset(runs_seen->index.at, 0, size * sizeof *runs_seen->index.at);
    for (uint32_t node = count; node-- > 0;) { /* children before parents */
        size_t slot = (size_t)hash_of(runs_seen, node) & (size - 1);
        uint32_t *known = runs_seen->index.at;
        while (known[slot] && !are_same(runs_seen, known[slot] - 1, node))
            slot = (slot + 1) & (size - 1);
        if (!known[slot])
            known[slot] = node + 1;
        runs_seen->state_of.at[node] = known[slot] - 1;
    }
    runs_seen->state_of.count = count;
}

/* The state that NODE is. */
static uint32_t state_of(const SerialRuns *runs_seen, uint32_t node)
{
    if (UNLIKELY(runs_seen->state_of.count != runs_seen->nodes.count))
        find_states(runs_seen->spec.data);
    return runs_seen->state_of.at[node];
}

static void serial_initial(const Spec *spec, SpecSteps *steps)
{
    (void)spec;
    spec_emit(steps, &(uint64_t){0}, 1, VALUE_NONE);
}

static uint32_t number_of(const SerialRuns *runs_seen, const SpecCall *call)
{
    int64_t number = -1;
    bool known =
        call->count == 1 && value_to_int(runs_seen->spec.values, call->arguments[0], &number);
    ASSERT(known && number >= 0 && number < runs_seen->count);
    return (uint32_t)number;
}

static void serial_step(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                        SpecSteps *steps)
{
    (void)words;
    const SerialRuns *runs_seen = spec->data;
    uint32_t operation = number_of(runs_seen, call);
    for (uint32_t child = find_child(runs_seen, (uint32_t)state[0], operation); child;
         child = next_child(runs_seen, runs_seen->nodes.at[child].next, operation)) {
        const Node *node = &runs_seen->nodes.at[child];
        if (!value_equal(node->result, VALUE_UNKNOWN))
            spec_emit(steps, &(uint64_t){state_of(runs_seen, child)}, 1, node->result);
    }
}

static bool serial_may_wait(const Spec *spec, const uint64_t *state, size_t words,
                            const SpecCall *call)
{
    (void)words;
    const SerialRuns *runs_seen = spec->data;
    uint32_t operation = number_of(runs_seen, call);
    uint32_t child = find_child(runs_seen, (uint32_t)state[0], operation);
    while (child && !value_equal(runs_seen->nodes.at[child].result, VALUE_UNKNOWN))
        child = next_child(runs_seen, runs_seen->nodes.at[child].next, operation);
    return child != 0;
}

static size_t serial_memory(const Spec *spec)
{
    const SerialRuns *runs_seen = spec->data;
    return runs_seen->nodes.capacity * sizeof(Node) +
           (runs_seen->state_of.capacity + runs_seen->index.capacity) * sizeof(uint32_t);
}

SerialRuns *serial_new(Values *values)
{
    SerialRuns *runs_seen = calloc(1, sizeof *runs_seen);
    if (!runs_seen)
        die("out of memory");
    runs_seen->spec = (Spec){.name = "the serial runs",
                             .values = values,
                             .data = runs_seen,
                             .resolve = serial_resolve,
                             .operations = "those that the test calls",
                             .initial = serial_initial,
                             .step = serial_step,
                             .may_wait = serial_may_wait,
                             .exact_results = true,
                             .memory = serial_memory};
    serial_begin(runs_seen, NULL, 0, false);
    return runs_seen;
}

void serial_free(SerialRuns *runs_seen)
{
    if (!runs_seen)
        return;
    vec_free(&runs_seen->nodes);
    vec_free(&runs_seen->state_of);
    vec_free(&runs_seen->index);
    free(runs_seen);
}

void serial_begin(SerialRuns *runs_seen, const char *const *names, uint32_t count, bool may_choose)
{
    ASSERT(count <= SERIAL_MOST);
    vec_clear(&runs_seen->nodes);
    vec_clear(&runs_seen->state_of);
    vec_push(&runs_seen->nodes, (Node){.result = VALUE_NONE});
    runs_seen->may_choose = may_choose;
    runs_seen->spec.deterministic = !may_choose;
    runs_seen->count = count;
    for (uint32_t k = 0; k < count; k++) {
        runs_seen->names[k] = names[k];
        runs_seen->numbers[k] = value_int(runs_seen->spec.values, k);
        uint32_t first = 0;
        while (strcmp(names[first], names[k]) != 0)
            first++;
        runs_seen->methods[k] = (uint16_t)first;
    }
}

const Spec *serial_spec(const SerialRuns *runs_seen)
{
    return &runs_seen->spec;
}

SpecCall serial_call(const SerialRuns *runs_seen, uint32_t k, Value result)
{
    ASSERT(k < runs_seen->count);
    return (SpecCall){runs_seen->methods[k], 1, &runs_seen->numbers[k], result};
}

/* Results of one operation: the last one found first. */
static uint32_t add_child(SerialRuns *runs_seen, uint32_t node, uint32_t operation, Value result)
{
    uint32_t child = (uint32_t)runs_seen->nodes.count;
    vec_push(&runs_seen->nodes, (Node){.operation = operation, .result = result});
    Node *nodes = runs_seen->nodes.at;
    uint32_t *link = &nodes[node].first_child;
    while (*link && nodes[*link].operation < operation)
        link = &nodes[*link].next;
    nodes[child].next = *link;
    *link = child;
    return child;
}

bool serial_add(SerialRuns *runs_seen, const uint32_t *operations, const Value *results,
                uint32_t count, uint32_t blocked, SerialConflict *conflict)
{
    uint32_t node = 0;
    uint32_t all = count + (blocked != SERIAL_NO_OP);
    for (uint32_t i = 0; i < all; i++) {
        uint32_t operation = i < count ? operations[i] : blocked;
        Value result = i < count ? results[i] : VALUE_UNKNOWN;
        uint32_t child = find_child(runs_seen, node, operation), other = child;
        while (child && !value_equal(runs_seen->nodes.at[child].result, result))
            child = next_child(runs_seen, runs_seen->nodes.at[child].next, operation);
        if (!child && other && !runs_seen->may_choose) {
            conflict->count = i + 1;
            for (uint32_t k = 0; k <= i; k++)
                conflict->calls[k] = k < count ? operations[k] : blocked;
            conflict->first = runs_seen->nodes.at[other].result;
            conflict->second = result;
            return false;
        }
        if (!child)
            child = add_child(runs_seen, node, operation, result);
        node = child;
    }
    return true;
}

bool serial_result(const SerialRuns *runs_seen, const uint32_t *prefix, uint32_t count, uint32_t k,
                   Value *result)
{
    uint32_t node = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!(node = find_child(runs_seen, node, prefix[i])))
            return false;
    uint32_t child = find_child(runs_seen, node, k);
    if (child)
        *result = runs_seen->nodes.at[child].result;
    return child != 0;
}

bool serial_child(const SerialRuns *runs_seen, uint32_t node, uint32_t k, uint32_t *child,
                  Value *result)
{
    *child = find_child(runs_seen, node, k);
    if (*child)
        *result = runs_seen->nodes.at[*child].result;
    return *child != 0;
}
