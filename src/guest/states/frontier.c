#include "guest/states/frontier.h"
#include "guest/states/state.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "base/vec.h"
#include "guest/explore/search/ops.h"
#include "guest/runtime/native.h"
#include "guest/states/shelf.h"

typedef struct Waiting {
    char *copy;
} Waiting;
#define UNIT_BYTES FRONTIER_LENT
typedef struct Unit {
    char bytes[UNIT_BYTES];
} Unit;
/* Copies lie one behind the other in segments, those of each process in its own; when all nodes of
 * one are expanded, and nobody writes there, it is used again. */
typedef struct Segment {
    size_t bytes, used;
    uint32_t live;  /* copies in it whose nodes wait, and 1 if it is open */
    uint32_t first; /* the node of its first copy; or NO_NODE */
    uint32_t place; /* where it is in the file, in UNIT_BYTES, + 1; 0: it is in memory */
    bool is_open;   /* somebody writes there */
} Segment;
#define NO_NODE UINT32_MAX
typedef struct Frontier {
    Shelf(Waiting) nodes;
    uint32_t first; /* those before it are expanded */
    Shelf(Unit) units;
    Vec(Segment) segments;     /* by their first units; `bytes` is 0 for other units */
    Vec(uint32_t) spare;       /* segments that can be used again */
    uint32_t own;              /* the segment to which the search writes, + 1; 0: there is none */
    size_t on_disk;            /* segments */
    uint32_t reach;            /* so many nodes from the first one that waits on are in memory */
    Vec(uint32_t) free_places; /* of the file, + 1 */
    uint32_t places;
    size_t used_again; /* bytes from the first unit on (frontier_use_again) */
    long file;         /* + 1; 0: there is none; -1: there can be none */
} Frontier;
static Frontier frontier;

static inline char *segment_start(size_t segment)
{
    return shelf_at(&frontier.units, segment)->bytes;
}

/* The segment that has the copy at AT. Larger ones than a unit have one copy, at their start. */
static inline uint32_t segment_of(const char *at)
{
    return (uint32_t)((size_t)(at - segment_start(0)) / UNIT_BYTES);
}

/* Returns an empty segment, which is open. */
static uint32_t open_segment(size_t bytes)
{
    DEBUG_ASSERT(bytes);
    uint32_t found = (uint32_t)frontier.segments.count;
    for (size_t i = frontier.spare.count; i-- > 0 && found == frontier.segments.count;)
        if (frontier.segments.at[frontier.spare.at[i]].bytes >= bytes) {
            found = frontier.spare.at[i];
            frontier.spare.at[i] = vec_last(&frontier.spare);
            frontier.spare.count--;
        }
    if (found == frontier.segments.count) {
        size_t units = (MAX(bytes, UNIT_BYTES) + UNIT_BYTES - 1) / UNIT_BYTES;
        if (frontier.units.count + units > shelf_most(&frontier.units))
            shelf_tell_full();
        frontier.units.count += units;
        vec_push(&frontier.segments, (Segment){.bytes = units * UNIT_BYTES});
        while (--units)
            vec_push(&frontier.segments, (Segment){0});
    }
    Segment *segment = &frontier.segments.at[found];
    *segment = (Segment){.bytes = segment->bytes, .live = 1, .first = NO_NODE, .is_open = true};
    return found;
}

static void drop_one(uint32_t segment)
{
    if (!--frontier.segments.at[segment].live)
        vec_push(&frontier.spare, segment);
}

static void close_segment(uint32_t segment)
{
    frontier.segments.at[segment].is_open = false;
    drop_one(segment);
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
    char *start = segment_start((size_t)(segment - frontier.segments.at));
    while (done < segment->used) {
        long count =
            native_call(call, frontier.file - 1, (long)(start + done), (long)(segment->used - done),
                        (long)((segment->place - 1u) * UNIT_BYTES + done));
        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

static void give_back_segment(const Segment *segment)
{
    char *start = segment_start((size_t)(segment - frontier.segments.at));
    shelf_give_back(start, start + segment->bytes);
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
    give_back_segment(segment);
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
    if (frontier.own &&
        frontier.segments.at[frontier.own - 1].live == 1) { /* nothing waits there */
        close_segment(frontier.own - 1);
        frontier.own = 0;
    }
    for (size_t i = 0; i < frontier.spare.count; i++) {
        Segment *segment = &frontier.segments.at[frontier.spare.at[i]];
        if (segment->used)
            give_back_segment(segment);
        segment->used = 0;
    }
}

void frontier_spill(uint32_t reach)
{
    frontier.reach = reach;
    frontier_give_back();
    if (!has_file())
        return;
    for (size_t i = 0; i < frontier.segments.count; i++) {
        Segment *segment = &frontier.segments.at[i];
        if (!segment->live || segment->is_open || segment->place ||
            segment->first < frontier.first + 2 * reach || segment->bytes > UNIT_BYTES)
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
    for (size_t i = 0; i < frontier.segments.count; i++) {
        Segment *segment = &frontier.segments.at[i];
        if (segment->place && segment->first <= frontier.first + frontier.reach)
            read_segment(segment);
    }
}

/* Copies are nowhere any more. */
static void forget_segments(void)
{
    frontier.own = 0;
    frontier.segments.count = frontier.spare.count = 0;
    frontier.on_disk = 0;
    frontier.free_places.count = frontier.places = 0;
}

void *frontier_use_again(size_t bytes)
{
    ASSERT(frontier.first == frontier.nodes.count);
    size_t units = (bytes + UNIT_BYTES - 1) / UNIT_BYTES;
    if (units > shelf_most(&frontier.units))
        shelf_tell_full();
    if (units < frontier.units.count)
        shelf_give_back(segment_start(units), segment_start(frontier.units.count));
    forget_segments();
    frontier.units.count = 0;
    frontier.used_again = units * UNIT_BYTES;
    return segment_start(0);
}

void frontier_begin(void)
{
    if (frontier.used_again)
        shelf_give_back(segment_start(0), segment_start(0) + frontier.used_again);
    frontier.used_again = 0;
    shelf_clear(&frontier.nodes);
    shelf_clear(&frontier.units);
    frontier.first = 0;
    forget_segments();
}

/* The next node has its copy at AT. */
static void add_node(char *at)
{
    Segment *segment = &frontier.segments.at[segment_of(at)];
    segment->first = MIN(segment->first, (uint32_t)frontier.nodes.count);
    segment->live++;
    shelf_push(&frontier.nodes, (Waiting){at});
}

char *frontier_room(size_t bytes)
{
    const Segment *own = frontier.own ? &frontier.segments.at[frontier.own - 1] : NULL;
    if (UNLIKELY(!own || own->used + bytes > own->bytes)) {
        if (own)
            close_segment(frontier.own - 1);
        frontier.own = open_segment(bytes) + 1;
    }
    return segment_start(frontier.own - 1) + frontier.segments.at[frontier.own - 1].used;
}

void frontier_push(const StatesCopy *copy)
{
    if (!copy) {
        shelf_push(&frontier.nodes, (Waiting){NULL});
        return;
    }
    size_t bytes = (copy->count + 7) & ~(size_t)7;
    char *at = frontier_room(bytes);
    if (at != copy->at)
        memcpy(at, copy->at, copy->count);
    frontier.segments.at[frontier.own - 1].used += bytes;
    frontier_expect_writes(at + bytes, bytes);
    add_node(at);
}

char *frontier_lend(void)
{
    uint32_t lent = open_segment(FRONTIER_LENT);
    frontier.segments.at[lent].used = FRONTIER_LENT;
    return segment_start(lent);
}

void frontier_push_lent(char *copy)
{
    add_node(copy);
}

void frontier_note_left(char *lent)
{
    close_segment(segment_of(lent));
}

char *frontier_copy(uint32_t node)
{
    return shelf_at(&frontier.nodes, node)->copy;
}

void frontier_expect(uint32_t node)
{
    enum { BEGINNING = 256, LINE = 64 };
    const char *copy = frontier_copy(node); /* NULL, or what was there, where none waits */
    for (size_t i = 0; i < BEGINNING; i += LINE)
        __builtin_prefetch(copy + i);
}

void frontier_drop(uint32_t node)
{
    enum { MANY = 1 << 16, LOOK_EVERY = 1 << 12 };
    ASSERT(node == frontier.first);
    frontier.first++;
    if (frontier_copy(node))
        drop_one(segment_of(frontier_copy(node)));
    if (UNLIKELY(frontier.on_disk) && frontier.first % LOOK_EVERY == 0)
        look_ahead();
    if (frontier.first % MANY == 0)
        shelf_give_back((char *)shelf_at(&frontier.nodes, frontier.first - MANY),
                        (char *)shelf_at(&frontier.nodes, frontier.first));
}

uint64_t frontier_bytes(void)
{
    uint64_t bytes = frontier.used_again;
    for (size_t i = 0; i < frontier.segments.count; i++) {
        const Segment *segment = &frontier.segments.at[i];
        bytes += segment->place || !(segment->live || segment->used) ? 0 : segment->bytes;
    }
    return bytes + (frontier.nodes.count - frontier.first) * sizeof(Waiting);
}
