#include "guest/explore/reduce/symmetry/groups.h"
#include <string.h>
#include "guest/explore/graph/finding.h"
#include "guest/explore/graph/graph.h"

/* T is of the group of which FIRST is the number plus 1. Is that news? */
static bool put_in_group(int t, uint8_t first)
{
    uint8_t other = graph_leaders[t];
    if (other == first)
        return false;
    graph_leaders[t] = first;
    for (int i = 0; other && i < MAX_THREADS; i++) /* the two groups are one */
        if (graph_leaders[i] == first || graph_leaders[i] == other)
            graph_leaders[i] = MIN(first, other);
    return true;
}

void groups_note(int last, int t)
{
    uint8_t first = graph_leaders[last] ? graph_leaders[last] : (uint8_t)(last + 1);
    bool is_news = put_in_group(last, first);
    if (put_in_group(t, first) || is_news || !pasts_on)
        finding_restart();
}

void groups_get(uint8_t *to)
{
    memcpy(to, graph_leaders, sizeof graph_leaders);
}

void groups_put(const uint8_t *from)
{
    for (int t = 0; t < MAX_THREADS; t++)
        if (from[t] && from[t] <= MAX_THREADS)
            put_in_group(t, from[t]);
}

void groups_forget(void)
{
    memset(graph_leaders, 0, sizeof graph_leaders);
}

bool groups_are_known(void)
{
    for (int t = 0; t < MAX_THREADS; t++)
        if (graph_leaders[t])
            return true;
    return false;
}
