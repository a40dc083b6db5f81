/* returning.h: a load that confirms a read, but of a value that comes back (confirm.h, rule N).
 *
 * Thread t stands at the request of load r3 of location x, r1 is the read of x before it, w the
 * write that r1 reads, E its value. C, S, N1 and O of confirm.h hold, but in some graph a write of
 * E is added after one that a read reads: r3 may read w, or a later write of E, and so it has its
 * choices like other reads. (A set as a list: its second node is the first one again when what was
 * put before it is taken out.) All graphs are ordered (ordered.h, or sc, or tso).
 * B(E) are the values v such that some graph has a write of E, one of v and one of E in the
 * coherence order of x, one after the other. A write z of a value that is neither E nor in B(E) is
 * *final* for r3: no graph has a write of E after w, z.
 * R. A final write does not revisit r3.
 *
 * Why no execution is lost. Let F be a graph that is complete, or in which threads are stuck, or
 * that is the prefix of a failure and has anything of t after r3. TruSt (confirm.h (3)) reaches F
 * by graphs in each of which the events that the next revisit, of a read d by a write a, deletes
 * read and stand maximally from a's view: among what is older or in a's prefix. Let r3 read from a
 * final write z in one of these, the first such, and z be younger than r3: it came by R's revisit.
 * r3 is not in F so, since t then goes round for nothing (C), which is neither complete nor stuck
 * (r1 does not see the last write to x), and no failure. So a later revisit concerns r3.
 * (1) d is r3, and a writes E, or a value of B(E) (a final write does the same as z). From a's view
 *     r3 reads the last write, so z is in a's prefix, and before a in the coherence order. If a
 *     writes E, then z is not final. If not, t goes round after it as well: take a for z, since
 *     nothing that is in the coherence order after z, which stays in the prefix of what r3 reads,
 *     is a write of E.
 * (2) d is older than r1, so r1 is deleted as well, and reads the last write from a's view; but z
 *     is in a's prefix and after w: r1 does not read w, a contradiction.
 * (3) d is r1: a's view is as in (2).
 * (4) d is a read q between r1 and r3. z is in a's prefix, since r3 is maximal. By N1, t comes
 * after q to a read r of x that reads E, or goes round for nothing. That r reads no write after z,
 * for z is final; but z is before a, a before q, and q before r, so that r can't read a write
 *     before z in an ordered graph. So t goes round for nothing while q reads a, and what was said
 *     of r3 and z may be said of q and a: it is not so in F; if q is revisited again, by a2, a and
 * z are in a2's prefix, and t goes round again; an older read that is revisited by a2 has a and z
 *     in a2's view, and so r1 would not read w.
 * So no such graph is on the way to F, and what is not explored is not needed.
 * B is learnt as values are (values.h): a fact that a decision did not know begins the exploration
 * again. */
#ifndef HEDDLE_EXPLORE_CONFIRM_RETURNING_H
#define HEDDLE_EXPLORE_CONFIRM_RETURNING_H
#include "guest/explore/search/rules.h"

/* May the rule be asked for at the present request? */
bool returning_is_possible(void);
/* READ is such a load: would a write be final for it? */
extern const Rule returning_rule;
#endif
