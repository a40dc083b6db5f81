/* memory_model.h: the memory models, one row each. Everything that depends on the model and is no
 * algorithm stands here; the algorithms are found by the row's name:
 *   model_NAME_consistent, model_NAME_allows_edges, model_NAME_client  guest/explore/models/
 *   NAME_fails                                                         judge/graph/axioms.c
 * The compiler therefore names what a new row lacks. Records and the link carry a model as its
 * number, so new rows are added at the end. */
#ifndef HEDDLE_RECORD_MEMORY_MODEL_H
#define HEDDLE_RECORD_MEMORY_MODEL_H
#include "base/common.h"
#include "record/assembly_code.h"

/* Edges that make happens-before, apart from program order, creation and join. */
enum {
    SYNCHRONISES_ALWAYS,  /* every read with the write it reads from; orders play no part */
    SYNCHRONISES_BY_ORDER /* release and acquire, as C11 says */
};
/* Two plain accesses of the same memory that nothing orders. */
enum {
    RACES_EXPLORED, /* they are events like relaxed atomic ones */
    RACES_FORBIDDEN /* they are an error of the program */
};
/* Which instructions drain the store buffer. */
enum {
    DRAINS_BY_AXIOMS, /* seq_cst fences and read-modify-writes that succeed */
    DRAINS_AS_X86 /* what gcc, clang and the C library emit for x86: all read-modify-writes, seq_cst
                     stores, and the stores that give locks back */
};
/* X(NAME, word of --model, executions are interleavings, what synchronises, races, meaning of the
 * instructions in inline assembly, what drains the store buffer) */
#define MEMORY_MODELS(X)                                                                           \
    X(SC, sc, true, SYNCHRONISES_ALWAYS, RACES_EXPLORED, ASSEMBLY_IN_SC, DRAINS_BY_AXIOMS)         \
    X(TSO, tso, false, SYNCHRONISES_ALWAYS, RACES_EXPLORED, ASSEMBLY_IN_TSO, DRAINS_AS_X86)        \
    X(RC11, rc11, false, SYNCHRONISES_BY_ORDER, RACES_FORBIDDEN, ASSEMBLY_IN_C11,                  \
      DRAINS_BY_AXIOMS)                                                                            \
    X(PSO, pso, false, SYNCHRONISES_BY_ORDER, RACES_EXPLORED, ASSEMBLY_IN_TSO, DRAINS_BY_AXIOMS)

typedef enum MemoryModel {
#define X(NAME, ...) MODEL_##NAME,
    MEMORY_MODELS(X)
#undef X
        MODEL_COUNT
} MemoryModel;
#define MODEL_DEFAULT MODEL_RC11

#define MODEL_ROW_WORD(NAME, word, ...) " " #word
#define MODEL_WORDS MEMORY_MODELS(MODEL_ROW_WORD) /* " sc tso ...", for help and messages */

const char *model_word(uint32_t model); /* "?" for a number that is no model */
MUST_USE bool model_from_word(const char *word, uint32_t *model);

/* The columns as questions: sets of models that the compiler folds, so that asking costs a shift.
 */
#define MODEL_ROW_INTERLEAVED(NAME, word, interleaved, ...)                                        \
    | (uint32_t)(interleaved) << MODEL_##NAME
static inline bool model_is_interleaved(uint32_t model)
{
    return (0u MEMORY_MODELS(MODEL_ROW_INTERLEAVED)) >> model & 1;
}
#define MODEL_ROW_BY_ORDER(NAME, word, interleaved, synchronises, ...)                             \
    | (uint32_t)((synchronises) == SYNCHRONISES_BY_ORDER) << MODEL_##NAME
static inline bool model_synchronises_by_order(uint32_t model)
{
    return (0u MEMORY_MODELS(MODEL_ROW_BY_ORDER)) >> model & 1;
}
#define MODEL_ROW_FORBIDS(NAME, word, interleaved, synchronises, races, ...)                       \
    | (uint32_t)((races) == RACES_FORBIDDEN) << MODEL_##NAME
static inline bool model_forbids_races(uint32_t model)
{
    return (0u MEMORY_MODELS(MODEL_ROW_FORBIDS)) >> model & 1;
}
/* Does memory perform accesses in an order of which happens-before tells only a part? Where every
 * read synchronises, it tells all; where races are forbidden, nothing else counts. */
static inline bool model_performs_beyond_hb(uint32_t model)
{
    return model_synchronises_by_order(model) && !model_forbids_races(model);
}
#define MODEL_ROW_X86(NAME, word, interleaved, synchronises, races, assembly, drains)              \
    | (uint32_t)((drains) == DRAINS_AS_X86) << MODEL_##NAME
static inline bool model_drains_as_x86(uint32_t model)
{
    return (0u MEMORY_MODELS(MODEL_ROW_X86)) >> model & 1;
}
AssemblyMeaning model_assembly(uint32_t model);
#endif
