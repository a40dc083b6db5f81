#include "guest/explore/reduce/confirm/returning.h"
#include "guest/explore/search/rules.h"
#include "guest/explore/reduce/confirm/ordered.h"
#include "guest/explore/facts/values_table.h"
#include "guest/explore/search/ops.h"

bool returning_is_possible(void)
{
    return request.kind == REQUEST_LOAD && reduction_is_on(REDUCTION_returning) && ordered_is();
}

/* The read that READ would confirm. */
static const Event *find_first(const Event *read)
{
    for (int i = read->index - 1;; i--) {
        const Event *e = thread_event(read->thread, i);
        if (e->kind == EVENT_READ && e->location == read->location)
            return e;
    }
}

static bool is_useless(const Event *read, uint64_t v)
{
    uint64_t wanted = find_first(read)->value;
    Known *k = &values_table->known[locations[read->location].known];
    uint32_t i = values_find_value(k, wanted), j = values_find_value(k, v);
    if (v == wanted || k->wide || i == k->count || j == k->count)
        return false;
    values_uses(&k->between_used, UINT32_C(1) << i);
    bool useless = !(__atomic_load_n(&k->between[i], __ATOMIC_RELAXED) >> j & 1);
    reductions_used[REDUCTION_returning] += useless;
    return useless;
}

/* ---- what the search asks ---- */

const Rule returning_rule = {.is_useless = is_useless};
