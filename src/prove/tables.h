/* tables.h: the tables of the paper's Figure 5, computed: for each pair of sub-operations of two
 * instances whether the second can follow the first, on what condition, and whether they can be
 * exchanged; each with its reason. */
#ifndef HEDDLE_PROVE_TABLES_H
#define HEDDLE_PROVE_TABLES_H
#include "prove/algorithm1.h"
#include "prove/prover.h"

typedef struct TableEntry {
    bool orderable, boundary, conditional, reversible;
    const char *condition; /* of a conditional pair, if one was found in the words of the program */
    const char *reason;    /* why not orderable, or not reversible: the condition that fails */
} TableEntry;

typedef struct Tables {
    Relations relations;
    TableEntry *entries; /* [a * relations.count + b] */
} Tables;

/* REASONS: also find conditions and reasons, which costs further questions. */
void tables_compute(Prover *prover, bool reasons, Tables *tables);
/* Decides one pair of sub-operations, numbered through all operations. */
void tables_decide(Prover *prover, int a, int b, bool reasons, TableEntry *entry);
/* Does CONDITION, on globals, hold in every state in which a and then b can run? */
bool tables_implies(Prover *prover, int a, int b, const IrFormula *condition);
/* The relations of the program's sub-operations, all false. */
Relations tables_relations(Arena *arena, const IrProgram *program);
/* Finds the operation and the point of sub-operation NUMBER (counted through all operations). */
void tables_locate(const IrProgram *program, int number, int *operation, int *point);
/* Its label; with its operation's name before it where another sub-operation has the same. */
const char *tables_name(const Prover *prover, int number);
void tables_print(const Prover *prover, const Tables *tables, Buffer *out);
#endif
