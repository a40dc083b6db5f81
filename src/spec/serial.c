#include "spec/serial.h"
#include <stdlib.h>

typedef struct Node {
    uint32_t operation;
    Value result; /* VALUE_UNKNOWN: it blocks, and nothing follows */
    uint32_t first_child, next;
} Node;

struct SerialRuns {
    Spec spec;
    Vec(Node) nodes; /* 0 is the root */
    uint64_t runs;
};

static uint32_t find_child(const SerialRuns *runs_seen, uint32_t node, uint32_t operation)
{
    uint32_t child = runs_seen->nodes.at[node].first_child;
    while (child && runs_seen->nodes.at[child].operation != operation)
        child = runs_seen->nodes.at[child].next;
    return child;
}

static bool serial_resolve(const Spec *spec, Str name, size_t count, uint16_t *method)
{
    (void)spec;
    (void)name;
    (void)count;
    (void)method;
    return false; /* its operations have numbers only */
}

static void serial_initial(const Spec *spec, SpecSteps *steps)
{
    (void)spec;
    spec_emit(steps, &(uint64_t){0}, 1, VALUE_NONE);
}

static void serial_step(const Spec *spec, const uint64_t *state, size_t words,
                          const SpecCall *call, SpecSteps *steps)
{
    (void)words;
    const SerialRuns *runs_seen = spec->data;
    uint32_t child = find_child(runs_seen, (uint32_t)state[0], call->method);
    if (!child)
        return;
    const Node *node = &runs_seen->nodes.at[child];
    if (value_equal(node->result, VALUE_UNKNOWN))
        return; /* it waits */
    if (!value_equal(call->result, VALUE_UNKNOWN) && !value_equal(call->result, node->result))
        return;
    spec_emit(steps, &(uint64_t){child}, 1, node->result);
}

SerialRuns *serial_new(Values *values)
{
    SerialRuns *runs_seen = calloc(1, sizeof *runs_seen);
    if (!runs_seen)
        die("out of memory");
    runs_seen->spec = (Spec){.name = "observed serial runs",
                            .deterministic = true,
                            .values = values,
                            .data = runs_seen,
                            .resolve = serial_resolve,
                            .operations = "",
                            .initial = serial_initial,
                            .step = serial_step};
    serial_clear(runs_seen);
    return runs_seen;
}

void serial_free(SerialRuns *runs_seen)
{
    if (!runs_seen)
        return;
    vec_free(&runs_seen->nodes);
    free(runs_seen);
}

void serial_clear(SerialRuns *runs_seen)
{
    vec_clear(&runs_seen->nodes);
    vec_push(&runs_seen->nodes, (Node){.result = VALUE_NONE});
    runs_seen->runs = 0;
}

const Spec *serial_spec(const SerialRuns *runs_seen)
{
    return &runs_seen->spec;
}

uint64_t serial_run_count(const SerialRuns *runs_seen)
{
    return runs_seen->runs;
}

bool serial_add(SerialRuns *runs_seen, const uint32_t *operations, const Value *results,
                  uint32_t count, uint32_t blocked, SerialConflict *conflict)
{
    uint32_t node = 0;
    uint32_t all = count + (blocked != SERIAL_NO_OP);
    runs_seen->runs++;
    for (uint32_t i = 0; i < all; i++) {
        uint32_t operation = i < count ? operations[i] : blocked;
        Value result = i < count ? results[i] : VALUE_UNKNOWN;
        uint32_t child = find_child(runs_seen, node, operation);
        if (!child) {
            child = (uint32_t)runs_seen->nodes.count;
            Node fresh = {operation, result, 0, runs_seen->nodes.at[node].first_child};
            vec_push(&runs_seen->nodes, fresh);
            runs_seen->nodes.at[node].first_child = child;
        } else if (!value_equal(runs_seen->nodes.at[child].result, result)) {
            conflict->count = i + 1;
            for (uint32_t k = 0; k <= i; k++)
                conflict->calls[k] = k < count ? operations[k] : blocked;
            conflict->first = runs_seen->nodes.at[child].result;
            conflict->second = result;
            return false;
        }
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
