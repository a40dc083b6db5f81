/* declared.h: what the test file declares with <heddle.h>: its operations with their argument
 * values as a list of calls, and its settings. */
#ifndef HEDDLE_HARNESS_CHECK_DECLARED_H
#define HEDDLE_HARNESS_CHECK_DECLARED_H
#include <heddle.h>
#include "base/error.h"
#include "guest/harness/check/testcase.h"
#include "judge/history/value.h"

#define DECLARED_CALLS 256
#define DECLARED_SEQUENCES 32
#define DECLARED_OBJECTS 8

typedef struct DeclaredCall { /* an operation with concrete arguments */
    const HeddleOperation *operation;
    const HeddleOperation *golden; /* HD_GOLDEN of the same name, or NULL: all have one, or none */
    HdValue arguments[2];
    Value values[2]; /* the same, interned */
    char text[96];   /* "put(1)", "queue.put(1)" */
    uint8_t object;  /* which of Declared.objects */
} DeclaredCall;
typedef struct DeclaredList { /* calls one after the other */
    uint16_t call[TESTCASE_LENGTH];
    uint32_t count;
} DeclaredList;

typedef struct Declared {
    DeclaredCall calls[DECLARED_CALLS];
    uint8_t role[DECLARED_CALLS + DECLARED_SEQUENCES]; /* K > 0: only thread K-1 may make it */
    bool any_role;
    bool may_block[DECLARED_CALLS]; /* HD_MAY_BLOCK, if `blocking_is_limited`; else all */
    bool blocking_is_limited;
    bool may_fail[DECLARED_CALLS]; /* HD_MAY_FAIL, with the result FAILURE */
    HdValue failure[DECLARED_CALLS];
    bool any_may_fail;
    bool async[DECLARED_CALLS]; /* HD_ASYNC: its effect may come after its return */
    bool any_async;
    /* --may-fail: without a result, that it finds nothing or is refused (HD_NONE, HD_BOOL(0)) */
    bool may_be_refused[DECLARED_CALLS];
    uint32_t count;
    const char *objects[DECLARED_OBJECTS]; /* "" is that of operations without one */
    uint32_t object_count;
    /* entries of generated tests: calls, then (from `count` on) sequences of them */
    DeclaredList sequences[DECLARED_SEQUENCES];
    uint32_t sequence_count;
    DeclaredList first, last; /* before the threads start, after they have ended */
    void (*init)(void), (*after)(void);
    void (*reference)(void), (*golden_init)(void);
    bool (*invariant)(void);
    const char *spec, *quasi, *scenario; /* NULL if not given */
    uint32_t unbounded;                  /* threads of HD_UNBOUNDED, or 0 */
} Declared;

/* Is WORD the name of the call's operation: "put", "queue.put"? */
bool declared_is_called(const DeclaredCall *call, Str word);
/* The settings that name calls: sequences, first and last ones, and those that may fail. Once the
 * operations are known. */
MUST_USE bool declared_read_lists(Declared *declared, const HeddleSetting *setting, Error *error);
/* The text of --may-fail, as if the test file said so. */
MUST_USE bool declared_let_fail(Declared *declared, const char *text, Error *error);
/* Does RESULT say that the call may have failed? */
bool declared_has_failed(const Declared *declared, Values *values, uint32_t call, Value result);
bool declared_complain_twice(const HeddleSetting *setting, Error *error); /* false */
/* Reads the program's sections. Fails with a message for the user if something is missing or twice.
 */
MUST_USE bool declared_read(Declared *declared, Values *values, Error *error);
/* The settings alone, of a program without operations; false as well if it sets what they need. */
MUST_USE bool declared_read_settings(Declared *declared, Error *error);
bool declared_any_operation(void);
Value declared_value(Values *values, const HdValue *value);
/* "put(1) get() | put(2)"; the text of TEST. */
void declared_print(const Declared *declared, const TestCase *test, char *text, size_t bytes);
MUST_USE bool declared_parse(const Declared *declared, const char *text, TestCase *test,
                             Error *error);
#endif
