#include "guest/states/elsewhere.h"
#include "guest/states/state.h"
#include "guest/states/memory.h"
#include <setjmp.h>
#include <string.h>
#include "base/hash.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/heap.h"
#include "guest/runtime/fiber.h"
#include "guest/states/present.h"
#include "guest/states/part.h"
#include "guest/states/symmetry.h"
#include "guest/states/tickets.h"
#include "guest/states/views/views.h"

/* Behind all that malloc hands out; blocks there lie at multiples of 64, as no block does here. */
#define MOVED_AREA (STATES_AREA + HEAP_SLOT / 2)

uint64_t elsewhere_pc;
static uint64_t target[STATES_BLOCKS]; /* by block, in the order of states_blocks */

static void move_word(void *at)
{
    uint64_t word, tag;
    unsigned shift;
    memcpy(&word, at, sizeof word);
    const StatesBlock *block = word < STATES_AREA ? NULL : states_pointee(word, &shift, &tag);
    if (!block)
        return;
    word += (target[block - states_blocks] - block->at) << shift;
    memcpy(at, &word, sizeof word);
}

static void move_range(char *from, const char *to)
{
    for (; from + 8 <= to; from += 8)
        move_word(from);
}

static void choose_targets(void)
{
    uint64_t at = MOVED_AREA;
    for (uint32_t i = states_block_count; i-- > 0;) {
        at = (at + sizeof(HeapBlock) + 63) & ~UINT64_C(63);
        target[i] = at;
        at += states_blocks[i].bytes + 96;
    }
}

static void move_roots(void)
{
    for (size_t i = 0; i < states_words.count; i++)
        move_word(states_words.at[i].address);
    if (UNLIKELY(views_used))
        views_each_word(move_word);
    for (uint32_t t = states_first; t <= states_threads; t++) {
        for (uint32_t i = 0; i < states_prints[t].count; i++)
            move_word(&states_prints[t].at[i].at);
        move_word(&states_thread[t].result);
        for (uint32_t i = 0; i < states_buffers[t].count; i++) {
            move_word(&states_buffers[t].at[i].at);
            move_word(&states_buffers[t].at[i].value[0]);
            move_word(&states_buffers[t].at[i].value[1]);
        }
        if (!states_has_stack[t])
            continue;
        Request *q = &states_thread[t].request;
        move_word(&q->address);
        move_word(&q->operand);
        move_word(&q->operand_high);
        move_word(&q->expected);
        move_word(&q->expected_high);
        const StatesScan *scan = part_scan((int)t);
        for (uint32_t i = 0; i < scan->count; i++)
            move_word((char *)fibers[t].sp + 8 * (size_t)scan->word[i]);
        part_note_moved((int)t);
    }
}

static void move_blocks(void)
{
    static StatesBlock moved[STATES_BLOCKS];
    uint32_t count = states_block_count;
    states_blocks_changed = true;
    for (uint32_t i = 0; i < count; i++)
        move_range((char *)states_blocks[i].at,
                   (char *)states_blocks[i].at + ((states_blocks[i].bytes + 7) & ~7u));
    for (uint32_t i = 0; i < count; i++) {
        const StatesBlock *old = &states_blocks[i];
        StatesBlock *block = &moved[count - 1 - i];
        size_t bytes = (old->bytes + 7) & ~(size_t)7;
        *block = *old;
        block->at = target[i];
        memcpy((void *)block->at, (void *)old->at, bytes);
        memcpy(states_written(block), states_written(old), bytes / 8);
        memset((void *)old->at, 0x55, bytes);
        heap_remove_block((void *)old->at);
    }
    memcpy(states_blocks, moved, sizeof *moved * count);
    for (uint32_t i = 0; i < count; i++)
        states_publish_block(&states_blocks[i]);
}

/* A thread other than T, chosen by SEED. */
static int other_thread(int t, uint64_t seed)
{
    return 1 + (int)(((uint32_t)t + hash_mix(seed) % (states_threads - 1)) % states_threads);
}

void elsewhere_step(int t, uint32_t way, uint64_t seed, ElsewhereStep *step)
{
    DEBUG_ASSERT(t >= (int)states_first && t <= (int)states_threads);
    step->made = step->failed = false;
    if (!states_block_count && !tickets_used && !symmetry_used)
        return;
    int runs = symmetry_used ? other_thread(t, seed) : t;
    static ThreadSet stacks_shared; /* they are to outlive a jump */
    static uint32_t sites;
    stacks_shared = states_stacks_shared;
    sites = states_site_count;
    if (symmetry_used)
        states_exchange_threads(t, runs);
    choose_targets();
    move_roots();
    move_blocks();
    if (tickets_used)
        tickets_shift(seed);
    part_is_elsewhere = true;
    jmp_buf outer;
    memcpy(&outer, &findings.jump, sizeof outer);
    if (setjmp(findings.jump)) {
        part_is_elsewhere = false;
        memcpy(&findings.jump, &outer, sizeof outer);
        if (finding.kind == FINDING_RESTART && symmetry_used) {
            states_stacks_shared = stacks_shared; /* what it found is not so here */
            states_site_count = sites;
            symmetry_refuse();
        }
        if (finding.kind == FINDING_RESTART)
            longjmp(findings.jump, 1);
        finding.kind = FINDING_NONE; /* it shows here as well, or else the two differ */
        step->failed = true;
        return;
    }
    states_step(runs, way, &step->done);
    step->key = tickets_key();
    step->made = true;
    part_is_elsewhere = false;
    memcpy(&findings.jump, &outer, sizeof outer);
}

void elsewhere_compare(int t, const ElsewhereStep *step, StatesKey key, const StatesDone *done)
{
    bool same = step->made && step->key.a == key.a && step->key.b == key.b &&
                step->done.call == done->call && step->done.returned == done->returned &&
                value_equal(step->done.result, done->result);
    if (same || (!step->made && !step->failed))
        return;
    if (symmetry_used)
        symmetry_refuse();
    if (tickets_used && tickets_try_next())
        op_begin_again();
    elsewhere_pc = (uintptr_t)states_thread[t].request.pc;
    if (tickets_used)
        op_unsupported(
            "what thread %d does depends on where heap objects lie, or on tickets (HD_TICKET) "
            "in another way than modulo %u: states that differ only in that can't be taken for "
            "the same",
            t, tickets_modulus);
    op_unsupported("what thread %d does depends on where heap objects lie, not only on what they "
                   "hold; states that differ only in that can't be taken for the same",
                   t);
}
