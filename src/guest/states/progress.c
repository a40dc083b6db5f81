#include "guest/states/progress.h"
#include <stdlib.h>
#include <string.h>
#include "guest/runtime/pages.h"
#include "guest/states/shelf.h"
#include "guest/states/symmetry.h"

typedef struct Step {
    uint32_t from; /* the state; in the top bits the thread, and whether its call returns */
    uint32_t to;   /* the same; in the top bits whether it begins a call, and whether it writes */
} Step;
enum { STATE_BITS = 28 };
#define STATE_MASK ((UINT32_C(1) << STATE_BITS) - 1)
#define RETURNS (UINT32_C(1) << 31)
#define BEGINS (UINT32_C(1) << 31)
#define WRITES (UINT32_C(1) << 30)
/* Threads are named by their slots (symmetry.h). A step may take them to other slots: its turn. */

static Shelf(uint16_t) states;   /* threads inside a call; above, those of them that are blocked */
static Shelf(uint8_t) perpetual; /* by state, if one of them is not 0 */

/* ---- steps, as they are kept ----
 * One byte of flags; where threads change their slots, the thread and the turn follow (in one byte,
 * or in three if the turn is too large); where the source is not that of the step before, the
 * distance; where the target is not the first new state since, its distance from the newest one. */
enum {
    CODE_THREAD = 7, /* or CODE_TURNS */
    CODE_TURNS = 7,
    CODE_BEGINS = 8,
    CODE_RETURNS = 16,
    CODE_FROM = 32,
    CODE_TO = 64,
    CODE_WRITES = 128
};
static Shelf(uint8_t) code;
static uint64_t step_count;
static uint32_t last_from, newest; /* so far */
static Vec(Step) steps;            /* all of them, while the graph is looked at */
static Step *lent;                 /* memory for them, or NULL */
static Vec(uint8_t) turns;         /* by step, if one of them is not 0 */

static void put_distance(int64_t distance)
{
    uint64_t rest = (uint64_t)distance << 1 ^ (uint64_t)(distance >> 63);
    for (; rest > 127; rest >>= 7)
        shelf_push(&code, (uint8_t)(rest | 128));
    shelf_push(&code, (uint8_t)rest);
}

static int64_t take_distance(size_t *at)
{
    uint64_t rest = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = *shelf_at(&code, *at);
        rest |= (uint64_t)(byte & 127) << shift;
        shift += 7;
        ++*at;
    } while (byte & 128);
    return (int64_t)(rest >> 1 ^ (0 - (rest & 1)));
}

enum { SHORT_TURNS = 32 }; /* that fit into a byte beside the thread */

static void put_turn(uint32_t thread, uint8_t turn)
{
    DEBUG_ASSERT(thread < STATES_THREADS);
    if (turn < SHORT_TURNS) {
        shelf_push(&code, (uint8_t)(thread | (uint32_t)turn << 3));
        return;
    }
    shelf_push(&code, CODE_TURNS);
    shelf_push(&code, (uint8_t)thread);
    shelf_push(&code, turn);
}

static uint8_t take_turn(size_t *at, uint32_t *thread)
{
    uint8_t byte = *shelf_at(&code, *at);
    *thread = byte & CODE_THREAD;
    ++*at;
    if (*thread != CODE_TURNS)
        return byte >> 3;
    *thread = *shelf_at(&code, *at);
    *at += 2;
    return *shelf_at(&code, *at - 1);
}

void progress_drop_list(void)
{
    if (lent)
        steps.count = 0;
    else
        vec_free(&steps);
    vec_free(&turns);
}

size_t progress_list_bytes(void)
{
    return (step_count + 1) * sizeof *steps.at;
}

void progress_lend(void *memory)
{
    progress_drop_list();
    lent = steps.at = memory;
    steps.capacity = memory ? step_count + 1 : 0;
}

void progress_begin(void)
{
    shelf_clear(&states);
    shelf_clear(&perpetual);
    shelf_clear(&code);
    step_count = last_from = newest = 0;
    progress_lend(NULL);
}

void progress_add_state(uint8_t turn, uint32_t inside, uint32_t blocked, uint32_t lasting)
{
    inside = turn_bits(turn, inside);
    blocked = turn_bits(turn, blocked);
    lasting = turn_bits(turn, lasting);
    while (lasting && perpetual.count < states.count)
        shelf_push(&perpetual, 0);
    if (lasting)
        shelf_push(&perpetual, (uint8_t)lasting);
    if (states.count > STATE_MASK)
        op_unsupported("more than %u states", STATE_MASK);
    shelf_push(&states, (uint16_t)(inside | blocked << 8));
}

void progress_add_step(uint32_t from, uint32_t to, uint32_t thread, uint8_t turn, bool begins,
                       bool returns, bool writes)
{
    bool fresh = to == newest + 1;
    ASSERT(from >= last_from);
    shelf_push(&code, (uint8_t)((turn ? CODE_TURNS : thread) | (writes ? CODE_WRITES : 0) |
                                (begins ? CODE_BEGINS : 0) | (returns ? CODE_RETURNS : 0) |
                                (from != last_from ? CODE_FROM : 0) | (fresh ? 0 : CODE_TO)));
    if (turn)
        put_turn(thread, turn);
    if (from != last_from)
        put_distance((int64_t)from - last_from);
    if (fresh)
        newest++;
    else
        put_distance((int64_t)newest - to);
    last_from = from;
    step_count++;
}

void progress_list(void)
{
    uint32_t from = 0, top = 0;
    if (steps.count && steps.count == step_count)
        return; /* they are there */
    steps.count = turns.count = 0;
    if (symmetry_used)
        vec_reserve(&turns, step_count + 1);
    vec_reserve(&steps, step_count + 1);
    if (!lent)
        pages_use_large(steps.at, step_count * sizeof *steps.at);
    for (size_t at = 0; at < code.count;) {
        uint8_t flags = *shelf_at(&code, at), turn = 0;
        at++;
        uint32_t thread = flags & CODE_THREAD;
        if (thread == CODE_TURNS) {
            turn = take_turn(&at, &thread);
        }
        if (symmetry_used)
            vec_push(&turns, turn);
        if (flags & CODE_FROM)
            from = (uint32_t)(from + take_distance(&at));
        uint32_t to = flags & CODE_TO ? (uint32_t)(top - take_distance(&at)) : ++top;
        vec_push(&steps, (Step){from | thread << STATE_BITS | (flags & CODE_RETURNS ? RETURNS : 0),
                                to | (flags & CODE_BEGINS ? BEGINS : 0) |
                                    (flags & CODE_WRITES ? WRITES : 0)});
    }
}

uint32_t progress_inside(uint32_t state)
{
    return *shelf_at(&states, state) & UINT8_MAX;
}

uint64_t progress_steps(void)
{
    return step_count;
}

uint64_t progress_bytes(void)
{
    return shelf_bytes(&code) + shelf_bytes(&states) + shelf_bytes(&perpetual);
}

/* Steps in a list, and where those of each state begin in it. */
static uint64_t listed_bytes(void)
{
    return step_count * ((lent ? 0 : sizeof *steps.at) + symmetry_used);
}

uint64_t progress_stuck_bytes(void)
{
    return listed_bytes() + states.count * 3;
}

uint64_t progress_class_bytes(uint32_t threads)
{
    return (steps.count ? 0 : listed_bytes()) + 4 * states.count +
           24 * states.count * (symmetry_used ? threads : 1);
}

static inline uint32_t source(const Step *s)
{
    return s->from & STATE_MASK;
}

static inline uint32_t target(const Step *s)
{
    return s->to & STATE_MASK;
}

static inline bool begins(const Step *s)
{
    return s->to & BEGINS;
}

static inline uint32_t thread_of(const Step *s)
{
    return s->from >> STATE_BITS & 7;
}

static inline bool returns(const Step *s)
{
    return s->from & RETURNS;
}

/* Like malloc and calloc, for tables that are used whole. */
static void *take_room(size_t bytes)
{
    void *at = malloc(bytes);
    pages_use_large(at, bytes);
    return at;
}

static void *take_zeroes(size_t bytes)
{
    return memset(take_room(bytes), 0, bytes);
}

/* Returns where the steps of each state begin in the list, and behind the last state its end. */
static uint32_t *find_first_steps(void)
{
    uint32_t *first = take_room(sizeof *first * (states.count + 1));
    uint32_t i = 0;
    for (uint32_t s = 0; s <= states.count; s++) {
        while (i < steps.count && source(&steps.at[i]) < s)
            i++;
        first[s] = i;
    }
    return first;
}

/* The slot that SLOT of the source of step I is at its target. */
static inline uint32_t slot_after(uint32_t i, uint32_t slot)
{
    return turns.count ? turn_slot(turns.at[i], slot) : slot;
}

/* Adds the marks of each target to its source, along all steps or those that begin no call, until
 * that changes nothing. MARKS has bits by slots. A path of steps to larger numbers, which states
 * that were met first on a path have, is passed at once from its end to its start: one pass more is
 * needed for each step back on it. So there are few passes, each through the list from one end to
 * the other, and memory is read in order but for MARKS. */
static void spread_back(uint16_t *marks, bool along_begins)
{
    for (bool changed = true; changed;) {
        uint32_t more = 0;
        for (size_t i = steps.count; i-- > 0;) {
            const Step *s = &steps.at[i];
            uint32_t bits = marks[target(s)], known = marks[source(s)];
            if (begins(s) && !along_begins)
                continue;
            if (turns.count && turns.at[i])
                bits = turn_bits(turn_inverse(turns.at[i]), bits);
            more |= bits & ~known;
            marks[source(s)] = (uint16_t)(known | bits);
        }
        changed = more != 0;
    }
}

bool progress_find_stuck(uint32_t threads, bool calls_end, uint8_t *stuck)
{
    progress_list();
    /* slots whose return can be reached without another call */
    uint16_t *returning = take_zeroes((states.count + 1) * sizeof *returning);
    for (size_t i = 0; i < steps.count; i++)
        if (returns(&steps.at[i]) && (calls_end || !begins(&steps.at[i])))
            returning[source(&steps.at[i])] |= (uint16_t)(1u << thread_of(&steps.at[i]));
    spread_back(returning, calls_end);
    uint32_t all = (2u << threads) - 2, any = 0;
    for (size_t s = 0; s < states.count; s++) {
        stuck[s] = (uint8_t)(*shelf_at(&states, s) & all & ~returning[s]);
        any |= stuck[s];
    }
    free(returning);
    return any;
}

/* States beside a slot that is followed: all slots where steps change them, else one after the
 * other, which takes less memory. Place P stands for state P / count, and slot first + P % count.
 */
typedef struct Lanes {
    uint32_t first, count;
} Lanes;

static inline size_t place_of(const Lanes *lanes, uint32_t state, uint32_t slot)
{
    return (size_t)state * lanes->count + (slot - lanes->first);
}

/* The place that step I leads to from the one with SLOT. */
static inline size_t place_after(const Lanes *lanes, uint32_t i, uint32_t slot)
{
    return place_of(lanes, target(&steps.at[i]), slot_after(i, slot));
}

typedef struct Visit { /* of a place, by a walk: its next step */
    uint32_t place, next;
} Visit;

/* Steps that do not return, and the places that they lead to: of the slot that is followed, or of
 * all. */
typedef struct Walk {
    const uint32_t *first; /* steps of states */
    Lanes lanes;
    bool all;
    uint8_t *seen; /* by place: SEEN_OPEN while it is on the path */
    Vec(Visit) path;
} Walk;
enum { SEEN_OPEN = 1, SEEN_DONE = 2 };

static inline bool walk_follows(const Walk *walk, uint32_t i, uint32_t slot)
{
    return !returns(&steps.at[i]) && (walk->all || thread_of(&steps.at[i]) == slot);
}

static inline uint32_t walk_place_after(const Walk *walk, uint32_t i, uint32_t slot)
{
    return walk->all ? target(&steps.at[i]) : (uint32_t)place_after(&walk->lanes, i, slot);
}

static void enter_place(Walk *walk, uint32_t place)
{
    walk->seen[place] = SEEN_OPEN;
    vec_push(&walk->path, (Visit){place, walk->first[place / walk->lanes.count]});
}

/* Does a cycle of such steps lead through a place that can be reached from START? Depth first. */
static bool reaches_cycle(Walk *walk, uint32_t start)
{
    enter_place(walk, start);
    while (walk->path.count) {
        Visit *visit = &vec_last(&walk->path);
        uint32_t state = visit->place / walk->lanes.count;
        uint32_t slot = walk->lanes.first + visit->place % walk->lanes.count;
        if (visit->next == walk->first[state + 1]) {
            walk->seen[visit->place] = SEEN_DONE;
            walk->path.count--;
            continue;
        }
        uint32_t i = visit->next++;
        if (!walk_follows(walk, i, slot))
            continue;
        uint32_t to = walk_place_after(walk, i, slot);
        if (walk->seen[to] == SEEN_OPEN)
            return true;
        if (!walk->seen[to])
            enter_place(walk, to);
    }
    return false;
}

/* Do steps that do not return form a cycle: those of the slot that is followed, or of ALL? States
 * have numbers in the order in which they were found, and not all steps of a cycle lead to larger
 * ones: places that others lead to are looked at only. */
static bool has_cycle(const uint32_t *first, Lanes lanes, bool all)
{
    Walk walk = {.first = first, .lanes = lanes, .all = all};
    walk.seen = take_zeroes(states.count * lanes.count + 1);
    bool found = false;
    for (uint32_t i = 0; i < steps.count && !found; i++) {
        if (target(&steps.at[i]) > source(&steps.at[i]))
            continue;
        for (uint32_t slot = lanes.first; slot < lanes.first + lanes.count && !found; slot++) {
            if (!walk_follows(&walk, i, slot))
                continue;
            uint32_t to = walk_place_after(&walk, i, slot);
            found = !walk.seen[to] && reaches_cycle(&walk, to);
        }
    }
    vec_free(&walk.path);
    free(walk.seen);
    return found;
}

/* The strongly connected component of each place along steps other than returns of the slot that is
 * followed (Tarjan's algorithm, with stacks of its own). Returns whether a step of that slot was
 * seen to lie in one: a place whose component is not complete yet leads back to the path. Then
 * components are left unfinished. COMPONENT is all zeroes before. */
static bool find_components(const uint32_t *first, Lanes lanes, uint32_t *component)
{
    size_t n = states.count * lanes.count, depth = 0, opened = 0;
    size_t room = (5 * n + 4) * sizeof *component;
    uint32_t *index = pages_reserve(room), *low = index + n, *next = low + n, *path = next + n,
             *open = path + n, order = 0, components = 0;
    for (uint32_t root = 0; root < n; root++) {
        for (uint32_t enter = root; !index[root] || depth;) {
            if (enter != UINT32_MAX) {
                index[enter] = low[enter] = ++order;
                next[enter] = first[enter / lanes.count];
                open[opened++] = path[depth++] = enter;
                enter = UINT32_MAX;
            }
            uint32_t s = path[depth - 1], slot = lanes.first + s % lanes.count;
            if (next[s] < first[s / lanes.count + 1]) {
                uint32_t i = next[s]++;
                if (returns(&steps.at[i]) && thread_of(&steps.at[i]) == slot)
                    continue;
                uint32_t to = (uint32_t)place_after(&lanes, i, slot);
                if (!index[to])
                    enter = to;
                else if (!component[to])
                    low[s] = MIN(low[s], index[to]);
                if (enter == UINT32_MAX && !component[to] && thread_of(&steps.at[i]) == slot) {
                    pages_give_back(index, room);
                    return true;
                }
                continue;
            }
            if (--depth)
                low[path[depth - 1]] = MIN(low[path[depth - 1]], low[s]);
            if (low[s] != index[s])
                continue;
            components++;
            do
                component[open[--opened]] = components;
            while (open[opened] != s);
        }
    }
    pages_give_back(index, room);
    return false;
}

/* Can the thread at a slot that is followed take steps for ever without a return? */
static bool may_starve(const uint32_t *first, Lanes lanes)
{
    size_t room = 4 * states.count * lanes.count + 4;
    uint32_t *component = pages_reserve(room); /* (zeroes: it may be known soon) */
    bool found = find_components(first, lanes, component);
    for (uint32_t i = 0; i < steps.count && !found; i++) {
        const Step *s = &steps.at[i];
        uint32_t slot = thread_of(s);
        if (!returns(s) && slot - lanes.first < lanes.count)
            found = component[place_of(&lanes, source(s), slot)] ==
                    component[place_after(&lanes, i, slot)];
    }
    pages_give_back(component, room);
    return found;
}

StatesProgress progress_class(uint32_t threads)
{
    DEBUG_ASSERT(threads <= STATES_THREADS);
    bool blocks = false, alone = false, starves = false;
    for (size_t s = 0; s < states.count; s++)
        blocks |= *shelf_at(&states, s) >> 8 != 0;
    if (blocks)
        return STATES_BLOCKING;
    progress_list();
    uint32_t *first = find_first_steps();
    uint32_t width = turns.count ? threads : 1;
    /* (A cycle of one thread is one of all.) */
    bool nobody = has_cycle(first, (Lanes){1, 1}, true);
    for (uint32_t t = 1; t <= threads && nobody && !alone; t += width)
        alone = has_cycle(first, (Lanes){t, width}, false);
    for (uint32_t t = 1; t <= threads && !nobody && !starves; t += width)
        starves = may_starve(first, (Lanes){t, width});
    free(first);
    progress_drop_list();
    return alone     ? STATES_BLOCKING
           : nobody  ? STATES_OBSTRUCTION_FREE
           : starves ? STATES_LOCK_FREE
                     : STATES_WAIT_FREE;
}

/* ---- programs ---- */

static bool has_ended(size_t s)
{
    unsigned live = *shelf_at(&states, s) & 0xff;
    return !live || (live & PROGRESS_OVER);
}

/* A state has a mark if from it something can be reached. Of thread T, in the four groups: a state
 * in which it can go on; in which it has ended, or is one that runs for ever by its code; a step of
 * its own that changes memory; a step of its own that tries to, in vain. Of all: the end of the
 * program, and a step that changes memory. Who does not exist, or has ended, does all but try. */
enum { MAY_GO = 0, MAY_END = 8, MAY_CHANGE = 16, MAY_TRY = 24, ANY_END = 32, ANY_CHANGE = 33 };
_Static_assert(STATES_THREADS <= 8, "a group has a bit for each thread");
#define MARK(group, threads) ((uint64_t)(threads) << (group))
#define ALL_THREADS ((1u << STATES_THREADS) - 1)

static uint64_t marks_of(size_t s)
{
    unsigned here = *shelf_at(&states, s), blocked = here >> 8, live = here & ALL_THREADS;
    unsigned lasting = s < perpetual.count ? *shelf_at(&perpetual, s) : 0;
    if (has_ended(s))
        return MARK(MAY_GO, ALL_THREADS) | MARK(MAY_END, ALL_THREADS) |
               MARK(MAY_CHANGE, ALL_THREADS) | MARK(ANY_END, 3);
    return MARK(MAY_GO, ~(live & blocked) & ALL_THREADS) |
           MARK(MAY_END, (~live | lasting) & ALL_THREADS) | MARK(MAY_CHANGE, ~live & ALL_THREADS);
}

/* Adds the marks of each target to its source until that changes nothing. */
static void spread_all(uint64_t *marks)
{
    for (bool changed = true; changed;) {
        uint64_t more = 0;
        for (size_t i = steps.count; i-- > 0;) {
            uint64_t bits = marks[target(&steps.at[i])], *known = &marks[source(&steps.at[i])];
            more |= bits & ~*known;
            *known |= bits;
        }
        changed = more != 0;
    }
}

static ProgressDead why_dead(uint64_t marks, unsigned live, uint8_t *thread)
{
    unsigned may_end = (unsigned)(marks >> MAY_END), may_change = (unsigned)(marks >> MAY_CHANGE);
    unsigned waits = ~(unsigned)(marks >> MAY_GO) & ALL_THREADS;
    unsigned loops = ~may_end & live & ALL_THREADS;
    unsigned tries = ~may_change & (unsigned)(marks >> MAY_TRY) & live & ALL_THREADS;
    if (waits)
        *thread = (uint8_t)__builtin_ctz(waits);
    else if (loops | tries | (live & ALL_THREADS))
        *thread = (uint8_t)__builtin_ctz(loops ? loops : tries ? tries : live & ALL_THREADS);
    return waits                            ? PROGRESS_WAITS
           : !(marks & MARK(ANY_CHANGE, 1)) ? PROGRESS_QUIET
           : loops                          ? PROGRESS_LOOPS
           : tries                          ? PROGRESS_TRIES
                                            : PROGRESS_ALIVE;
}

bool progress_find_dead(uint8_t *dead, uint8_t *thread)
{
    progress_list();
    ASSERT(!turns.count);
    uint64_t *marks = take_room(sizeof *marks * (states.count + 1));
    for (size_t s = 0; s < states.count; s++)
        marks[s] = marks_of(s);
    for (size_t i = 0; i < steps.count; i++) {
        const Step *s = &steps.at[i];
        unsigned by = 1u << thread_of(s);
        if (s->to & WRITES)
            marks[source(s)] |= MARK(ANY_CHANGE, 1) | MARK(MAY_CHANGE, by);
        if (returns(s))
            marks[source(s)] |= MARK(MAY_TRY, by);
    }
    spread_all(marks);
    bool endless = false;
    for (size_t s = 0; s < states.count; s++) {
        endless |= !(marks[s] & MARK(ANY_END, 1));
        dead[s] = (uint8_t)why_dead(marks[s], *shelf_at(&states, s), &thread[s]);
    }
    free(marks);
    progress_drop_list();
    return endless;
}
