#include "guest/states/steps/late.h"
#include "guest/states/state.h"
#include <stddef.h>
#include <string.h>
#include "base/interner.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/search/ops.h"
#include "guest/states/present.h"
#include "guest/states/keysum.h"
#include "guest/states/shelf.h"
#include "guest/states/symmetry.h"
#include "guest/states/visited.h"
#include "record/hooks.h"

bool late_used, late_learns;
uint32_t late_more;
static bool refused;
static bool stays; /* the thread that moves is late afterwards */

enum { ACCESSES = 24, CHAIN = 16, WAYS = 4, STAYS = STATES_THREADS * CHAIN };
typedef struct Touched { /* by a step */
    bool everything;
    uint32_t count, seen; /* accesses; those before the ones that are hidden (memory.h) */
    StatesAccess at[ACCESSES];
} Touched;
typedef struct Run { /* of a thread, from the present state */
    uint32_t silent; /* steps, */
    uint32_t first;  /* in this way; */
    uint32_t ends;   /* and then one of these, or a flush from the present state */
    bool more;       /* ends than are listed */
    bool foreseen;   /* it is that of another state: its steps here may be longer */
    Touched chain[CHAIN];
    Touched end[WAYS];
} Run;
typedef struct Late { /* threads of a state */
    uint32_t count;
    uint8_t thread[STATES_THREADS]; /* in the order of their numbers */
    Touched last[STATES_THREADS];
} Late;
typedef struct Runs { /* of a state, by thread: their numbers */
    uint32_t of[STATES_THREADS];
} Runs;

typedef struct Of { /* a state */
    uint32_t late;  /* a number of `lates` */
    uint32_t base;  /* the same state before anybody was */
} Of;
static Shelf(Of) late_of;
static Interner lates;      /* 0: nobody is late */
static Shelf(Runs) runs_of; /* by state in which nobody is */
static Interner run_numbers;
/* The state whose steps are taken. */
static struct {
    Late late;
    uint32_t base;   /* the same state before anybody was late */
    uint32_t movers; /* threads (bits) that may move */
    Run runs[STATES_THREADS];
    uint32_t numbers[STATES_THREADS]; /* of the runs that are foreseen */
    LateStay stays[STAYS];
    uint32_t stay_count;
} here;
static struct {
    uint32_t thread;
    uint32_t stores; /* in its buffer before the step */
    bool one_way;
    bool has_end; /* else its thread waits until a store is flushed */
} move;           /* that is learnt */

void late_begin(bool used)
{
    uint64_t none = 0;
    late_used = used && !refused && !hooks.late;
    shelf_clear(&late_of);
    shelf_clear(&runs_of);
    interner_clear(&lates);
    interner_clear(&run_numbers);
    interner_number(&lates, &none, 1); /* 0 */
}

void late_allow(void)
{
    refused = false;
}

void late_refuse(void)
{
    refused = true;
    op_begin_again();
}

void late_end_move(void)
{
    late_learns = stays = false;
    late_more = 0;
}

bool late_settles(void)
{
    return late_used && !stays;
}

/* ---- what steps touch ---- */

static void copy_touched(Touched *to, const Touched *from)
{
    memcpy(to, from, offsetof(Touched, at) + sizeof *from->at * from->count);
}

static void add(Touched *to, uint64_t at, uint32_t bytes, bool writes)
{
    if (to->count == ACCESSES)
        to->everything = true;
    else
        to->at[to->count++] = (StatesAccess){at, bytes, writes};
}

/* Finds what the step that THREAD has just made has touched; STORES were in its buffer before. */
static void look(uint32_t thread, uint32_t stores, Touched *out)
{
    const StatesPrints *prints = &states_prints[thread];
    const StatesBuffer *buffer = &states_buffers[thread];
    const StatesTouched *touched = &states_touched;
    out->everything = touched->everything || states_stacks_shared;
    out->count = 0;
    if (touched->bytes)
        add(out, touched->at, touched->bytes, touched->writes);
    for (uint32_t i = 0; i < prints->count && !out->everything; i++)
        add(out, prints->at[i].at, prints->at[i].bytes, prints->at[i].writes);
    for (uint32_t i = stores; i < buffer->count; i++)
        add(out, buffer->at[i].at, buffer->at[i].bytes, true);
    out->seen = out->count;
    for (uint32_t i = 0; i < touched->hidden; i++)
        add(out, touched->hidden_at[i].at, touched->hidden_at[i].bytes,
            touched->hidden_at[i].writes);
}

/* Does a step that has touched B depend on one that has touched A, which it follows? */
static bool depend(const Touched *a, const Touched *b)
{
    if (a->everything || b->everything)
        return true;
    for (uint32_t i = 0; i < a->seen; i++)
        for (uint32_t k = 0; k < b->count; k++) {
            const StatesAccess *x = &a->at[i], *y = &b->at[k];
            if ((x->writes || y->writes) && x->at < y->at + y->bytes && y->at < x->at + x->bytes)
                return true;
        }
    return false;
}

/* On how many of the threads that are late does STEP depend? */
static uint32_t depends_on(const Touched *step)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < here.late.count; i++)
        count += depend(&here.late.last[i], step);
    return count;
}

/* ---- runs ---- */

/* Could the next step of THREAD be made in several ways, or be a wait? */
static bool has_choice(uint32_t thread)
{
    const Request *q = &states_thread[thread].request;
    return states_thread[thread].call >= 0 &&
           (q->kind == REQUEST_CHOOSE || q->kind == REQUEST_AWAIT ||
            (q->kind == REQUEST_CAS && q->weak && options.weak_cas));
}

static bool is_in_new_block(uint64_t at)
{
    const StatesBlock *block = states_block_of(at);
    for (uint32_t i = 0; block && i < states_touched.new_blocks; i++)
        if (states_touched.new_block[i] == block->at)
            return true;
    return false;
}

/* The move that is learnt has made a step that has TOUCHED this. */
static bool is_silent(const Touched *touched, const StatesDone *done)
{
    if (touched->everything || done->returned || done->over || has_choice(move.thread))
        return false;
    for (uint32_t i = 0; i < touched->seen; i++)
        if (touched->at[i].writes || is_in_new_block(touched->at[i].at))
            return false;
    return true;
}

static void forget_run(uint32_t t)
{
    here.runs[t].silent = here.runs[t].ends = here.runs[t].more = here.runs[t].foreseen = 0;
}

void late_begin_move(uint32_t t, uint32_t way, uint32_t ways)
{
    Run *run = &here.runs[t];
    bool idle = states_thread[t].call == STATES_IDLE; /* its next call is given */
    move.thread = t;
    move.stores = states_buffers[t].count;
    move.one_way = (idle || ways == 1) && way != STATES_FLUSH && !has_choice(t);
    move.has_end = true;
    late_learns = true;
    late_more = 0;
    if (run->foreseen)
        forget_run(t);
    if (move.one_way) {
        run->first = way;
        run->silent = 0;
    }
    run->more |= run->ends == WAYS;
    run->ends = MIN(run->ends, WAYS - 1u) + 1;
}

bool late_decides(uint32_t behind, const StatesDone *done)
{
    if (!late_learns)
        return behind < late_more;
    Run *run = &here.runs[move.thread];
    Touched *last = &run->end[run->ends - 1];
    look(move.thread, move.stores, last);
    move.stores = states_buffers[move.thread].count;
    if (move.one_way && run->silent < CHAIN && is_silent(last, done) && !depends_on(last)) {
        copy_touched(&run->chain[run->silent++], last);
        move.has_end = states_ways((int)move.thread);
        if (move.has_end)
            return true;
        run->ends--;
    }
    late_learns = false;
    late_more = behind;
    return false;
}

bool late_accepts(void)
{
    const Run *run = &here.runs[move.thread];
    return move.has_end && depends_on(&run->end[run->ends - 1]) == here.late.count;
}

uint32_t late_list_chain(StatesAccess *out, uint32_t room)
{
    const Run *run = &here.runs[move.thread];
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->silent; i++)
        for (uint32_t k = 0; k < run->chain[i].seen; k++) {
            if (count == room)
                return UINT32_MAX;
            out[count++] = run->chain[i].at[k];
        }
    return count;
}

/* ---- runs as numbers ---- */

/* A step is two words, and two for each access; a run one, and its steps, the silent ones first. */
static uint64_t *put_step(uint64_t *at, const Touched *step, uint32_t thread)
{
    *at++ = (uint64_t)thread << 32 | step->everything;
    *at++ = (uint64_t)step->seen << 32 | step->count;
    for (uint32_t i = 0; i < step->count; i++) {
        *at++ = step->at[i].at;
        *at++ = (uint64_t)step->at[i].bytes << 1 | step->at[i].writes;
    }
    return at;
}

static const uint64_t *get_step(const uint64_t *at, Touched *step, uint32_t *thread)
{
    *thread = (uint32_t)(*at >> 32);
    step->everything = *at++ & 1;
    step->seen = (uint32_t)(*at >> 32);
    step->count = (uint32_t)*at++;
    for (uint32_t i = 0; i < step->count; i++, at += 2)
        step->at[i] = (StatesAccess){at[0], (uint32_t)(at[1] >> 1), at[1] & 1};
    return at;
}

static uint32_t number_run(const Run *run)
{
    static uint64_t words[1 + (CHAIN + WAYS) * (2 + 2 * ACCESSES)];
    uint64_t *at = words;
    *at++ = (uint64_t)run->first << 32 | run->silent << 16 | run->ends << 1 | run->more;
    for (uint32_t i = 0; i < run->silent; i++)
        at = put_step(at, &run->chain[i], 0);
    for (uint32_t i = 0; i < run->ends; i++)
        at = put_step(at, &run->end[i], 0);
    return interner_number(&run_numbers, words, (size_t)(at - words));
}

static void get_run(uint32_t number, Run *run)
{
    size_t count;
    const uint64_t *at = interner_words(&run_numbers, number, &count);
    uint32_t none;
    run->foreseen = true;
    run->first = (uint32_t)(*at >> 32);
    run->silent = (uint32_t)*at >> 16;
    run->more = *at & 1;
    run->ends = (uint32_t)(*at++ & 0xffff) >> 1;
    for (uint32_t i = 0; i < run->silent; i++)
        at = get_step(at, &run->chain[i], &none);
    for (uint32_t i = 0; i < run->ends; i++)
        at = get_step(at, &run->end[i], &none);
}

/* ---- states ---- */

static bool is_late(uint32_t t)
{
    for (uint32_t i = 0; i < here.late.count; i++)
        if (here.late.thread[i] == t)
            return true;
    return false;
}

static uint32_t late_in(uint32_t state)
{
    return state < late_of.count ? shelf_at(&late_of, state)->late : 0;
}

bool late_is_plain(uint32_t state)
{
    return !late_in(state);
}

void late_note(uint32_t state, uint32_t late)
{
    while (late_of.count <= state)
        shelf_push(&late_of, (Of){0});
    *shelf_at(&late_of, state) = (Of){late, here.base};
}

/* Has T, by its run, an end that depends on all threads that are late? */
static bool may_end(uint32_t t)
{
    bool may = here.runs[t].more;
    for (uint32_t e = 0; e < here.runs[t].ends; e++)
        may |= depends_on(&here.runs[t].end[e]) == here.late.count;
    return may && !is_late(t);
}

void late_begin_state(uint32_t state)
{
    size_t count;
    const uint64_t *at = interner_words(&lates, late_in(state), &count), *end = at + count;
    here.late.count = 0;
    for (uint32_t thread; late_in(state) && at < end; here.late.count++) {
        at = get_step(at, &here.late.last[here.late.count], &thread);
        here.late.thread[here.late.count] = (uint8_t)thread;
    }
    here.base = here.late.count ? shelf_at(&late_of, state)->base : state;
    here.movers = here.late.count ? 0 : UINT32_MAX;
    for (uint32_t t = states_first; t <= states_threads; t++) {
        forget_run(t);
        if (!here.late.count)
            continue;
        get_run(shelf_at(&runs_of, here.base)->of[t], &here.runs[t]);
        here.movers |= (uint32_t)may_end(t) << t;
    }
}

bool late_may_move(uint32_t t)
{
    return here.movers >> t & 1;
}

void late_foresee(uint32_t parent, uint32_t t)
{
    here.numbers[t] = shelf_at(&runs_of, parent)->of[t];
    get_run(here.numbers[t], &here.runs[t]);
}

void late_end_state(uint32_t state)
{
    Runs all = {0};
    if (here.late.count)
        return;
    for (uint32_t t = states_first; t <= states_threads; t++)
        all.of[t] = here.runs[t].foreseen ? here.numbers[t] : number_run(&here.runs[t]);
    while (runs_of.count <= state)
        shelf_push(&runs_of, (Runs){0});
    *shelf_at(&runs_of, state) = all;
}

/* ---- threads that become late ---- */

/* Is there a thread that goes on with a step which depends on all that are late, and on this one
 * of T? */
static bool is_useful(uint32_t t, const Touched *last)
{
    for (uint32_t f = states_first; f <= states_threads; f++) {
        if (f == t || is_late(f))
            continue;
        if (here.runs[f].more)
            return true;
        for (uint32_t e = 0; e < here.runs[f].ends; e++)
            if (depend(last, &here.runs[f].end[e]) &&
                depends_on(&here.runs[f].end[e]) == here.late.count)
                return true;
    }
    return false;
}

static bool may_stay(uint32_t t)
{
    bool useful = false;
    for (uint32_t i = 0; i < here.runs[t].silent; i++)
        useful |= is_useful(t, &here.runs[t].chain[i]);
    return useful && (!here.late.count || t > here.late.thread[here.late.count - 1]);
}

/* Learns the run of T from the state of COPY. */
static void learn(uint32_t t, const char *copy)
{
    StatesDone done;
    uint32_t way = here.runs[t].first;
    states_restore(copy);
    late_begin_move(t, way, 1);
    states_step((int)t, way, &done);
    late_end_move();
}

uint32_t late_find_stays(const char *copy)
{
    here.stay_count = 0;
    for (uint32_t t = states_first; t <= states_threads; t++) {
        if (!may_stay(t))
            continue;
        if (here.runs[t].foreseen)
            learn(t, copy);
        for (uint32_t i = 0; i < here.runs[t].silent; i++)
            if (is_useful(t, &here.runs[t].chain[i]))
                here.stays[here.stay_count++] = (LateStay){t, here.runs[t].first, i};
    }
    return here.stay_count;
}

LateStay late_stay(uint32_t index)
{
    return here.stays[index];
}

void late_begin_stay(const LateStay *stay)
{
    late_more = stay->more;
    stays = true;
}

/* T has become late in the present state: returns a number for who is. */
static uint32_t number_late(uint32_t t)
{
    static uint64_t words[STATES_THREADS * (2 + 2 * ACCESSES)];
    static Touched last;
    uint64_t *at = words;
    look(t, states_buffers[t].count, &last);
    last.count = last.seen;
    for (uint32_t i = 0; i < here.late.count; i++)
        at = put_step(at, &here.late.last[i], here.late.thread[i]);
    at = put_step(at, &last, t);
    return interner_number(&lates, words, (size_t)(at - words));
}

/* The key of the state with KEY in which threads are LATE like that. */
static StatesKey key_of(StatesKey key, uint32_t late)
{
    static uint64_t named[2 + STATES_THREADS * (2 + 2 * ACCESSES) + 1]; /* keysum writes one more */
    static Touched last;
    size_t count;
    const uint64_t *at = interner_words(&lates, late, &count), *end = at + count;
    uint32_t n = 0, thread;
    named[n++] = key.a;
    named[n++] = key.b;
    while (at < end) {
        at = get_step(at, &last, &thread);
        named[n++] = thread;
        for (uint32_t i = 0; i < last.count; i++) {
            const StatesBlock *block = states_block_of(last.at[i].at);
            if (block && !block->number)
                continue; /* nobody touches it any more */
            named[n++] = block ? (UINT64_C(9) << 60) + ((uint64_t)block->number << 32) +
                                     (last.at[i].at - block->at)
                               : last.at[i].at;
            named[n++] = last.at[i].bytes;
        }
        named[n++] = UINT64_MAX;
    }
    Hash128 sum = keysum(named, n);
    return (StatesKey){sum.low, sum.high};
}

uint32_t late_meet(uint32_t t, StatesKey *key)
{
    if (visited_find(*key) != VISITED_NONE)
        return 0;
    uint32_t late = number_late(t);
    if (symmetry_used)
        *key = states_key_by_number();
    *key = key_of(*key, late);
    return late;
}

uint64_t late_bytes(void)
{
    return shelf_bytes(&late_of) + shelf_bytes(&runs_of) + interner_memory(&lates) +
           interner_memory(&run_numbers);
}
