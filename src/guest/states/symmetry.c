#include "guest/states/symmetry.h"
#include <string.h>
#include "guest/explore/search/ops.h"
#include "guest/states/part.h"
#include "guest/states/present.h"
#include "record/hooks.h"

typedef struct Turns {
    uint32_t threads, count;
    uint8_t slot[SYMMETRY_TURNS][SYMMETRY_THREADS + 1]; /* by turn and thread */
    uint8_t inverse[SYMMETRY_TURNS];
    uint8_t then[SYMMETRY_TURNS][SYMMETRY_TURNS];
} Turns;
static Turns turns;
static bool tried; /* in this search */
static bool kept;  /* it was used by the last search when that ended */
bool symmetry_used;
uint8_t symmetry_turn;

/* Lists all turns of which the first DONE slots are given by NEXT, in lexicographic order. */
static void list_turns(uint8_t *next, uint32_t done, uint32_t taken)
{
    if (done == turns.threads) {
        memcpy(turns.slot[turns.count++], next, SYMMETRY_THREADS + 1);
        return;
    }
    for (uint32_t slot = 1; slot <= turns.threads; slot++)
        if (!(taken >> slot & 1)) {
            next[done + 1] = (uint8_t)slot;
            list_turns(next, done + 1, taken | 1u << slot);
        }
}

uint8_t turn_number(const uint8_t *slot_of)
{
    uint32_t number = 0;
    for (uint32_t t = 1; t < turns.threads; t++) {
        uint32_t smaller = 0;
        for (uint32_t u = t + 1; u <= turns.threads; u++)
            smaller += slot_of[u] < slot_of[t];
        number = (number + smaller) * (turns.threads - t);
    }
    return (uint8_t)number;
}

uint8_t turn_of_order(const uint8_t *order)
{
    return turns.inverse[turn_number(order)];
}

uint32_t turn_count(void)
{
    return turns.count;
}

/* Threads 1 to THREADS are interchangeable. */
static void begin(uint32_t threads)
{
    DEBUG_ASSERT(threads <= STATES_THREADS);
    ASSERT(threads <= SYMMETRY_THREADS);
    uint8_t next[SYMMETRY_THREADS + 1] = {0};
    symmetry_used = true;
    symmetry_turn = 0;
    turns.threads = threads;
    turns.count = 0;
    list_turns(next, 0, 0);
    for (uint32_t a = 0; a < turns.count; a++) {
        for (uint32_t t = 1; t <= threads; t++)
            next[turns.slot[a][t]] = (uint8_t)t;
        turns.inverse[a] = turn_number(next);
        for (uint32_t b = 0; b < turns.count; b++) {
            for (uint32_t t = 1; t <= threads; t++)
                next[t] = turns.slot[b][turns.slot[a][t]];
            turns.then[a][b] = turn_number(next);
        }
    }
}

void symmetry_refuse(void)
{
    symmetry_used = false;
    symmetry_turn = 0;
    op_begin_again();
}

uint32_t turn_slot(uint8_t turn, uint32_t thread)
{
    DEBUG_ASSERT(turn < turn_count());
    return turn ? turns.slot[turn][thread] : thread;
}

uint8_t turn_inverse(uint8_t turn)
{
    return turn ? turns.inverse[turn] : 0;
}

uint8_t turn_then(uint8_t first, uint8_t second)
{
    DEBUG_ASSERT(first < turn_count() && second < turn_count());
    return first ? second ? turns.then[first][second] : first : second;
}

uint32_t turn_bits(uint8_t turn, uint32_t threads)
{
    uint32_t slots = 0;
    if (!turn)
        return threads;
    for (uint32_t t = 1; t <= turns.threads; t++)
        slots |= (threads >> t & 1) << turns.slot[turn][t];
    return slots;
}

static bool is_possible(uint32_t threads)
{
    return threads >= 2 && threads <= SYMMETRY_THREADS &&
           !(hooks.symmetry && !strcmp(hooks.symmetry, "never"));
}

void symmetry_enter(uint32_t threads, bool alike, bool goes_on)
{
    tried = false;
    symmetry_turn = 0; /* a search before may have left that of its last key */
    symmetry_used = goes_on && kept;
    if (!goes_on && alike && is_possible(threads))
        begin(threads);
}

void symmetry_leave(void)
{
    kept = symmetry_used;
    symmetry_used = false;
}

void symmetry_try(uint32_t threads, uint32_t expanded, uint32_t nodes)
{
    DEBUG_ASSERT(expanded <= nodes && threads <= STATES_THREADS);
    enum { MANY = 4096 };
    if (tried || !is_possible(threads) || (!hooks.symmetry && expanded < MANY && nodes < 2 * MANY))
        return;
    begin(threads);
    tried = true;
    op_begin_again();
}

bool symmetry_has_idle_double(uint32_t thread)
{
    uint32_t idle = 0; /* before it, and it, with nothing that tells them apart */
    for (uint32_t t = 1; t <= thread && !buffers_used; t++)
        if (states_thread[t].call == STATES_IDLE && !states_prints[t].count)
            idle |= 1u << t;
    return idle >> thread && (idle & (idle - 1));
}

/* ---- the order of threads ----
 * By a hash of what each of them stands at, where a block that is not reached from words counts by
 * its contents. */

#define OWN (UINT64_C(1) << 63)
static uint32_t owner; /* the thread whose words are folded in */

/* (Equal hashes of different things only cost time, so it is a simple one.) */
static inline uint64_t fold_in(uint64_t folded, uint64_t word)
{
    return ((folded << 23 | folded >> 41) ^ word) * UINT64_C(0x9E3779B97F4A7C15);
}

/* Folds a word in; leaves in *BLOCK the block that it leads to, or NULL. */
static inline uint64_t fold_word(uint64_t folded, uint64_t word, const StatesBlock **block)
{
    unsigned shift;
    uint64_t tag, place = part_own_place(owner, word);
    *block = word < STATES_AREA ? NULL : states_pointee(word, &shift, &tag);
    if (!*block)
        return fold_in(folded, place == PART_NOT_OWN ? word : OWN + place);
    folded = fold_in(folded,
                     ((uint64_t)(*block)->number << 32) + ((word & ~tag) >> shift) - (*block)->at);
    return fold_in(folded, tag + shift);
}

static uint64_t fold_contents(uint64_t folded, const StatesBlock *block)
{
    const StatesBlock *next;
    folded = fold_in(folded, block->bytes | (uint64_t)block->freed << 40);
    for (uint32_t i = 0; i < block->bytes && !block->freed; i += 8)
        folded = fold_word(folded, *(const uint64_t *)(block->at + i), &next);
    return folded;
}

static uint64_t fold(uint64_t folded, uint64_t word)
{
    const StatesBlock *block;
    folded = fold_word(folded, word, &block);
    return !block || block->number ? folded : fold_contents(folded, block);
}

static uint64_t fold_thread(uint32_t t)
{
    DEBUG_ASSERT(t < STATES_THREADS);
    const StatesThread *thread = &states_thread[t];
    owner = t;
    uint64_t folded =
        fold_in((uint64_t)(uint32_t)(thread->call + 1) | (uint64_t)thread->place << 32,
                states_lag ? thread->overtaken : 0);
    if (buffers_used) {
        folded = fold_in(folded, states_buffers[t].count);
        folded = fold_in(folded, states_buffers[t].calls);
        folded = buffers_each_word(t, folded, fold);
    }
    if (!states_has_stack[t])
        return folded;
    const StatesScan *scan = part_scan((int)t);
    folded = fold_in(fold_in(folded, scan->a), scan->b);
    return part_each_pointer(t, scan, folded, fold);
}

/* Nothing tells two such threads apart. */
static bool is_bare(uint32_t t)
{
    return !states_has_stack[t] && !states_prints[t].count && !states_buffers[t].count &&
           !states_buffers[t].calls;
}

bool symmetry_order(uint8_t *order, uint64_t *by)
{
    bool several = false;
    for (uint32_t t = 1; t <= states_threads; t++) {
        uint32_t slot = t;
        by[t] = fold_thread(t);
        for (; slot > 1 && by[order[slot - 1]] > by[t]; slot--)
            order[slot] = order[slot - 1];
        order[slot] = (uint8_t)t;
    }
    for (uint32_t slot = 1; slot < states_threads; slot++)
        several |= by[order[slot]] == by[order[slot + 1]] &&
                   !(is_bare(order[slot]) && is_bare(order[slot + 1]));
    return several;
}

bool symmetry_is_in_order(const uint8_t *order, const uint64_t *by)
{
    for (uint32_t slot = 1; slot < states_threads; slot++)
        if (by[order[slot]] > by[order[slot + 1]])
            return false;
    return true;
}
