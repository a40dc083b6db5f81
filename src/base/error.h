/* error.h: what the outside world can cause. A function that can fail returns bool and fills its
 * last argument; only cli prints it. */
#ifndef HEDDLE_BASE_ERROR_H
#define HEDDLE_BASE_ERROR_H
#include "base/common.h"

typedef struct Error {
    char message[1024];
    char file[512];   /* "" when the error has no place */
    int line, column; /* 0 when unknown */
} Error;

/* Fills *error (which may be NULL) and returns false, so that `return error_set(...)` reads well.
 */
bool error_set(Error *error, const char *format, ...) PRINTF_LIKE(2, 3);
bool error_at(Error *error, const char *file, int line, int column, const char *format, ...)
    PRINTF_LIKE(5, 6);
/* "file:line:column: message", without the parts that are unknown. */
void error_text(const Error *error, char *text, size_t bytes);
#endif
