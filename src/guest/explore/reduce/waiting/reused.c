#include "guest/explore/reduce/waiting/reused.h"
#include "guest/explore/search/rules.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/cells.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/races.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/reduce/symmetry/pasts.h"
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/runtime/fiber.h"

#define LATE_LEAVES 4096 /* after so many R grows late ... */
#define MOST_LATE 4      /* ... and if it has so often, it is taken to be all memory */

static bool reused_grew; /* since the exploration began */
static unsigned late_times;

/* Is anything noted? Some round has asked. */
static bool is_noted(void)
{
    return facts_met[FACT_reuse_noted] != 0;
}

/* Is anything known that is_reused asks about? */
static bool is_any_known(void)
{
    return facts_met[FACT_again] || facts_met[FACT_first] || facts_met[FACT_freed_by];
}

static bool is_all_reused(void)
{
    return facts_met[FACT_all_reused] != 0;
}

/* Has a read read what another thread wrote, without synchronising? */
static bool reads_are_weak(void)
{
    return facts_met[FACT_weak_reads] != 0;
}

static void forget(void)
{
    late_times = 0;
    reused_grew = false;
}

/* ---- what is used again ---- */

static uint8_t mask_of(const void *address, unsigned bytes)
{
    unsigned offset = (uintptr_t)address & 7;
    return (uint8_t)(((1u << MIN(bytes, 8 - offset)) - 1) << offset);
}

static inline void learn(Granule *g, FactKind kind, uint8_t value)
{
    if (granule_learn(g, kind, value))
        reused_grew = true;
}

static void note_again(Granule *g, uint8_t mask, int t)
{
    learn(g, FACT_again, mask);
    learn(g, FACT_again_by, (uint8_t)(t + 1));
}

static void note_first(Granule *g, uint8_t mask, int t)
{
    learn(g, FACT_first, mask);
    learn(g, FACT_first_by, (uint8_t)(t + 1));
}

/* May other threads run beside T? One that has ended in this graph may have run until now, unless
 * its end happens before what T does. */
static bool has_others(int t)
{
    ThreadSet others = threads_created & ~thread_bit(t);
    if (LIKELY(others & ~threads_ended))
        return true;
    for (; others; others &= others - 1) {
        int s = thread_first(others);
        if (threads[s].count && !before(last_event(s), graph_tip(t)))
            return true;
    }
    return false;
}

/* How far ADDRESS is in T's heap, in units; UINTPTR_MAX: it is elsewhere. */
static uintptr_t place_in_heap(const void *address, int t)
{
    uintptr_t offset = (uintptr_t)address - HEAP_BASE - (uintptr_t)t * HEAP_SLOT;
    return offset < HEAP_SLOT ? offset / HEAP_UNIT : UINTPTR_MAX;
}

/* Is ADDRESS in an object that T has allocated since EFFECT? */
static bool is_fresh(const void *address, int t, const Event *effect)
{
    uintptr_t place = place_in_heap(address, t);
    return place != UINTPTR_MAX && place >= (effect ? effect->heap_used : 0);
}

/* Can others learn, by E, what T did before it, and not what T does after it? */
static bool divides(const Event *e, int t)
{
    return e->kind == EVENT_CREATE || (e->kind == EVENT_FENCE && is_release(e->order)) ||
           (e->kind == EVENT_WRITE &&
            place_in_heap(locations[e->location].address, t) == UINTPTR_MAX);
}

/* T's last effect, or NULL: a thread created, a fence that releases, or a write, but not one into
 * an object that T has allocated since the effect before. */
static const Event *last_effect(int t)
{
    int i = threads[t].count - 1;
    const Event *effect = NULL;
    for (; i >= 0 && !effect; i--) {
        if (divides(thread_event(t, i), t))
            effect = thread_event(t, i);
    }
    for (i = effect ? effect->index + 1 : 0; i < threads[t].count; i++) {
        const Event *e = thread_event(t, i);
        if (e->kind == EVENT_WRITE && !is_fresh(locations[e->location].address, t, effect))
            effect = e;
    }
    return effect;
}

/* Is ADDRESS in an object that a thread other than main has allocated? */
static bool is_of_thread(const void *address)
{
    return (uintptr_t)address - HEAP_BASE - HEAP_SLOT < (MAX_THREADS - 1) * HEAP_SLOT;
}

/* Did WRITER make a write after its first TAG events before any thread was created? */
static bool is_initial(int writer, EventIndex tag)
{
    return writer == 0 && (!(threads_created & 2) || tag <= pool[threads[1].create].index);
}

typedef enum Lateness {
    WRITE_IS_EARLY, /* nobody else can know of the memory */
    WRITE_IS_FIRST, /* nobody has written it but main, before it created threads */
    WRITE_IS_LATE
} Lateness;

/* When does ENTRY, of a write, come? EFFECT is the last one of its thread. */
static Lateness lateness_of(const LogEntry *entry, const Event *effect)
{
    int t = entry->thread;
    if (!entry->old_has_write)
        return is_fresh(entry->address, t, effect) ? WRITE_IS_EARLY
               : is_of_thread(entry->address)      ? WRITE_IS_LATE
                                                   : WRITE_IS_FIRST;
    if (entry->old_writer != t)
        return is_initial(entry->old_writer, entry->old_tag) ? WRITE_IS_FIRST : WRITE_IS_LATE;
    return effect && effect->index >= entry->old_tag ? WRITE_IS_LATE : WRITE_IS_EARLY;
}

/* Is any of these bytes of G accessed by an event of the present graph? */
static bool has_events(const Granule *g, uint8_t mask)
{
    for (LocationId l = g->locations; l; l = locations[l].next)
        if (mask & mask_of(locations[l].address, locations[l].size) &&
            (locations[l].writes > 1 || locations[l].reads))
            return true;
    return false;
}

/* These bytes of G were touched before a thread had written them. */
static void note_blank(Granule *g, uint8_t mask)
{
    if (!is_of_thread((void *)(g->key << 3))) /* there a write that comes first counts as late */
        learn(g, FACT_blank, mask);
}

/* Has no thread written what ENTRY has read? */
static bool is_blank(const LogEntry *entry)
{
    const Cell *cell = &memory_cells[entry->cell];
    return !cell->has_write || is_initial(cell->writer, cell->write_tag);
}

static void note_write(const LogEntry *entry, int t, const Event *effect)
{
    Lateness lateness = lateness_of(entry, effect);
    if (lateness == WRITE_IS_EARLY)
        return;
    Granule *g = &granules[granules_get(entry->address)];
    uint8_t mask = mask_of(entry->address, entry->size);
    if (lateness == WRITE_IS_LATE || has_events(g, mask))
        note_again(g, mask, t);
    else
        note_first(g, mask, t);
}

/* Only of bytes that are known to be written: when that is new, all begins again. */
static void note_read(const LogEntry *entry, int t)
{
    Granule *g = &granules[granules_get(entry->address)];
    uint8_t mask = mask_of(entry->address, entry->size);
    if (g->first & mask & ~g->blank && is_blank(entry))
        learn(g, FACT_blank, mask);
    if (g->again & mask)
        learn(g, FACT_read_by, (uint8_t)(t + 1));
}

/* Is E, a read, made by a lock of the runtime, to be taken or to be given back? */
static bool is_of_lock(const Event *e)
{
    for (int i = e->index; i >= 0; i--) {
        const Event *earlier = thread_event(e->thread, i);
        if (earlier->kind == EVENT_READ && earlier->location == e->location &&
            earlier->request == REQUEST_AWAIT)
            return true;
    }
    return false;
}

/* Was T's last read answered by another thread, without learning what happened before? */
static bool has_read_weakly(int t)
{
    if (!threads[t].count)
        return false;
    const Event *e = last_event(t);
    if (e->kind == EVENT_WRITE && e->rmw)
        e = thread_event(t, e->index - 1);
    return e->kind == EVENT_READ && e->rf && pool[e->rf].thread != t &&
           !before(&pool[e->rf], &e->hb) && !is_of_lock(e);
}

static void note_answer(int t)
{
    if (!reads_are_weak() && has_read_weakly(t))
        reused_grew |= facts_add(FACT_weak_reads, 0, 1);
}

static void note_accesses(int t)
{
    if (undo_count <= threads[t].resumed_at || !has_others(t))
        return;
    const Event *effect = last_effect(t);
    for (uint32_t q = threads[t].resumed_at; q < undo_count; q++) {
        const LogEntry *entry = &undo_log[q];
        if (entry->thread != t || entry->dead)
            continue;
        if (entry->kind == LOG_WRITE)
            note_write(entry, t, effect);
        else if (entry->kind == LOG_READ)
            note_read(entry, t);
    }
}

static void note_free(char *address, size_t bytes, int t)
{
    if (LIKELY(!is_noted()) || !has_others(t))
        return;
    if (in_heap(address)) { /* whoever asks finds the block */
        learn(&granules[granules_get(address)], FACT_freed_by, (uint8_t)(t + 1));
        return;
    }
    for (uint32_t i = 1; i <= granule_map.count; i++) /* others have touched some of them */
        if (granules[i].key * 8 >= ((uintptr_t)address & ~(uintptr_t)7) &&
            granules[i].key * 8 < (uintptr_t)address + bytes)
            note_again(&granules[i], UINT8_MAX, t);
}

/* These bytes of G are accessed atomically. */
static void note_atomic(Granule *g, uint8_t mask)
{
    uint8_t news = mask & (uint8_t)~g->atomic;
    if (LIKELY(!news))
        return;
    granule_learn(g, FACT_atomic, news);
    if (search_hooks.is_divided())
        finding_restart();
    reused_grew |= (g->looked & news) != 0;
}

static void note_location(int t, Location *x)
{
    const char *address = x->address + block_part_offset(request.part);
    unsigned bytes = block_part_size(request.part, request.size),
             here = 8 - ((uintptr_t)address & 7);
    (void)t;
    note_atomic(&granules[granules_get(address)], mask_of(address, bytes));
    if (UNLIKELY(bytes > here))
        note_atomic(&granules[granules_get(address + here)], mask_of(address + here, bytes - here));
}

/* R has grown late. What is known of one thread is taken to be true of others, too: depth-first
 * order meets the orders of threads one after the other. */
static void expect_others(void)
{
    for (uint32_t i = 1; i <= granule_map.count; i++) {
        Granule *g = &granules[i];
        const FactKind by[] = {FACT_again_by, FACT_first_by, FACT_freed_by};
        for (size_t k = 0; k < COUNT_OF(by); k++)
            if (*granule_fact(g, by[k]))
                granule_learn(g, by[k], UINT8_MAX);
        granule_learn(g, FACT_read_by, g->again_by);
        granule_learn(g, FACT_blank, g->first);
    }
}

static void begin_again_if_grown(void)
{
    if (!reused_grew || is_all_reused())
        return;
    reused_grew = false;
    if (exploration.earlier.executions + counts.executions + exploration.earlier.blocked +
            counts.blocked >
        LATE_LEAVES) {
        if (++late_times > MOST_LATE)
            facts_add(FACT_all_reused, 0, 1);
        expect_others();
    }
    finding_restart();
}

/* ---- who looks at it ---- */

/* The thread whose heap or stack ADDRESS is in, or -1; SLOT: how far that of the next thread is. */
static int owner_of(const char *address, uint64_t *slot)
{
    *slot = in_heap(address) ? HEAP_SLOT : STACK_SLOT;
    uintptr_t offset = (uintptr_t)address - (in_heap(address) ? HEAP_BASE : STACK_BASE);
    return offset / *slot < MAX_THREADS ? (int)(offset / *slot) : -1;
}

/* Is BY somebody other than T? */
static bool is_other(uint8_t by, int t)
{
    return by && by != t + 1;
}

/* Does somebody other than T, or anybody, if T is -1, use these bytes of one granule again? */
static bool is_used_by_others(const char *address, uint8_t mask, int t)
{
    uint32_t g = granules_find(address);
    uint8_t events = g && !races_are_errors() ? granules[g].promoted : 0; /* they do not race */
    if (g && granules[g].again & mask & ~events && is_other(granules[g].again_by, t))
        return true;
    if (g && granules[g].first & granules[g].blank & mask & ~events &&
        is_other(granules[g].first_by, t))
        return true;
    const HeapBlock *block =
        facts_met[FACT_freed_by] && in_heap(address) ? heap_block_around(address) : NULL;
    uint32_t start = block ? granules_find(block + 1) : 0;
    return start && is_other(granules[start].freed_by, t);
}

/* Is IS_SO true of these bytes and T, or of what stands for them where threads that are alike have
 * changed places? */
static bool is_so_in_a_copy(bool (*is_so)(const char *address, uint8_t mask, int t),
                            const char *address, unsigned bytes, int t)
{
    uint64_t slot;
    int owner = owner_of(address, &slot), leader = owner < 0 ? -1 : graph_leader(owner);
    uint8_t mask = mask_of(address, bytes);
    int self = owner != t && graph_leader(t) >= 0 ? -1 : t;
    if (is_so(address, mask, self))
        return true;
    for (int s = 0; leader >= 0 && s < graphs.threads_used; s++)
        if (graph_leader(s) == leader && s != owner &&
            is_so(address + ((int64_t)s - owner) * (int64_t)slot, mask, owner == t ? s : self))
            return true;
    return false;
}

static bool is_reused(const char *address, unsigned bytes, int t)
{
    return is_so_in_a_copy(is_used_by_others, address, bytes, t);
}

/* Are these bytes of G, which a round touches plainly, accessed atomically, too? */
static bool is_mixed(Granule *g, uint8_t mask)
{
    granule_learn(g, FACT_looked, mask);
    return g->atomic & mask;
}

/* Has T kept a round? */
static bool has_kept(int t)
{
    for (int i = threads[t].count - 1; i >= 0; i--)
        if (thread_event(t, i)->kept)
            return true;
    return false;
}

/* A round, or what is left out of it: T's events from number `from` on. The location `exempt` is
 * read in every round. */
typedef struct Round {
    int thread, from;
    LocationId exempt;
} Round;

/* After the first COUNT events of its thread, is it in a section of ROUND (sections.c) that counts
 * for nothing? */
static bool is_in_section(const Round *round, int count)
{
    bool inside = false;
    for (int i = round->from; i < count && !reads_are_weak(); i++) {
        const Event *e = thread_event(round->thread, i);
        inside ^= e->kind == EVENT_WRITE && !graph_is_silent(e);
    }
    return inside;
}

static bool is_look(const Event *e, const Round *round)
{
    return e->kind == EVENT_READ && e->location != round->exempt;
}

static bool is_touch(const LogEntry *entry, const Round *round)
{
    return entry->thread == round->thread && !entry->dead && entry->cell &&
           (entry->kind == LOG_READ || entry->kind == LOG_WRITE);
}

static bool touches_anything(const Round *round)
{
    int t = round->thread;
    for (int i = round->from; i < threads[t].count; i++)
        if (is_look(thread_event(t, i), round))
            return true;
    for (uint32_t q = thread_event(t, round->from)->log_position; q < undo_count; q++)
        if (is_touch(&undo_log[q], round))
            return true;
    return false;
}

/* Does E, an atomic read of ROUND, look at memory that is used again? */
static bool is_look_at_reused(const Event *e, const Round *round)
{
    const Location *x = &locations[e->location];
    for (unsigned done = 0; done < x->size; done += 8) {
        const char *at = x->address + done;
        unsigned bytes = MIN(x->size - done, 8u);
        if (!e->rf)
            note_blank(&granules[granules_get(at)], mask_of(at, bytes));
        if (is_reused(at, bytes, round->thread))
            return true;
    }
    return false;
}

/* Has somebody touched these bytes of one granule before they were written, or does somebody other
 * than T write them first? */
static bool is_met_first(const char *address, uint8_t mask, int t)
{
    uint32_t g = granules_find(address);
    return g && ((granules[g].first & mask && is_other(granules[g].first_by, t)) ||
                 granules[g].blank & mask);
}

/* Does somebody other than T read them, where they are used again, or write them first? */
static bool is_met_late(const char *address, uint8_t mask, int t)
{
    uint32_t g = granules_find(address);
    return g && ((granules[g].first & mask && is_other(granules[g].first_by, t)) ||
                 is_other(granules[g].read_by, t));
}

/* Is ENTRY, a plain write of T's in a round, one that others may race with? EFFECT is T's last one.
 */
static bool is_dangerous(const LogEntry *entry, int t, const Event *effect)
{
    Lateness lateness = lateness_of(entry, effect);
    if (lateness == WRITE_IS_EARLY)
        return false;
    return is_so_in_a_copy(lateness == WRITE_IS_LATE ? is_met_late : is_met_first, entry->address,
                           entry->size, t);
}

/* Does ENTRY, a plain access of ROUND, touch such memory? EFFECT is the last one of its thread. */
static bool is_touch_of_reused(const LogEntry *entry, const Round *round, const Event *effect)
{
    int t = round->thread;
    Granule *g = &granules[granules_get(entry->address)];
    uint8_t mask = mask_of(entry->address, entry->size);
    return is_mixed(g, mask) || (is_any_known() && is_reused(entry->address, entry->size, t)) ||
           (entry->kind == LOG_WRITE && is_dangerous(entry, t, effect));
}

static bool touches_reused(const Round *round)
{
    int t = round->thread;
    const Event *effect = last_effect(t);
    for (int i = round->from; i < threads[t].count; i++) {
        const Event *e = thread_event(t, i);
        if (is_look(e, round) && !is_in_section(round, i) && is_look_at_reused(e, round))
            return true;
    }
    for (uint32_t q = thread_event(t, round->from)->log_position; q < undo_count; q++) {
        const LogEntry *entry = &undo_log[q];
        if (is_touch(entry, round) && !is_in_section(round, entry->tag) &&
            is_touch_of_reused(entry, round, effect))
            return true;
    }
    return false;
}

static bool looks(const Round *round)
{
    int t = round->thread;
    if (round->from >= threads[t].count || has_kept(t) || !touches_anything(round))
        return false;
    facts_note(FACT_reuse_noted, 0, 1);
    return is_all_reused() || touches_reused(round);
}

bool reused_looks(int t, int from, LocationId exempt)
{
    return looks(&(Round){t, from, exempt});
}

static bool keeps_round(int t, int from)
{
    Event *last = last_event(t);
    if (last->kept)
        return true;
    if (!looks(&(Round){t, from, thread_event(t, from)->location}))
        return false;
    last->kept = 1;
    last->ghost_count = 0;
    last->pure_from = PURE_UNKNOWN;
    return true;
}

static void listen(void)
{
    memory_hooks.freed = note_free;
}

const Rule reused_rule = {.setup = listen, .forget = forget, .keeps_round = keeps_round};
const Rule reused_noted_rule = {.active = is_noted,
                                .request = note_accesses,
                                .location = note_location,
                                .no_round = note_answer,
                                .end_graph = begin_again_if_grown,
                                .end_pass = begin_again_if_grown};
