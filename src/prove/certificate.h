/* certificate.h: a proof as one SMT-LIB 2 script, each of whose questions is unsatisfiable.
 * doc/proofs/certificate.md defines the format, states the theorem and says why these questions
 * imply it; tools/check_certificate.py builds them again from the text alone. Facts, the relation
 * and the choices of the proof stand in the script; everything else follows from the text. */
#ifndef HEDDLE_PROVE_CERTIFICATE_H
#define HEDDLE_PROVE_CERTIFICATE_H
#include "prove/prove.h"

/* PROVE is a finished proof. Stores how many questions there are. */
MUST_USE bool certificate_write(Arena *arena, Prove *prove, unsigned effort, const char *path,
                                unsigned long *questions, Error *error);
#endif
