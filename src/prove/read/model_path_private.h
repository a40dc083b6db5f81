/* model_path_private.h: a way through an operation while it is built; shared by model_path.c, which
 * makes its steps, and model_value.c, which turns the model's expressions into the prover's. */
#ifndef HEDDLE_PROVE_READ_MODEL_PATH_PRIVATE_H
#define HEDDLE_PROVE_READ_MODEL_PATH_PRIVATE_H
#include "prove/read/model_path.h"

typedef struct PrivateNode {
    int local;                   /* of the operation */
    Vec(IrStatement) statements; /* new and the writes so far */
    bool published;
} PrivateNode;

struct PathBuilder {
    Arena *arena;
    const ModelNames *names;
    const ModelOperation *model;
    bool one_step, internal, infeasible, wrote;
    IrOperation operation;
    const IrExpr **values; /* of each local of the model: its current value; NULL: none yet */
    uint64_t revealed;     /* see path_revealed */
    bool *ignored;         /* of each local of the model */
    int *versions;
    Vec(PrivateNode) nodes;
    Vec(int) forgotten; /* locals of the operation that stand for an unknown value */
    SubOp step;         /* being filled */
    bool has_step;      /* it is a step of its own, not just conditions on locals */
    Error *error;
    bool failed;
};

/* An error for the user: the prover does not know WHAT. The path has failed; a value to go on
 * with. */
const IrExpr *path_fail(PathBuilder *path, Place place, const char *what);
/* A new local of the operation; one more version of a local of the model. */
int path_new_local(PathBuilder *path, const char *name, const Type *type, Place place);
const IrExpr *path_local_expr(PathBuilder *path, int local);
const IrExpr *path_fresh(PathBuilder *path, const Variable *variable);

/* The node that E is, if nobody else can reach it; else NULL. */
PrivateNode *path_private_node(const PathBuilder *path, const IrExpr *e);
/* All private nodes, with what was written to them, become part of the step. */
void path_publish(PathBuilder *path);

/* An expression as the place that it names, as a value, as a condition. What reads shared memory is
 * part of the step that is being filled. */
const IrExpr *path_place(PathBuilder *path, const Expr *e);
const IrExpr *path_value(PathBuilder *path, const Expr *e);
const IrFormula *path_formula(PathBuilder *path, const Expr *e);
const IrExpr *path_field(PathBuilder *path, const Field *field, const Struct *structure,
                         const IrExpr *node);
const IrFormula *path_constant(PathBuilder *path, bool truth);
bool path_is_constant(const IrFormula *f, bool *truth);
#endif
