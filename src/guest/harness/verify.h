/* verify.h: is the history in the explorer's present graph allowed? All real-time orders that the
 * graph admits are looked at (realtime.h), full and stuck histories alike. Results are remembered
 * by outcome, order and (weak models) what decides which edges a client may add, since most graphs
 * of a test have these in common with an earlier one. */
#ifndef HEDDLE_HARNESS_VERIFY_H
#define HEDDLE_HARNESS_VERIFY_H
#include "guest/explore/schedules/preempt.h"
#include "guest/harness/graph_history.h"
#include "judge/spec/automaton.h"

typedef struct Verifier Verifier;
Verifier *verifier_new(void);
/* A new test of COUNT operations. LABEL gives the automaton's label of operation K with
 * RESULT (VALUE_UNKNOWN: it waits). */
void verifier_begin(Verifier *verifier, Automaton *automaton, uint32_t count,
                    uint32_t (*label)(void *context, uint32_t k, Value result), void *context);

/* From now on, operation K with RESULT counts as not made wherever it overlaps another one, if
 * MAY_FAIL says so (HD_MAY_FAIL): such a result means that it did nothing. NULL: none does. */
void verifier_let_fail(Verifier *verifier, bool (*may_fail)(uint32_t k, Value result));

/* From now on, the effects of the operations of the set LATE may come after they have returned
 * (HD_ASYNC). */
void verifier_let_lag(Verifier *verifier, uint32_t late);

/* Asks for less than linearizability. MAY_JOIN (for REALTIME_SET, else NULL): may operation K with
 * RESULT take effect together with others of the same kind and result, as one? */
void verifier_weaken(Verifier *verifier, RealtimeNotion notion,
                     bool (*may_join)(uint32_t k, Value result));

typedef struct VerifyFailure {
    uint32_t stuck;                   /* the operation that has no reason to wait, or UINT32_MAX */
    uint32_t included[REALTIME_MOST]; /* operations of the history that has no serial order */
    uint32_t count;
    RealtimeOrder order; /* on these, by their place in `included` */
} VerifyFailure;
/* The operations that have not returned wait for ever if STUCK; otherwise all have returned. False
 * and *failure if some history is not allowed. */
MUST_USE bool verifier_check(Verifier *verifier, const GraphHistory *history, bool stuck,
                             VerifyFailure *failure);
/* Histories with too many real-time orders to look at them all: they were let pass. */
uint64_t verifier_undecided(const Verifier *verifier);
/* Tries every serial order of the failure's operations, without remembering anything: the slow,
 * obvious twin. True if there is none, so that the failure is real. */
bool verifier_confirm(Verifier *verifier, const GraphHistory *history,
                      const VerifyFailure *failure);
/* The execution that is recorded next is the one that fails: in it the calls come one after the
 * other as in FAILURE. (Its graph has others, whose calls overlap in other ways.) */
void verifier_show(const GraphHistory *history, const VerifyFailure *failure);
typedef struct VerifyShown { /* the return of one call before the call of another, as events */
    PreemptPair pairs[REALTIME_MOST * REALTIME_MOST];
    uint32_t count;
} VerifyShown;
extern VerifyShown verifier_shown;
/* A serial order of the failure's operations in another automaton: true if there is one. Numbers of
 * the test, failure->count of them. */
bool verifier_order(Verifier *verifier, const GraphHistory *history, const VerifyFailure *failure,
                    Automaton *automaton,
                    uint32_t (*label)(void *context, uint32_t k, Value result), void *context,
                    uint32_t *serial);
#endif
