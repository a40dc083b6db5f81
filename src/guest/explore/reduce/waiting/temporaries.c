#include "guest/explore/reduce/waiting/temporaries.h"
#include <string.h>
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/scrub.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/search/ghost.h"
#include "guest/runtime/fiber.h"

enum { MOST_MOVED = 1 << 15, MOST_UNITS = MOST_MOVED / HEAP_UNIT };

/* Holds where a thread's allocations have moved to: those of its region from `low` to `then`, of an
 * earlier request, lie as much further up now as it has allocated since. Numbers are addresses. */
typedef struct Move {
    uint64_t start, then, now; /* of the region, and where what was allocated ended, and ends */
    uint64_t low;              /* all from here on has moved */
    uint64_t kept;             /* the highest place in the region that something points to that has
                                  not moved */
} Move;

static uint64_t moved_by(const Move *move)
{
    return move->now - move->then;
}

/* Is IS what WAS has become: the same number, or a place that has moved? */
static bool is_word(Move *move, uint64_t was, uint64_t is)
{
    if (is == was) {
        if (is >= move->start && is < move->now)
            move->kept = MAX(move->kept, is);
        return true;
    }
    if (was < move->start || was >= move->then || is - was != moved_by(move))
        return false;
    move->low = MIN(move->low, was);
    return true;
}

static uint64_t word_at(const void *from, size_t i)
{
    uint64_t word;
    memcpy(&word, (const char *)from + 8 * i, sizeof word);
    return word;
}

static bool is_stack(Move *move, const char *image, const char *present, uint32_t bytes)
{
    const uint64_t *mask = scrub.active ? scrub_mask(present, present + bytes) : NULL;
    ghosts.looked = false;
    for (size_t i = 0; i < bytes / 8; i++) {
        uint64_t was = word_at(image, i), is = word_at(present, i), keep = mask ? mask[i] : ~0ull;
        if (keep == ~0ull ? !is_word(move, was, is) : ((was ^ is) & keep) != 0)
            return false;
    }
    return true;
}

/* The address in the heap that the byte at AT of the heap's notes is about; else AT. */
static uint64_t subject_of(uint64_t at)
{
    const uint64_t bytes = (HEAP_END - HEAP_BASE) / HEAP_UNIT;
    return at - HEAP_SHADOW_BASE < bytes ? HEAP_BASE + (at - HEAP_SHADOW_BASE) * HEAP_UNIT : at;
}

/* A place that the thread has written: what was there at first, and what is there now. */
static bool is_change(void *context, const LogEntry *first, uint64_t now)
{
    Move *move = context;
    uint64_t place = (uintptr_t)first->address, at = subject_of(place);
    bool is_own = at >= move->start && at < move->start + HEAP_SLOT;
    if (is_own && at >= MIN(move->low, move->then))
        return true; /* is compared as a whole */
    bool same = first->size == 8 && at == place && at % 8 == 0 ? is_word(move, first->old, now)
                                                               : first->old == now;
    if (!same && is_own) {
        move->low = at;
        return true;
    }
    return same;
}

/* Where the block begins, with its head, that has something at AT. */
static uint64_t block_start(uint64_t at)
{
    uint64_t unit = at & ~(uint64_t)(HEAP_UNIT - 1);
    for (uint64_t k = 0; k <= sizeof(HeapBlock); k += HEAP_UNIT) {
        const HeapBlock *block = heap_block_at((const void *)(uintptr_t)(unit + k));
        if (block && (uintptr_t)block <= at)
            return (uintptr_t)block;
    }
    const HeapBlock *block = heap_block_around((const void *)(uintptr_t)at);
    return block ? (uintptr_t)block : 0;
}

/* [FROM, FROM + BYTES) as it was when the log was as long as POSITION. */
static void read_then(unsigned char *to, uint64_t from, size_t bytes, uint32_t position)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    for (uint32_t q = undo_count; q-- > position;) {
        const LogEntry *entry = &undo_log[q];
        uint64_t at = (uintptr_t)entry->address;
        if (entry->dead || entry->kind >= LOG_READ || at + entry->size <= from ||
            at >= from + bytes)
            continue;
        for (unsigned k = 0; k < entry->size; k++)
            if (at + k >= from && at + k < from + bytes)
                to[at + k - from] = (unsigned char)(entry->old >> (8 * k));
    }
}

static uint64_t note_of(uint64_t at)
{
    return HEAP_SHADOW_BASE + (at - HEAP_BASE) / HEAP_UNIT;
}

static bool is_live(unsigned char note)
{
    return note && note <= HEAP_UNIT;
}

/* Lists what was allocated from `low` on. */
static struct {
    unsigned char notes[MOST_UNITS], bytes[MOST_MOVED];
} then;

/* Was the live object that began at unit I zeroed like the one that is there now? */
static bool is_zeroed_alike(const Move *move, size_t i)
{
    HeapBlock was;
    memcpy(&was, then.bytes + i * HEAP_UNIT - sizeof was, sizeof was);
    const char *is = (const char *)(uintptr_t)(move->low + i * HEAP_UNIT + moved_by(move));
    return was.zeroed == (uint32_t)heap_is_zeroed(is);
}

/* Are the objects that were there the same as those that are there now, but for their place? */
static bool are_objects(Move *move)
{
    const unsigned char *notes = (const unsigned char *)(uintptr_t)note_of(move->low);
    const uint64_t low = move->low, by = moved_by(move);
    for (size_t i = 0; i < (move->then - low) / HEAP_UNIT; i++) {
        if (then.notes[i] != notes[i + by / HEAP_UNIT])
            return false;
        if (!is_live(then.notes[i]))
            continue;
        const char *is = (const char *)(uintptr_t)(low + i * HEAP_UNIT + by);
        if (!is_live(then.notes[i - 1]) && !is_zeroed_alike(move, i))
            return false;
        if (!is_word(move, word_at(then.bytes, 2 * i), word_at(is, 0)) ||
            !is_word(move, word_at(then.bytes, 2 * i + 1), word_at(is, 1)))
            return false;
    }
    return true;
}

/* Was a live object that has moved written atomically? Its memory does not tell. */
static bool is_any_written(const Move *move)
{
    const char *low = (const char *)(uintptr_t)move->low,
               *end = (const char *)(uintptr_t)move->then;
    const Location *x;
    for (unsigned i = 0; (x = memory_location_with_events(low, end, i)); i++)
        if (x->writes > 1 &&
            (x->address < low || is_live(then.notes[(x->address - low) / HEAP_UNIT])))
            return true;
    return false;
}

static bool have_moved(Move *move, uint32_t position)
{
    uint64_t low;
    do {
        if (move->low < move->then)
            move->low = block_start(move->low);
        low = move->low;
        if (move->then - low > MOST_MOVED)
            return false;
        read_then(then.bytes, low, move->then - low, position);
        read_then(then.notes, note_of(low), (move->then - low) / HEAP_UNIT, position);
        if (!are_objects(move))
            return false;
    } while (move->low < low);
    return move->kept < low && !is_any_written(move);
}

/* WAS and IS are a word of two requests, of which the second becomes what it was. */
static void move_back(Move *move, uint64_t was, uint64_t *is)
{
    if (*is != was && is_word(move, was, *is))
        *is = was;
}

bool temporaries_have_moved(int t, const Event *e, Request *q, bool restored)
{
    const Fiber *fiber = &fibers[t];
    Move move = {.start = HEAP_BASE + (uint64_t)t * HEAP_SLOT};
    move.then = move.low = move.start + (uint64_t)e->heap_used * HEAP_UNIT;
    move.now = move.start + (uint64_t)heap_cursor[t].used * HEAP_UNIT;
    if (move.now <= move.then)
        return false;
    if (e->kind == EVENT_READ) {
        uint64_t address = (uintptr_t)q->address;
        move_back(&move, e->operand, &q->operand);
        move_back(&move, e->expected, &q->expected);
        move_back(&move, (uintptr_t)locations[e->location].address, &address);
        q->address = (void *)(uintptr_t)address;
    }
    return is_stack(&move, checkpoints.stacks + e->snapshot, fiber->sp, e->snapshot_bytes) &&
           ghost_each_change(t, e->log_position, restored, is_change, &move) &&
           have_moved(&move, e->log_position);
}
