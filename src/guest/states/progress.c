#include "guest/states/progress.h"
#include <stdlib.h>
#include <string.h>
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

static Shelf(uint16_t) states; /* threads inside a call; above, those of them that are blocked */

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
    vec_free(&steps);
    vec_free(&turns);
}

void progress_begin(void)
{
    shelf_clear(&states);
    shelf_clear(&code);
    step_count = last_from = newest = 0;
    progress_drop_list();
}

void progress_add_state(uint32_t inside, uint32_t blocked)
{
    if (states.count > STATE_MASK)
        op_unsupported("more than %u states", STATE_MASK);
    shelf_push(&states, (uint16_t)(inside | blocked << 8));
}

void progress_add_step(uint32_t from, uint32_t to, uint32_t thread, uint8_t turn, bool begins,
                       bool returns, bool writes)
{
    bool fresh = to == newest + 1;
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

uint64_t progress_steps(void)
{
    return step_count;
}

uint64_t progress_bytes(void)
{
    return shelf_bytes(&code) + shelf_bytes(&states);
}

/* Steps in a list, and sorted by one end. */
static uint64_t listed_bytes(void)
{
    return step_count * (sizeof *steps.at + symmetry_used);
}

static uint64_t sorted_bytes(void)
{
    return 4 * (step_count + states.count);
}

uint64_t progress_stuck_bytes(uint32_t threads)
{
    return listed_bytes() + sorted_bytes() + states.count * (2 + 4 * ((uint64_t)threads + 1));
}

uint64_t progress_class_bytes(uint32_t threads)
{
    return (steps.count ? 0 : listed_bytes()) + sorted_bytes() +
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

/* Steps sorted by one of their ends: those of state S are list[first[S]] to list[first[S + 1]]. */
typedef struct Sorted {
    uint32_t *first, *list;
} Sorted;

static Sorted sort_steps(bool by_source)
{
    Sorted s = {calloc(states.count + 2, sizeof(uint32_t)),
                malloc(sizeof(uint32_t) * (steps.count + 1))};
    for (size_t i = 0; i < steps.count; i++)
        s.first[(by_source ? source(&steps.at[i]) : target(&steps.at[i])) + 2]++;
    for (size_t i = 2; i < states.count + 2; i++)
        s.first[i] += s.first[i - 1];
    for (size_t i = 0; i < steps.count; i++)
        s.list[s.first[(by_source ? source(&steps.at[i]) : target(&steps.at[i])) + 1]++] =
            (uint32_t)i;
    return s;
}

static void free_sorted(Sorted *s)
{
    free(s->first);
    free(s->list);
}

/* The slot that SLOT of the source of step I is at its target, and the other way round. */
static inline uint32_t slot_after(uint32_t i, uint32_t slot)
{
    return turns.count ? turn_slot(turns.at[i], slot) : slot;
}

static inline uint32_t slot_before(uint32_t i, uint32_t slot)
{
    return turns.count ? turn_slot(turn_inverse(turns.at[i]), slot) : slot;
}

/* Marks every slot (by bits) of every state from which its return can be reached without another
 * call, backwards from these returns. */
static void mark_returning(const Sorted *into, bool calls_end, uint8_t *marked, uint32_t *queue)
{
    size_t count = 0;
    memset(marked, 0, states.count);
#define MARK(state, slot)                                                                          \
    if (!(marked[state] >> (slot)&1)) {                                                            \
        marked[state] |= (uint8_t)(1u << (slot));                                                  \
        queue[count++] = (state) | (slot) << STATE_BITS;                                           \
    }
    for (size_t i = 0; i < steps.count; i++)
        if (returns(&steps.at[i]) && (calls_end || !begins(&steps.at[i])))
            MARK(source(&steps.at[i]), thread_of(&steps.at[i]))
    for (size_t k = 0; k < count; k++) {
        uint32_t state = queue[k] & STATE_MASK, slot = queue[k] >> STATE_BITS;
        for (uint32_t j = into->first[state]; j < into->first[state + 1]; j++) {
            const Step *s = &steps.at[into->list[j]];
            uint32_t before = slot_before(into->list[j], slot);
            if (calls_end || !begins(s))
                MARK(source(s), before)
        }
    }
#undef MARK
}

void progress_find_stuck(uint32_t threads, bool calls_end, uint8_t *stuck)
{
    progress_list();
    Sorted into = sort_steps(false);
    uint8_t *marked = malloc(states.count + 1);
    uint32_t *queue = malloc(sizeof *queue * (states.count + 1) * (threads + 1));
    memset(stuck, 0, states.count);
    mark_returning(&into, calls_end, marked, queue);
    for (size_t s = 0; s < states.count; s++)
        for (uint32_t t = 1; t <= threads; t++)
            if ((*shelf_at(&states, s) >> t & 1) && !(marked[s] >> t & 1))
                stuck[s] |= (uint8_t)(1u << t);
    free(queue);
    free(marked);
    free_sorted(&into);
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

typedef struct Visit { /* of a place, by a walk: its next step, counted in Sorted.list */
    uint32_t place, next;
} Visit;

/* Steps that do not return, and the places that they lead to: of the slot that is followed, or of
 * all. */
typedef struct Walk {
    const Sorted *from;
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
    vec_push(&walk->path, (Visit){place, walk->from->first[place / walk->lanes.count]});
}

/* Does a cycle of such steps lead through a place that can be reached from START? Depth first. */
static bool reaches_cycle(Walk *walk, uint32_t start)
{
    enter_place(walk, start);
    while (walk->path.count) {
        Visit *visit = &vec_last(&walk->path);
        uint32_t state = visit->place / walk->lanes.count;
        uint32_t slot = walk->lanes.first + visit->place % walk->lanes.count;
        if (visit->next == walk->from->first[state + 1]) {
            walk->seen[visit->place] = SEEN_DONE;
            walk->path.count--;
            continue;
        }
        uint32_t i = walk->from->list[visit->next++];
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
static bool has_cycle(const Sorted *from, Lanes lanes, bool all)
{
    Walk walk = {.from = from, .lanes = lanes, .all = all};
    walk.seen = calloc(states.count * lanes.count + 1, 1);
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
 * components are left unfinished. */
static bool find_components(const Sorted *from, Lanes lanes, uint32_t *component)
{
    size_t n = states.count * lanes.count, depth = 0, opened = 0;
    uint32_t *index = calloc(4 * n + 4, sizeof *index), *low = index + n, *next = low + n,
             *path = next + n, *open = malloc(4 * n + 4), order = 0, components = 0;
    memset(component, 0, 4 * n);
    for (uint32_t root = 0; root < n; root++) {
        for (uint32_t enter = root; !index[root] || depth;) {
            if (enter != UINT32_MAX) {
                index[enter] = low[enter] = ++order;
                next[enter] = from->first[enter / lanes.count];
                open[opened++] = path[depth++] = enter;
                enter = UINT32_MAX;
            }
            uint32_t s = path[depth - 1], slot = lanes.first + s % lanes.count;
            if (next[s] < from->first[s / lanes.count + 1]) {
                uint32_t i = from->list[next[s]++];
                if (returns(&steps.at[i]) && thread_of(&steps.at[i]) == slot)
                    continue;
                uint32_t to = (uint32_t)place_after(&lanes, i, slot);
                if (!index[to])
                    enter = to;
                else if (!component[to])
                    low[s] = MIN(low[s], index[to]);
                if (enter == UINT32_MAX && !component[to] && thread_of(&steps.at[i]) == slot) {
                    free(open);
                    free(index);
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
    free(open);
    free(index);
    return false;
}

/* Can the thread at a slot that is followed take steps for ever without a return? */
static bool may_starve(const Sorted *from, Lanes lanes)
{
    uint32_t *component = malloc(4 * states.count * lanes.count + 4);
    bool found = find_components(from, lanes, component);
    for (uint32_t i = 0; i < steps.count && !found; i++) {
        const Step *s = &steps.at[i];
        uint32_t slot = thread_of(s);
        if (!returns(s) && slot - lanes.first < lanes.count)
            found = component[place_of(&lanes, source(s), slot)] ==
                    component[place_after(&lanes, i, slot)];
    }
    free(component);
    return found;
}

StatesProgress progress_class(uint32_t threads)
{
    bool blocks = false, alone = false, starves = false;
    for (size_t s = 0; s < states.count; s++)
        blocks |= *shelf_at(&states, s) >> 8 != 0;
    if (blocks)
        return STATES_BLOCKING;
    progress_list();
    Sorted from = sort_steps(true);
    uint32_t width = turns.count ? threads : 1;
    for (uint32_t t = 1; t <= threads && !alone; t += width)
        alone = has_cycle(&from, (Lanes){t, width}, false);
    bool nobody = alone || has_cycle(&from, (Lanes){1, 1}, true);
    for (uint32_t t = 1; t <= threads && !nobody && !starves; t += width)
        starves = may_starve(&from, (Lanes){t, width});
    free_sorted(&from);
    progress_drop_list();
    return alone     ? STATES_BLOCKING
           : nobody  ? STATES_OBSTRUCTION_FREE
           : starves ? STATES_LOCK_FREE
                     : STATES_WAIT_FREE;
}

/* ---- programs ---- */

/* Marks the states from which one that is marked can be reached. */
static void mark_backwards(const Sorted *into, uint8_t *marked, uint32_t *queue)
{
    size_t count = 0;
    for (uint32_t s = 0; s < states.count; s++)
        if (marked[s])
            queue[count++] = s;
    for (size_t k = 0; k < count; k++)
        for (uint32_t j = into->first[queue[k]]; j < into->first[queue[k] + 1]; j++) {
            uint32_t from = source(&steps.at[into->list[j]]);
            if (marked[from])
                continue;
            marked[from] = 1;
            queue[count++] = from;
        }
}

static bool has_ended(size_t s)
{
    unsigned live = *shelf_at(&states, s) & 0xff;
    return !live || (live & PROGRESS_OVER);
}

/* Marks the states in which thread T can go on, does not exist, or the program has ended. */
static void mark_unblocked(unsigned t, uint8_t *marked)
{
    for (size_t s = 0; s < states.count; s++) {
        unsigned live = *shelf_at(&states, s), blocked = live >> 8;
        marked[s] = has_ended(s) || !(live >> t & 1) || !(blocked >> t & 1);
    }
}

bool progress_find_dead(uint8_t *dead)
{
    progress_list();
    Sorted into = sort_steps(false);
    uint8_t *good = malloc(states.count + 1);
    uint32_t *queue = malloc(sizeof *queue * (states.count + 1));
    for (size_t s = 0; s < states.count; s++)
        good[s] = has_ended(s);
    mark_backwards(&into, good, queue);
    bool endless = memchr(good, 0, states.count) != NULL;
    for (size_t i = 0; i < steps.count; i++)
        good[source(&steps.at[i])] |= (steps.at[i].to & WRITES) != 0;
    mark_backwards(&into, good, queue);
    for (size_t s = 0; s < states.count; s++)
        dead[s] = !good[s];
    for (unsigned t = 0; t < STATES_THREADS; t++) {
        mark_unblocked(t, good);
        mark_backwards(&into, good, queue);
        for (size_t s = 0; s < states.count; s++)
            dead[s] |= !good[s];
    }
    free(queue);
    free(good);
    free_sorted(&into);
    progress_drop_list();
    return endless;
}
