/* common.h: the few names that every file uses: fixed-width types, compiler attributes,
 * assertions that stay on in releases. */
#ifndef HEDDLE_BASE_COMMON_H
#define HEDDLE_BASE_COMMON_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MUST_USE __attribute__((warn_unused_result))
#define NORETURN __attribute__((noreturn))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#define UNUSED __attribute__((unused))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* ASSERT stays on in releases: a wrong verdict costs more than a branch. */
#define ASSERT(condition)                                                                          \
    (LIKELY(condition) ? (void)0 : assert_failed(#condition, __FILE__, __LINE__))
#ifdef HEDDLE_DEBUG
#define DEBUG_ASSERT(condition) ASSERT(condition)
#else
#define DEBUG_ASSERT(condition) ((void)0)
#endif

/* A bug of ours: prints condition and place, then exits with status 4. */
NORETURN void assert_failed(const char *condition, const char *file, int line);
/* The world failed us in a way no caller can mend (out of memory): message, exit status 4. */
NORETURN void die(const char *format, ...) PRINTF_LIKE(1, 2);
#endif
