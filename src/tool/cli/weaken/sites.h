/* sites.h: from what a program did (guest/entry/orders.h) and from its code to a list of the
 * memory orders that its source has. Every copy that the compiler made of an order (inlined
 * functions, instances of templates) is the same one; two in one line are told apart. */
#ifndef HEDDLE_CLI_WEAKEN_SITES_H
#define HEDDLE_CLI_WEAKEN_SITES_H
#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "tool/answer/weakening.h"

typedef struct WeakenSites {
    Vec(WeakenOrder) orders;
    Vec(uint32_t) owners;      /* by entry of `keys`: whose key it is, an index of orders */
    Vec(uint64_t) keys;        /* of the table */
    unsigned library_orders;   /* operations of the C++ library's own */
    unsigned placeless_orders; /* operations of code without debug information */
} WeakenSites;

/* Fills the ranges of the system's code, so that the program can find the user's calls. */
MUST_USE bool weaken_sites_prepare(Arena *arena, const char *program, OrderTable *table,
                                   Error *error);
/* The orders that the program met are in TABLE; those that it did not meet are found in its code.
 * OPTIMISED: equal calls at one place may be copies that the compiler made. RELAXED: relaxed orders
 * are listed, too (they can't be weakened, but strengthened). */
MUST_USE bool weaken_sites_find(Arena *arena, const char *program, const OrderTable *table,
                                bool optimised, bool relaxed, WeakenSites *sites, Error *error);
/* Asks in TABLE that order number INDEX be TO. */
void weaken_sites_replace(const WeakenSites *sites, uint32_t index, unsigned to, OrderTable *table);
/* Asks in TABLE for a fence of ORDER before or AFTER the operation of order number INDEX. */
void weaken_sites_fence(const WeakenSites *sites, uint32_t index, bool after, unsigned order,
                        OrderTable *table);
void weaken_sites_free(WeakenSites *sites);
#endif
