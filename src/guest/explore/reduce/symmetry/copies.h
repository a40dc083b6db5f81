/* copies.h: graphs that differ from others only in which of several threads that are alike
 * (alike.h) did what.
 *
 * Order. Let t and s be alike, t created before s, and let k be the first index at which their
 * events differ: they read the same location from different writes, or both write it. (Two events
 * are the same if they read the same write, or if they access, each in its own heap, on its own
 * stack or in its thread-local storage, the same place, and read what their own thread wrote there
 * by the same event. Fences, marks and ends are all the same.) Up to k the two have had the same
 * answers, so event k of both is of the same kind and to the same location. The graph is *out of
 * order* for (t, s) if what (s, k) reads stands before what (t, k) reads in coherence order, or
 * write (s, k) before write (t, k). At a choice, a creation or a join, or where two events are to
 * unrelated locations, nothing is decided, and the pair is in order. A graph is a copy if it is out
 * of order for some pair.
 *
 * C1. Some permutation of a graph's threads among their likes gives one that is no copy. For the
 * relation "in order and different" is acyclic: it compares sequences by their first difference,
 * and the events that threads with equal beginnings do next are, location by location, ordered by
 * coherence, which no permutation changes. Of a complete graph without choices exactly one is none:
 * threads that do not differ can be exchanged without changing the graph.
 * C2. A porf-closed part of a graph that is no copy is none.
 *
 * So leaves that are copies are not counted and nobody looks at them. This alone would save no
 * search. A graph is left as soon as *all* leaves below it are copies. It is not enough that it is
 * a copy itself: TruSt deletes events that were added maximally, and in which order these were is
 * no matter. (T1 and T2 both load x, store x, then store y; T0 loads y, first of all. The graph in
 * which T0 reads y from T2 and both load the initial x, T1's store before T2's, is reached by a
 * revisit from one in which T1 has read x from T2: which is a copy.)
 *
 * What stays. Let P be the porf prefix of all events that are not maximal because of an older write
 * (or spurious, or a choice other than the first; but not confirming reads and their writes, which
 * count as maximal), and of all writes that are read by older reads.
 * P1. P grows from each graph to those below it; its events keep what they read and their relative
 * coherence order. An event only adds to it. Let a revisit (a, r) delete D, with everything in D
 * and r maximal from a's view (revisit_is_maximal). Let e be not maximal because of the older z:
 * then e is not in D and is not r. If z goes it is younger than r, hence so is e, which stays: it
 * is in the prefix of a, which r now reads, and r is older. Let w be read by the older r'. If r'
 * stays as it is, w does, since w in D would not be maximal; if r' is in D or r' = r, it is maximal
 * only if w is in the prefix of a, which r reads now.
 *
 * A write is *sealed* if it and all before it in coherence order, but for the initial one, are
 * writes of RMWs: every write that will come stands after it, under every model.
 * Fix s with event (s, k) in P, so that all its earlier ones are in P, too. A read (t, m), t
 * created before s, is *locked* if t and s have the same events before m, (s, m) is in P and reads
 * the same location from a sealed write. If it is revisited, the graph is out of order for (t, s)
 * from then on, unless it is revisited again, with the same result, or deleted. P2. Let e = (t, k)
 * be the event at which the graph is out of order for (t, s), and let all older reads that other
 * threads could revisit be in P or locked. Then all leaves below are copies, if one of these is
 * true:
 * - e is in P, or e is a write: an older read is revisited, or nothing changes;
 * - e is a read and (s, k) reads a sealed write: the same, or e reads a write that is yet to come;
 * - e reads a younger write w, under sc or tso: the same, or e is revisited by a write that has w
 * in its prefix and so comes after w in coherence order. If an older read is revisited, it is
 * locked, and the second case applies to it, with s as before. If e is in P, it does not matter
 * what is older: it stays, and so does the difference.
 *
 * So every leaf that is no copy is still reached, in the one way of TruSt: nothing but whole
 * subtrees without such leaves is left out, and whatever else reduces the search (waiting.h,
 * confirm.h, lost.h) decides about graphs as it did. A violation, a race or a deadlock shows in a
 * graph that some permutation turns into one that is no copy, with the same violation, race or
 * deadlock; it is found on the way there at the latest. Where reads are merged (M of confirm.h),
 * let F be complete and no copy, but not explored since a read r1 differs from the read that
 * confirms it: let r1 read what that reads. If the result is a copy, exchange threads. What reads
 * see only moves on in coherence order, so this ends, with a graph of the same outcome that is
 * explored.
 *
 * What is learnt (values.h) is learnt from the graphs that are explored. Let A be a write of a
 * graph F that is no copy, unknown to a decision, with a smallest prefix H. By C2, H is no copy. On
 * the way to H and A other events are added maximally, and are not in P. Where one of them, (t, k),
 * would make the search leave the graph, F has it, too: as a write before (s, k), or as a read of a
 * write before the sealed one that (s, k) reads. Both need nothing that is not in H, so it can be
 * added to H as it is in F; A is then met there. (A read of a younger write is added for a later
 * revisit of an older read of H only, which is then neither in P nor locked.)
 *
 * GenMC's symmetry reduction and "SPORE" (Kokologiannakis, Marmanis, Vafeiadis, PLDI 2024) order
 * threads by coherence at the first difference, too, and then change what a revisit keeps, so that
 * graphs never leave that order. Here revisits stay as they are. */
#ifndef HEDDLE_EXPLORE_SYMMETRY_COPIES_H
#define HEDDLE_EXPLORE_SYMMETRY_COPIES_H
#include "guest/explore/reduce/symmetry/alike.h"

extern const Rule copies_rule;
#endif
