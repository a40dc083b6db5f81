/* placements.h: does what threads do depend on where the memory of equal threads lies?
 *
 * Addresses tell threads apart that are alike (alike.h): each has its heap, its stack and its
 * thread-local variables at a place of its own, and code may compare such addresses or hash them.
 * So each past (pasts.h) that the search comes upon, of every thread and of ghosts, is run once
 * more for every other way to choose its owners among the threads that these are like: by the
 * thread that is then the first owner, alone, with every answer and every plain read as in the
 * past, all addresses in them changed to those of the new owners. The same must come out, up to
 * that change: the same requests, the same contents of what was written. If not, threads are told
 * apart (alike_refuse).
 *
 * Why that is enough. Let F be an execution of the program, and P a largest porf-closed part of it
 * that some exchange of equal threads turns into a graph Q that the search comes upon. Let e be the
 * next event of F behind P, of thread t, whose image in Q is u. What t was told and has read
 * plainly in P, u was told and has read in Q, up to the change of addresses: each such value was
 * written by a thread in a stretch that comes out the same under the change, is what an RMW makes
 * of such values (that is a part of the stretch, too), or is as it was before any of the equal
 * threads ran. So the past of u in Q, with the owners that t has in F, is t's past in F. It was
 * run: t's request is the image of the one that u makes in Q. So what the search does about u's
 * request, by the graph and by what threads in their present states would do (ghosts), is right
 * about t's: it comes upon Q with the image of e, against the choice of P, or it leaves Q for a
 * reason that holds of P as well.
 *
 * Thread-local variables of objects that were loaded later lie elsewhere (fiber.c). Where such an
 * address is shown to others, or one that a program has changed (a tag in the upper bits), it is a
 * number that differs: threads are told apart even if nobody looks at it.
 *
 * Each past costs a run for each other choice: N - 1 for one that has seen nothing of other equal
 * threads, N! - 1 at most. A choice that the search has met by itself needs none: there a thread
 * has had that very past (recall.h). The runs are made by a forked process, of which nothing
 * remains: at the end of a search, and before something is written down that another process goes
 * on from. HEDDLE_DEBUG=validate makes all of them. */
#ifndef HEDDLE_EXPLORE_SYMMETRY_PLACEMENTS_H
#define HEDDLE_EXPLORE_SYMMETRY_PLACEMENTS_H
#include "guest/explore/search/rules.h"

/* Makes the runs that were not made yet. May not return (alike_refuse). False if MAY_STOP and the
 * end of the search was asked for meanwhile: what was explored is not known to be all then. */
bool placements_check(bool may_stop);
extern const Rule placements_rule; /* makes them at the end of a search */
#endif
