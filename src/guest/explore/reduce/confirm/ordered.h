/* ordered.h: programs under rc11 whose graphs are all sequentially consistent.
 *
 * An access is weak if it is not seq_cst (a compare-exchange: in either order). A weak race is two
 * accesses to one location, by different threads, of which one may write and one is weak, where the
 * one that is requested later does not have the other before it in happens-before, as that is at
 * its request: what it reads does not count yet. O. No graph of the exploration has a weak race, or
 * a fence. (A node that is filled in by relaxed stores before a seq_cst compare-exchange links it.)
 *
 * Then every graph is sequentially consistent: po, rf, co and fr have no cycle together. For let
 * there be one. Two accesses that one of these edges joins, other than po, are both seq_cst or are
 * ordered by happens-before already when the later is requested: by a way that ends with po, and
 * begins with po or a rf between seq_cst accesses, since a weak read, too, has what it reads before
 * it in this way. So happens-before is made of po, creation and join, and rf between seq_cst
 * accesses. The cycle then consists of ways in happens-before between seq_cst accesses, and of rf,
 * co and fr between seq_cst accesses; or it is a cycle of happens-before, or of that and one edge
 * against coherence, which no consistent graph has. On the ways, po leads from a seq_cst access to
 * another one, for rf does. So all edges are in psc, and the graph is not consistent. (The theorem
 * of Lahav, Vafeiadis, Kang, Hur and Dreyer, PLDI 2017, on programs that race by seq_cst accesses
 * only, says the same of all executions; here it is what is met at requests that counts.)
 *
 * So what confirm.h says of sc applies to every such graph, and rules N2 and O of it, which make up
 * for weaker orders, are not asked. A weak race that a decision did not know begins the exploration
 * again (values.h). When a pass has ended without one, let F be a smallest graph that was missed:
 * smaller ones were explored, and so each pair of accesses of F was met at the request of the later
 * one. So F has no weak race, it is sequentially consistent, and the argument of confirm.h says
 * that it is not missed. */
#ifndef HEDDLE_EXPLORE_CONFIRM_ORDERED_H
#define HEDDLE_EXPLORE_CONFIRM_ORDERED_H
#include "guest/explore/search/rules.h"

/* Notes weak races. */
extern const Rule ordered_rule;
/* A pass begins; CLOSELY: decisions of confirm.h are made in it. */
void ordered_begin(bool closely);
/* For decisions: is every graph of this exploration sequentially consistent, or ordered as if it
 * were (tso)? */
bool ordered_is(void);
#endif
