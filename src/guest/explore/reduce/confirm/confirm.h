/* confirm.h: a read and the read or compare-exchange that confirms it are one decision.
 *
 * Thread t stands at the request of read r3 of location x; r1 is its last read of x in the present
 * run of pure events, w what r1 reads, and only reads, fences and light marks lie between. V(x) are
 * the values that x has had in any graph (values.h), E the value of r1.
 * Volatile accesses are relaxed ones here, too; plain ones that race are not decided about.
 * C. r3 confirms r1 if for every v in V(x) other than E, t answered v at r3 would be found waiting
 *    (waiting.h) with everything from r1 on droppable. For a compare-exchange also: it expects E;
 *    for another read-modify-write: it would write v back (the exchange of a spin lock).
 * S. In the order of the graph only events of t, or in the prefix of its last one, follow r1.
 *    (States of t are compared as alike.h does it, too.)
 * M. r1 is t's last event, and its order is relaxed, or that of r3, or weaker than seq_cst while r3
 *    acquires. Under models in which every access synchronises, fences may lie between.
 * N. No write of E comes after w in coherence order: there is none now, and in no graph is a write
 *    of E added after one that a read reads (VALUES_AGAIN). For each read q between with a choice:
 *    N1. whatever another write gives q, t comes to a read of x for which C holds, or goes round
 *        for nothing (paths.h);
 *    N2. unless all graphs are ordered (ordered.h), no write that may come to q withholds a write
 *        to x (passing.h), and what it passes on is acquired before that read of x; or that read is
 *        a compare-exchange, and every write to x after w is an RMW, in every graph.
 * O. Is asked if a read with a choice lies between r3 and the read that r1 itself confirms, or r1:
 *    r3 stays consistent while other writes come to such reads (below).
 * (Where N fails because E comes back, some writes still do not revisit r3: confirm/returning.h.)
 * If C, S and (N or M), and O, then r3 has one candidate, w: no other write is tried and none
 * revisits r3. Where that is inconsistent, t waits before r3; where r3 would succeed but another
 * RMW has taken w, r3 is first added with a write that has no place and can only revisit, then as a
 * phantom: it writes nothing and t waits with it, so that the reads before it can still be
 * revisited.
 *
 * Why no outcome is lost. (1) C depends on t's own trace and on V. So, V fixed, "r3 may read values
 * E only" is a program with fewer executions; those that go are the ones in which t would have been
 * found waiting, which are not complete today either, and never stuck: r3 reads the newer write.
 * What t does after the answer v is tried in the what-if: if it fails there, or touches plain
 * memory that it touches neither in this run of pure events nor when r1 has that answer (so that a
 * race could be missed), r3 does not confirm; nor if it rests on what plain memory holds that
 * others may write before they write v (the pauses of ghost.h).
 * Nor does it where t has looked at memory that others use again (waiting/reused.h): where t fails,
 * somebody else has taken what it wanted, and may write to it, or free it, beside that look.
 * (2) Under N no graph with r1 has a write of E after w that r3 could read: one that is older than
 * r3 would be there now, by S also if it came with what a read between reads, and a younger one
 * would be added while r1 reads w. Under M, let r3 read z of value E: with r1
 * reading z, too, nothing lies between, values are the same, and happens-before grows only before
 * r3, which learns the same or more: an execution with the same outcome that is explored. (With
 * fences between, under sc and tso: let r1 and the fences come just before r3 in the order of the
 * execution. t's stores that a fence waits for are in memory since, and nothing else of t lies
 * between.)
 *
 * (3) TruSt reaches a graph F in which read q reads from the younger write a by a revisit from the
 * graph that has, instead of q's read of a, everything that is older than q or in a's prefix, q
 * with the last write of these, and events that the scheduler adds on top, each in its one
 * canonical way: reads and writes maximally. Such events constrain nothing below them. r3 has its
 * own canonical way, which counts as maximal, as does its write: to read w, or "t waits", decided
 * by the graph before r3. Two things must be shown. What made t wait stays as long as t's last
 * other read stays: by S it is older than that read, or in its prefix. (The scheduler of
 * confirm_next makes S true nearly always: a thread whose last event is a read, fence or light mark
 * runs on before all others.) And where r3 reads w among the events on top, without being maximal,
 * it must not stand in the way of the rest of a's prefix. If r1 is on top, too, it is maximal from
 * a's view, so no younger write to x is in a's prefix or below, and r3 is maximal as well. So let
 * r1 belong to F, and q, which reads from a in F, lie between r1 and r3; with M there is no such q.
 * Let G be what is older than q or in a's prefix, with q and t's later reads on top, each reading
 * the last write that there is.
 *
 * By N1, F has a read r of x that reads w, po-after q (or t goes
 * round for nothing: then F is not complete; if t is stuck so, r1 sees the last write to x and
 * there is nothing to show). Hence no write x2 to x that stands after w in coherence order is in
 * a's prefix: under sc and tso a -> r would be ordered after x2, and by N2 x2 happens before r, so
 * that r could not read w. (Or r is a compare-exchange that reads the value it expects: then its
 * write comes next after w, and each later write to x up to x2 is an RMW that reads the one before
 * it. So r is before x2 in program order and reads-from, x2 before a, a before q, and q before r: a
 * cycle.) In particular no RMW in a's prefix takes w. So all writes to x in G that are newer than w
 * are older than r1.
 *
 * Let z be one of them, and let r3's reading before z be
 * inconsistent in G, though it was not when r3 was added. The reason is a cycle from z back to t,
 * and it comes to t at a read between, from the write m that this reads in G: had it come to r1 or
 * before, it would be in F, closed by r. It uses an event p of a's prefix that was not there when
 * r3 was added.
 *
 * Under sc: p is before a, hence before r, in F, and r before z: F has a cycle. Under
 * tso as well: porf from an event to a write, and reads of one thread, are kept in order.
 *
 * Under rc11, if all graphs are sequentially consistent (ordered.h), what was said of sc applies.
 * Else, coherence: the cycle is a happens-before path that ends with m and r's thread; it
 * lies in m's prefix, which was there. Atomicity: shown above. What is left is psc, where O is
 * needed: there is no z; or r3 is not seq_cst and no graph has a seq_cst fence, so that r3 is in no
 * psc edge.
 *
 * Under pso N is never used: stores to different locations are not kept in order.
 *
 * Without N1, "L01a2c-- A0V1" of
 * tests/twin/confirms.c loses an execution under sc (t leaves without confirming after the other
 * thread has taken w: nothing could revisit t's compare-exchange), and "W1 L01a2a-- W0R1V1" two of
 * 16 with a load as r3; without N2 "L01a-b2- w1A0v1" loses one of 5 under rc11. Such a graph is
 * needed only on the way to complete executions and to failures, whose prefix has r3 if it has
 * anything of t after r3.
 *
 * Whether r3 confirms may differ from one graph to the next without harm (a what-if is refused
 * where it meets an object that is not allocated yet), since it is decided by what is older than
 * r3: where r3 is a read like others, executions that M merges are counted apart. (4) V, and the
 * other facts, grow while it is explored: see values.h. If a pass ends without a new one that a
 * decision of it rests on, let F be a smallest graph that it missed because of an unknown value or
 * write; the porf prefix of that write has known ones only, so it was reached and the fact was
 * noted: a contradiction. (Decisions of earlier passes do not count. So a pass neither remembers
 * them nor begins again because of them.)
 */
#ifndef HEDDLE_EXPLORE_CONFIRM_H
#define HEDDLE_EXPLORE_CONFIRM_H
#include "guest/explore/search/rules.h"

extern bool confirm_active; /* is the exploration that runs reduced so? */
/* An exploration begins as a plain search: what is learnt below makes it begin again several times,
 * which is not worth while for a very small one. After so many blocked graphs, of all its processes
 * together, it begins again with confirm_active, as soon as it pays (confirm.c). Tests set 1: then
 * the first blocked graph is enough. */
extern uint64_t confirm_after;
/* A search that has had so many graphs without beginning again so is never reduced. (So the parts
 * into which it is divided do not have to count together.) */
extern uint64_t confirm_decided_after;
/* To be called when an exploration begins, and again when it begins anew: decides confirm_active.
 */
void confirm_begin(bool anew);
bool confirm_is_possible(void); /* may the exploration come to be reduced so? */
/* Is the exploration in a part of which one process must see all, in the order of the search,
 * because what it learns there decides how it goes on? Then it can't be divided (units.h). */
bool confirm_is_learning(void);
/* Fixes what was learnt, from now on; something new begins the exploration again. */
void confirm_stop_learning(void);
/* All that was learnt: what it takes to decide as this process does (kept.h). */
size_t confirm_knowledge_get(unsigned char *to, size_t room);
MUST_USE bool confirm_knowledge_put(const unsigned char *from, size_t bytes);
extern const Rule confirm_rule, confirm_active_rule;
static inline bool is_phantom(const Event *e)
{
    return e->kind == EVENT_READ && e->confirms && e->spurious;
}
/* Takes phantoms out of the graph, for a record of it: they are the last events of their threads.
 */
void confirm_drop_phantoms(void);
#endif
