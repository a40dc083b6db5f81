/* blocks.h: memory that is accessed atomically in more than one size. The location of such accesses
 * is the block, the smallest aligned 2, 4, 8 or 16 bytes that hold all of them, and an access to
 * less is one to a part of it. A block is found when two atomic accesses of unequal extent overlap;
 * it is remembered, and exploration begins again. Blocks only grow, so there are at most four
 * restarts for each 16 bytes.
 *
 * A request for a part becomes one for the block before the explorer sees it, and its answer is cut
 * out of that for the block:
 *   a load          is a load of the block, marked with its part;
 *   an RMW          is one of the block, whose test and arithmetic concern the part alone;
 *   a store         is an exchange of the part, marked as a merge. Its read is no access of the
 *                   program: it says which write lies below in coherence order, where the other
 *                   bytes of the block come from.
 * Atomicity of read-modify-writes keeps a merge next to what it read, so its choice of a write to
 * read from is a store's choice of a place in coherence order. What is different:
 *   - a merge learns nothing: its read is part of porf, but not of happens-before, and no fence
 *     learns from it (graph_set_rf, graph_set_fence);
 *   - coherence counts for accesses that share a byte only (graph_lower_bound);
 *   - a read synchronises with every write that gave it a byte, and an RMW goes on with their
 *     release sequences (sources in graph.c);
 *   - under the models with store buffers a merge is a store (buffers.h), and a load that needs a
 *     byte more than its own thread's last store has written waits until that is in memory;
 *   - races are judged by the bytes that accesses really touch.
 *
 * Exactness. Let bytes be the memory and each access one atomic step on its bytes.
 *   sc: a state of the machine with blocks is a state of that with bytes, and so are its steps.
 *   tso: the outcomes are those of a machine whose loads wait for their own thread's older stores
 *     if these overlap and do not cover them, as x86 processors do: events in the order in which
 *     they act on memory satisfy the axioms, and a linearisation of a graph is a run. That porf
 *     includes the reads of merges adds nothing: for a cycle a later store of the thread would have
 *     to be seen before the merge is in memory, and buffers are first in, first out.
 *   rc11 and pso: a narrow write M is never placed after a write W with M porf-before W. Where
 *     nothing forbids that, an execution may be missing. Suppose one is. Take its events in an
 * order of porf, and the first of them, E, with which no order of the block's writes fits both its
 *     bytes and the explorer: some W has to stand before a narrow write M in the prefix of what
 *     precedes W in its thread (real_prefix; else real reads would be a cycle of porf). A graph
 * with the same events, in which E reads from or is placed behind the last write, is explored.
 *     There missing.h finds M and W: if M does not happen before W; or
 * if it does, they share no byte, and there is an access with bytes of M and others (under pso:
 * with bytes of M) that may tell their order, one that does not happen after M, nor before W. (If M
 * happens before W and they share a byte, coherence forbids the execution.) Then blocks_incomplete
 * is set, and the answer says that it goes less far. tests/twin/parts compares this with all that
 * the axioms allow. Whether orders of the block's disjoint bytes may take part in cycles of psc is
 * not proved: a graph with parts that psc rejects counts in the same way, unless all accesses are
 * seq_cst, since then rc11 is sc. */
#ifndef HEDDLE_EXPLORE_MEMORY_BLOCKS_H
#define HEDDLE_EXPLORE_MEMORY_BLOCKS_H
#include "guest/explore/graph/block_part.h"
#include "guest/runtime/request.h"

extern bool blocks_asked; /* requests go through route_submit: for that, shown.h or locals.h */

/* Both accesses lie in one block from now on; false if they don't fit into 16 aligned bytes. The
 * caller begins again. */
bool blocks_add(const char *a, unsigned a_size, const char *b, unsigned b_size);
/* Finds the block that holds the byte at ADDRESS; false if there is none. */
bool blocks_find(const void *address, char **base, unsigned *size);
#endif
