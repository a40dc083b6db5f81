#include "guest/explore/reduce/waiting/arrivals.h"
#include "guest/explore/search/rules.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/search/ghost.h"
#include "guest/explore/search/ops.h"
#include "guest/explore/memory/scrub.h"
#include "guest/explore/reduce/symmetry/alike.h"
#include "guest/explore/reduce/symmetry/pasts.h"
#include "guest/explore/search/explore.h"

bool arrivals_have_turns;

/* Is it not known yet that SELF arrives at BARRIER, and whether it LOOKS at the result? */
static bool is_news(uint64_t barrier, ThreadSet self, bool looks)
{
    return (self & ~facts_of(FACT_arrivals, barrier)) ||
           (looks && !facts_of(FACT_arrival_looks, barrier));
}

int64_t op_arrival_turn(const void *object, unsigned count, const void *pc)
{
    const int64_t any = operations_turn(count, 0, false);
    const uint64_t barrier = (uintptr_t)object;
    if (!arrivals_have_turns || !op_active() || !reduction_is_on(REDUCTION_barriers) ||
        !facts_have_room(FACT_arrivals, barrier))
        return any;
    ThreadSet self = thread_bit((int)op_self());
    bool looks = !scrub_result_is_dead(pc);
    if (is_news(barrier, self, looks)) {
        if (ghost_runs()) /* what the thread itself does not do is not learnt */
            return any;
        facts_add(FACT_arrivals, barrier, self);
        facts_add(FACT_arrival_looks, barrier, looks);
        op_begin_again();
    }
    ThreadSet threads_here = facts_of(FACT_arrivals, barrier);
    if ((unsigned)__builtin_popcountll(threads_here) > count)
        return any;
    op_note_identity(); /* threads that are alike have ranks that differ */
    REDUCTION_ACTS(barriers);
    unsigned rank = (unsigned)__builtin_popcountll(threads_here & (self - 1)) + 1;
    return operations_turn(count, rank, facts_of(FACT_arrival_looks, barrier) != 0);
}

/* ---- locks that are tried ---- */

bool arrivals_add_thread(FactKind kind, const void *word, int t)
{
    /* what one of several threads that are alike does is known of all of them, and of the rest */
    bool alike = alikes.active && alikes.met && alike_has_others(t);
    return facts_add(kind, (uintptr_t)word, alike ? ~(ThreadSet)0 : thread_bit(t));
}

bool arrivals_nobody_looks(const Location *x, int t)
{
    const uint64_t lock = (uintptr_t)x->address;
    return facts_have_room(FACT_tries, lock) && !(facts_of(FACT_tries, lock) & ~thread_bit(t));
}

bool arrivals_is_tried(const Location *x)
{
    return facts_of(FACT_tries, (uintptr_t)x->address) != 0;
}

void op_note_try(const void *word)
{
    pasts_note_lock(word);
    if (ghost_runs())
        ghosts.tried = word;
    else if (arrivals_have_turns && op_active() &&
             arrivals_add_thread(FACT_tries, word, (int)op_self()))
        op_begin_again();
}

/* ---- what the search asks ---- */

static void begin(bool anew)
{
    (void)anew;
    arrivals_have_turns =
        options.reductions && !options.plain_search && options.preemptions < 0 && !exploration.held;
}

static void end(void)
{
    arrivals_have_turns = false;
}

const Rule barriers_rule = {.begin = begin, .end = end};
