/* print.h: text from outside (names of files and operations, lines of source and of models, what a
 * compiler says) on its way to a terminal. What could steer it is printed as a question mark:
 * control characters but new line and tab, those of U+0080 to U+009F, characters that turn the
 * direction of writing, bytes that are no UTF-8. tests/lint.sh refuses printf with %s to stdout or
 * stderr elsewhere in tool/. */
#ifndef HEDDLE_BASE_PRINT_H
#define HEDDLE_BASE_PRINT_H
#include <stdio.h>
#include "base/str.h"

/* How many bytes at the beginning of TEXT, which is not empty, are one character, *CODE; *SAFE: it
 * may be printed. */
size_t print_character(Str text, uint32_t *code, bool *safe);
void print_text(FILE *to, Str text);
void print_make_plain(char *text); /* the same in place */
/* Writes out what stdout still holds. False, with a message the first time, if anything that was
 * printed there got lost; heddle then ends with status 2, whatever the answer was. */
bool print_finish(void);
/* printf, with all that comes out of it treated so. */
void print_plain(FILE *to, const char *format, ...) PRINTF_LIKE(2, 3);
#endif
