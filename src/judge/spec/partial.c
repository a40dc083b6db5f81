#include "judge/spec/partial.h"

#define ANYTHING UINT64_MAX /* the state after a call that no run has */

typedef struct Partial {
    const SerialRuns *runs_seen;
    bool lenient;
} Partial;

static bool partial_resolve(const Spec *spec, Str name, size_t count, uint16_t *method)
{
    (void)spec;
    (void)name;
    (void)count;
    (void)method;
    return false; /* its operations have numbers only */
}

static void partial_initial(const Spec *spec, SpecSteps *steps)
{
    (void)spec;
    spec_emit(steps, &(uint64_t){0}, 1, VALUE_NONE);
}

/* A call without a result is asked whether it waits: it does if there is no step. Where no run has
 * the call, the lenient one lets it wait, the strict one does not. */
static void partial_step(const Spec *spec, const uint64_t *state, size_t words,
                         const SpecCall *call, SpecSteps *steps)
{
    (void)words;
    const Partial *partial = spec->data;
    bool asks = value_equal(call->result, VALUE_UNKNOWN);
    uint32_t child;
    Value result;
    if (state[0] == ANYTHING ||
        !serial_child(partial->runs_seen, (uint32_t)state[0], call->method, &child, &result)) {
        if (partial->lenient != asks)
            spec_emit(steps, &(uint64_t){ANYTHING}, 1, call->result);
        return;
    }
    if (value_equal(result, VALUE_UNKNOWN))
        return; /* it waits */
    if (asks || value_equal(call->result, result))
        spec_emit(steps, &(uint64_t){child}, 1, call->result);
}

const Spec *spec_partial(Arena *arena, Values *values, const SerialRuns *runs_seen, bool lenient)
{
    Partial *partial = arena_new_of(arena, Partial);
    *partial = (Partial){runs_seen, lenient};
    Spec *spec = arena_new_of(arena, Spec);
    *spec = (Spec){.name = "observed serial runs",
                   .deterministic = true,
                   .values = values,
                   .data = partial,
                   .resolve = partial_resolve,
                   .operations = "",
                   .initial = partial_initial,
                   .step = partial_step};
    return spec;
}
