/* memory.h: steps touch nothing but allocated nodes; so steps on a node that nobody else can see
 * may be joined with the next step.
 *
 * Let a program P have steps that only allocate a node and write fields of it with known values,
 * before the operation stores the node anywhere (private steps), and let J be P with each run of
 * private steps made part of the next other step of its operation. Theorem. Suppose that in every
 * reachable state of J, every node whose field a step of J reads or writes, that it frees, or of
 * which it asks whether it is allocated, is allocated (or was allocated by that very step). Then
 * for each execution of P there is one of J with the same operations, in the same order where they
 * did not overlap, and the same arguments and results, but for operations that never finish. So J
 * linearizable makes P linearizable.
 *
 * Proof, by induction over the length of the execution: its state t is a reachable state s of J
 * after some private steps of pending operations, each on a node that is not allocated in s, no two
 * on the same. A further private step only extends these. Let the next step be another, of u. It
 * looks at globals, arrays, and nodes that are allocated in s or that u's own private steps made;
 * all others' private steps leave these alone. So it can run, with u's own private steps before it
 * as J has them, in s too, with the same values, and what the others' private steps did can be done
 * afterwards: what u allocates was not allocated in t, hence is none of theirs. At the end the
 * private steps that are left belong to operations that never finish, which may be left out.
 *
 * The facts of J that say so are inductive for J alone, so nothing is assumed of P. The smallest
 * program that breaks without the condition: tests/found/prove_private_plain_holds.hp, whose second
 * operation reads a field of any node. */
#ifndef HEDDLE_PROVE_MEMORY_H
#define HEDDLE_PROVE_MEMORY_H
#include "prove/prover.h"

/* PROVER has J with its facts: NULL if the condition of the theorem holds, else why not. */
const char *memory_check(Prover *prover);
#endif
