/* reused.h: rounds that a thread goes for nothing, and in which it looks at memory that others use
 * again.
 *
 * waiting.h, and what rests on it (confirm.h, doomed.h, sections.h), leave out rounds that a thread
 * t goes round a loop for nothing. No outcome is lost by that, but a race may be: in such a round t
 * looks at memory c, by an access a, and another thread u writes c plainly later, or frees it, by
 * b, and nothing orders the two. (While t waits for a flag it looks at a variable that is written
 * after the flag. Or t fails to pop a node, whose link it has read, because u was faster; u pushes
 * the node again.) Two things may be missing in what is explored:
 * - b beside a: t has blocked with a read that is outdated now, and the graph is left before b;
 * - what leads to b: t goes on after the round, and b depends on something that t does then.
 * So a round in which t looks at memory that is used again is *kept*, once in the life of a thread:
 * t goes on, and what follows is not compared with what it did up to there, as if it had had an
 * effect. The next such round is left out.
 *
 * A plain write of thread u, while other threads run, or after the end of one that does not happen
 * before it, is
 * - early, if nobody else can know of the memory: it is in an object that u has allocated since its
 *   last effect (an atomic write, or the creation of a thread), or the last write to it was u's
 *   own, and u has had no effect since (whoever has read it then races with that write);
 * - first, if it is in static memory, or in what main has allocated, and nobody has written that
 *   but main before it created threads (who has read it has touched it before: see R);
 * - late otherwise.
 * R(u) are the bytes that u, in any graph, writes late, or frees, or leaves with their function; or
 * writes first, if anybody has touched them when no thread had written them yet. A round of t looks
 * at memory that is used again if
 * U1. it touches bytes of R(u), u other than t, plainly or by an atomic read of another location
 *     than that with which the round begins; or
 * U2. it writes plainly: late, and another thread reads or writes these bytes plainly, in any
 *     graph; or first, and another one does so, or somebody has read them before; or early, into a
 *     new object and for the first time, and the same is true, and some graph has a weak read; or
 * U3. it touches plainly what is accessed atomically, too.
 * What is touched while t holds a lock in a section (sections.h) counts only if some graph has a
 * *weak* read, too: one that reads what another thread has written, and does not learn what
 * happened before that. (What a lock of the runtime reads, to be taken or given back, does not
 * count, nor a read that is the last of a round for nothing: F, below, has fewer events without
 * it.)
 *
 * Why no race is lost. Let F be a graph of the program with a race of a, by t, and b, by u, which
 * consists of the prefixes of both, with as few events as there are in any such graph. Then all
 * other accesses to c in F are ordered with a and with b; and no round that waiting.h leaves out is
 * in F, but perhaps those of a and b: without it there is less happens-before, and the same race.
 * (What t does after its round, it does without the round, too.) If those two rounds are kept, F is
 * explored: let each thread that waits in it read the last values, so that nothing on the way is
 * given up (waiting_is_hopeless, lost.h), or left out by confirm.h. So let a be in a round that is
 * left out.
 * (1) b is a plain write outside of such rounds. F without the round of a has b, and was explored,
 *     so b was noted. If it is late: U1. If it is early, t could not have known of c, or u has
 *     written c before, late or first. If it is first, and d was a write to c before a, other than
 *     by main before all threads, d would be ordered with b: before it (b is not first), or after
 *     it (then a is, too). So a touches c before anybody has written it: if it reads, U1 (what a
 *     round touches so is noted when it asks), if it writes, U2.
 * (2) b is a plain write in such a round of u, and so is a. If b is late or first, and a reads, the
 *     round of b is kept by U2: b was noted when it was made, and so was a, so U1 holds of a. If a
 *     writes, too, U2 holds of both.
 * (3) b frees c, or ends its function or thread: it was noted. b is atomic, and a plain: U3.
 * (4) b reads, and a writes. If a is early, u knows of c by what t does after a, and has learnt it
 *     by a weak read. If t has written c before a, since its last effect, or writes it after a,
 *     before it tells of c, b races with that write, too. Otherwise b reads, in F without the
 *     round, what nobody has written: U2. If a is late: U2, since b was noted, perhaps in its own
 *     round. If a is first, and d was a write to c before b, other than
 *     by main, it is ordered with a: not before it, since a is first, nor after it, since then a
 *     would be before b. So b reads before anybody has written: U2.
 * If a is the read with which the round begins, no rule is needed: F without the round, in which t
 * stands at the same read, and reads the last write, has the race as well.
 * If a is in a section: where no read is weak, whatever has an event of t in its prefix happens
 * after it, so b depends on nothing that t does after a. And t is found waiting when it has given
 * back the lock, or later: no read that comes after a, and that t could wait with, is in F. So t
 * makes its round, and is not in the way of b.
 *
 * confirm.h decides about rounds that were not made: what they touch is touched in t's run of pure
 * events, too, of which U1 to U3 are asked. Only whether it was written before may be different
 * then, after a read that may get something else: there it counts as touched before.
 *
 * R is learnt. Nothing is noted before the first round asks; then the exploration begins again, and
 * so it does at the end of a graph in which R has grown. It shapes the search tree, and is carried
 * by units. If it still grows when thousands of graphs were explored, what is known of one thread
 * is taken to be true of others, and after some such times all memory to be used again. Threads
 * that are alike (symmetry/alike.h) use each other's memory again, in copies that are not explored:
 * which of them are explored depends on the round (tests/found/variants/rounds_alike.c).
 *
 * For U3 let A be the bytes that were accessed atomically, and L those of which U3 was asked. It is
 * enough that in the last pass every byte is in A before U3 is asked of it, or never: then all was
 * decided by the A of its end. As long as one process explores, it begins again when a byte of L
 * comes to A; whoever goes on from its unit knows both sets. Where a search is divided, one may ask
 * and another one access: there all begin again as soon as A grows at all, so A has been the same
 * since the search was divided, and all know it. (L may grow: locations are few, and nearly all are
 * met in the first graphs, but what rounds touch is not.) */
#ifndef HEDDLE_EXPLORE_WAITING_REUSED_H
#define HEDDLE_EXPLORE_WAITING_REUSED_H
#include "guest/explore/search/rules.h"
#include "guest/explore/memory/cells.h"
#include "record/units_shared.h"

/* Notes what is used again, once some round has asked; keeps rounds that touch it; begins the
 * exploration again when there is news. */
extern const Rule reused_rule, reused_noted_rule;
/* Does T look at such memory from its event number FROM on, at which what would be left out begins,
 * other than the location EXEMPT (0: none), and has not kept a round yet? Then its present request
 * must not be decided by what T would do after it. If it is, reads of T from number CHOICES on may
 * have got something else in a round that is left out so. */
bool reused_looks(int thread, int from, LocationId exempt, int choices);
/* Is anything of this known about G? Is it known there, too? Learns it. */
bool reused_is_known(const Granule *g);
bool reused_is_known_there(const Granule *g, const KnownGranule *there);
void reused_learn(Granule *g, const KnownGranule *known);
/* Gets and puts what units carry beside KnownGranule. */
void reused_get(KnownMemory *to);
void reused_put(const KnownMemory *from);
bool reused_knows_more(const KnownMemory *from);
#endif
