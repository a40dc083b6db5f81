#include "guest/explore/facts/between.h"
#include "guest/explore/facts/values_table.h"

/* In the graph of a location with more writes, everything counts as coming between: looking would
 * take too long, again and again. */
#define FEW_WRITES 64

/* These of X's values come between two writes of its value number I. */
static void note_between(Known *k, uint32_t i, uint32_t values)
{
    DEBUG_ASSERT(i < MOST_VALUES);
    if (LIKELY(!(values & ~__atomic_load_n(&k->between[i], __ATOMIC_RELAXED))))
        return;
    values_lock();
    if (values_grows(k->between_used >> i & 1))
        values_expect_returns(k);
    k->between[i] |= values;
    values_unlock();
}

/* The values of X's writes from place P up to place END, without that. */
static uint32_t values_from(const Known *k, const Location *x, int p, int end)
{
    uint32_t values = 0;
    for (; p < end; p++)
        values |= UINT32_C(1) << values_find_value(k, write_value(x->co[p], x));
    return values;
}

void between_note(const Location *x, const Event *write)
{
    Known *k = &values_table->known[x->known];
    int from = values_first(x), first = from, last = x->writes - 1, place = write->co;
    if (k->wide)
        return; /* no decision is made about it */
    while (write_value(x->co[first], x) != write->value)
        first++;
    while (write_value(x->co[last], x) != write->value)
        last--;
    if (first == last && place == x->writes - 1)
        return; /* its value has not come before, and nothing comes after it */
    if (x->writes > FEW_WRITES) {
        for (uint32_t i = 0; i < k->count; i++)
            note_between(k, i, UINT32_MAX);
        return;
    }
    uint32_t own = values_from(k, x, place, place + 1), i = values_find_value(k, write->value);
    note_between(k, i, values_from(k, x, first, last) & ~own);
    uint32_t around = values_from(k, x, from, place) & values_from(k, x, place + 1, x->writes);
    for (around &= ~own; around; around &= around - 1)
        note_between(k, (uint32_t)__builtin_ctz(around), own);
}
