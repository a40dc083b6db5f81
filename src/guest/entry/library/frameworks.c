/* frameworks.c: the failed assertions of test frameworks.
 *
 * GoogleTest, where it is linked as a library: a failed EXPECT or ASSERT assigns its message to an
 * AssertHelper, in the user's line: that is where the execution goes wrong, so it ends there, as at
 * a failed assert(). What the framework would do next (report it, go on, end with status 1) says
 * less.
 *
 * A test that wants failures (EXPECT_FATAL_FAILURE) makes a reporter of its own first;
 * from then on failures are the framework's business again.
 *
 * Catch2, as a library or as a header: a failed REQUIRE throws Catch::TestFailureException, and
 * what it says lies in the frame of the user's line. (A failed CHECK throws, too, since cases.c
 * asks the framework to abort.) A program with tests that should fail, or may (its tags say so), is
 * left alone. */
#include "guest/entry/library/frameworks.h"
#include "guest/entry/guest.h"
#include "guest/runtime/fiber.h"
#include <stdio.h>
#include <string.h>

/* testing::internal::AssertHelper::AssertHelperData */
typedef struct AssertHelperData {
    int type; /* testing::TestPartResult::Type */
    const char *file;
    int line;
    const char *message; /* the first word of a std::string */
} AssertHelperData;
enum { NON_FATAL_FAILURE = 1, FATAL_FAILURE = 2 };

typedef struct CxxString { /* std::__cxx11::string */
    const char *text;
    size_t length;
    char own[16];
} CxxString;

/* Functions that the program links: NULL without the framework. */
__attribute__((weak)) void
_ZNK7testing8internal12AssertHelperaSERKNS_7MessageE(AssertHelperData *const *self,
                                                     const void *message);
__attribute__((weak)) void _ZNK7testing7Message9GetStringB5cxx11Ev(CxxString *result,
                                                                   const void *message);
__attribute__((weak)) void
_ZN7testing32ScopedFakeTestPartResultReporterC1ENS0_13InterceptModeEPNS_19TestPartResultArrayE(
    void *self, int mode, void *results);
__attribute__((weak)) void
_ZN7testing32ScopedFakeTestPartResultReporterC1EPNS_19TestPartResultArrayE(void *self,
                                                                           void *results);

GUEST void
__wrap__ZNK7testing8internal12AssertHelperaSERKNS_7MessageE(AssertHelperData *const *self,
                                                            const void *message);
GUEST void
__wrap__ZN7testing32ScopedFakeTestPartResultReporterC1ENS0_13InterceptModeEPNS_19TestPartResultArrayE(
    void *self, int mode, void *results);
GUEST void
__wrap__ZN7testing32ScopedFakeTestPartResultReporterC1EPNS_19TestPartResultArrayE(void *self,
                                                                                  void *results);

static bool wants_failures; /* never false again: the reporter may live anywhere */

/* Appends TEXT as one line: its lines separated by commas. Returns where it ends. */
static size_t append_line(char *line, size_t at, size_t room, const char *text)
{
    for (; *text && at + 3 < room; text++) {
        if (*text != '\n') {
            line[at++] = *text;
            continue;
        }
        while (text[1] == ' ' || text[1] == '\n')
            text++;
        if (at && text[1] && line[at - 1] != ':')
            line[at++] = ',';
        if (text[1])
            line[at++] = ' ';
    }
    line[at] = 0;
    return at;
}

void __wrap__ZNK7testing8internal12AssertHelperaSERKNS_7MessageE(AssertHelperData *const *self,
                                                                 const void *message)
{
    const AssertHelperData *data = *self;
    bool failed = data->type == NON_FATAL_FAILURE || data->type == FATAL_FAILURE;
    if (!op_active() || !failed || wants_failures) {
        _ZNK7testing8internal12AssertHelperaSERKNS_7MessageE(self, message);
        return;
    }
    char line[512], words[256] = "";
    append_line(line, 0, sizeof line, data->message);
    if (_ZNK7testing7Message9GetStringB5cxx11Ev) {
        CxxString said;
        _ZNK7testing7Message9GetStringB5cxx11Ev(&said, message);
        append_line(words, 0, sizeof words, said.text);
    }
    const char *file = strrchr(data->file, '/');
    op_violation(VIOLATION_ASSERTION, GUEST_PC, "%s failed: %s%s%s (%s:%d)",
                 data->type == FATAL_FAILURE ? "ASSERT" : "EXPECT", line, *words ? "; " : "", words,
                 file ? file + 1 : data->file, data->line);
}

void __wrap__ZN7testing32ScopedFakeTestPartResultReporterC1ENS0_13InterceptModeEPNS_19TestPartResultArrayE(
    void *self, int mode, void *results)
{
    wants_failures = true;
    _ZN7testing32ScopedFakeTestPartResultReporterC1ENS0_13InterceptModeEPNS_19TestPartResultArrayE(
        self, mode, results);
}

void __wrap__ZN7testing32ScopedFakeTestPartResultReporterC1EPNS_19TestPartResultArrayE(
    void *self, void *results)
{
    wants_failures = true;
    _ZN7testing32ScopedFakeTestPartResultReporterC1EPNS_19TestPartResultArrayE(self, results);
}

/* --- Catch2 ----------------------------------------------------------------------------------- */

extern const char __executable_start[], edata[]; /* the linker's */

/* Does the program contain the tag "[!TEXT"? The runtime, which is part of it, must not. */
static bool program_has_tag(const char *text)
{
    const char *at = __executable_start;
    while ((at = memmem(at, (size_t)(edata - at), text, strlen(text)))) {
        if (at > __executable_start + 1 && at[-2] == '[' && at[-1] == '!')
            return true;
        at++;
    }
    return false;
}

typedef struct TypeInfo { /* std::type_info */
    const void *table;
    const char *name;
} TypeInfo;

/* Catch::AssertionHandler, of Catch2 2 and 3: a local variable of the line with the assertion. */
typedef struct CatchText { /* Catch::StringRef */
    const char *at;
    size_t length;
} CatchText;
typedef struct CatchAssertion {
    struct {
        CatchText macro;
        const char *file;
        size_t line;
        CatchText expression;
        int disposition;
    } info;
    bool should_break, should_throw, completed;
} CatchAssertion;

/* Is TEXT a string of LENGTH bytes in the program's own data, without line breaks? */
static bool is_literal(const char *text, size_t length, size_t most)
{
    return length <= most && text > __executable_start && text < edata &&
           length < (size_t)(edata - text) && !text[length] && strlen(text) == length;
}

/* The assertion that throws, among the local variables of the present thread: its own flag says so.
 * NULL if there is none of this layout. */
static const CatchAssertion *throwing_assertion(void)
{
    const uintptr_t *low = __builtin_frame_address(0);
    const uintptr_t *high = (const uintptr_t *)(const void *)fibers[fiber_current].base;
    for (; low + sizeof(CatchAssertion) / sizeof *low <= high; low++) {
        const CatchAssertion *a = (const CatchAssertion *)(const void *)low;
        const CatchText *macro = &a->info.macro, *expression = &a->info.expression;
        if (macro->length && a->info.line && a->info.line < 10000000 && a->should_throw &&
            a->completed && is_literal(macro->at, macro->length, 40) &&
            is_literal(expression->at, expression->length, 100000) &&
            a->info.file > __executable_start && a->info.file < edata)
            return a;
    }
    return NULL;
}

void framework_look_at_throw(const void *type, const void *pc)
{
    const TypeInfo *info = type;
    if (strcmp(info->name, "N5Catch20TestFailureExceptionE") != 0 || program_has_tag("mayfail]") ||
        program_has_tag("shouldfail]"))
        return;
    const CatchAssertion *a = throwing_assertion();
    if (!a)
        op_violation(VIOLATION_ASSERTION, pc, "a REQUIRE of Catch2 failed");
    char expression[256];
    append_line(expression, 0, sizeof expression, a->info.expression.at);
    const char *file = strrchr(a->info.file, '/');
    op_violation(VIOLATION_ASSERTION, pc, "%s(%s) failed (%s:%zu)", a->info.macro.at, expression,
                 file ? file + 1 : a->info.file, a->info.line);
}
