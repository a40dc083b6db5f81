#include "guest/explore/reduce/symmetry/groups.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/graph/graph.h"

void groups_note(int last, int t)
{
    uint8_t first = graphs.leaders[last] ? graphs.leaders[last] : (uint8_t)(last + 1);
    bool is_news = facts_add(FACT_alike, (uint64_t)last, first);
    if (facts_add(FACT_alike, (uint64_t)t, first) || is_news || !graphs.pasts_on)
        finding_restart();
}

bool groups_are_known(void)
{
    for (int t = 0; t < MAX_THREADS; t++)
        if (graphs.leaders[t])
            return true;
    return false;
}
