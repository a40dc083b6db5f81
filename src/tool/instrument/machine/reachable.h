/* reachable.h: which functions of a compiled file may run, by its assembly text. Headers full of
 * inline functions leave many that nothing calls (-O0 keeps them); what they contain does not
 * matter. A function may run if it is visible outside the file, or if its name occurs in data or in
 * the code of one that may run: any mention counts, so none is missed. */
#ifndef HEDDLE_INSTRUMENT_MACHINE_REACHABLE_H
#define HEDDLE_INSTRUMENT_MACHINE_REACHABLE_H
#include "base/hash.h"
#include "base/str.h"

typedef struct Reachable {
    HashMap functions; /* hash of its name -> 1 if it may run, 0 if not */
} Reachable;

void reachable_find(Str assembly, Reachable *out);
/* True for a name that is no function of the file. */
bool reachable_may_run(const Reachable *reachable, Str name);
void reachable_free(Reachable *reachable);
#endif
