#include "guest/harness/check/balance.h"

static uint32_t count_role(const Balance *balance, const TestCase *test, BalanceRole role)
{
    uint32_t count = 0;
    for (uint32_t t = UINT32_MAX; (t = testcase_next_column(test, t)) != UINT32_MAX;)
        for (uint32_t i = 0; i < test->length[t]; i++)
            count += balance->role[test->call[t][i]] == role;
    return count;
}

static bool find_role(const Balance *balance, BalanceRole role, uint16_t *call)
{
    for (uint32_t c = 0; c < balance->calls; c++)
        if (balance->role[c] == role) {
            *call = (uint16_t)c;
            return true;
        }
    return false;
}

static bool add_calls(const Balance *balance, TestCase *test, uint32_t column, BalanceRole role,
                      uint32_t count)
{
    uint16_t call;
    if (!count)
        return true;
    if (test->length[column] + count > TESTCASE_LENGTH ||
        testcase_operations(test) + count > TESTCASE_OPERATIONS || !find_role(balance, role, &call))
        return false;
    while (count--)
        test->call[column][test->length[column]++] = call;
    return true;
}

bool balance_holds(const Balance *balance, const TestCase *test)
{
    return count_role(balance, test, BALANCE_PUT) <= count_role(balance, test, BALANCE_TAKE);
}

bool balance_drain(const Balance *balance, TestCase *test)
{
    uint32_t puts = count_role(balance, test, BALANCE_PUT);
    uint32_t takes = count_role(balance, test, BALANCE_TAKE);
    return puts <= takes || add_calls(balance, test, TESTCASE_AFTER, BALANCE_TAKE, puts - takes);
}

bool balance_frame(const Balance *balance, uint32_t count, TestCase *test)
{
    int64_t puts = count_role(balance, test, BALANCE_PUT);
    int64_t takes = count_role(balance, test, BALANCE_TAKE);
    /* puts + before <= takes + after, before + after = count */
    int64_t before = (int64_t)count - puts + takes;
    if (before < 0)
        return false;
    before = MIN(before / 2, (int64_t)count);
    return add_calls(balance, test, TESTCASE_BEFORE, BALANCE_PUT, (uint32_t)before) &&
           add_calls(balance, test, TESTCASE_AFTER, BALANCE_TAKE, count - (uint32_t)before);
}

static void spread_column(const Balance *balance, TestCase *test, uint32_t column, uint32_t *used)
{
    for (uint32_t i = 0; i < test->length[column]; i++) {
        uint16_t call = test->call[column][i], operation = balance->operation[call];
        if (balance->role[call] != BALANCE_PUT)
            continue;
        uint32_t first = call, values = 0;
        while (first && balance->operation[first - 1] == operation)
            first--;
        while (first + values < balance->calls && balance->operation[first + values] == operation)
            values++;
        test->call[column][i] = (uint16_t)(first + used[operation]++ % values);
    }
}

void balance_spread(const Balance *balance, TestCase *test)
{
    uint32_t used[256] = {0}; /* by operation: puts that have their value */
    ASSERT(balance->calls <= COUNT_OF(used));
    spread_column(balance, test, TESTCASE_BEFORE, used);
    for (uint32_t t = 0; t < test->threads; t++)
        spread_column(balance, test, t, used);
    spread_column(balance, test, TESTCASE_AFTER, used);
}
