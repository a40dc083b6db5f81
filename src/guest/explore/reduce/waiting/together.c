#include "guest/explore/reduce/waiting/together.h"
#include <pthread.h>
#include <string.h>
#include "base/hash.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/search/ghost.h"
#include "guest/explore/search/rules.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/scrub.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/reduce/waiting/arrivals.h"
#include "guest/explore/reduce/waiting/owned.h"

enum { MOST_LOCKS = 4, LOCK_SIZE = 4, MOST_STATES = 16, MOST_STEPS = 800 };

/* The locks that the thread takes together, and how it stands while it has none of them. */
static struct {
    int thread, steps;
    void *lock[MOST_LOCKS];
    int locks;
    uint64_t busy; /* what a lock that is taken holds */
    GhostPlace start, state[MOST_STATES], way[MOST_LOCKS], end;
    int states;
    uint64_t end_memory; /* what the thread has done to memory there */
    bool has_end;
} together;

static int lock_number(const void *word)
{
    int n = 0;
    while (n < together.locks && together.lock[n] != word)
        n++;
    return n;
}

/* Is Q a request that waits for a mutex, or a spin lock, to be free? */
static bool is_taking(const Request *q)
{
    return q->kind == REQUEST_AWAIT && q->test == AWAIT_FREE && q->op == RMW_EXCHANGE &&
           q->size == LOCK_SIZE && q->operand && !q->expected && !q->part && !q->plain;
}

/* Is Q the present request of the ghost, by which it tries such a lock? */
static bool is_trying(const Request *q)
{
    return q->kind == REQUEST_CAS && q->address == ghosts.tried && q->operand && !q->expected &&
           q->size == LOCK_SIZE && !q->weak && !q->part && !q->plain;
}

static bool is_giving_back(const Request *q)
{
    return q->kind == REQUEST_STORE && !q->operand && q->size == LOCK_SIZE && !q->part && !q->plain;
}

/* Adds WORD to the locks, unless it is one of them. */
static bool add_lock(void *word)
{
    int n = lock_number(word);
    if (n == MOST_LOCKS)
        return false;
    together.lock[n] = word;
    together.locks = MAX(together.locks, n + 1);
    return true;
}

/* Returns a number for what the thread has done to memory since the start, whatever the order. */
static uint64_t memory_since(void)
{
    uint64_t all = 0;
    for (uint32_t q = together.start.log; q < undo_count; q++) {
        const LogEntry *entry = &undo_log[q];
        uint64_t now = 0;
        if (entry->kind == LOG_NOTE)
            continue;
        if (entry->kind < LOG_READ)
            memcpy(&now, entry->address, entry->size);
        all += hash_combine(hash_combine((uintptr_t)entry->address, now),
                            (uint64_t)entry->kind << 8 | entry->size);
    }
    return all;
}

/* Is it the runtime's note of who holds one of the locks? It stands behind the word of the lock. */
static bool is_note(const LogEntry *entry)
{
    const char *at = entry->address;
    for (int n = 0; n < together.locks && entry->kind == LOG_BYTES; n++) {
        const char *word = together.lock[n];
        if (at > word && at < word + sizeof(pthread_mutex_t))
            return true;
    }
    return entry->kind == LOG_NOTE;
}

/* Has it touched memory since, but for such notes? */
static bool has_touched(void)
{
    if (request.kind == REQUEST_PAUSE)
        return true;
    for (uint32_t q = together.start.log; q < undo_count; q++)
        if (!is_note(&undo_log[q]))
            return true;
    return false;
}

/* Answers the present request with V and runs the thread to its next one, or to where it is about
 * to read plain memory. */
static bool step(uint64_t v, bool success)
{
    if (together.steps-- <= 0)
        return false;
    reply.value = v;
    reply.value_high = 0;
    reply.success = success;
    ghost_step(together.thread, threads[together.thread].count - 1);
    ghosts.looked = false;
    return request.kind != REQUEST_STOP && request.kind != REQUEST_STALL;
}

static bool is_at(const GhostPlace *place)
{
    const Fiber *fiber = &fibers[together.thread];
    uint32_t bytes = (uint32_t)(fiber->base - (char *)fiber->sp);
    bool same = request.kind == REQUEST_PAUSE ? place->request.kind == REQUEST_PAUSE &&
                                                    place->request.address == request.address &&
                                                    place->request.operand == request.operand
                                              : ghost_same_requests(&place->request, &request);
    return same && place->bytes == bytes &&
           place->cursor.used == heap_cursor[together.thread].used &&
           ghost_same_stack(place->stack, fiber->sp, bytes);
}

/* The thread has all locks: it stands where it does whichever it began with? */
static bool is_at_end(void)
{
    if (is_trying(&request)) /* perhaps one that is not known yet */
        return false;
    if (!together.has_end) {
        ghost_save(together.thread, &together.end);
        together.end_memory = memory_since();
        together.has_end = true;
        return true;
    }
    return memory_since() == together.end_memory && is_at(&together.end);
}

/* The thread has found a lock taken and gives back those that it HOLDS: it comes to a state in
 * which it has none, and begins once more? */
static bool gives_back(unsigned holds)
{
    while (holds) {
        int n = is_giving_back(&request) ? lock_number(request.address) : MOST_LOCKS;
        if (n == MOST_LOCKS || !(holds >> n & 1) || has_touched())
            return false;
        holds &= ~(1u << n);
        if (!step(0, false))
            return false;
    }
    if (!is_taking(&request) || has_touched() || !add_lock(request.address))
        return false;
    for (int n = 0; n < together.states; n++)
        if (is_at(&together.state[n]))
            return true;
    if (together.states == MOST_STATES)
        return false;
    GhostPlace *place = &together.state[together.states++];
    ghost_save(together.thread, place);
    place->log = together.start.log; /* nothing of what it wrote is left */
    return true;
}

/* The thread, which has just got a lock and HOLDS that and others, goes on: on each way either to
 * the end or to a known state? */
static bool goes_on(unsigned holds, int depth)
{
    if (holds == (1u << together.locks) - 1)
        return is_at_end() || (is_trying(&request) && add_lock(request.address));
    if (!is_trying(&request) || has_touched() || !add_lock(request.address))
        return false;
    unsigned lock = 1u << lock_number(request.address);
    if (holds & lock)
        return false;
    ghost_save(together.thread, &together.way[depth]);
    if (!step(0, true) || !goes_on(holds | lock, depth + 1))
        return false;
    ghost_restore(together.thread, &together.way[depth]);
    ghosts.looked = false;
    return step(together.busy, false) && gives_back(holds);
}

/* Does this hold of all states, with the locks that are known? */
static bool is_closed(void)
{
    together.has_end = false;
    for (int n = 0; n < together.states; n++) {
        ghost_restore(together.thread, &together.state[n]);
        ghosts.looked = false;
        unsigned lock = 1u << lock_number(request.address);
        if (!step(0, true) || !goes_on(lock, 0))
            return false;
    }
    return true;
}

/* Are these states, the first COUNT ones, such a loop's, with the locks that are known or are
 * found?
 */
static bool is_loop(int count)
{
    int known;
    bool same;
    do {
        known = together.locks;
        together.states = count;
        same = is_closed();
    } while (together.locks > known && together.steps > 0);
    return same;
}

static void begin(int t)
{
    together.thread = t;
    together.steps = MOST_STEPS;
    together.locks = 0;
    ghost_save(t, &together.start);
    add_lock(request.address);
}

/* Adds the state in which the thread was at its event E, a request for a lock. */
static void save_state(int number, const Event *e)
{
    ghost_go_to(together.thread, e);
    request = (Request){.kind = REQUEST_AWAIT,
                        .op = e->op,
                        .test = e->test,
                        .order = e->success_order,
                        .size = e->size,
                        .address = locations[e->location].address,
                        .operand = e->operand,
                        .pc = (const void *)e->pc}; /* NOLINT(performance-no-int-to-ptr) */
    ghost_save(together.thread, &together.state[number]);
    together.state[number].log = together.start.log;
    add_lock(request.address);
}

/* Asks is_loop with ghosts of the thread, which is put back then. */
static bool try_loop(int count)
{
    bool races_were_off = memory_state.races_off;
    memory_state.races_off = memory_state.pauses = ghosts.stops = true;
    bool same = is_loop(count);
    memory_state.pauses = ghosts.stops = false;
    ghost_restore(together.thread, &together.start);
    ghosts.looked = false;
    memory_state.races_off = races_were_off;
    if (options.checkpoints)
        return same;
    bool ran = opaque_ran(together.thread);
    if (ran || options.foreign_code) /* it may have run, too, and is not logged */
        ghost_run_again(together.thread);
    return same && !ran;
}

/* Is E the read of a request for a lock, for which its thread has not allocated anything since? */
static bool is_taken_by(const Event *e)
{
    return e->kind == EVENT_READ && e->request == REQUEST_AWAIT && e->test == AWAIT_FREE &&
           e->op == RMW_EXCHANGE && !e->expected && !e->part && !e->plain && e->size == LOCK_SIZE &&
           e->heap_used == heap_cursor[e->thread].used;
}

/* Does the log know all that T has done since its event number I? */
static bool is_known(int t, int i)
{
    return !(undo_stack_written >> t & 1) && i >= threads[t].opaque_at;
}

/* Do others than T look at one of its COUNT locks, but in such loops? *LEARNS: that is noted from
 * now on. */
static bool others_look(int t, void *const *lock, int count, bool *learns)
{
    for (int n = 0; n < count; n++) {
        uint64_t word = (uintptr_t)lock[n];
        if (!facts_have_room(FACT_together, word) || !facts_have_room(FACT_together_looks, word) ||
            facts_of(FACT_together_looks, word) & ~thread_bit(t))
            return true;
        if (!facts_of(FACT_together, word)) {
            facts_note(FACT_together, word, 1);
            *learns = true;
        }
    }
    return false;
}

bool together_comes_back(int t, int i, bool *learns)
{
    const Event *e = thread_event(t, i), *failed = NULL;
    if (!is_taking(&request) || !is_taken_by(e) || !is_known(t, i))
        return false;
    for (int k = i; k < threads[t].count; k++) {
        const Event *r = thread_event(t, k);
        if (r->kind == EVENT_READ && !r->rmw && r->request == REQUEST_CAS)
            failed = r;
    }
    if (!failed || !ghost_memory_restored(t, e->log_position))
        return false;
    begin(t);
    together.busy = failed->value;
    ghost_save(t, &together.state[1]);
    save_state(0, e);
    return try_loop(2) && !others_look(t, together.lock, together.locks, learns);
}

/* ---- who looks at such locks ---- */

/* T's events end with a request for a lock, and others that it has tried and got. Returns the
 * number of that event, or -1. */
static int find_taking(int t)
{
    int i = threads[t].count - 2;
    while (i >= 0 && thread_event(t, i)->request == REQUEST_CAS && thread_event(t, i)->rmw &&
           thread_event(t, i)->kind == EVENT_READ)
        i -= 2;
    return i >= 0 && is_taken_by(thread_event(t, i)) ? i : -1;
}

/* Takes back what T has written to memory since its event E, or puts it there again. */
static void swap_memory(int t, const Event *e, bool back)
{
    uint32_t from = e->log_position, count = together.start.log - from;
    for (uint32_t k = 0; k < count; k++) {
        LogEntry *entry = &undo_log[from + (back ? count - 1 - k : k)];
        if (entry->thread == t && !entry->dead)
            undo_swap(entry);
    }
}

/* Is all that T has written since its event number I notes of the locks that it has got? */
static bool has_noted_only(int t, int i)
{
    for (int k = i; k < threads[t].count; k += 2)
        if (!add_lock(locations[thread_event(t, k)->location].address))
            return false;
    for (uint32_t q = thread_event(t, i)->log_position; q < undo_count; q++)
        if (undo_log[q].thread == t && !undo_log[q].dead && !is_note(&undo_log[q]))
            return false;
    return true;
}

/* A state in which a lock is tried, and what find_loop has found about it. */
typedef struct Found {
    Hash128 key;
    bool loops;
    int locks;
    void *lock[MOST_LOCKS];
} Found;
enum { FOUND_ROWS = 256 };
static Found found[FOUND_ROWS];

/* T is about to try a lock. If it fails, does it give back what it has, and begin once more? */
static const Found *find_loop(int t)
{
    const char *sp = fibers[t].sp;
    Hash128 key = scrub_hash(sp, (size_t)(fibers[t].base - sp));
    int i = find_taking(t);
    key = hash128_add(key, (uintptr_t)request.pc, (uint64_t)(unsigned)t << 32 | (unsigned)i);
    key = hash128_add(key, (uintptr_t)request.address, heap_cursor[t].used);
    Found *row = &found[key.low % FOUND_ROWS];
    if (row->key.low == key.low && row->key.high == key.high)
        return row;
    ghosts.looked = false;
    *row = (Found){.key = key};
    if (i < 0 || !is_known(t, i))
        return row;
    begin(t);
    together.busy = (uint64_t)t + 2; /* as another thread leaves it */
    if (has_noted_only(t, i)) {
        swap_memory(t, thread_event(t, i), true);
        save_state(0, thread_event(t, i));
        row->loops = try_loop(1);
        swap_memory(t, thread_event(t, i), false);
    }
    row->locks = together.locks;
    memcpy(row->lock, together.lock, sizeof row->lock);
    return row;
}

static void note_access(int t)
{
    if (!facts_of(FACT_together, (uintptr_t)request.address) || is_taking(&request) ||
        is_giving_back(&request) || owned_is_alone(t))
        return;
    bool learns = false;
    if (request.kind == REQUEST_CAS) {
        const Found *row = find_loop(t);
        bool fails_in_vain = row->loops;
        if (fails_in_vain && !others_look(t, row->lock, row->locks, &learns))
            return;
    }
    if (!learns && arrivals_add_thread(FACT_together_looks, request.address, t))
        finding_restart();
}

static bool are_any(void)
{
    return facts_met[FACT_together] && arrivals_have_turns;
}

static void begin_exploration(bool anew)
{
    (void)anew;
    memset(found, 0, sizeof found);
}

const Rule together_rule = {.active = are_any, .access = note_access};
const Rule together_found_rule = {.begin = begin_exploration};
