/* rules.h: the interface between the search and what reduces it. A rule is a row of a table
 * (reduce/table.c): which questions of the search it answers. The search knows this interface only,
 * and no rule. Nothing that a rule says is needed for the search to be right, but that it is sound:
 * without rules every consistent graph is visited once.
 *
 * Rows are asked in the order of the table. A row is linked only while it is `active`, so that a
 * question which no active row answers costs a branch. Whoever changes what `active` depends on
 * during a search calls rules_link(). Rows may also only learn (facts), or keep what others rest
 * on. None of this runs on the stack of a thread. What is to be forgotten belongs to a row that
 * is always active. */
#ifndef HEDDLE_EXPLORE_SEARCH_RULES_H
#define HEDDLE_EXPLORE_SEARCH_RULES_H
#include "guest/explore/graph/graph.h"
#include "record/reductions.h"

/* How a read is to be added. */
typedef struct ReadPlan {
    const Event
        *confirms;  /* it confirms this one: it has one candidate (frames_confirm), unless: */
    bool returns;   /* few writes may revisit it (RULE revisit_is_useless) */
    int dooms_from; /* if it fails, its thread waits, from this event on; -1: no */
} ReadPlan;

/* TELL: all rows are told. ANY: asked until one says yes. FIRST: until one has an answer >= 0.
 */
#define RULE_HOOKS(TELL, ANY, FIRST)                                                               \
    TELL(setup, (void), ()) /* once; asked of all rows, active or not */                           \
    /* an exploration, which knows nothing, or begins ANEW with what it has learnt; it has ended   \
     */                                                                                            \
    TELL(begin, (bool anew), (anew))                                                               \
    TELL(end, (void), ())                                                                          \
    /* another program or test comes: forget what was learnt */                                    \
    TELL(forget, (void), ())                                                                       \
    TELL(begin_graph, (void), ())  /* the graph is empty again */                                  \
    TELL(begin_search, (void), ()) /* a search begins: what is `active` is decided next */         \
    ANY(end_search, (void), ())    /* nothing is left; yes: all the same it is not complete */     \
    /* --- who runs --- */                                                                         \
    ANY(main_rests, (void), ()) /* after its last event: others run first, as long as any can */   \
    /* ... and no other thread can run: nor need main, the execution is complete. */               \
    ANY(completes, (void), ())                                                                     \
    FIRST(next, (ThreadSet able), (able))                                                          \
    TELL(restart, (int thread), (thread))       /* a thread stands at its beginning */             \
    TELL(begin_stretch, (int thread), (thread)) /* it, or its ghost, runs with `reply` ... */      \
    TELL(end_stretch, (int thread), (thread))   /* ... and has come to its next request */         \
    /* --- a thread has made `request` --- */                                                      \
    TELL(request, (int thread), (thread))                                                          \
    TELL(before_round, (int thread), (thread))                                                     \
    FIRST(round, (int thread), (thread)) /* it waits: where what it may leave out begins */        \
    ANY(keeps_round, (int thread, int from), (thread, from)) /* that is not left out */            \
    TELL(no_round, (int thread), (thread))                                                         \
    ANY(gives_up, (int thread), (thread)) /* the thread comes to no end */                         \
    TELL(access, (int thread), (thread))  /* an atomic access, before its event is added */        \
    TELL(location, (int thread, Location *x), (thread, x)) /* it has found its location */         \
    ANY(plan, (int thread, ReadPlan *plan), (thread, plan))                                        \
    TELL(read, (Event * read), (read))   /* an access that reads was added */                      \
    TELL(fence, (bool first), (first))   /* FIRST: the first seq_cst one of the graph */           \
    ANY(like_last, (int child), (child)) /* the thread to be created is like the last */           \
    TELL(create, (int child), (child))                                                             \
    TELL(effect, (Event * create), (create)) /* a creation was added */                            \
    /* --- the graph --- */                                                                        \
    ANY(is_useless, (const Event *read, uint64_t v), (read, v)) /* a revisit that brings V */      \
    ANY(is_lost, (int thread), (thread)) /* blocked just now: nobody can ever free it */           \
    ANY(is_hopeless, (int thread, ThreadSet able, ThreadSet joining), (thread, able, joining))     \
    ANY(hides, (const Event *read, int from), (read, from)) /* what it has read is over */         \
    ANY(shows_copy, (int thread), (thread)) /* its new access shows that all below is left */      \
    ANY(all_copies, (void), ())                                                                    \
    /* --- leaves --- */                                                                           \
    ANY(is_copy, (void), ())                                                                       \
    ANY(doubts, (void), ())         /* that threads are stuck is not believed */                   \
    TELL(leaf, (void), ())          /* no thread can run */                                        \
    TELL(finish, (void), ())        /* ... and it is no copy */                                    \
    TELL(complete, (void), ())      /* the execution was counted, and main has ended */            \
    TELL(end_graph, (void), ())     /* a graph is left */                                          \
    TELL(blocked_graph, (void), ()) /* ... and was counted as blocked */                           \
    TELL(end_pass, (void), ())      /* all was searched */                                         \
    TELL(cut_branches, (unsigned count), (count)) /* so many branches ended without a leaf */

typedef struct Rule {
    bool (*active)(void); /* NULL: always */
#define TELL(hook, parameters, arguments) void(*hook) parameters;
#define ANY(hook, parameters, arguments) bool(*hook) parameters;
#define FIRST(hook, parameters, arguments) int(*hook) parameters;
    RULE_HOOKS(TELL, ANY, FIRST)
#undef TELL
#undef ANY
#undef FIRST
} Rule;

enum { RULES_MOST = 40, RULES_A_HOOK = 8 };
/* For each question the rows that answer it now; NULL after the last one. */
typedef struct LinkedRules {
#define TELL(hook, parameters, arguments) void(*hook[RULES_A_HOOK + 1]) parameters;
#define ANY(hook, parameters, arguments) bool(*hook[RULES_A_HOOK + 1]) parameters;
#define FIRST(hook, parameters, arguments) int(*hook[RULES_A_HOOK + 1]) parameters;
    RULE_HOOKS(TELL, ANY, FIRST)
#undef TELL
#undef ANY
#undef FIRST
} LinkedRules;
extern LinkedRules rules;

/* The table, once, before anything is asked. */
void rules_take(const Rule *const *table, unsigned count);
void rules_link(void); /* asks all rows whether they are active */

/* Is this reduction wanted, with those that it rests on? */
bool reduction_is_on(unsigned reduction);
/* How often each has left something out, in this process. */
extern uint64_t reductions_used[REDUCTION_COUNT];
#define REDUCTION_ACTS(word) (reductions_used[REDUCTION_##word]++)

/* The questions themselves. Mostly one row answers, or none; the loop over the others stands in
 * rules.c. */
#define TELL(hook, parameters, arguments)                                                          \
    void rules_tell_##hook parameters;                                                             \
    static inline void rules_##hook parameters                                                     \
    {                                                                                              \
        if (LIKELY(rules.hook[0] == NULL))                                                         \
            return;                                                                                \
        rules.hook[0] arguments;                                                                   \
        if (UNLIKELY(rules.hook[1] != NULL))                                                       \
            rules_tell_##hook arguments;                                                           \
    }
#define ANY(hook, parameters, arguments)                                                           \
    bool rules_ask_##hook parameters;                                                              \
    static inline bool rules_##hook parameters                                                     \
    {                                                                                              \
        if (LIKELY(rules.hook[0] == NULL))                                                         \
            return false;                                                                          \
        return rules.hook[0] arguments || (rules.hook[1] != NULL && rules_ask_##hook arguments);   \
    }
#define FIRST(hook, parameters, arguments)                                                         \
    static inline int rules_##hook parameters                                                      \
    {                                                                                              \
        int answer = -1;                                                                           \
        for (unsigned i = 0; answer < 0 && UNLIKELY(rules.hook[i] != NULL); i++)                   \
            answer = rules.hook[i] arguments;                                                      \
        return answer;                                                                             \
    }
RULE_HOOKS(TELL, ANY, FIRST)
#undef TELL
#undef ANY
#undef FIRST
#endif
