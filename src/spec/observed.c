#include "spec/observed.h"
#include <stdlib.h>
#include <string.h>

#define NO_NODE UINT32_MAX

typedef struct Node {
    uint32_t call;        /* that leads here, in `calls` */
    uint32_t child, next; /* first child; next child of the same parent */
    uint32_t run;         /* the first run that came here */
    bool waits;           /* the call waits here for ever: a leaf */
} Node;
struct Observed {
    Arena *arena;
    Values *values;
    Vec(Node) nodes; /* 0 is the beginning */
    Vec(SpecCall) calls;
    HashMap methods; /* symbol -> method */
    uint32_t runs;
    Spec spec;
};

Observed *observed_new(Arena *arena, Values *values)
{
    Observed *observed = arena_new_of(arena, Observed);
    observed->arena = arena;
    observed->values = values;
    vec_push(&observed->nodes, (Node){.child = NO_NODE, .next = NO_NODE});
    return observed;
}

void observed_free(Observed *observed)
{
    vec_free(&observed->nodes);
    vec_free(&observed->calls);
    hashmap_free(&observed->methods);
}

static uint16_t method_of(Observed *observed, uint32_t name)
{
    bool absent;
    uint64_t *method = hashmap_put(&observed->methods, name, &absent);
    if (absent)
        *method = observed->methods.count - 1;
    return (uint16_t)*method;
}

static bool same_call(const SpecCall *a, const SpecCall *b)
{
    return a->method == b->method && a->count == b->count &&
           (!a->count || !memcmp(a->arguments, b->arguments, a->count * sizeof(Value)));
}

bool observed_add(Observed *observed, const ObservedCall *calls, size_t count,
                  ObservedConflict *conflict)
{
    uint32_t at = 0, run = observed->runs++;
    for (size_t i = 0; i < count; i++) {
        bool waits = calls[i].result.word == VALUE_UNKNOWN.word;
        SpecCall call = {method_of(observed, calls[i].name), calls[i].count, calls[i].arguments,
                         calls[i].result};
        uint32_t next = observed->nodes.at[at].child;
        while (next != NO_NODE &&
               !same_call(&observed->calls.at[observed->nodes.at[next].call], &call))
            next = observed->nodes.at[next].next;
        if (next != NO_NODE) {
            const Node *node = &observed->nodes.at[next];
            Value earlier = observed->calls.at[node->call].result;
            if (!value_equal(earlier, call.result)) {
                if (conflict)
                    *conflict = (ObservedConflict){node->run, (uint32_t)i, earlier};
                return false;
            }
        } else {
            Value *arguments = arena_array_of(observed->arena, Value, call.count);
            if (call.count)
                memcpy(arguments, call.arguments, call.count * sizeof(Value));
            call.arguments = arguments;
            next = (uint32_t)observed->nodes.count;
            Node node = {.call = (uint32_t)observed->calls.count,
                         .child = NO_NODE,
                         .next = observed->nodes.at[at].child,
                         .run = run,
                         .waits = waits};
            vec_push(&observed->calls, call);
            vec_push(&observed->nodes, node);
            observed->nodes.at[at].child = next;
        }
        at = next;
    }
    return true;
}

bool observed_find(const Observed *observed, uint32_t *state, const ObservedCall *call,
                   Value *result)
{
    const uint64_t *method = hashmap_find(&observed->methods, call->name);
    if (!method)
        return false;
    SpecCall wanted = {(uint16_t)*method, call->count, call->arguments, VALUE_UNKNOWN};
    uint32_t next = observed->nodes.at[*state].child;
    while (next != NO_NODE &&
           !same_call(&observed->calls.at[observed->nodes.at[next].call], &wanted))
        next = observed->nodes.at[next].next;
    if (next == NO_NODE)
        return false;
    *state = next;
    *result = observed->calls.at[observed->nodes.at[next].call].result;
    return true;
}

static bool observed_resolve(const Spec *spec, Str name, size_t count, uint16_t *method)
{
    (void)count;
    const Observed *observed = spec->data;
    uint32_t symbol = value_symbol(observed->values, value_string(observed->values, name));
    const uint64_t *known = hashmap_find(&observed->methods, symbol);
    if (known)
        *method = (uint16_t)*known;
    return known != NULL;
}

static void observed_initial(const Spec *spec, SpecSteps *steps)
{
    (void)spec;
    uint64_t start = 0;
    spec_emit(steps, &start, 1, SPEC_DONE);
}

static void observed_step(const Spec *spec, const uint64_t *state, size_t words,
                          const SpecCall *call, SpecSteps *steps)
{
    (void)words;
    const Observed *observed = spec->data;
    for (uint32_t next = observed->nodes.at[state[0]].child; next != NO_NODE;
         next = observed->nodes.at[next].next) {
        const Node *node = &observed->nodes.at[next];
        const SpecCall *seen = &observed->calls.at[node->call];
        uint64_t after = next;
        if (!node->waits && same_call(seen, call))
            spec_emit(steps, &after, 1, seen->result);
    }
}

static void observed_print(const Spec *spec, const uint64_t *state, size_t words, Buffer *out)
{
    (void)words;
    const Observed *observed = spec->data;
    buffer_printf(out, "as in serial run %u", (unsigned)observed->nodes.at[state[0]].run + 1);
}

Spec *observed_spec(Observed *observed)
{
    observed->spec = (Spec){.name = "observed serial runs",
                            .deterministic = true,
                            .values = observed->values,
                            .data = observed,
                            .resolve = observed_resolve,
                            .operations = "those that the serial runs call",
                            .initial = observed_initial,
                            .step = observed_step,
                            .print = observed_print};
    return &observed->spec;
}
