#include "guest/explore/reduce/confirm/alike.h"
#include <string.h>
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/facts/contents.h"
#include "guest/explore/reduce/confirm/memo.h"
#include "guest/explore/reduce/confirm/walk.h"
#include "guest/explore/search/ghost.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/scrub.h"
#include "guest/explore/reduce/symmetry/pasts.h"
#include "guest/explore/facts/values.h"
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/pages.h"

#define MOST_CANDIDATES 3 /* older requests that the present one may repeat */
/* A question is given up after so many steps of both sides: after a few where it is not asked in
 * depth, or the answer can't be remembered. A queue with five nodes needs 9,000: some for each
 * head, tail, link and head again. */
#define MOST_STEPS 40000
#define FEW_STEPS 120
/* A way is given up after so many answers: a loop that backs off takes twice as long each time. */
#define MOST_DEPTH 16
#define MOST_PAIRS 8192
#define PAIR_SLOTS (4 * MOST_PAIRS)
#define IMAGE_BYTES (32u << 20)

AlikeQuestions alike_questions;

typedef struct Side { /* a thread at a request */
    uint32_t image, bytes;
    HeapCursor cursor;
    Past past;
} Side;

/* The sides make the same request. Sides of one pair are looked at together, never by themselves.
 */
typedef struct Pair {
    Request request;
    Side side[2];
    int depth; /* answers on the shortest way to it */
} Pair;

static struct {
    int thread, steps;
    bool is_bound, was_bound; /* what is, was seen is true of the present graph only */
    bool is_cut, was_cut;     /* it is, one was given up */
    Pair *pair; /* those that were met; all but the first `done` are yet to be run on */
    int count, done;
    Hash128 *key; /* of each */
    uint16_t *slot;
    char *images;
    uint32_t used;
} walk;

static void set_up(int t)
{
    if (!walk.pair) {
        walk.pair = pages_reserve(sizeof *walk.pair * (MOST_PAIRS + 1));
        walk.key = pages_reserve(sizeof *walk.key * MOST_PAIRS);
        walk.slot = pages_reserve(sizeof *walk.slot * PAIR_SLOTS);
        walk.images = pages_reserve(IMAGE_BYTES + 4 * STACK_SLOT);
    }
    walk.thread = t;
    walk.was_bound = walk.was_cut = false;
    walk.used = 0;
}

static void forget_pairs(void)
{
    for (int i = 0; i < walk.count; i++)
        for (uint32_t s = (uint32_t)walk.key[i].low % PAIR_SLOTS; walk.slot[s];
             s = (s + 1) % PAIR_SLOTS)
            walk.slot[s] = 0;
    walk.count = walk.done = 0;
}

/* The thread's present place, as a side. */
static Side stand_here(void)
{
    const Fiber *fiber = &fibers[walk.thread];
    Side side = {walk.used, (uint32_t)(fiber->base - (char *)fiber->sp), heap_cursor[walk.thread],
                 pasts[walk.thread]};
    memcpy(walk.images + walk.used, fiber->sp, side.bytes);
    walk.used += side.bytes;
    return side;
}

static void go_to(const Side *side, const Request *asked)
{
    Fiber *fiber = &fibers[walk.thread];
    request = *asked;
    heap_cursor[walk.thread] = side->cursor;
    pasts[walk.thread] = side->past;
    fiber->sp = fiber->base - side->bytes;
    memcpy(fiber->sp, walk.images + side->image, side->bytes);
    ghosts.looked = false;
}

static bool are_same(const Side *a, const Side *b)
{
    ghosts.looked = false;
    bool same = a->bytes == b->bytes && a->cursor.used == b->cursor.used &&
                ghost_same_stack(walk.images + b->image, walk.images + a->image, a->bytes);
    ghosts.looked = false;
    return same;
}

static Hash128 key_of(const Pair *pair)
{
    const Request *q = &pair->request;
    Hash128 key = {0, 0};
    for (int i = 0; i < 2; i++) {
        const Side *side = &pair->side[i];
        Hash128 state = scrub_hash(walk.images + side->image, side->bytes);
        key = hash128_add(key, state.low, state.high);
        key = hash128_add(key, side->bytes, side->cursor.used);
    }
    ghosts.looked = false;
    key = hash128_add(key, (uintptr_t)q->pc, (uintptr_t)q->address);
    key = hash128_add(key, q->operand, q->expected);
    key = hash128_add(key, q->kind, 2 * (unsigned)walk.thread + alike_questions.in_depth);
    return memo_key(MEMO_ALIKE, key);
}

/* Pair number walk.count, with this KEY, has been filled in: it counts, unless it was met before.
 * False if there are too many. */
static bool add_pair(Hash128 key)
{
    uint32_t s = (uint32_t)key.low % PAIR_SLOTS;
    for (; walk.slot[s]; s = (s + 1) % PAIR_SLOTS) {
        const Hash128 *other = &walk.key[walk.slot[s] - 1];
        if (other->low == key.low && other->high == key.high)
            return true;
    }
    walk.key[walk.count] = key;
    walk.slot[s] = (uint16_t)(walk.count + 1);
    return ++walk.count < MOST_PAIRS && walk.used < IMAGE_BYTES;
}

/* One side of a pair has been answered: this is what it did. */
typedef struct Step {
    ContentsStretch stretch;
    uint64_t written; /* a hash of what it wrote where, or 0 */
    bool stops;
    Request request;
    Side side;
} Step;

static bool take_step(const Pair *pair, int i, uint64_t v, Step *step)
{
    uint32_t log = undo_count;
    go_to(&pair->side[i], &pair->request);
    int most =
        alike_questions.in_depth && !walk.is_bound && !graphs.pasts_on ? MOST_STEPS : FEW_STEPS;
    walk.is_cut |= walk.steps >= most;
    if (walk.is_cut)
        return false;
    walk.steps++;
    alike_questions.steps++;
    reply.value = v;
    reply.success = request.kind == REQUEST_CAS && v == request.expected;
    contents_step(walk.thread, &step->stretch);
    ghosts.looked = false;
    walk.is_bound |= step->stretch.is_bound;
    step->stops = request.kind == REQUEST_STOP;
    if (step->stops && !step->stretch.meets_null)
        step->stretch.failed = true; /* perhaps it would go on in another graph */
    step->written = ghost_written(walk.thread, log);
    step->request = request;
    if (!step->stops)
        step->side = stand_here();
    undo_to(log);
    return !step->stretch.failed;
}

/* Both sides of PAIR are answered V, and read the contents of plain memory that STEP says. */
static bool are_alike_after(const Pair *pair, uint64_t v, Step *a, Step *b)
{
    uint32_t used = walk.used;
    if (!take_step(pair, 0, v, a))
        return false;
    b->stretch = a->stretch;
    if (!take_step(pair, 1, v, b) || a->stretch.accesses != b->stretch.accesses ||
        a->stretch.choices != b->stretch.choices || a->written != b->written ||
        a->stops != b->stops)
        return false;
    if (a->stops)
        return true; /* both fail */
    if (!ghost_same_requests(&a->request, &b->request))
        return false;
    if (are_same(&a->side, &b->side)) {
        walk.used = used;
        return true;
    }
    walk.is_cut |= pair->depth == MOST_DEPTH;
    if (walk.is_cut)
        return false;
    if (a->written) /* memory is not as it would be after a write */
        return false;
    walk.pair[walk.count] = (Pair){a->request, {a->side, b->side}, pair->depth + 1};
    int count = walk.count;
    bool good = add_pair(key_of(&walk.pair[count]));
    if (walk.count == count)
        walk.used = used;
    return good;
}

/* Does every answer to PAIR, with whatever plain memory holds then, lead to sides that are the same
 * or to a pair that was met? */
static bool goes_on_alike(const Pair *pair)
{
    static const uint64_t nothing;
    const uint64_t *values = &nothing;
    int count = 1;
    request = pair->request;
    if (request.kind != REQUEST_FENCE && !(request.kind == REQUEST_MARK && request.op))
        values = walk_is_read() ? walk_values(walk_location(), &count) : NULL;
    if (!values)
        return walk_is_read() && contents_is_null(request.address); /* both fail */
    for (int i = 0; i < count; i++) {
        Step a = {.stretch = {.choices = 0}}, b;
        do {
            if (!are_alike_after(pair, values[i], &a, &b))
                return false;
        } while (contents_next(&a.stretch));
    }
    return true;
}

/* The present side stands at pair 0, the other one as well. */
static bool are_alike(void)
{
    forget_pairs();
    walk.steps = 0;
    walk.is_bound = walk.is_cut = false;
    if (are_same(&walk.pair[0].side[0], &walk.pair[0].side[1]))
        return true;
    int known;
    Hash128 key = key_of(&walk.pair[0]);
    if (memo_find(key, &known)) /* asked here only: the number of steps must not depend on it */
        return known;
    bool good = add_pair(key);
    while (good && walk.done < walk.count) {
        Pair pair = walk.pair[walk.done++];
        good = goes_on_alike(&pair);
    }
    if (!walk.is_bound && !contents_are_wanted())
        for (int i = 0; i < (good ? walk.count : 1); i++)
            memo_keep(walk.key[i], good);
    walk.was_bound |= walk.is_bound;
    walk.was_cut |= walk.is_cut;
    return good;
}

/* Is T, after the answer, alike to itself at one of its requests up to FIRST? */
static bool repeats(int t, const Event *first)
{
    Pair *pair = &walk.pair[0];
    int from = MAX(waiting_pure_from(t), threads[t].opaque_at), left = MOST_CANDIDATES;
    uint32_t used = walk.used;
    if (!waiting_is_read(pair->request.kind))
        return false;
    for (int i = first->index; i >= from && left; i--) {
        const Event *e = thread_event(t, i);
        if (e->kind != EVENT_READ || e->rmw || !ghost_same_request(&pair->request, e) ||
            !ghost_memory_unchanged(t, e->log_position))
            continue;
        left--;
        memcpy(walk.images + used, checkpoints.stacks + e->snapshot, e->snapshot_bytes);
        walk.used = used + e->snapshot_bytes;
        pair->side[1] = (Side){used, e->snapshot_bytes, {e->heap_used, e->heap_count}, pasts_at(e)};
        if (are_alike())
            return true;
    }
    return false;
}

/* Is it alike to T after FIRST with the same answer? */
static bool is_shortcut(int t, const Event *first, const Event *answer, uint32_t used)
{
    Pair *pair = &walk.pair[0];
    go_to(&pair->side[0], &pair->request);
    ghosts.supposed.answer = answer;
    ghosts.kept = walk.images + used;
    bool is_kept = ghost_try(t, first->index, 1) == GHOST_ALIKE && !ghosts.kept;
    ghosts.kept = NULL;
    ghosts.supposed.answer = NULL;
    if (!is_kept)
        return false;
    walk.used = used + pair->side[0].bytes;
    pair->side[1] = (Side){used, pair->side[0].bytes, pair->side[0].cursor, ghosts.kept_past};
    return are_alike();
}

/* Answers T's present request with V: that is where side 0 stands. It may have written plain memory
 * on the way, which stays so. False if it failed, or touched what a race might be missed on. */
static bool stand_after(int t, uint64_t v)
{
    reply.value = v;
    reply.success = false;
    ghost_step(t, threads[t].count - 1);
    ghosts.looked = false;
    if (request.kind == REQUEST_STOP || !ghost_touches_nothing_new(t, undo_count))
        return false;
    walk.pair[0].request = request;
    walk.pair[0].depth = 0;
    walk.pair[0].side[0] = stand_here();
    return true;
}

bool alike_what_if(int t, const Event *first, uint64_t v)
{
    static GhostWalk real;
    static Event answer; /* most of it stays zero */
    if ((undo_stack_written >> t & 1) || first->index < threads[t].opaque_at)
        return false;
    Supposition kept = ghosts.supposed;
    waiting_suppose(&answer, first, v);
    set_up(t);
    contents_want_nothing();
    uint32_t log = undo_count;
    walk_begin(&real, t);
    bool good = stand_after(t, v);
    ghosts.touched |= undo_count > log || !good;
    uint32_t used = walk.used;
    good = good && (repeats(t, first) ||
                    (answer.request != REQUEST_RMW && is_shortcut(t, first, &answer, used)));
    ghosts.touched |= walk.was_bound;
    walk_end(&real);
    ghosts.supposed = kept;
    bool lacks_contents = good ? contents_are_wanted() : walk.was_bound && walk.was_cut;
    if (lacks_contents && alike_questions.in_depth)
        contents_watch_wanted();
    alike_questions.was_cut |= lacks_contents || walk.was_cut;
    return good && !contents_are_wanted();
}
