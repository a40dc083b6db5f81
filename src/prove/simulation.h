/* simulation.h: serial runs of any length do what the specification says.
 *
 * In a reordered execution (reduce.h) operations stand together: complete ones, and beginnings of
 * ones that never finish, whose reads may be weakened. Claim: if there is a relation R between
 * states of the program and states of its specification such that (1) R holds at the beginning;
 * (2) whenever a complete operation runs from R, its specification can run, with the same
 * arguments and results; (3) however it then runs, R holds afterwards; (4) a beginning keeps R, the
 * specification standing still; or, from a step on that is chosen for each operation, R is kept
 * when the specification runs too, where it can, and when it stands still, where it can't; then
 * every reordered execution has the
 * results of a run of the specification, in the same order: by induction over its operations. So R
 * is a forward simulation (Lynch and Vaandrager, Information and Computation 1995).
 *
 * R is searched for like all facts: the product of the two programs, whose operations are one step
 * each, is a program; R is the largest inductive subset of candidates (facts/facts_simulation.c),
 * with what is known of every reachable state of the program. What the candidates speak of beside
 * the two states are ghosts of the product: for an array of the specification into which an
 * operation writes that makes a node, which node that was (a witness), and at which position it
 * stands. The user's facts of `refinement { ... }' are candidates like the others, each refused
 * with the state that breaks it. */
#ifndef HEDDLE_PROVE_SIMULATION_H
#define HEDDLE_PROVE_SIMULATION_H
#include "prove/prover.h"

typedef struct SimulationCase { /* what an operation of the product is */
    int operation, prefix;      /* the first so many steps of this operation of the program */
    int abstract;               /* then this operation of the specification; -1: none */
} SimulationCase;

typedef struct Simulation {
    const Prover *proved; /* the program that was reordered, its facts, its weakened reads */
    const IrProgram *specification;
    IrProgram *product;
    Prover prover; /* of the product: its facts are R */
    Vec(SimulationCase) cases;
    Vec(int) effect; /* of each operation: beginnings of that many steps on have taken effect */
    Vec(uint64_t)
        open;          /* of each operation: the steps at which that could be, as far as runs say */
    Vec(IrType) index; /* of each array of the specification: what it is indexed by */
    Vec(int) witness;  /* of each array of the specification: the array of its nodes; -1 */
    Vec(int) positions; /* of each structure: the field that is the position of a node; -1 */
    int first_global, first_array;
    size_t failed;      /* the first case whose specification can't follow */
    const char *reason; /* why there is no R; NULL: there is */
} Simulation;

/* PROVED stays as it is and must live as long. Call simulation_free in the end, whatever came out.
 */
void simulation_run(Arena *arena, const Prover *proved, const IrProgram *specification,
                    unsigned effort, Simulation *simulation);
/* Can what the user gives of the relation be read? */
MUST_USE bool simulation_check_refinement(Arena *arena, const IrProgram *program, Error *error);
/* All obligations once more. */
bool simulation_verify(Simulation *simulation);
void simulation_free(Simulation *simulation);
#endif
