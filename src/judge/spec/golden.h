/* golden.h: golden C code (include/heddle_spec.h) as a specification. Where its functions come from
 * is the caller's business: a shared object that was loaded, or the program itself. */
#ifndef HEDDLE_SPEC_GOLDEN_H
#define HEDDLE_SPEC_GOLDEN_H
#include "judge/spec/spec.h"
#include "heddle_spec.h"

typedef heddle_value GoldenOp(void *state, heddle_call *call);
typedef struct GoldenCode {
    size_t bytes; /* of the state */
    void (*init)(void *state);
    GoldenOp *(*find)(void *context, const char *name); /* the operation, or NULL */
    void *context;
    const char *name; /* for messages */
    bool process;     /* operations look at call->process */
    /* OPERATION asked for what it can't have (heddle_spec.h); whatever is found then is no answer.
     * May end the process. */
    void (*refuse)(void *context, const char *operation, const heddle_misuse *misuse);
} GoldenCode;
/* The misuse in words: "set: argument 1 is not there". */
void golden_refusal(char *text, size_t bytes, const char *operation, const heddle_misuse *misuse);

/* Lives in ARENA, with values in VALUES. */
Spec *spec_golden(Arena *arena, Values *values, const GoldenCode *code);
/* The operation that is running now, or NULL: for the message if it crashes. */
extern _Thread_local const char *golden_running;
#endif
