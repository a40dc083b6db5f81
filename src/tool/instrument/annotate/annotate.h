/* annotate.h: the annotation compiler. The annotated sources of a program go in; out come copies
 * that call the runtime (heddle_annotated.h) where methods begin and end and at ordering points,
 * together with the sequential specification as code in the same translation unit, since it speaks
 * of the user's types. Lines of a copy are those of the original, so all messages of the compiler
 * and all reports point there; code in a comment has the comment's line. The originals are not
 * touched, and compile as they are. */
#ifndef HEDDLE_INSTRUMENT_ANNOTATE_ANNOTATE_H
#define HEDDLE_INSTRUMENT_ANNOTATE_ANNOTATE_H
#include "tool/instrument/build.h"
#include "tool/instrument/workspace.h"

typedef struct AnnotatedSource {
    const char *path; /* as it was given */
    const char *copy; /* to compile instead; NULL: it has no annotations */
    Words flags;      /* that the copy needs, before the user's */
    Words originals;  /* files that the copy and its headers stand for */
} AnnotatedSource;
typedef Vec(AnnotatedSource) AnnotatedSources;

/* Do these sources, or headers that they include with quotes, have annotations, and declare no
 * operations of <heddle.h>? Looks at the text alone. */
bool annotate_wanted(const BuildRequest *request);
/* One element for each file of REQUEST; objects and archives have no copy. An error names the
 * annotation's line. */
MUST_USE bool annotate_program(Arena *arena, const Workspace *workspace,
                               const BuildRequest *request, AnnotatedSources *out, Error *error);
#endif
