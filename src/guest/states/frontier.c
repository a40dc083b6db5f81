#include "guest/states/frontier.h"
#include <string.h>
#include "base/vec.h"
#include "guest/states/shelf.h"

typedef struct Waiting {
    char *copy;
} Waiting;
typedef struct Page {
    char bytes[SHELF_PAGE];
} Page;
/* Copies lie one behind the other in segments; when all nodes of one are expanded it is used
 * again. */
typedef struct Segment {
    char *at;
    size_t bytes, used;
    uint32_t live; /* copies in it whose nodes wait */
} Segment;
#define SEGMENT_BYTES ((size_t)1 << 20)
typedef struct Frontier {
    Shelf(Waiting) nodes;
    uint32_t first;        /* those before it are expanded */
    Shelf(Page) pages;     /* of segments */
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
        size_t pages = (MAX(bytes, SEGMENT_BYTES) + sizeof(Page) - 1) / sizeof(Page);
        segment.bytes = pages * sizeof(Page);
        if (frontier.pages.count + pages > shelf_most(&frontier.pages))
            shelf_tell_full();
        segment.at = shelf_at(&frontier.pages, frontier.pages.count)->bytes;
        frontier.pages.count += pages;
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
    shelf_clear(&frontier.nodes);
    shelf_clear(&frontier.pages);
    frontier.first = 0;
    frontier.segments.count = frontier.spare.count = frontier.oldest = 0;
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
    shelf_push(&frontier.nodes, (Waiting){at});
}

char *frontier_copy(uint32_t node)
{
    return shelf_at(&frontier.nodes, node)->copy;
}

void frontier_drop(uint32_t node)
{
    enum { MANY = 1 << 16 };
    ASSERT(node == frontier.first);
    frontier.first++;
    if (!--frontier.segments.at[frontier.oldest].live)
        spare_oldest();
    if (frontier.first % MANY == 0)
        shelf_give_back((char *)shelf_at(&frontier.nodes, frontier.first - MANY),
                        (char *)shelf_at(&frontier.nodes, frontier.first));
}

uint64_t frontier_bytes(void)
{
    uint64_t bytes = 0;
    for (size_t i = frontier.oldest; i < frontier.segments.count; i++)
        bytes += frontier.segments.at[i].bytes;
    return bytes + (frontier.nodes.count - frontier.first) * sizeof(Waiting);
}
