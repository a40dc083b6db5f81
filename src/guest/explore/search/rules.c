#include "guest/explore/search/rules.h"

LinkedRules rules;
uint64_t reductions_used[REDUCTION_COUNT];
static const Rule *const *rows;
static unsigned row_count;

void rules_take(const Rule *const *table, unsigned count)
{
    ASSERT(count <= RULES_MOST);
    rows = table;
    row_count = count;
    for (unsigned i = 0; i < count; i++)
        if (table[i]->setup)
            table[i]->setup();
    rules_link();
}

void rules_link(void)
{
    bool is_active[RULES_MOST];
    for (unsigned i = 0; i < row_count; i++)
        is_active[i] = !rows[i]->active || rows[i]->active();
#define X(hook, parameters, arguments)                                                             \
    {                                                                                              \
        unsigned linked = 0;                                                                       \
        for (unsigned i = 0; i < row_count; i++)                                                   \
            if (is_active[i] && rows[i]->hook) {                                                   \
                ASSERT(linked < RULES_A_HOOK);                                                     \
                rules.hook[linked++] = rows[i]->hook;                                              \
            }                                                                                      \
        rules.hook[linked] = NULL;                                                                 \
    }
    RULE_HOOKS(X, X, X)
#undef X
}

bool reduction_is_on(unsigned reduction)
{
    return reductions_include(options.reductions, reduction);
}

/* ---- the rows after the first one ---- */

#define TELL(hook, parameters, arguments)                                                          \
    void rules_tell_##hook parameters                                                              \
    {                                                                                              \
        for (unsigned i = 1; rules.hook[i]; i++)                                                   \
            rules.hook[i] arguments;                                                               \
    }
#define ANY(hook, parameters, arguments)                                                           \
    bool rules_ask_##hook parameters                                                               \
    {                                                                                              \
        for (unsigned i = 1; rules.hook[i]; i++)                                                   \
            if (rules.hook[i] arguments)                                                           \
                return true;                                                                       \
        return false;                                                                              \
    }
#define FIRST(hook, parameters, arguments)
RULE_HOOKS(TELL, ANY, FIRST)
