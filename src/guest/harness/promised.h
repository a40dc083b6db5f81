/* promised.h: explores what IMM allows beside rc11 (--model=imm): the program again, where
 * loads may get the values of stores behind them (guest/explore/graph/promises.h), until no pair of
 * a load and a value is new. A finished graph counts if each promise finds a store and IMM's axioms
 * hold. Dependencies are not looked at, which allows more: what is fine then is fine under IMM, but
 * what goes wrong may need a value that a dependency excludes. doc/proofs/imm.md has the argument.
 */
#ifndef HEDDLE_HARNESS_PROMISED_H
#define HEDDLE_HARNESS_PROMISED_H
#include "record/link.h"

/* Everything was explored under rc11, and nothing is wrong: fills OUTCOME's `promised...', and
 * makes it inconclusive if something is. */
void promised_explore(OutcomeMessage *outcome);
/* For tests: told of each graph that counts and that rc11 forbids, in place. */
extern void (*promised_on_graph)(void);
#endif
