/* builtin.h: how the built-in models are written: a table of operations with the names that logs
 * and libraries give them, and a step function. Private to judge/spec/builtin*.c. */
#ifndef HEDDLE_SPEC_BUILTIN_H
#define HEDDLE_SPEC_BUILTIN_H
#include "judge/spec/spec.h"

/* Facts that the label of an operation tells about its effect. */
#define METHOD_READS 1u       /* never changes the state */
#define METHOD_READS_FALSE 2u /* does not if its result is "no" */
#define METHOD_READS_EMPTY 4u /* does not if its result is "nothing there" */
#define METHOD_STORES 8u      /* its argument will be a result: it must not look like "empty" */
#define METHOD_WHOLE 16u      /* touches all parts of the state (others: the part of argument 0) */
#define METHOD_PUTS 64u       /* SPEC_ROLE_PUT of its argument */
#define METHOD_TAKES 128u     /* SPEC_ROLE_TAKE of its result */
#define METHOD_APPENDS 256u   /* SPEC_ROLE_APPEND of its last argument */
#define METHOD_INTEGER 32u    /* its arguments are integers */
#define METHOD_GIVES 512u     /* its result is a value or number (so is that of READS and TAKES) */
#define METHOD_OLD 1024u      /* it gives nothing, or what was there before */
#define METHOD_EXACT 8192u    /* its result is a value: true is not 1, "empty" is a text */
#define METHOD_EMPTY 4096u    /* SPEC_ROLE_EMPTY if its result is "yes" */
#define METHOD_FRONT 16384u   /* at the front of a deque */
#define METHOD_TELLS 2048u    /* its result is only ever yes or no, done, or a number */

typedef struct Method {
    const char *names;   /* separated by |; the case of letters does not matter */
    uint8_t least, most; /* number of arguments */
    unsigned flags;
} Method;

typedef struct BuiltinModel {
    const char *name, *what, *operations;
    const Method *methods;
    size_t method_count;
    bool has_parts; /* by argument 0 */
    SpecShape shape;
    /* Reads what follows the colon in "register:0"; NULL: the model takes nothing there. */
    bool (*configure)(Spec *spec, Arena *arena, Str text);
    void (*initial)(const Spec *spec, SpecSteps *steps);
    void (*step)(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                 SpecSteps *steps);
    void (*print)(const Spec *spec, const uint64_t *state, size_t words, Buffer *out);
    bool (*facts)(const Spec *spec, const SpecCall *call, SpecFacts *facts); /* see spec.h */
    int64_t (*number)(const Spec *spec); /* start_number; NULL: 0 */
    const char *(*reject)(const Spec *spec,
                          const SpecCall *call); /* more than flags say; or NULL */
    bool (*amounts)(const Spec *spec, const SpecCall *call, int reading,
                    SpecAmounts *amounts); /* these two: see spec.h */
    int64_t (*start_amount)(const Spec *spec, Value place);
} BuiltinModel;

typedef struct ModelData {
    const BuiltinModel *model;
    Value start;   /* initial value of cells */
    int64_t count; /* accounts of a bank */
} ModelData;
static inline const ModelData *model_data(const Spec *spec)
{
    return spec->data;
}

extern const BuiltinModel spec_sequence_models[], spec_cell_models[], spec_map_models[];
extern const size_t spec_sequence_model_count, spec_cell_model_count, spec_map_model_count;

/* The state as a list of values between brackets. */
void model_print_values(const Spec *spec, const uint64_t *state, size_t words, Buffer *out);
void model_initial_empty(const Spec *spec, SpecSteps *steps);
/* The facts of an operation whose result shows the number itself. */
void model_observe(const Spec *spec, Value result, int64_t offset, SpecFacts *facts);
bool model_configure_value(Spec *spec, Arena *arena, Str text);
#endif
