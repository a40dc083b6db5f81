/* Which weaker orders are tried and what is concluded, against the definition: of all orders that
 * an operation may have, some hold and (since a weaker order only adds executions) so do all
 * stronger ones. */
#include "tool/answer/weakening.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "guest/explore/search/ops.h"

/* What an order gives, as bits: acquires, releases, is in the order of all seq_cst ones. */
static unsigned strength(unsigned order)
{
    static const unsigned bits[] = {[ORDER_RELAXED] = 0, [ORDER_CONSUME] = 1, [ORDER_ACQUIRE] = 1,
                                    [ORDER_RELEASE] = 2, [ORDER_ACQ_REL] = 3, [ORDER_SEQ_CST] = 7};
    return bits[order];
}

/* C11 7.17.7: loads do not release, stores do not acquire. */
static bool is_allowed(OrderOperation operation, bool failure, unsigned order)
{
    bool reads = operation != ORDER_OF_STORE, writes = operation != ORDER_OF_LOAD && !failure;
    if (order == ORDER_RELAXED || order == ORDER_SEQ_CST)
        return true;
    return (!(strength(order) & 1) || reads) && (!(strength(order) & 2) || writes);
}

static bool is_weaker(unsigned a, unsigned b)
{
    return (strength(a) | strength(b)) == strength(b) && strength(a) != strength(b);
}

/* Strengths that hold are closed upwards. */
static bool closed(const bool *holds)
{
    for (unsigned a = 0; a <= ORDER_SEQ_CST; a++)
        for (unsigned b = 0; b <= ORDER_SEQ_CST; b++)
            if (holds[a] && !holds[b] && (is_weaker(a, b) || strength(a) == strength(b)))
                return false;
    return true;
}

static void play(WeakenOrder *order, const bool *holds, const bool *known)
{
    unsigned to;
    while (weaken_next(order, &to)) {
        assert_true(order->try_count < WEAKEN_TRIES);
        assert_true(is_allowed(order->operation, order->failure, to));
        assert_true(is_weaker(to, order->order));
        for (unsigned i = 0; i < order->try_count; i++)
            assert_int_not_equal(order->tries[i].to, to);
        order->tries[order->try_count++] = (WeakenTry){.to = (uint8_t)to,
                                                       .done = true,
                                                       .verdict = !known[to]  ? VERDICT_INCONCLUSIVE
                                                                  : holds[to] ? VERDICT_HOLDS
                                                                              : VERDICT_VIOLATED};
    }
}

static void check(OrderOperation operation, bool failure, unsigned order, const bool *holds,
                  const bool *known)
{
    WeakenOrder subject = {
        .operation = operation, .failure = failure, .order = (uint8_t)order, .is_known = true};
    play(&subject, holds, known);
    WeakenAnswer answer = weaken_judge(&subject);
    bool some_holds = false, all_known = true;
    for (unsigned to = 0; to < ORDER_SEQ_CST; to++)
        if (is_allowed(operation, failure, to) && to != ORDER_CONSUME && is_weaker(to, order)) {
            some_holds |= holds[to];
            all_known &= known[to];
        }
    WeakenAnswer truth = holds[ORDER_RELAXED] ? WEAKEN_UNNEEDED
                         : some_holds         ? WEAKEN_WEAKER
                                              : WEAKEN_NEEDED;
    if (all_known)
        assert_int_equal(answer, truth);
    /* what is not known may leave it open, or give a stronger order than is enough; never a weaker
     */
    if (answer == WEAKEN_UNNEEDED || answer == WEAKEN_NEEDED)
        assert_int_equal(answer, truth);
    if (answer == WEAKEN_WEAKER)
        assert_int_not_equal(truth, WEAKEN_NEEDED);
    for (unsigned i = 0; i < subject.try_count; i++) {
        const WeakenTry *attempt = &subject.tries[i];
        bool least = holds[attempt->to];
        for (unsigned to = 0; to < ORDER_SEQ_CST; to++)
            least &=
                !(holds[to] && is_allowed(operation, failure, to) && is_weaker(to, attempt->to));
        if (all_known)
            assert_int_equal(weaken_is_weakest(&subject, attempt), least);
        else if (weaken_is_weakest(&subject, attempt))
            assert_true(holds[attempt->to]);
    }
}

static void test_all(void **state)
{
    (void)state;
    for (unsigned truth = 0; truth < 64; truth++)
        for (unsigned unknown = 0; unknown < 64; unknown++) {
            bool holds[6], known[6];
            for (unsigned i = 0; i < 6; i++) {
                holds[i] = truth >> i & 1;
                known[i] = !(unknown >> i & 1);
            }
            if (!closed(holds) || !holds[ORDER_SEQ_CST])
                continue;
            for (unsigned operation = 0; operation < ORDER_OPERATION_COUNT; operation++)
                for (unsigned order = 1; order <= ORDER_SEQ_CST; order++)
                    for (unsigned failure = 0; failure <= (operation == ORDER_OF_CAS); failure++)
                        if (is_allowed((OrderOperation)operation, failure, order) && holds[order])
                            check((OrderOperation)operation, failure, order, holds, known);
        }
}

static void test_relaxed_and_unreached(void **state)
{
    (void)state;
    unsigned to;
    WeakenOrder relaxed = {.operation = ORDER_OF_LOAD, .order = ORDER_RELAXED, .is_known = true};
    assert_false(weaken_next(&relaxed, &to));
    WeakenOrder unreached = {.operation = ORDER_OF_LOAD, .order = ORDER_SEQ_CST};
    assert_false(weaken_next(&unreached, &to));
    assert_int_equal(weaken_judge(&unreached), WEAKEN_UNREACHED);
    WeakenOrder noted = {
        .operation = ORDER_OF_CAS, .order = ORDER_SEQ_CST, .is_known = true, .note = "never fails"};
    assert_false(weaken_next(&noted, &to));
    assert_int_equal(weaken_judge(&noted), WEAKEN_UNREACHED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all),
                                       cmocka_unit_test(test_relaxed_and_unreached)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
