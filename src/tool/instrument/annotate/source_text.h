/* source_text.h: the text of a C or C++ source as far as comments and literals go, without a
 * compiler. */
#ifndef HEDDLE_INSTRUMENT_ANNOTATE_SOURCE_TEXT_H
#define HEDDLE_INSTRUMENT_ANNOTATE_SOURCE_TEXT_H
#include "base/str.h"

typedef struct SourceComment {
    size_t begin, end;       /* with its marks */
    size_t inner, inner_end; /* without */
    bool lines;              /* made of // lines */
} SourceComment;

/* The next comment from *at on, which moves behind it; // lines that follow each other are one.
 * False if there is none. What looks like a comment inside a literal is none. */
bool source_next_comment(Str text, size_t *at, SourceComment *comment);
bool source_is_word(char c); /* may stand in an identifier */
/* Is the quote at AT a digit separator, as in 1'000? */
bool source_is_separator(Str text, size_t at);
size_t source_skip_literal(Str text,
                           size_t at);       /* past the literal that begins at AT with a quote */
size_t source_line_end(Str text, size_t at); /* of the line of AT, with its continuations */
#endif
