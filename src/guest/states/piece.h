/* piece.h: pieces of stacks, each kept once. Most stacks of a search differ in few of their words,
 * so that they have most pieces in common. */
#ifndef HEDDLE_STATES_PIECE_H
#define HEDDLE_STATES_PIECE_H
#include "base/common.h"

enum { PIECE_BYTES = 128 };

/* Returns the kept piece with these COUNT bytes (at most PIECE_BYTES); it stays until piece_begin.
 */
const char *piece_keep(const char *bytes, uint32_t count);
void piece_begin(void);     /* drops all */
uint64_t piece_bytes(void); /* memory in use */
#endif
