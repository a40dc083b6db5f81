/* ordered.h: programs under rc11 whose graphs are all sequentially consistent. The statement, and
 * why no outcome is lost: doc/proofs/confirm.md. */
#ifndef HEDDLE_EXPLORE_CONFIRM_ORDERED_H
#define HEDDLE_EXPLORE_CONFIRM_ORDERED_H
#include "guest/explore/search/rules.h"

/* Notes weak races. */
extern const Rule ordered_rule;
/* A pass begins; CLOSELY: decisions of confirm.h are made in it. */
void ordered_begin(bool closely);
/* For decisions: is every graph of this exploration sequentially consistent, or ordered as if it
 * were (tso)? */
bool ordered_is(void);
#endif
