/* relevance.h: which events of an execution say something to a person: what memory several threads
 * touch, plain reads that say nothing new, and steps that a library takes for itself. */
#ifndef HEDDLE_REPORT_RELEVANCE_H
#define HEDDLE_REPORT_RELEVANCE_H
#include "base/hash.h"
#include "tool/report/dwarf/names.h"

typedef struct Relevance {
    Names *names;
    const Record *record;
    HashMap users;  /* address/8 to bit set of threads that touch it */
    HashMap blamed; /* the same of what the violation is about: 1 */
    bool *again;    /* by event: a plain read that says nothing new */
} Relevance;

/* The list lives in the arena; relevance_free gives the rest back. */
void relevance_find(Relevance *relevance, Names *names, Arena *arena, const Record *record);
void relevance_free(Relevance *relevance);
/* Do several threads touch what EVENT accesses? */
bool relevance_is_shared(const Relevance *relevance, const RecordEvent *event);
/* Is EVENT a step that a library takes for itself? */
bool relevance_is_of_library(const Relevance *relevance, const RecordEvent *event);
#endif
