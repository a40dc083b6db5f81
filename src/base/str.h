/* str.h: strings as (pointer, length) values that are never owned, and a buffer to build them. */
#ifndef HEDDLE_BASE_STR_H
#define HEDDLE_BASE_STR_H
#include "base/arena.h"
#include "base/vec.h"

typedef struct Str {
    const char *at;
    size_t length;
} Str;

/* For printf: printf("%.*s", STR_ARG(str)). */
#define STR_ARG(str) (int)(str).length, (str).at
#define STR(literal) ((Str){(literal), sizeof(literal) - 1})

Str str_of(const char *text); /* a view of a C string; NULL gives the empty one */
bool str_equal(Str a, Str b);
bool str_is(Str a, const char *text);
bool str_starts(Str text, Str prefix);
bool str_ends(Str text, Str suffix);
Str str_trim(Str text); /* without white space at both ends */
/* Cuts the next piece up to SEPARATOR (or the end) off *rest; false when nothing is left. */
bool str_next(Str *rest, char separator, Str *piece);
/* How many letters must be changed, added or dropped to make B out of A (both short). */
size_t str_distance(const char *a, const char *b);
bool str_to_int64(Str text, int64_t *value);  /* whole text, decimal; false on overflow */
const char *str_copy(Arena *arena, Str text); /* as a C string */

typedef Vec(char) Buffer; /* text under construction; at[count] is always 0 after an append */
void buffer_append(Buffer *buffer, const void *bytes, size_t count);
void buffer_printf(Buffer *buffer, const char *format, ...) PRINTF_LIKE(2, 3);
Str buffer_str(const Buffer *buffer);
#endif
