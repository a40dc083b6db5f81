#include "guest/states/frontier.h"
#include <string.h>
#include "guest/runtime/pages.h"

typedef struct Waiting {
    char *copy;
    uint32_t bytes;
} Waiting;
/* Copies lie one behind the other in segments, which are shared with the processes of a crew: else
 * each fork would have the pages copied that are used again afterwards. */
typedef struct Segment {
    char *at;
    size_t bytes, used;
    uint32_t live; /* copies in it whose nodes wait */
} Segment;
#define SEGMENT_BYTES ((size_t)1 << 20)
/* The nodes from node `from` on; those before `first` are expanded. */
typedef struct Frontier {
    Vec(Waiting) nodes;
    uint32_t from, first;
    Vec(Segment) segments; /* with copies, the oldest first; before `oldest`: in `spare` */
    size_t oldest;
    Vec(Segment) spare;
} Frontier;
static Frontier frontier;

static void add_segment(size_t bytes)
{
    Segment segment = {0};
    for (size_t i = frontier.spare.count; i-- > 0 && !segment.at;)
        if (frontier.spare.at[i].bytes >= bytes) {
            segment = frontier.spare.at[i];
            frontier.spare.at[i] = vec_last(&frontier.spare);
            frontier.spare.count--;
        }
    if (!segment.at) {
        segment.bytes = MAX(bytes, SEGMENT_BYTES);
        segment.at = pages_share(segment.bytes);
    }
    segment.used = segment.live = 0;
    vec_push(&frontier.segments, segment);
}

static void spare_oldest(void)
{
    vec_push(&frontier.spare, frontier.segments.at[frontier.oldest]);
    frontier.oldest++;
    if (frontier.oldest < frontier.segments.count)
        return;
    frontier.segments.count = frontier.oldest = 0;
}

void frontier_begin(void)
{
    while (frontier.oldest < frontier.segments.count)
        spare_oldest();
    frontier.nodes.count = frontier.from = frontier.first = 0;
}

void frontier_push(const StatesCopy *copy)
{
    size_t bytes = (copy->count + 7) & ~(size_t)7;
    Segment *newest = frontier.segments.count ? &vec_last(&frontier.segments) : NULL;
    if (!newest || newest->used + bytes > newest->bytes) {
        add_segment(bytes);
        newest = &vec_last(&frontier.segments);
    }
    char *at = newest->at + newest->used;
    memcpy(at, copy->at, copy->count);
    newest->used += bytes;
    newest->live++;
    vec_push(&frontier.nodes, (Waiting){at, (uint32_t)copy->count});
}

char *frontier_copy(uint32_t node)
{
    return frontier.nodes.at[node - frontier.from].copy;
}

void frontier_drop(uint32_t node)
{
    enum { MANY = 4096 };
    ASSERT(node == frontier.first);
    frontier.first++;
    if (!--frontier.segments.at[frontier.oldest].live)
        spare_oldest();
    size_t expanded = frontier.first - frontier.from;
    if (expanded < MANY || expanded < frontier.nodes.count / 2)
        return;
    frontier.nodes.count -= expanded;
    memmove(frontier.nodes.at, frontier.nodes.at + expanded,
            frontier.nodes.count * sizeof *frontier.nodes.at);
    frontier.from += (uint32_t)expanded;
}

uint64_t frontier_bytes(void)
{
    uint64_t bytes = 0;
    for (size_t i = frontier.oldest; i < frontier.segments.count; i++)
        bytes += frontier.segments.at[i].bytes;
    return bytes + frontier.nodes.capacity * sizeof *frontier.nodes.at;
}
