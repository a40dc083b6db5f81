/* copies.h: graphs that differ from others only in which of several threads that are alike
 * (alike.h) did what. The statement, and why no outcome is lost: doc/proofs/symmetry.md. */
#ifndef HEDDLE_EXPLORE_SYMMETRY_COPIES_H
#define HEDDLE_EXPLORE_SYMMETRY_COPIES_H
#include "guest/explore/reduce/symmetry/alike.h"

extern const Rule copies_rule;
#endif
