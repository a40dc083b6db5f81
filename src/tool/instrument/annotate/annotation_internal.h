/* annotation_internal.h: what annotation.c, which finds annotations and their keywords, and
 * annotation_parts.c, which takes the text of each keyword apart, share. */
#ifndef HEDDLE_INSTRUMENT_ANNOTATE_ANNOTATION_INTERNAL_H
#define HEDDLE_INSTRUMENT_ANNOTATE_ANNOTATION_INTERNAL_H
#include "tool/instrument/annotate/annotation.h"

typedef struct AnnotationReader {
    Arena *arena;
    const char *file;
    Str text;
    char *clean; /* the text of comments without decoration, at the same places */
    Annotations *out;
    Error *error;
} AnnotationReader;

typedef struct AnnotationPart {
    AnnotationKey key;
    size_t at;         /* of the @ */
    size_t begin, end; /* of its text */
} AnnotationPart;

/* Line and column of offset AT. */
void annotation_position(Str text, size_t at, int *line, int *column);
/* Fills the error with FORMAT, in which WORD takes the place of %s; returns false. */
bool annotation_fail(const AnnotationReader *reader, size_t at, const char *format,
                     const char *word);
/* Skips white space and MARK from *AT on; false, and nothing is skipped, if it does not stand
 * there. */
bool annotation_take_mark(const AnnotationReader *reader, size_t *at, size_t end, const char *mark);
/* Reads the text of one keyword into the annotation that it is a part of. */
MUST_USE bool annotation_read_part(const AnnotationReader *reader, const AnnotationPart *part,
                                   Annotation *to);
#endif
