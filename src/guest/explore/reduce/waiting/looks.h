/* looks.h: who looks at a lock that the program has made of atomics, without waiting for it.
 *
 * sections.h leaves out rounds in which a thread t takes a lock x by a read-modify-write l and
 * gives it back by a store u. That is right if no other thread q shows what it has read of x in
 * between. A look is a read of x by q that reads from l, or from the end of a chain of silent
 * read-modify-writes that begins with l. It is shown when q can't go round a loop for nothing any
 * more with the look among what it drops (waiting.h):
 * (a) an effect of q, or its end, follows the pure events of which the look is one; the effect may
 *     be the read-modify-write whose read the look is;
 * (b) q waits for ever with a droppable part that begins after the look. (Not counted if q waits
 * for x alone, with the value that the look has read, as a lock does that tries an exchange and
 * then waits by loads: the look may as well read the last write, for whose value q waits.) T(x) are
 * the threads that show looks at x in any graph of this exploration. Sections of t on x may be idle
 * only if T(x) is empty or {t}.
 *
 * T is learnt. Looks are noted for words that are watched. The first time that a round would be
 * left out if a word were watched it is, and the exploration begins again; it does so for each
 * thread that is new in T. If a pass ends without that, T was right: let F be an execution,
 * complete or stuck or up to a failure, with the outcome that was lost, of as few events as there
 * are with it. Then F has no round that waiting.h would leave out, and a round of sections.h only
 * if one of its l is looked at and the look is shown: a look that is not shown can be left out with
 * all that its thread does after it (b: the look that does not count can read the last write). Take
 * the shown look whose prefix has the fewest events, and G, what is before the first event that
 * shows it. Without the rounds of sections.h at which nobody in G looks, which includes those of t
 * before the one that is looked at, G is the prefix of a graph of the program that is explored: t
 * stops after the round, not before. Let t give x back, then all other threads run on, and those
 * that wait read the last values, t as well in what is left of its round: in this graph nobody
 * waits with an outdated last read, so that nothing on the way to it is given up
 * (waiting_is_hopeless, lost.h). So it is explored, and q was noted. */
#ifndef HEDDLE_EXPLORE_WAITING_LOOKS_H
#define HEDDLE_EXPLORE_WAITING_LOOKS_H
#include "guest/explore/reduce/waiting/arrivals.h"

static inline bool looks_are_noted(void)
{
    return arrivals_any_watched && arrivals_have_turns;
}
/* Notes looks that are shown; may begin the exploration again. */
extern const Rule looks_rule;
bool looks_are_watched(const Location *x);
/* Does no other thread than T show a look at X, which is watched? */
bool looks_are_by(const Location *x, int thread);
/* Watches X from now on: begins the exploration again, unless there is no room. */
void looks_watch(const Location *x);
#endif
