#include "guest/states/memory.h"
#include "guest/explore/search/ops.h"
#include <string.h>
#include "guest/explore/graph/graph.h"
#include "guest/explore/memory/divert.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/pieces.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/pages.h"
#include "guest/runtime/request.h"
#include "guest/states/buffers.h"
#include "guest/states/early.h"
#include "guest/states/part.h"
#include "guest/states/state.h"
#include "guest/states/steps/written.h"
#include "guest/states/steps/late.h"
#include "guest/states/steps/repeat.h"
#include "guest/states/steps/rounds.h"
#include "guest/states/transcript.h"
#include "guest/states/views/views.h"

enum { SITES = 256, GAP = 32 };

const void *states_late_write;
uint32_t states_site_count;
static const void *sites[SITES];
static bool uses_much_stack;                   /* the access that is made: see wipe_little */
static const void *late_write[STATES_THREADS]; /* of its last plain write, until its next hook */

/* ---- blocks ---- */

__attribute__((noinline)) void *states_allocate(size_t bytes, size_t alignment, bool zeroed,
                                                const void *pc)
{
    if (bytes > heap_limits.bytes || bytes > UINT32_MAX / 2)
        op_unsupported("the program asks for %zu bytes in one allocation, more than the memory "
                       "limit allows",
                       bytes);
    if (states_block_count == STATES_BLOCKS)
        op_unsupported("more than %d heap objects are in use or can still be reached: the "
                       "structure grows without bound",
                       STATES_BLOCKS);
    uint64_t at = STATES_AREA + 4096;
    uint32_t i = 0;
    for (;; i++) { /* the lowest gap that is large enough */
        at = (at + sizeof(HeapBlock) + alignment - 1) & ~(uint64_t)(alignment - 1);
        if (i == states_block_count || at + bytes + GAP + sizeof(HeapBlock) <= states_blocks[i].at)
            break;
        at = states_blocks[i].at + states_blocks[i].bytes + GAP;
    }
    if (at + bytes + 4096 > STATES_AREA + HEAP_SLOT)
        op_unsupported("the program's heap is larger than %u GB", (unsigned)(HEAP_SLOT >> 30));
    memmove(&states_blocks[i + 1], &states_blocks[i],
            sizeof *states_blocks * (states_block_count - i));
    states_blocks[i] =
        (StatesBlock){.at = at, .bytes = (uint32_t)bytes, .zeroed = zeroed, .pc = (uintptr_t)pc};
    states_block_count++;
    states_blocks_changed = true;
    states_most_blocks = MAX(states_most_blocks, states_block_count);
    memset((void *)at, 0, (bytes + 7) & ~(size_t)7);
    memset(states_written(&states_blocks[i]), 0, (bytes + 7) / 8);
    states_publish_block(&states_blocks[i]);
    if (UNLIKELY(views_used) && bytes && states_concurrent && fiber_current >= 0)
        views_note_allocation(at, bytes, zeroed, pc);
    transcript_add(at);
    late_note_block(at);
    repeat_note((RepeatEvent){REPEAT_ALLOCATE, zeroed, (uint32_t)bytes, alignment, at, pc});
    return (void *)at;
}

static void check_block(uint64_t address, size_t bytes, bool writes, const void *pc)
{
    DEBUG_ASSERT(states_in_area(address));
    const StatesBlock *block = states_block_of(address);
    const char *verb = writes ? "write" : "read";
    if (LIKELY(block && !block->freed && address + bytes <= block->at + block->bytes))
        return;
    op_blame(writes ? BLAME_WRITE : BLAME_READ, (void *)address, bytes);
    if (block && block->freed)
        op_violation(VIOLATION_USE_AFTER_FREE, pc,
                     "a %s of %zu byte%s inside an object of %u bytes that was freed", verb, bytes,
                     bytes == 1 ? "" : "s", block->bytes);
    if (block)
        op_violation(VIOLATION_INVALID_ACCESS, pc,
                     "a %s of %zu byte%s at offset %llu of an object of %u bytes", verb, bytes,
                     bytes == 1 ? "" : "s", (unsigned long long)(address - block->at),
                     block->bytes);
    op_violation(
        VIOLATION_INVALID_ACCESS, pc,
        "a %s of %zu bytes at %p, which is not allocated, or was reached by a pointer that "
        "is kept in a hidden form",
        verb, bytes, (void *)address);
}

/* ---- accesses ---- */

uint32_t states_site_index(const void *pc)
{
    uint32_t i = 0;
    while (i < states_site_count && sites[i] != pc)
        i++;
    return i;
}

static bool is_site(const void *pc)
{
    return states_site_index(pc) < states_site_count;
}

const void *states_site(uint32_t index)
{
    return index < states_site_count ? sites[index] : NULL;
}

static void add_site(const void *pc)
{
    DEBUG_ASSERT(states_concurrent);
    if (is_site(pc))
        return;
    if (states_site_count == SITES)
        op_unsupported("more than %d places in the code make accesses that race", SITES);
    sites[states_site_count++] = pc;
}

static void report_race(int t, int other, uint64_t address, size_t bytes, const void *pc)
{
    DEBUG_ASSERT(t != other);
    finding_set_partner(other, (void *)address, (unsigned)MIN(bytes, 255u));
    op_violation(VIOLATION_RACE, pc, "threads %d and %d access the same memory without order", t,
                 other);
}

/* Does an access of T conflict with what others touched since their last visible step? */
static void check_races(int t, uint64_t address, size_t bytes, bool writes, bool plain,
                        const void *pc)
{
    for (int u = (int)states_first; u <= (int)states_threads; u++)
        for (uint32_t i = 0; u != t && i < states_prints[u].count; i++) {
            const StatesPrint *p = &states_prints[u].at[i];
            if (!(writes || p->writes) || address >= p->at + p->bytes || p->at >= address + bytes)
                continue;
            if (options.races == RACES_ERROR)
                report_race(t, u, address, bytes, pc);
            add_site(p->pc);
            if (plain)
                add_site(pc);
            op_begin_again();
        }
}

static void add_print(int t, uint64_t at, size_t bytes, bool writes, const void *pc)
{
    DEBUG_ASSERT(t >= 0 && t < STATES_THREADS && bytes);
    StatesPrints *f = &states_prints[t];
    uint16_t after = (uint16_t)states_buffers[t].count;
    for (uint32_t i = 0; i < f->count; i++)
        if (f->at[i].at == at && f->at[i].bytes == bytes && f->at[i].writes >= writes &&
            f->at[i].after == after)
            return;
    if (f->count == STATES_PRINTS)
        op_unsupported("a thread makes more than %d plain accesses between two atomic ones",
                       STATES_PRINTS);
    f->at[f->count++] = (StatesPrint){at, (uint32_t)bytes, writes, after, pc};
}

/* An access to the stack of another thread: from now on its owner's own accesses count, too. */
static void check_stack(int t, int owner, const void *address, const void *pc)
{
    DEBUG_ASSERT(owner >= 0);
    if (owner == t || !states_concurrent)
        return;
    if (views_used)
        op_unsupported("states under rc11 do not follow local variables that threads share");
    if (!(states_stacks_shared >> owner & 1)) {
        states_stacks_shared |= thread_bit((unsigned)owner);
        op_begin_again();
    }
    if (owner >= STATES_THREADS || !states_has_stack[owner] ||
        (const char *)address < (const char *)fibers[owner].sp)
        op_unsupported("thread %d accesses a local variable of thread %d whose function has "
                       "returned, by the code at %p",
                       t, owner, pc);
}

static void submit_at_site(char *address, size_t bytes, bool writes, const void *pc)
{
    DEBUG_ASSERT(fiber_current >= 0 && !views_used);
    if (bytes > 8)
        op_unsupported("threads race on an access of %zu bytes, which no machine makes at once; "
                       "--unbounded follows racing accesses of up to 8 bytes",
                       bytes);
    request.kind = writes ? REQUEST_STORE : REQUEST_LOAD;
    request.plain = 1;
    request.order = ORDER_RELAXED;
    request.size = (uint8_t)bytes;
    request.address = address;
    request.pc = pc;
    request_submit();
    uses_much_stack = true;
    transcript_add_memory(address, bytes);
    repeat_note_access(REPEAT_SITE, address, bytes, writes, pc);
}

static void access_at_site(char *address, size_t bytes, bool writes, const void *pc)
{
    uint64_t loaded = 0;
    bool loads = writes && pieces_loads_first(address, bytes, pc);
    if (loads) { /* a step of its own; the program loads again, the same, before it stores */
        submit_at_site(address, bytes, false, pc);
        memcpy(&loaded, address, bytes);
    }
    submit_at_site(address, bytes, writes, pc);
    if (writes)
        states_will_write(address, bytes);
    if (loads)
        memcpy(address, &loaded, bytes);
    late_write[fiber_current] = writes ? pc : NULL;
}

/* Returns whether it is made at a site: the number of the thread must not be on its stack then. */
__attribute__((noinline)) static bool access_plain(char *address, size_t bytes, bool writes,
                                                   const void *pc)
{
    int t = fiber_current, owner = fiber_of_stack(address);
    if (!bytes)
        return false;
    if (owner >= 0)
        check_stack(t, owner, address, pc);
    else if (states_in_area((uintptr_t)address))
        check_block((uintptr_t)address, bytes, writes, pc);
    else if (in_heap(address)) {
        uses_much_stack = true;
        repeat_note((RepeatEvent){.kind = REPEAT_NEVER});
        heap_check(address, bytes, writes, pc);
    } else if (UNLIKELY(fiber_near_storage(address)))
        states_check_storage(t, address, bytes, writes, pc);
    if (!states_concurrent) {
        if (writes)
            states_will_write(address, bytes);
        return false;
    }
    const void *late = late_write[t];
    late_write[t] = NULL;
    if (UNLIKELY(states_site_count) && is_site(pc)) {
        states_late_write = writes ? NULL : late;
        return true;
    }
    transcript_add_memory(address, bytes); /* (a read before a write to the same has no hook) */
    repeat_note_access(REPEAT_ACCESS, address, bytes, writes, pc);
    if (!writes)
        states_note_read(address, bytes);
    if (UNLIKELY(views_used)) {
        views_note_access((uintptr_t)address, bytes, writes, pc);
        if (writes)
            states_will_write(address, bytes);
        return false;
    }
    if (writes && UNLIKELY(buffers_overlap(t, (uintptr_t)address, bytes))) {
        add_site(pc); /* it comes after a store that waits: it must wait, too */
        op_begin_again();
    }
    check_races(t, (uintptr_t)address, bytes, writes, true, pc);
    add_print(t, (uintptr_t)address, bytes, writes, pc);
    if (writes)
        states_will_write(address, bytes);
    late_write[t] = writes ? pc : NULL;
    return false;
}

void states_repeat_access(int t, char *address, size_t bytes, bool writes, bool at_site,
                          const void *pc)
{
    if (!at_site) {
        if (states_in_area((uintptr_t)address))
            check_block((uintptr_t)address, bytes, writes, pc);
        check_races(t, (uintptr_t)address, bytes, writes, true, pc);
        add_print(t, (uintptr_t)address, bytes, writes, pc);
    }
    if (writes)
        states_will_write(address, bytes);
}

typedef uint64_t Pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline void wipe(Pair *below, uint32_t count)
{
#pragma GCC unroll 32
    for (uint32_t i = 0; i < count; i++) {
        below[i] = (Pair){0, 0};
        __asm__ volatile("" : : "r"(below) : "memory"); /* faster than what memset becomes */
    }
}

/* Slots of a stack that were not written yet are zero. */
void states_run_begins(int t)
{
    DEBUG_ASSERT(t >= 0 && t < STATES_THREADS);
    enum { CLEARED = 1024 };
    wipe((Pair *)((char *)fibers[t].sp - CLEARED), CLEARED / sizeof(Pair));
    late_write[t] = NULL;
}

/* Thread T frees BYTES bytes at AT: nobody may be about to use them, and they wait for nothing. */
static void note_release(int t, uint64_t at, uint32_t bytes, const void *pc)
{
    for (int u = (int)states_first; u <= (int)states_threads && states_concurrent && bytes; u++)
        for (uint32_t i = 0; u != t && i < states_prints[u].count; i++) {
            const StatesPrint *p = &states_prints[u].at[i];
            if (at >= p->at + p->bytes || p->at >= at + bytes)
                continue;
            finding_set_partner(u, (void *)at, (unsigned)MIN(bytes, 255u));
            op_violation(VIOLATION_USE_AFTER_FREE, pc,
                         "an object of %u bytes is freed while thread %d uses it", bytes, u);
        }
    if (UNLIKELY(views_used) && states_concurrent && bytes)
        views_note_free(at, bytes, pc);
    else if (states_concurrent && bytes)
        add_print(t, at, bytes, true, pc);
    buffers_forget(t, at, bytes);
}

/* An object that was allocated before main is no block: what it holds, and whether it is freed (the
 * heap's shadow), are words. */
static bool release_early(void *address, const void *pc)
{
    if (!in_heap(address) || !states_concurrent)
        return false;
    note_release(fiber_current, (uintptr_t)address, (uint32_t)heap_release_early(address, pc), pc);
    return true;
}

__attribute__((noinline)) bool states_release(int t, void *address, const void *pc)
{
    bool is_block = states_in_area((uintptr_t)address);
    repeat_note(
        (RepeatEvent){is_block ? REPEAT_FREE : REPEAT_NEVER, false, 0, (uintptr_t)address, 0, pc});
    if (!is_block)
        return release_early(address, pc);
    StatesBlock *block = states_block_of((uintptr_t)address);
    if (!block || block->at != (uintptr_t)address || block->freed)
        op_blame(BLAME_FREE, address, 0);
    if (!block || block->at != (uintptr_t)address)
        op_violation(VIOLATION_INVALID_FREE, pc,
                     "%p is freed, but it is not the start of an allocated object", address);
    if (block->freed)
        op_violation(VIOLATION_DOUBLE_FREE, pc, "an object of %u bytes is freed twice",
                     block->bytes);
    note_release(t, block->at, block->bytes, pc);
    block->freed = 1;
    states_blocks_changed = true;
    memset(address, 0, (block->bytes + 7) & ~7u); /* contents are no part of the state any more */
    memset(states_written(block), 0, (block->bytes + 7) / 8);
    states_publish_block(block);
    return true;
}

void states_check_atomic(int t, void *address, unsigned size, bool writes, bool plain,
                         const void *pc)
{
    DEBUG_ASSERT(t >= 0 && t < STATES_THREADS && size && size <= 16);
    int owner = fiber_of_stack(address);
    if (owner == t && !(states_stacks_shared >> t & 1))
        return;
    if (owner >= 0)
        check_stack(t, owner, address, pc);
    else if (states_in_area((uintptr_t)address))
        check_block((uintptr_t)address, size, writes, pc);
    else if (in_heap(address))
        heap_check(address, size, writes, pc);
    else if (UNLIKELY(fiber_near_storage(address)))
        states_check_storage(t, address, size, writes, pc);
    if (!writes && !states_in_area((uintptr_t)address))
        states_note_read(address, size);
    if (states_concurrent)
        check_races(t, (uintptr_t)address, size, writes, plain, pc);
}

void states_check_initialised(const void *address, unsigned size, const void *pc)
{
    const StatesBlock *block = states_block_of((uintptr_t)address);
    if (!block || block->zeroed || options.races == RACES_IGNORE)
        return;
    uint64_t at = (uintptr_t)address, end = at + size;
    for (; at < end; at++)
        if (!(states_area_written[(at - STATES_AREA) / 8] >> (at & 7) & 1)) {
            op_blame(BLAME_READ, address, size);
            op_violation(VIOLATION_UNINITIALISED_READ, pc,
                         "an atomic read of heap memory that nothing has written yet");
        }
}

/* ---- the whole ---- */

/* These run on the stacks of threads. What they leave below their callers' frames would be found
 * there by functions that the program calls later, in variables that are not set yet: registers of
 * the program that they saved, with pointers to blocks that are forgotten. */
__attribute__((noinline)) static void wipe_stack(void)
{
    Pair below[32];
    wipe(below, COUNT_OF(below));
}

/* Frames of access_plain and of what it calls, where that is little, have 200 bytes at most. */
__attribute__((noinline)) static void wipe_little(void)
{
    Pair below[20];
    wipe(below, COUNT_OF(below));
}

__attribute__((noinline)) static void access_and_wipe(char *address, size_t bytes, bool writes,
                                                      const void *pc)
{
    uses_much_stack = states_listed_word = false;
    if (UNLIKELY(access_plain(address, bytes, writes, pc))) {
        wipe_stack();
        access_at_site(address, bytes, writes, pc);
    }
    if (UNLIKELY(uses_much_stack || states_listed_word))
        wipe_stack();
    else
        wipe_little();
}

/* Most accesses are to the thread's own stack: for these it saves no register to wipe. */
static void divert_access(char *address, size_t bytes, bool writes, const void *pc)
{
    DEBUG_ASSERT(fiber_current >= 0 && memory_divert);
    uint64_t own = STACK_BASE + (uint64_t)fiber_current * STACK_SLOT;
    if (LIKELY((uintptr_t)address - own < STACK_SLOT) &&
        LIKELY(!(states_stacks_shared >> fiber_current & 1)))
        return;
    access_and_wipe(address, bytes, writes, pc);
}

static void *divert_allocate(size_t bytes, size_t alignment, bool zeroed, const void *pc)
{
    void *block = states_allocate(bytes, alignment, zeroed, pc);
    wipe_stack();
    return block;
}

static bool divert_release(void *address, const void *pc)
{
    bool is_ours = states_release(fiber_current, address, pc);
    wipe_stack();
    return is_ours;
}

/* The runtime writes for itself. */
static void divert_write(void *address, size_t bytes)
{
    DEBUG_ASSERT(memory_divert);
    uint64_t own = STACK_BASE + (uint64_t)fiber_current * STACK_SLOT;
    states_touched.everything |= (uintptr_t)address - own >= STACK_SLOT;
    op_unannounced = true;
    states_will_write(address, bytes);
}

static void divert_forget_rounds(uint32_t *counter, uint32_t *rounds, uint32_t each)
{
    states_touched.everything = op_unannounced = true;
    if (states_concurrent)
        rounds_forget(counter, rounds, each);
    wipe_stack();
}

static const MemoryDivert divert = {divert_access, divert_write, divert_allocate, divert_release,
                                    divert_forget_rounds};

void states_memory_restart(void)
{
    for (size_t i = 0; i < states_words.count; i++)
        memcpy(states_words.at[i].address, &states_words.at[i].initial, 8);
    for (uint32_t i = 0; i < states_block_count; i++)
        heap_remove_block((void *)states_blocks[i].at);
    states_block_count = 0;
    states_blocks_changed = true;
    memset(states_prints, 0, sizeof states_prints);
    memset(late_write, 0, sizeof late_write);
    states_concurrent = false;
}

void states_memory_enter(void)
{
    DEBUG_ASSERT(!memory_divert);
    if (!states_area_written)
        states_area_written = pages_reserve(HEAP_SLOT / 8);
    memory_divert = &divert;
    states_memory_restart();
    early_begin();
}

void states_memory_leave(void)
{
    states_memory_restart();
    memory_divert = NULL;
}
