#include "guest/explore/reduce/rest.h"
#include "guest/explore/reduce/notes.h"
#include <string.h>
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/search/frames.h"
#include "guest/explore/memory/cells.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/search/ops.h"
#include "guest/explore/reduce/symmetry/alike.h"
#include "guest/explore/search/way.h"

static bool rest_is_off;              /* nothing turns it on again */
static bool rest_is_possible;         /* the present search may leave out rests */
static ThreadSet used;                /* threads of which some rest uses the results ... */
static uint64_t results[MAX_THREADS]; /* ... and these, in every execution so far */

void op_note_claim(void)
{
    rest_is_off = true;
    rules_link();
    if (alikes.active && alikes.met)
        alike_refuse();
}

/* Does main touch nothing but its own stack between its event A and its next one, B? The only word
 * of the runtime that it writes is the claim of the thread that it joins. A plain access is in the
 * log: the first one after an event always is. */
static bool is_silent(const Event *a, const Event *b)
{
    unsigned claims = 0;
    if (a->heap_used != b->heap_used || a->heap_count != b->heap_count)
        return false;
    for (uint32_t i = b->log_position; i-- > a->log_position;) {
        const LogEntry *entry = &undo_log[i];
        if (entry->dead || entry->thread != 0 || entry->tag != b->index)
            continue;
        if (entry->kind != LOG_BYTES || entry->size != 4 || ++claims > 1)
            return false;
    }
    return claims == (b->kind == EVENT_JOIN);
}

/* Notes that a rest uses the result of thread T; false if it was another one before. */
static bool note_result(int t)
{
    uint64_t result = last_event(t)->value;
    if (!(used >> t & 1)) {
        used |= thread_bit(t);
        results[t] = result;
    }
    return results[t] == result;
}

/* Does somebody look at complete graphs? */
static bool is_looked_at(void)
{
    return exploration.on_complete || exploration.held || !options.checkpoints;
}

/* Or is the way through the search given? */
static bool is_watched(void)
{
    return is_looked_at() || frame_draws.draw || search_way.replaying || options.preemptions >= 0 ||
           options.schedules;
}

/* ---- loads ---- */

#define MOST_LOADS 8
#define MOST_LISTS 16
#define PATIENCE 64 /* executions that no list fits, before their number counts */

typedef struct Load {
    LocationId location;
    uint64_t value;
} Load;
typedef struct LoadList {
    int count;
    Load load[MOST_LOADS]; /* the last one first */
} LoadList;
static struct {
    uint8_t number; /* ReduceNotes.loads of the events before the rests that are known; 0: none was
                       yet */
    ThreadSet created;
    int count;
    LoadList list[MOST_LISTS];
    uint64_t fits, misses; /* executions that some list fits, and that none does */
} known;

/* Is the last value of X all that a load of it depends on, after all else? */
static bool shows_only_value(const Location *x)
{
    return x->writes > 1 && (uintptr_t)x->address < STACK_BASE && x->size <= 8 &&
           !pool[x->co[x->writes - 1]].part && !memory_is_used_plainly(x);
}

/* Adds main's event E to LIST; false if it is none of the loads that rests may have. */
static bool add_load(LoadList *list, const Event *e)
{
    if (e->kind != EVENT_READ || e->request != REQUEST_LOAD || e->plain || e->part || e->merge ||
        alikes.met || list->count == MOST_LOADS || !shows_only_value(&locations[e->location]))
        return false;
    list->load[list->count++] = (Load){e->location, e->value};
    return true;
}

/* Has main joined all other threads before its event INDEX? */
static bool has_joined_all(int index)
{
    ThreadSet joined = thread_bit(0);
    for (int i = 0; i < index; i++)
        if (thread_event(0, i)->kind == EVENT_JOIN)
            joined |= thread_bit(thread_event(0, i)->other);
    return joined == threads_created;
}

/* Do last values differ too often? Main then joins threads as soon as it can, as without this. */
static bool has_given_up(void)
{
    return known.misses > PATIENCE + known.fits;
}

/* Do all variables of LIST have the values that it says, at the end of this execution? */
static bool fits(const LoadList *list)
{
    for (int i = 0; i < list->count; i++) {
        const Location *x = &locations[list->load[i].location];
        if (!shows_only_value(x) || pool[x->co[x->writes - 1]].value != list->load[i].value)
            return false;
    }
    return true;
}

/* Adds LIST to those that are known, if it is not one of them. */
static void keep_list(const LoadList *list)
{
    for (int i = 0; i < known.count; i++)
        if (fits(&known.list[i]))
            return; /* main ran all the same, from a join that was not noted */
    if (known.count < MOST_LISTS)
        known.list[known.count++] = *list;
}

/* Remembers a rest after CREATE, an event of main, with the loads of LIST, of which the first is
 * main's event FIRST. In between main has joined threads. */
static void keep_loads(const Event *create, const LoadList *list, int first, ThreadSet rest)
{
    bool is_known = notes_of(create)->rest && notes_of(create)->loads == known.number;
    if (has_given_up() || !has_joined_all(first))
        return;
    if (!is_known || known.created != threads_created) {
        if (known.number == UINT8_MAX)
            return;
        known.number++;
        known.created = threads_created;
        known.count = 0;
    }
    keep_list(list);
    for (int i = create->index; i < first; i++) {
        ReduceNotes *notes = notes_of(thread_event(0, i));
        notes->rest = rest;
        notes->loads = known.number;
    }
}

/* All threads but main have ended: is its rest after event E a known one, as far as loads go? */
static bool has_known_values(const Event *e)
{
    ReduceNotes *notes = notes_of(e);
    if (!notes->loads)
        return true;
    bool found = false;
    if (notes->loads == known.number && known.created == threads_created && !alikes.met)
        for (int i = 0; i < known.count && !found; i++)
            found = fits(&known.list[i]);
    known.fits += found;
    known.misses += !found;
    if (notes->loads != known.number || has_given_up())
        notes->rest = 0;
    return found;
}

static void observe(void)
{
    const Event *end = threads[0].count ? last_event(0) : NULL;
    if (rest_is_off || !end || end->kind != EVENT_END || !end->test || is_watched())
        return;
    ThreadSet rest = thread_bit(0);
    LoadList loads = {.count = 0};
    int first = 0;
    for (int i = end->index; i > 0; i--) {
        const Event *a = thread_event(0, i - 1), *b = thread_event(0, i);
        if (!is_silent(a, b))
            return;
        if (b->kind == EVENT_JOIN && b->test) {
            rest |= thread_bit(b->other);
            rest_is_off = !note_result((int)b->other);
        }
        if (rest_is_off) {
            rules_link();
            return;
        }
        if (a->kind != EVENT_JOIN && a->kind != EVENT_CREATE) {
            if (!add_load(&loads, a))
                return;
            first = a->index;
        } else if (!loads.count) {
            if (notes_of(a)->rest)
                return;
            notes_of(a)->loads = 0;
            notes_of(a)->rest = rest;
        } else if (a->kind == EVENT_CREATE) {
            keep_loads(a, &loads, first, rest);
        }
        if (a->kind == EVENT_CREATE)
            return;
    }
}

/* All threads but main have ended, with the results that REST, a rest of main's, knows? */
static bool has_known_results(ThreadSet rest)
{
    for (ThreadSet left = rest & ~thread_bit(0); left; left &= left - 1) {
        int t = thread_first(left);
        if (last_event(t)->value != results[t])
            return false;
    }
    return true;
}

/* No thread but main can run: is the execution complete, with main's rest after event E (NULL: that
 * loads nothing), which uses the results of the threads in REST? */
static bool completes(const Event *e, ThreadSet rest)
{
    if ((threads_created & ~threads_ended) != thread_bit(0))
        return false; /* the others wait: it must be seen what main does then */
    if (e && !has_known_values(e))
        return false;
    rest_is_off = !has_known_results(rest);
    if (rest_is_off)
        rules_link();
    exploration.completes = !rest_is_off;
    return exploration.completes;
}

static void begin_search(void)
{
    rest_is_possible =
        !exploration.held && options.checkpoints && options.preemptions < 0 && !options.schedules;
}

static bool is_possible(void)
{
    return rest_is_possible && !rest_is_off;
}

/* No other thread can run. Returns whether main need not run, either, since all have ended: then
 * the execution is complete. */
static bool completes_all(void)
{
    return completes(last_event(0), notes_of(last_event(0))->rest);
}

static bool main_rests(void)
{
    return notes_of(last_event(0))->rest != 0;
}

const Rule rest_rule = {.begin_search = begin_search, .complete = observe};
const Rule rest_active_rule = {
    .active = is_possible, .main_rests = main_rests, .completes = completes_all};

/* ---- executions that are sampled ---- */

#define MOST_STACK 4096
static struct {     /* main at the request of the last event before its rest */
    ThreadSet rest; /* as ReduceNotes.rest; 0: none is known */
    uint32_t bytes, other;
    int index;
    HeapCursor cursor;
    char stack[MOST_STACK];
} sample;

void rest_forget_samples(void)
{
    sample.rest = 0;
}

void rest_observe_sample(void)
{
    const Event *end = threads[0].count ? last_event(0) : NULL;
    if (rest_is_off || sample.rest || !end || end->kind != EVENT_END || !end->test ||
        is_looked_at())
        return;
    ThreadSet rest = thread_bit(0);
    int i = end->index;
    for (; i > 0 && thread_event(0, i)->kind != EVENT_CREATE; i--) {
        const Event *b = thread_event(0, i);
        if ((b->kind != EVENT_JOIN && b != end) || !is_silent(thread_event(0, i - 1), b))
            return;
        if (b->kind == EVENT_JOIN && b->test) {
            rest |= thread_bit(b->other);
            rest_is_off = !note_result((int)b->other);
        }
    }
    const Event *a = thread_event(0, i);
    if (rest_is_off || a->kind != EVENT_CREATE || a->snapshot_bytes > MOST_STACK)
        return;
    sample.rest = rest;
    sample.index = i;
    sample.other = (uint32_t)a->other;
    sample.cursor = (HeapCursor){a->heap_used, a->heap_count};
    sample.bytes = a->snapshot_bytes;
    memcpy(sample.stack, checkpoints.stacks + a->snapshot, sample.bytes);
}

bool rest_is_known_of_sample(void)
{
    if (!sample.rest || threads[0].count - 1 != sample.index || rest_is_off || is_looked_at())
        return false;
    const Event *a = last_event(0);
    return a->kind == EVENT_CREATE && a->other == sample.other &&
           a->heap_used == sample.cursor.used && a->heap_count == sample.cursor.count &&
           a->snapshot_bytes == sample.bytes &&
           !memcmp(checkpoints.stacks + a->snapshot, sample.stack, sample.bytes);
}

bool rest_completes_sample(void)
{
    return !rest_is_off && completes(NULL, sample.rest);
}
