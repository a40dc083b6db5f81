/* confirm.h: a read and the read or compare-exchange that confirms it are one decision.
 *
 * Thread t stands at the request of read r3 of location x; r1 is its last read of x in the present
 * run of pure events, and only reads, fences and light marks lie between. V(x) are the values that
 * x has had in any graph (values.h), E the value of r1.
 * C. r3 confirms r1 if for every v in V(x) other than E, t answered v at r3 would be found waiting
 *    (waiting.h) with everything from r1 on droppable. For a compare-exchange also: it expects E;
 *    for another read-modify-write: it would write v back (the exchange of a spin lock).
 * N. No graph has a value twice in the coherence order of x.
 * M. r1 is t's last event, and its order is relaxed, or that of r3, or weaker than seq_cst while r3
 *    acquires.
 * If C and (N or M), r3 has one candidate, what r1 reads: no other write is tried and none revisits
 * r3. Where that is inconsistent, t waits before r3; where r3 would succeed but another RMW has
 * taken its write, r3 is first added with a write that has no place and can only revisit, then as a
 * phantom: it writes nothing and t waits with it, so that the reads before it can still be
 * revisited.
 *
 * Why no outcome is lost. (1) C depends on t's own trace and on V. So, V fixed, "r3 may read values
 * E only" is a program with fewer executions; those that go are the ones in which t would have been
 * found waiting, which are not complete today either, and never stuck: r3 reads the newer write.
 * What t does after the answer v is tried in the what-if: if it fails there, or touches plain
 * memory that it touches neither in this run of pure events nor when r1 has that answer (so that a
 * race could be missed), r3 does not confirm. (2) Under N a write of E other than rf(r1) is in no
 * graph. Under M, let r3 read z of value E: with r1 reading z, too, nothing lies between, values
 * are the same, and happens-before grows only before r3, which learns the same or more: an
 * execution with the same outcome that is explored. (3) Exactly once: TruSt needs for each deleted
 * event one canonical way to have been added, a function of the graph before it; for r3 that is
 * rf(r1), or "t waits", and it counts as maximal, and so does its write. This needs the scheduler
 * of confirm_next: a thread whose last event is a read, fence or light mark runs on before all
 * others. At most one thread that does not wait is then in the middle of a round: a revisit leaves
 * other threads at events that have successors, hence writes. So what made t wait before r3, or as
 * a phantom, is older than t's last other read or in the prefix of what that reads, and a revisit
 * that keeps the read keeps it. Whether r3 confirms may differ from one graph to the next without
 * harm (a what-if is refused where it meets an object that is not allocated yet): each graph is
 * extended once, and both ways to add r3 reach what lies beyond; where r3 is a read like others,
 * executions that M merges are counted apart. (4) V grows while it is explored: see values.h. If a
 * pass ends without a new value, let F be a smallest graph that it missed because of an unknown
 * value; the porf prefix of the first write of that value has known values only, so it was reached
 * and the value was noted: a contradiction.
 */
#ifndef HEDDLE_EXPLORE_CONFIRM_H
#define HEDDLE_EXPLORE_CONFIRM_H
#include "guest/explore/graph.h"

extern bool confirm_active; /* is the exploration that runs reduced so? */
/* An exploration begins as a plain search: what is learnt below makes it begin again several times,
 * which is not worth while for a small one. After so many blocked graphs, of all its processes
 * together, it begins again with confirm_active. Tests set 1. */
extern uint64_t confirm_after;
/* To be called when an exploration begins, and again when it begins anew: decides confirm_active.
 */
void confirm_begin(bool anew);
/* To be called when a graph was blocked. May begin the exploration again; random schedules, drawn
 * in a process of their own, then write down values first that depth-first order would meet late.
 */
void confirm_count_blocked(void);
/* The read that `request` of T, a read, confirms; NULL if it is a read like others. */
const Event *confirm_find(int thread);
/* T was found waiting, with its events from FROM on droppable: perhaps there is something to learn,
 * and the exploration begins again. */
void confirm_learn(int thread, int from);
/* The thread of those in ABLE that is in the middle of a round, or -1. */
int confirm_next(ThreadSet able);
/* Would T, with a phantom as its last event, be cut by waiting_block? */
bool confirm_phantom_is_useful(int thread);
static inline bool is_phantom(const Event *e)
{
    return e->kind == EVENT_READ && e->confirms && e->spurious;
}
/* Takes phantoms out of the graph, for a record of it: they are the last events of their threads.
 */
void confirm_drop_phantoms(void);
#endif
