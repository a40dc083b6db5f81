/* performed.h: which accesses memory has certainly performed before a thread goes on, under a model
 * whose happens-before tells less than that (model_performs_beyond_hb: pso).
 *
 * Happens-before of pso is that of C11, since plain accesses that it orders need no exploration.
 * Who frees memory asks another question: may an access of another thread still come? The machine
 * answers it. A thread executes its instructions in program order; a load is performed when it is
 * executed, a store when it leaves its buffer, later. Let x(e) be the execution of e, m(w) the time
 * at which store w reaches memory. These must come in order, whatever else is explored:
 *   x(a) < x(b)   a before b in program order
 *   x(w) < m(w)   w is a store
 *   m(w) < x(r)   r reads from w, a store of another thread. Reading one's own store early is no
 *                 such edge; but
 *   m(w) < x(r)   w is a store of r's thread before r that shares a byte with it, and r does not
 *                 have all its bytes from a store in its own buffer (coherence; buffers_waits)
 *   m(w) < x(b)   w before b, and b drains the buffers; or w is a seq_cst store, b a seq_cst load
 *   m(v) < m(w)   v before w, and they share a byte, w is a release store, or a release fence
 *                 stands between them
 * and creation and join, which drain. Free, and the end of a function or of a thread, are F in
 * thread T, executed in program order. Let P be what must come before x(F).
 *
 * Claim: an access a of another thread may be performed after F in some execution iff its x (load)
 * or m (store) is not in P. If it is in P, it comes before in all of them. If not, and F need not
 * come before a (then the access to freed memory is found where it is made), take a run of the
 * machine for the present graph, and of it only what must come before F or before a. Each load of
 * that has the value that it had: what it reads from is there, and nothing is added in between. So
 * this is a run, and both F and a can come next, in this order. The value that a load a gets then
 * does not matter.
 *
 * P has the executions of T's prefix by program order and reads-from, hence
 *   - a load of thread U is performed iff it is in that prefix, whatever the orders of accesses:
 *     relaxed stores say that the loads before them are over;
 *   - a store of U is performed iff a walk back through the events of U in the prefix, down to the
 *     store, finds it to be in memory by the edges above: a relaxed store says nothing of others.
 * Under tso the buffer is first in, first out, so that both are happens-before of that model.
 * tests/twin/machine.c runs the machine itself, and the two are compared. */
#ifndef HEDDLE_EXPLORE_MODELS_PERFORMED_H
#define HEDDLE_EXPLORE_MODELS_PERFORMED_H
#include "guest/explore/graph/graph.h"

/* Thread U has loaded something, after its first TAG events. Is that performed before what thread T
 * does next? Of a load that is an event, TAG is its index. */
bool performed_load(int u, EventIndex tag, int t);
/* Answers the same of a store to the bytes of MASK from ADDRESS on (bit 0 is the byte there). */
bool performed_store(int u, EventIndex tag, const char *address, unsigned mask, int t);
#endif
