/* declared.h: what the test file declares with <heddle.h>: its operations with their argument values as
 * a list of calls, and its settings. */
#ifndef HEDDLE_CHECK_DECLARED_H
#define HEDDLE_CHECK_DECLARED_H
#include <heddle.h>
#include "base/error.h"
#include "check/testcase.h"
#include "history/value.h"

#define DECLARED_CALLS 256

typedef struct DeclaredCall { /* an operation with concrete arguments */
    const HeddleOperation *operation;
    const HeddleOperation *golden; /* HD_GOLDEN of the same name, or NULL: all have one, or none */
    HdValue arguments[2];
    Value values[2]; /* the same, interned */
    char text[96];   /* "put(1)" */
} DeclaredCall;

typedef struct Declared {
    DeclaredCall calls[DECLARED_CALLS];
    uint8_t role[DECLARED_CALLS]; /* K > 0: only thread K-1 may make it */
    bool any_role;
    uint32_t count;
    void (*init)(void), (*after)(void);
    void (*reference)(void), (*golden_init)(void);
    bool (*invariant)(void);
    const char *spec, *quasi, *scenario; /* NULL if not given */
} Declared;

/* Reads the program's sections. Fails with a message for the user if something is missing or twice. */
MUST_USE bool declared_read(Declared *declared, Values *values, Error *error);
Value declared_value(Values *values, const HdValue *value);
/* "put(1) get() | put(2)"; the text of TEST. */
void declared_print(const Declared *declared, const TestCase *test, char *text, size_t bytes);
MUST_USE bool declared_parse(const Declared *declared, const char *text, TestCase *test,
                             Error *error);
#endif
