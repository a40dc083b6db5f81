/* smtlib.h: a question as an SMT-LIB 2 file. */
#ifndef HEDDLE_PROVE_LOGIC_SMTLIB_H
#define HEDDLE_PROVE_LOGIC_SMTLIB_H
#include "base/error.h"
#include "prove/logic/term.h"

/* The conjunction of TERMS, declared unsatisfiable; TITLE becomes a comment. */
MUST_USE bool smtlib_write(const char *path, const TermPool *pool, const Terms *terms,
                           const char *title, Error *error);
#endif
