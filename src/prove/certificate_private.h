/* certificate_private.h: writing states, steps and formulas as SMT-LIB; shared by certificate.c
 * (which questions there are) and certificate_steps.c. */
#ifndef HEDDLE_PROVE_CERTIFICATE_PRIVATE_H
#define HEDDLE_PROVE_CERTIFICATE_PRIVATE_H
#include "prove/prove.h"

/* The state's components are numbered: globals, fields, arrays, who made a node, which are
 * allocated. A state gives the term of each. */
typedef struct CertState {
    const char **at;
} CertState;

typedef struct Certificate {
    Arena *arena;
    Buffer out;
    Buffer *goal;           /* conditions go here instead of being asserted; NULL: nowhere */
    bool inlined;           /* writes become terms instead of definitions (under quantifiers) */
    Prover *prover;         /* of the program */
    const IrProgram *whole; /* the program, or its product with the specification */
    const Simulation *simulation; /* NULL: none */
    int components;
    int *last; /* the newest version of each component */
    unsigned long questions;
} Certificate;

/* Who speaks: locals are those of OP, and their names end in WHO (NULL: parameters). Of a
 * specification's expressions NAMES has the term of each local. */
typedef struct CertView {
    const IrOperation *op;
    const char *who;
    bool abstract;
    const char **names;
} CertView;

const char *cert_local(Certificate *c, CertView view, int local); /* -1: ID */
int cert_component(const Certificate *c, const CertView *view, IrExprKind kind, int index);
const char *cert_component_name(Certificate *c, int component);
const char *cert_sort(const Certificate *c, int component);
CertState cert_base(Certificate *c);       /* version 0 of all */
CertState cert_parameters(Certificate *c); /* the names without versions */
CertState cert_copy(Certificate *c, CertState state);
const char *cert_expr(Certificate *c, const CertState *state, CertView view, const IrExpr *e);
const char *cert_formula(Certificate *c, const CertState *state, CertView view, const IrFormula *f);
/* Asserts, or adds to the goal that is being collected. */
void cert_condition(Certificate *c, const char *term);
void cert_step(Certificate *c, CertState *state, CertView view, const SubOp *subop);
void cert_statement(Certificate *c, CertState *state, CertView view, const IrStatement *s);
void cert_guard(Certificate *c, const CertState *state, CertView view, const IrFormula *f);
/* The operations of a model, as they were read. */
void cert_model(Certificate *c, const IrProgram *program);
void cert_set(Certificate *c, CertState *state, int component, const char *term);
#endif
