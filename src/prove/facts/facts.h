/* facts.h: what is known of every reachable state (global facts) and of an instance that stands at
 * a point of its operation (point facts). Candidates are made from the text here; houdini.h keeps
 * those that are inductive. */
#ifndef HEDDLE_PROVE_FACTS_FACTS_H
#define HEDDLE_PROVE_FACTS_FACTS_H
#include "prove/ir.h"

typedef struct Fact {
    const IrFormula *formula;
    int bound_count; /* quantified variables: a node of bound[i], or a position of an array (int) */
    IrType bound[2];
    bool dead;
    bool axiom;           /* true by definition */
    const UserFact *user; /* NULL: found by the tool */
} Fact;
typedef Vec(Fact) FactList;

typedef struct Facts {
    FactList global;
    FactList **points; /* [operation][point], point from 0 to the number of sub-operations */
} Facts;

/* Every candidate worth trying, and the user's facts. Lists are owned by Facts. */
void facts_candidates(Arena *arena, const IrProgram *program, Facts *facts);
/* Candidates at one point, e.g. for facts that only hold after something else happened. */
void facts_point_candidates(Arena *arena, const IrProgram *program, int operation, int point,
                            FactList *out);
void facts_drop_dead(FactList *list);
void facts_free(const IrProgram *program, Facts *facts);
void fact_print(Buffer *out, const IrProgram *program, const IrOperation *operation,
                const Fact *fact);
#endif
