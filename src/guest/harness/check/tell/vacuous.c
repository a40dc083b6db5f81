#include "guest/harness/check/tell/vacuous.h"
#include "guest/explore/search/ops.h"
#include "guest/harness/check/decide.h"
#include "guest/harness/check/test.h"

/* The number of the first call of CALL's operation: what its calls give is kept there. */
static uint32_t operation_of(const DeclaredCall *call)
{
    const DeclaredCall *calls = child_test.declared.calls;
    uint32_t c = 0;
    while (calls[c].operation != call->operation)
        c++;
    return c;
}

static bool differs(uint32_t c)
{
    return __atomic_load_n(&deciding.link->call_differs[c / 64], __ATOMIC_RELAXED) >> c % 64 & 1;
}

void child_vacuous_note(const GraphHistory *history)
{
    Link *link = deciding.link;
    for (uint32_t k = 0; k < history->count; k++) {
        uint32_t c = operation_of(child_test_call(k));
        ASSERT(c < COUNT_OF(link->call_results));
        if (!(history->returned >> k & 1) || differs(c))
            continue;
        uint64_t seen = 0, now = hash_mix(history->word[k]) | 1; /* 0: nothing yet */
        if (!__atomic_compare_exchange_n(&link->call_results[c], &seen, now, false,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
            seen != now)
            __atomic_or_fetch(&link->call_differs[c / 64], 1ull << c % 64, __ATOMIC_RELAXED);
    }
}

void child_vacuous_tell(const OutcomeMessage *outcome)
{
    const Declared *declared = &child_test.declared;
    bool any = false;
    for (uint32_t c = 0; c < declared->count; c++) {
        any |= deciding.link->call_results[c] != 0;
        if (differs(c))
            return;
    }
    if (any && 2 * outcome->tests_by_states < outcome->tests && !declared->invariant)
        op_warning("no operation has given two different results%s: nothing that they give can be "
                   "wrong. Let one return what it sees, or write an HD_INVARIANT",
                   outcome->tests_by_states ? " in the tests that were explored by executions"
                                            : " in any test");
}
