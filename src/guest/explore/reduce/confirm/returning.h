/* returning.h: a load that confirms a read, but of a value that comes back (confirm.h, rule N).
 * The statement, and why no outcome is lost: doc/proofs/returning.md. */
#ifndef HEDDLE_EXPLORE_CONFIRM_RETURNING_H
#define HEDDLE_EXPLORE_CONFIRM_RETURNING_H
#include "guest/explore/search/rules.h"

/* May the rule be asked for at the present request? */
bool returning_is_possible(void);
/* READ is such a load: would a write be final for it? */
extern const Rule returning_rule;
#endif
