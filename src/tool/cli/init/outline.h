/* outline.h: what a test makes of a header: which structure it is about, how it is set up, which
 * functions are its operations, and why the others are not. All of it is guessed from names and
 * types; what is guessed is marked in the test file. */
#ifndef HEDDLE_CLI_INIT_ROLE_H
#define HEDDLE_CLI_INIT_ROLE_H
#include "tool/cli/init/api.h"

typedef enum OutlineRole {
    ROLE_OPERATION,
    ROLE_SETUP,    /* called in HD_INIT */
    ROLE_MAKE,     /* returns the object */
    ROLE_TEARDOWN, /* called in HD_AFTER */
    ROLE_LOCK,     /* of a lock: an operation together with */
    ROLE_UNLOCK,
    ROLE_LEFT /* not used */
} OutlineRole;

typedef enum OutlineVerb {
    VERB_NONE,
    VERB_PUT,
    VERB_TAKE,
    VERB_LOOK,
    VERB_SETUP,
    VERB_TEARDOWN,
    VERB_LOCK,
    VERB_UNLOCK
} OutlineVerb;

typedef struct OutlineFunction {
    const ApiFunction *function;
    OutlineRole role;
    OutlineVerb verb;
    const char *word; /* the verb, as the name has it, or NULL */
    const char *name; /* of the operation */
    const char *why;  /* it is left out, or NULL */
    int rank;         /* among those with the same verb: the least one is taken */
} OutlineFunction;

typedef struct Outline {
    const Api *api;
    const char *subject; /* the structure: "struct ck_stack"; NULL: free functions alone */
    const char *record;  /* its canonical name */
    bool pointer;        /* the object is a pointer: a function makes it, or its size is unknown */
    Words companions;    /* structures that all calls share with the object: a buffer, its tail */
    const char *spec;    /* a built-in specification that fits, or NULL */
    const char *prefix;  /* that the names of all functions begin with */
    Vec(OutlineFunction) functions;
} Outline;

/* ONLY is a list of parts of names, separated by commas: other functions are left out; NULL: all
 * count. Fails if no operation is left. */
MUST_USE bool outline_make(Arena *arena, const Api *api, const char *only, Outline *outline,
                           Error *error);
/* Can a test pass something for this parameter? */
bool outline_can_pass(const Outline *outline, const ApiFunction *function, size_t parameter);
/* Is this a structure that all calls share? */
bool outline_is_companion(const Outline *outline, const ApiType *type);
/* Does the function store a new object here? */
bool outline_is_new_object(const Outline *outline, const ApiType *type);
void outline_free(Outline *outline);
/* Is the parameter the object itself? */
bool outline_is_object(const Outline *outline, const ApiType *type);
/* Does the function fill the parameter in? */
bool outline_is_out(const OutlineFunction *function, const ApiType *type);
#endif
