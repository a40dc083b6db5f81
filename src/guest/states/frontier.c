#include "guest/states/frontier.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "base/vec.h"
#include "guest/explore/ops.h"
#include "guest/runtime/native.h"
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
    uint32_t live;  /* copies in it whose nodes wait */
    uint32_t first; /* the node of its first copy */
    uint32_t place; /* where it is in the file, in SEGMENT_BYTES, + 1; 0: it is in memory */
} Segment;
#define SEGMENT_BYTES ((size_t)1 << 20)
typedef struct Frontier {
    Shelf(Waiting) nodes;
    uint32_t first;        /* those before it are expanded */
    Shelf(Page) pages;     /* of segments */
    Vec(Segment) segments; /* with copies, the oldest first; before `oldest`: in `spare` */
    size_t oldest;
    Vec(Segment) spare;
    size_t on_disk; /* segments; those before `in_memory` are in memory */
    size_t in_memory;
    uint32_t reach;            /* so many nodes from the first one that waits on are in memory */
    Vec(uint32_t) free_places; /* of the file, + 1 */
    uint32_t places;
    long file; /* + 1; 0: there is none; -1: there can be none */
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
    segment.used = segment.live = segment.place = 0;
    segment.first = (uint32_t)frontier.nodes.count;
    vec_push(&frontier.segments, segment);
}

/* ---- segments on disk ----
 * Those that will not be needed soon are written to a file that has no name. Their memory is given
 * back, but not its addresses: they are read to where they were, before a process of the crew
 * (crew.h) can come to their nodes. */

static bool has_file(void)
{
    const char *folder = getenv("TMPDIR");
    if (!frontier.file) {
        long file = native_call(SYS_openat, AT_FDCWD, (long)(folder && *folder ? folder : "/tmp"),
                                O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        frontier.file = file < 0 ? -1 : file + 1;
    }
    return frontier.file > 0;
}

/* Moves the bytes of a segment to its place in the file, or from it. */
static bool move_segment(const Segment *segment, long call)
{
    size_t done = 0;
    while (done < segment->used) {
        long count = native_call(call, frontier.file - 1, (long)(segment->at + done),
                                 (long)(segment->used - done),
                                 (long)((segment->place - 1u) * SEGMENT_BYTES + done));
        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

static bool write_segment(Segment *segment)
{
    segment->place =
        frontier.free_places.count ? vec_pop(&frontier.free_places) : ++frontier.places;
    if (!move_segment(segment, SYS_pwrite64)) {
        vec_push(&frontier.free_places, segment->place);
        segment->place = 0;
        return false;
    }
    shelf_give_back(segment->at, segment->at + segment->bytes);
    frontier.on_disk++;
    return true;
}

static void read_segment(Segment *segment)
{
    if (!move_segment(segment, SYS_pread64))
        op_unsupported("states that were written to a temporary file can't be read again");
    vec_push(&frontier.free_places, segment->place);
    segment->place = 0;
    frontier.on_disk--;
}

void frontier_give_back(void)
{
    for (size_t i = 0; i < frontier.spare.count; i++) {
        Segment *segment = &frontier.spare.at[i];
        if (segment->used)
            shelf_give_back(segment->at, segment->at + segment->bytes);
        segment->used = 0;
    }
}

void frontier_spill(uint32_t reach)
{
    frontier.reach = reach;
    frontier_give_back();
    if (!has_file())
        return;
    for (size_t i = MAX(frontier.oldest, frontier.in_memory); i + 1 < frontier.segments.count;
         i++) {
        Segment *segment = &frontier.segments.at[i];
        if (segment->place || segment->first < frontier.first + 2 * reach ||
            segment->bytes > SEGMENT_BYTES)
            continue;
        if (!write_segment(segment)) {
            frontier.file = -1; /* the disk is full: those that are there can still be read */
            return;
        }
    }
}

/* Reads the segments that are needed soon. */
static void look_ahead(void)
{
    size_t i = MAX(frontier.oldest, frontier.in_memory);
    for (; i < frontier.segments.count; i++) {
        Segment *segment = &frontier.segments.at[i];
        if (segment->first > frontier.first + frontier.reach)
            break;
        if (segment->place)
            read_segment(segment);
    }
    frontier.in_memory = i;
}

static void spare_oldest(void)
{
    vec_push(&frontier.spare, frontier.segments.at[frontier.oldest]);
    frontier.oldest++;
    if (frontier.oldest < frontier.segments.count)
        return;
    frontier.segments.count = frontier.oldest = frontier.in_memory = 0;
}

void frontier_begin(void)
{
    shelf_clear(&frontier.nodes);
    shelf_clear(&frontier.pages);
    frontier.first = 0;
    frontier.segments.count = frontier.spare.count = frontier.oldest = 0;
    frontier.in_memory = frontier.on_disk = 0;
    frontier.free_places.count = frontier.places = 0;
}

void frontier_push(const StatesCopy *copy)
{
    if (!copy) {
        shelf_push(&frontier.nodes, (Waiting){NULL});
        return;
    }
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
    enum { MANY = 1 << 16, LOOK_EVERY = 1 << 12 };
    ASSERT(node == frontier.first);
    frontier.first++;
    if (frontier_copy(node) && !--frontier.segments.at[frontier.oldest].live)
        spare_oldest();
    if (UNLIKELY(frontier.on_disk) && frontier.first % LOOK_EVERY == 0)
        look_ahead();
    if (frontier.first % MANY == 0)
        shelf_give_back((char *)shelf_at(&frontier.nodes, frontier.first - MANY),
                        (char *)shelf_at(&frontier.nodes, frontier.first));
}

uint64_t frontier_bytes(void)
{
    uint64_t bytes = 0;
    for (size_t i = frontier.oldest; i < frontier.segments.count; i++)
        bytes += frontier.segments.at[i].place ? 0 : frontier.segments.at[i].bytes;
    for (size_t i = 0; i < frontier.spare.count; i++)
        bytes += frontier.spare.at[i].used ? frontier.spare.at[i].bytes : 0;
    return bytes + (frontier.nodes.count - frontier.first) * sizeof(Waiting);
}
