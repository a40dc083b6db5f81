/* model_path.h: one way through an operation of a model, step by step, as an operation of the
 * prover. */
#ifndef HEDDLE_PROVE_READ_MODEL_PATH_H
#define HEDDLE_PROVE_READ_MODEL_PATH_H
#include "base/error.h"
#include "model/flow.h"
#include "prove/ir.h"

/* Where the variables of a module went. */
typedef struct ModelNames {
    IrProgram *program;
    const Module *module;
    const int *structures;   /* of each pool: structure */
    const int *first_fields; /* of each pool: number of its first field */
    /* of each global: its first global or array in the program; a struct is one for each field */
    const int *globals;
    bool in_sight; /* a new node can be seen at once: where nodes are freed, somebody may still have
                      it from its life before. Else its writes wait until it is stored somewhere */
} ModelNames;

typedef struct PathBuilder PathBuilder;
/* ONE_STEP: the whole path is one sub-operation (specifications). */
PathBuilder *path_new(Arena *arena, const ModelNames *names, const ModelOperation *operation,
                      bool one_step, bool internal);
PathBuilder *path_copy(const PathBuilder *path); /* to follow two ways from here */
/* Appends one atomic step; *feasible is false if it contradicts what came before. */
MUST_USE bool path_step(PathBuilder *path, const Edge *edge, const MicroPath *micros,
                        bool *feasible, Error *error);
/* At the head of a loop: the local may have any value that earlier rounds gave it. */
void path_forget_local(PathBuilder *path, int local);
/* Does the same for the field of the node in the local, if the node is still private. */
void path_forget_field(PathBuilder *path, int local, const Field *field);
bool path_is_private(const PathBuilder *path, int local);
/* Writes to the node in LOCAL are invisible to others and left out (rounds of a loop). */
void path_ignore_writes(PathBuilder *path, int local);
/* Which of these locals, as a bit mask, were stored where others can find them. */
uint64_t path_revealed(const PathBuilder *path);
/* The node in LOCAL, if private, is so no more. */
void path_reveal(PathBuilder *path, int local);
bool path_has_effect(const PathBuilder *path);
/* The locals of the operation that stand for what was forgotten; returns how many. */
size_t path_forgotten(const PathBuilder *path, const int **locals);
/* The finished operation; false if it has no step. */
bool path_finish(PathBuilder *path, const char *name, IrOperation *out);

/* Kinds of values; false if the prover has none for this type. */
bool model_kind(const ModelNames *names, const Type *type, IrType *out);
bool model_unsupported(Place place, Error *error, const char *what);
#endif
