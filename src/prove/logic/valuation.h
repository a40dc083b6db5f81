/* valuation.h: the values of terms, given those of symbols and of reads. Each term is evaluated
 * once, and each read of a map at an index asked for once. */
#ifndef HEDDLE_PROVE_LOGIC_VALUATION_H
#define HEDDLE_PROVE_LOGIC_VALUATION_H
#include "prove/logic/term.h"

typedef struct Valuation {
    TermPool *pool;
    void *context;
    int64_t (*symbol)(void *context, Term symbol);
    int64_t (*read)(void *context, uint32_t map, int64_t index); /* if it was not set */
    Vec(int64_t) values; /* of terms, valid where the stamp is the current one */
    Vec(unsigned) stamps;
    unsigned stamp;
    HashMap reads; /* (map, index) to value */
} Valuation;

void valuation_free(Valuation *valuation);
void valuation_forget(Valuation *valuation); /* before the first use, and when values change */
void valuation_set_read(Valuation *valuation, uint32_t map, int64_t index, int64_t value);
/* A formula is 0 or 1. */
int64_t valuation_of(Valuation *valuation, Term term);
#endif
