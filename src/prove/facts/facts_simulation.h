/* facts_simulation.h: candidates for the relation between a program and its specification. */
#ifndef HEDDLE_PROVE_FACTS_FACTS_SIMULATION_H
#define HEDDLE_PROVE_FACTS_FACTS_SIMULATION_H
#include "prove/simulation.h"

/* Candidates that name the specification's variables or the witnesses of SIMULATION->product, and,
 * as given, all that is known of the program. */
void facts_of_simulation(Arena *arena, const Simulation *simulation, Facts *facts);
#endif
