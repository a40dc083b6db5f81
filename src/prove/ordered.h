/* ordered.h: stacks and queues whose operations take effect in an order that is only decided later:
 * which of two concurrent pushes is below is settled by a time stamp, which of two concurrent
 * enqueues is first by a slot, and what a search through many places finds was not there in one
 * moment. Reordering steps can't prove them, since other orders end in other states (Singh, Neamtiu
 * and Gupta, Section VIII). What is proved instead: ranks of elements explain all results.
 *
 * The text says of each operation which element it inserts or removes, at which step, and what
 * ranks it (`inserts', `removes'); the specification is `stack' or `queue'. The ideas are those of
 * Dodds, Haas and Kirsch (POPL 2015: stamps order a stack) and of Bouajjani, Emmi, Enea and
 * Mutluergil (CAV 2017: removals have fixed points, insertions do not). */
#ifndef HEDDLE_PROVE_ORDERED_H
#define HEDDLE_PROVE_ORDERED_H
#include "prove/ghost.h"

/* The obligations of the theorem (ordered.c) for PROGRAM, which has a discipline. */
Ghosted ordered_obligations(Arena *arena, const IrProgram *program);
#endif
