#include "guest/states/frontier.h"
#include <stdlib.h>
#include <string.h>

typedef struct Waiting {
    char *copy;
    uint32_t bytes;
} Waiting;
/* The nodes from node `from` on; no copy: it is expanded. */
typedef struct Frontier {
    Vec(Waiting) nodes;
    uint32_t from;
    uint64_t bytes; /* of all copies */
} Frontier;
static Frontier frontier;

void frontier_begin(void)
{
    for (size_t i = 0; i < frontier.nodes.count; i++)
        free(frontier.nodes.at[i].copy);
    frontier.nodes.count = frontier.from = 0;
    frontier.bytes = 0;
}

void frontier_push(const StatesCopy *copy)
{
    vec_push(&frontier.nodes, (Waiting){states_keep(copy), (uint32_t)copy->count});
    frontier.bytes += copy->count;
}

char *frontier_copy(uint32_t node)
{
    return frontier.nodes.at[node - frontier.from].copy;
}

void frontier_drop(uint32_t node)
{
    enum { MANY = 4096 };
    Waiting *done_with = &frontier.nodes.at[node - frontier.from];
    free(done_with->copy);
    frontier.bytes -= done_with->bytes;
    *done_with = (Waiting){0};
    size_t expanded = node - frontier.from + 1u;
    if (expanded < MANY || expanded < frontier.nodes.count / 2)
        return;
    frontier.nodes.count -= expanded;
    memmove(frontier.nodes.at, frontier.nodes.at + expanded,
            frontier.nodes.count * sizeof *frontier.nodes.at);
    frontier.from += (uint32_t)expanded;
}

uint64_t frontier_bytes(void)
{
    return frontier.bytes * 3 / 2 + frontier.nodes.capacity * sizeof *frontier.nodes.at;
}
