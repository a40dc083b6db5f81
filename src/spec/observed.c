#include "spec/observed.h"
#include <stdlib.h>

typedef struct Node {
    uint32_t operation;
    Value result; /* VALUE_UNKNOWN: it blocks, and nothing follows */
    uint32_t first_child, next;
} Node;

struct Observed {
    Spec spec;
    Vec(Node) nodes; /* 0 is the root */
    uint64_t runs;
};

static uint32_t find_child(const Observed *observed, uint32_t node, uint32_t operation)
{
    uint32_t child = observed->nodes.at[node].first_child;
    while (child && observed->nodes.at[child].operation != operation)
        child = observed->nodes.at[child].next;
    return child;
}

static bool observed_resolve(const Spec *spec, Str name, size_t count, uint16_t *method)
{
    (void)spec;
    (void)name;
    (void)count;
    (void)method;
    return false; /* its operations have numbers only */
}

static void observed_initial(const Spec *spec, SpecSteps *steps)
{
    (void)spec;
    spec_emit(steps, &(uint64_t){0}, 1, VALUE_NONE);
}

static void observed_step(const Spec *spec, const uint64_t *state, size_t words,
                          const SpecCall *call, SpecSteps *steps)
{
    (void)words;
    const Observed *observed = spec->data;
    uint32_t child = find_child(observed, (uint32_t)state[0], call->method);
    if (!child)
        return;
    const Node *node = &observed->nodes.at[child];
    if (value_equal(node->result, VALUE_UNKNOWN))
        return; /* it waits */
    if (!value_equal(call->result, VALUE_UNKNOWN) && !value_equal(call->result, node->result))
        return;
    spec_emit(steps, &(uint64_t){child}, 1, call->result);
}

Observed *observed_new(Values *values)
{
    Observed *observed = calloc(1, sizeof *observed);
    if (!observed)
        die("out of memory");
    observed->spec = (Spec){.name = "observed serial runs",
                            .deterministic = true,
                            .values = values,
                            .data = observed,
                            .resolve = observed_resolve,
                            .operations = "",
                            .initial = observed_initial,
                            .step = observed_step};
    observed_clear(observed);
    return observed;
}

void observed_free(Observed *observed)
{
    if (!observed)
        return;
    vec_free(&observed->nodes);
    free(observed);
}

void observed_clear(Observed *observed)
{
    vec_clear(&observed->nodes);
    vec_push(&observed->nodes, (Node){.result = VALUE_NONE});
    observed->runs = 0;
}

const Spec *observed_spec(const Observed *observed)
{
    return &observed->spec;
}

uint64_t observed_runs(const Observed *observed)
{
    return observed->runs;
}

bool observed_add(Observed *observed, const uint32_t *operations, const Value *results,
                  uint32_t count, uint32_t blocked, ObservedConflict *conflict)
{
    uint32_t node = 0;
    uint32_t all = count + (blocked != OBSERVED_NO_OP);
    observed->runs++;
    for (uint32_t i = 0; i < all; i++) {
        uint32_t operation = i < count ? operations[i] : blocked;
        Value result = i < count ? results[i] : VALUE_UNKNOWN;
        uint32_t child = find_child(observed, node, operation);
        if (!child) {
            child = (uint32_t)observed->nodes.count;
            Node fresh = {operation, result, 0, observed->nodes.at[node].first_child};
            vec_push(&observed->nodes, fresh);
            observed->nodes.at[node].first_child = child;
        } else if (!value_equal(observed->nodes.at[child].result, result)) {
            conflict->count = i + 1;
            for (uint32_t k = 0; k <= i; k++)
                conflict->calls[k] = k < count ? operations[k] : blocked;
            conflict->first = observed->nodes.at[child].result;
            conflict->second = result;
            return false;
        }
        node = child;
    }
    return true;
}

bool observed_result(const Observed *observed, const uint32_t *prefix, uint32_t count, uint32_t k,
                     Value *result)
{
    uint32_t node = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!(node = find_child(observed, node, prefix[i])))
            return false;
    uint32_t child = find_child(observed, node, k);
    if (child)
        *result = observed->nodes.at[child].result;
    return child != 0;
}
