/* canon.h: states that differ only in names are one state.
 *
 * Three kinds of names can be exchanged without changing what a model does, because the language
 * allows nothing but copying them and comparing them for equality (data: not even that, see below):
 * nodes of a pool, threads of one group, and data values. A renaming is therefore an automorphism
 * of the transition system, and a state may stand for all states it can be renamed to (Ip and Dill,
 * Better verification through symmetry, 1996). Data values of different calls are always different;
 * since neither model can compare them, every other execution is one of these with values
 * identified, and a specification that explains the former explains the latter (data independence,
 * Wolper 1986).
 *
 * Canonical here means: a representative that is often the same for states that can be renamed to
 * each other. When it is not, states are visited twice; nothing is lost. */
#ifndef HEDDLE_REFINE_CANON_H
#define HEDDLE_REFINE_CANON_H
#include "model/program.h"

typedef struct CellRef {
    unsigned char *at;
    short bytes, pool;
    CellKind kind;
} CellRef;
typedef Vec(CellRef) CellRefs;

/* Maps old names to new ones; index 0 (none) stays 0. */
typedef struct Renaming {
    unsigned char values[256];
    unsigned char threads[MODEL_MAX_THREADS + 1]; /* 1-based */
    bool values_change, threads_change;
} Renaming;
void renaming_identity(Renaming *renaming);

/* All cells with names in a state, in a fixed order: globals, nodes, threads. */
void canon_cells(const Program *program, unsigned char *memory, CellRefs *out);
/* Renumbers nodes in the order in which they are reached from globals and threads. */
void canon_nodes(const Program *program, unsigned char *memory, Buffer *scratch);
/* Renames data values and threads; moves thread blocks and elements of arrays by thread. */
void canon_rename(const Program *program, unsigned char *memory, const Renaming *renaming,
                  CellRefs *cells, Buffer *scratch);

/* Chooses the order of the threads of each group and, if wanted, new names of values; rewrites
 * memory, and tells in *renaming what was done (values that do not occur stay 0). */
typedef struct CanonOptions {
    bool threads, values, nodes;
    const ThreadGroup *groups;
    int group_count;
} CanonOptions;
typedef struct CanonScratch {
    CellRefs cells;
    Buffer bytes, best, trial, original;
} CanonScratch;
void canon_state(const Program *program, const CanonOptions *options, unsigned char *memory,
                 Renaming *renaming, CanonScratch *scratch);
void canon_scratch_free(CanonScratch *scratch);
#endif
