/* simulation_private.h: making the product of a program and its specification; shared by
 * simulation.c, simulation_product.c and simulation_effect.c. */
#ifndef HEDDLE_PROVE_SIMULATION_PRIVATE_H
#define HEDDLE_PROVE_SIMULATION_PRIVATE_H
#include "prove/simulation.h"

/* The product without its operations: both states, the beginning of both, the ghosts. False with
 * simulation->reason set if the specification is of no known form. */
bool simulation_product_begin(Arena *arena, Simulation *simulation);
/* The first PREFIX steps of OPERATION as one; with WEAK their weakened reads are so. */
IrOperation simulation_beginning(Arena *arena, const Simulation *simulation, int operation,
                                 int prefix, bool weak);
/* Appends operation ABSTRACT of the specification to OP, which is a beginning of OPERATION, for the
 * path PATH: its conditions as assumptions, and with GHOSTS what the witnesses record. What is to
 * be chosen gets locals of its own, after all others. */
void simulation_append(Arena *arena, const Simulation *simulation, IrOperation *op, int operation,
                       int path, int abstract, bool ghosts);
/* May operation ABSTRACT of the specification be what the first PREFIX steps of OPERATION do? Of a
 * finished operation, as itself; else also as another with the same steps so far: *PATH. */
bool simulation_is_effect_of(const Simulation *simulation, int operation, int prefix, int abstract,
                             int *path);
/* Is the beginning that of an operation before, too? Then it is looked at there. (With weakened
 * reads it may be another.) */
bool simulation_is_known(const Simulation *simulation, int operation, int prefix);
/* From which step on an unfinished operation has taken effect: guessed from runs. */
void simulation_guess_effects(Arena *arena, Simulation *simulation);
#endif
