/* confirm.h: a read and the read or compare-exchange that confirms it are one decision. The
 * statement, and why no outcome is lost: doc/proofs/confirm.md. */
#ifndef HEDDLE_EXPLORE_CONFIRM_H
#define HEDDLE_EXPLORE_CONFIRM_H
#include "guest/explore/search/rules.h"

typedef struct ConfirmState {
    bool active; /* is the exploration that runs reduced so? */
    /* An exploration begins as a plain search: what is learnt below makes it begin again several
     * times, which is not worth while for a very small one. After so many blocked graphs, of all
     * its processes together, it begins again with active, as soon as it pays (confirm.c). Tests
     * set 1: then the first blocked graph is enough. */
    uint64_t after;
    /* A search that has had so many graphs without beginning again so is never reduced. (So the
     * parts into which it is divided do not have to count together.) */
    uint64_t decided_after;
} ConfirmState;
extern ConfirmState confirming;
/* To be called when an exploration begins, and again when it begins anew: decides
 * confirming.active.
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
/* For waiting_run_key: what was computed of the state before an access is kept with it. */
extern const Rule states_rule;
static inline bool is_phantom(const Event *e)
{
    return e->kind == EVENT_READ && e->confirms && e->spurious;
}
/* Takes phantoms out of the graph, for a record of it: they are the last events of their threads.
 */
void confirm_drop_phantoms(void);
#endif
