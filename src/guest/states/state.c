#include "guest/states/state.h"
#include "guest/explore/memory/memory.h"
#include <stdlib.h>
#include <string.h>
#include "guest/explore/graph/graph.h"
#include "guest/explore/memory/heap.h"
#include "guest/runtime/fiber.h"
#include "guest/states/present.h"
#include "guest/states/part.h"
#include "guest/states/views/views.h"

static struct {
    char *stack;
    uint32_t bytes;
} idle[STATES_THREADS];
static StatesCopy *target;
typedef struct __attribute__((may_alias)) CopiedThread {
    int32_t call;
    uint32_t place, overtaken;
    uint32_t part; /* part.h; NO_PART: it is idle */
    uint32_t prints;
    uint64_t result;
} CopiedThread;
typedef CopiedThread UnalignedThread __attribute__((aligned(1)));
#define NO_PART UINT32_MAX

void states_note_idle(int t, uint32_t place)
{
    DEBUG_ASSERT(t >= 0 && t < STATES_THREADS);
    idle[t].bytes = (uint32_t)(fibers[t].base - (char *)fibers[t].sp);
    free(idle[t].stack);
    idle[t].stack = malloc(idle[t].bytes);
    memcpy(idle[t].stack, fibers[t].sp, idle[t].bytes);
    states_thread[t] = (StatesThread){.call = STATES_IDLE, .place = place};
    states_has_stack[t] = false;
}

/* Blocks are small: a call of memcpy for each would take longer than the copies. */
static inline void copy_short(char *to, const char *from, size_t bytes)
{
    if (bytes > 64) {
        memcpy(to, from, bytes);
        return;
    }
    for (; bytes >= 8; bytes -= 8, to += 8, from += 8)
        memcpy(to, from, 8);
    for (; bytes; bytes--)
        *to++ = *from++;
}

static inline void out(const void *from, size_t bytes)
{
    copy_short(target->at + target->count, from, bytes);
    target->count += bytes;
}

static inline uint32_t rounded(const StatesBlock *block)
{
    return (block->bytes + 7) & ~7u;
}

/* Returns how much of a buffer is in use, and copied. */
static size_t buffer_bytes(uint32_t t)
{
    return offsetof(StatesBuffer, at) + sizeof(BufferedStore) * states_buffers[t].count;
}

size_t states_copy_bytes(void)
{
    size_t bytes = 64 + 8 * states_words.count + sizeof(StatesBlock) * states_block_count;
    for (uint32_t i = 0; i < states_block_count; i++)
        bytes += (size_t)rounded(&states_blocks[i]) / 8 * 9;
    for (uint32_t t = states_first; t <= states_threads; t++)
        bytes += sizeof(CopiedThread) + sizeof(StatesPrint) * states_prints[t].count +
                 (buffers_used ? buffer_bytes(t) : 0);
    if (UNLIKELY(views_used))
        bytes += views_copy_bytes();
    return bytes;
}

char *states_keep(const StatesCopy *copy)
{
    return memcpy(malloc(copy->count), copy->at, copy->count);
}

void states_copy(StatesCopy *to)
{
    target = to;
    vec_reserve(to, states_copy_bytes());
    to->count = 0;
    uint32_t words = (uint32_t)states_words.count;
    out(&words, sizeof words);
    out(&states_block_count, sizeof states_block_count);
    out(&states_elements, sizeof states_elements);
    for (uint32_t i = 0; i < words; i++)
        out(states_words.at[i].address, 8);
    out(states_blocks, sizeof *states_blocks * states_block_count);
    for (uint32_t i = 0; i < states_block_count; i++) {
        const StatesBlock *block = &states_blocks[i];
        if (block->freed)
            continue;
        if (LIKELY(rounded(block) == 16)) {
            memcpy(target->at + target->count, (char *)block->at, 16);
            memcpy(target->at + target->count + 16, states_written(block), 2);
            target->count += 18;
            continue;
        }
        out((void *)block->at, rounded(block));
        out(states_written(block), rounded(block) / 8);
    }
    for (uint32_t t = states_first; t <= states_threads; t++) {
        const StatesThread *thread = &states_thread[t];
        UnalignedThread *copied = (UnalignedThread *)(target->at + target->count); /* (as above) */
        copied->call = thread->call;
        copied->place = thread->place;
        copied->overtaken = thread->overtaken;
        copied->part = states_has_stack[t] ? part_number((int)t) : NO_PART;
        copied->prints = states_prints[t].count;
        copied->result = thread->result;
        target->count += sizeof *copied;
        out(states_prints[t].at, sizeof(StatesPrint) * states_prints[t].count);
        if (buffers_used)
            out(&states_buffers[t], buffer_bytes(t));
    }
    if (UNLIKELY(views_used))
        target->count = (size_t)(views_copy(target->at + target->count) - target->at);
}

enum { COPIED_HEAD = 12 }; /* bytes before the words */

uint32_t states_copied_words(const char *copy)
{
    uint32_t words;
    memcpy(&words, copy, sizeof words);
    return words;
}

uint64_t states_copied_word(const char *copy, uint32_t index)
{
    DEBUG_ASSERT(index < states_copied_words(copy));
    uint64_t value;
    memcpy(&value, copy + COPIED_HEAD + 8 * (size_t)index, sizeof value);
    return value;
}

uint32_t states_copied_blocks(const char *copy)
{
    uint32_t blocks;
    memcpy(&blocks, copy + 4, sizeof blocks);
    return blocks;
}

StatesBlock states_copied_object(const char *copy, uint32_t i)
{
    DEBUG_ASSERT(i < states_copied_blocks(copy));
    StatesBlock block;
    memcpy(&block,
           copy + COPIED_HEAD + 8 * (size_t)states_copied_words(copy) + sizeof block * (size_t)i,
           sizeof block);
    return block;
}

void states_each_copied_word(const char *copy, uint64_t end,
                             void (*visit)(const StatesBlock *block, uint64_t at, uint64_t value,
                                           uint32_t nodes),
                             uint32_t nodes)
{
    uint32_t blocks = states_copied_blocks(copy);
    const char *from = copy + COPIED_HEAD + 8 * (size_t)states_copied_words(copy) +
                       sizeof(StatesBlock) * (size_t)blocks;
    for (uint32_t i = 0; i < blocks; i++) {
        StatesBlock block = states_copied_object(copy, i);
        if (block.at >= end)
            return;
        if (block.freed)
            continue;
        for (uint32_t k = 0; k < rounded(&block) && block.at + k < end; k += 8) {
            uint64_t value;
            memcpy(&value, from + k, sizeof value);
            visit(&block, block.at + k, value, nodes);
        }
        from += (size_t)rounded(&block) / 8 * 9;
    }
}

uint32_t states_copied_block(const char *copy, uint64_t value, uint64_t *offset)
{
    for (uint32_t i = 0; i < states_copied_blocks(copy) && states_in_area(value); i++) {
        StatesBlock block = states_copied_object(copy, i);
        *offset = value - block.at;
        if (*offset <= block.bytes)
            return i + 1;
    }
    return 0;
}

/* Returns where the threads begin in a copy. */
static size_t copied_threads(const char *copy)
{
    uint32_t blocks = states_copied_blocks(copy);
    size_t at = COPIED_HEAD + 8 * (size_t)states_copied_words(copy) + sizeof(StatesBlock) * blocks;
    for (uint32_t i = 0; i < blocks; i++) {
        StatesBlock block = states_copied_object(copy, i);
        at += block.freed ? 0 : (size_t)rounded(&block) / 8 * 9;
    }
    return at;
}

/* Reads the thread at AT of a copy; returns where the next one begins. */
static size_t copied_thread(const char *copy, size_t at, CopiedThread *copied)
{
    memcpy(copied, copy + at, sizeof *copied);
    at += sizeof *copied + sizeof(StatesPrint) * copied->prints;
    if (!buffers_used)
        return at;
    uint32_t stores; /* StatesBuffer.count */
    memcpy(&stores, copy + at, sizeof stores);
    return at + offsetof(StatesBuffer, at) + sizeof(BufferedStore) * stores;
}

int states_copied_call(const char *copy, uint32_t thread)
{
    DEBUG_ASSERT(thread >= states_first && thread <= states_threads);
    CopiedThread copied = {.call = STATES_IDLE};
    size_t at = copied_threads(copy);
    for (uint32_t t = states_first; t <= thread; t++)
        at = copied_thread(copy, at, &copied);
    return copied.call;
}

void states_rename_parts(char *copy, uint32_t first, const uint32_t *names)
{
    size_t at = copied_threads(copy);
    for (uint32_t t = states_first; t <= states_threads; t++) {
        CopiedThread copied;
        size_t next = copied_thread(copy, at, &copied);
        if (copied.part != NO_PART && copied.part >= first) {
            copied.part = names[copied.part - first] - 1;
            memcpy(copy + at, &copied, sizeof copied);
        }
        at = next;
    }
}

/* Is block I of a copy, whose blocks are at FROM, published as it is there? */
static bool is_same_block(uint32_t i, const char *from)
{
    StatesBlock copied;
    memcpy(&copied, from + sizeof copied * (size_t)i, sizeof copied);
    const StatesBlock *present = &states_blocks[i];
    return present->at == copied.at && present->bytes == copied.bytes &&
           present->freed == copied.freed && present->zeroed == copied.zeroed &&
           present->pc == copied.pc;
}

/* The blocks are those of the copy from now on. */
static const char *restore_blocks(const char *from, uint32_t count)
{
    DEBUG_ASSERT(count <= STATES_BLOCKS);
    uint32_t same = 0; /* most steps leave the blocks as they were */
    while (same < count && same < states_block_count && is_same_block(same, from))
        same++;
    for (uint32_t i = same; i < states_block_count; i++)
        heap_remove_block((void *)states_blocks[i].at);
    states_block_count = count;
    memcpy(states_blocks + same, from + sizeof *states_blocks * same,
           sizeof *states_blocks * (count - same));
    from += sizeof *states_blocks * count;
    for (uint32_t i = 0; i < count; i++) {
        const StatesBlock *block = &states_blocks[i];
        uint32_t bytes = rounded(block);
        if (i >= same)
            states_publish_block(block);
        if (block->freed) {
            memset((void *)block->at, 0, bytes);
            memset(states_written(block), 0, bytes / 8);
            continue;
        }
        if (LIKELY(bytes == 16)) {
            memcpy((char *)block->at, from, 16);
            memcpy((char *)states_written(block), from + 16, 2);
        } else {
            copy_short((char *)block->at, from, bytes);
            copy_short((char *)states_written(block), from + bytes, bytes / 8);
        }
        from += bytes / 8 * 9;
    }
    return from;
}

/* T is between two calls. */
static void make_idle(int t)
{
    fibers[t].sp = fibers[t].base - idle[t].bytes;
    memcpy(fibers[t].sp, idle[t].stack, idle[t].bytes);
    part_note_idle(t);
}

static const char *restore_thread(const char *from, uint32_t t)
{
    DEBUG_ASSERT(t >= states_first && t <= states_threads);
    StatesThread *thread = &states_thread[t];
    const UnalignedThread *copied = (const UnalignedThread *)from; /* (faster than a copy of it) */
    uint32_t prints = copied->prints;
    from += sizeof *copied;
    thread->call = copied->call;
    thread->place = copied->place;
    thread->overtaken = copied->overtaken;
    thread->result = copied->result;
    states_has_stack[t] = copied->part != NO_PART;
    if (!states_first && copied->call != STATES_IDLE)
        threads_created |= thread_bit(t);
    if (states_has_stack[t]) {
        part_restore((int)t, copied->part);
    } else if (states_first && !part_is_idle((int)t)) {
        make_idle((int)t);
    }
    states_prints[t].count = prints;
    for (uint32_t i = 0; i < prints; i++, from += sizeof(StatesPrint)) /* most often one */
        memcpy(&states_prints[t].at[i], from, sizeof(StatesPrint));
    if (!buffers_used)
        return from;
    memcpy(&states_buffers[t], from, offsetof(StatesBuffer, at));
    memcpy(&states_buffers[t], from, buffer_bytes(t));
    return from + buffer_bytes(t);
}

static struct {
    const char *copy; /* that was restored last */
    size_t threads;   /* where they begin in it */
} restored;

static void restore(const char *from, bool with_blocks)
{
    const char *copy = from;
    uint32_t words = states_copied_words(from), blocks = states_copied_blocks(from);
    memcpy(&states_elements, from + 8, sizeof states_elements);
    from += COPIED_HEAD;
    for (uint32_t i = 0; i < words; i++, from += 8)
        memcpy(states_words.at[i].address, from, 8);
    for (size_t i = words; i < states_words.count; i++) /* found since: at its first value there */
        memcpy(states_words.at[i].address, &states_words.at[i].initial, 8);
    if (with_blocks) {
        from = restore_blocks(from, blocks);
        restored.copy = copy;
        restored.threads = (size_t)(from - copy);
        states_blocks_changed = false;
    }
    from = copy + restored.threads;
    if (!states_first)
        threads_created = 0;
    for (uint32_t t = states_first; t <= states_threads; t++)
        from = restore_thread(from, t);
    if (UNLIKELY(views_used))
        views_restore(from);
}

void states_restore(const char *copy)
{
    restore(copy, true);
}

/* (Code that is the specification restores states of its own in between.) */
void states_restore_again(const char *copy)
{
    restore(copy, restored.copy != copy || states_blocks_changed);
}

/* ---- threads that change places ---- */

/* The word at AT led into the stack of thread FROM, or to its fiber: it leads into that of TO. */
static void follow_thread(void *at, int from, int to)
{
    uint64_t word, place;
    memcpy(&word, at, sizeof word);
    place = part_own_place((uint32_t)from, word);
    if (place == PART_NOT_OWN)
        return;
    word = place == PART_FIBER ? (uintptr_t)&fibers[to]
                               : (uintptr_t)fibers[to].base + place - STACK_SLOT;
    memcpy(at, &word, sizeof word);
}

static void follow_stack(char *sp, const char *base, int from, int to)
{
    for (; sp < base; sp += 8)
        follow_thread(sp, from, to);
}

/* Thread TO stands where FROM stood, whose stack is in STACK. */
static void take_place(int to, int from, const StatesCopy *stack)
{
    if (!states_has_stack[to]) {
        make_idle(to);
        return;
    }
    part_forget(to);
    fibers[to].sp = fibers[to].base - stack->count;
    memcpy(fibers[to].sp, stack->at, stack->count);
    follow_stack(fibers[to].sp, fibers[to].base, from, to);
    Request *q = &states_thread[to].request;
    uint64_t *words[] = {&q->operand, &q->operand_high, &q->expected, &q->expected_high};
    follow_thread(&q->address, from, to);
    for (uint32_t i = 0; i < COUNT_OF(words); i++)
        follow_thread(words[i], from, to);
    StatesBuffer *buffer = &states_buffers[to];
    for (uint32_t i = 0; i < buffer->count; i++) {
        follow_thread(&buffer->at[i].at, from, to);
        follow_thread(&buffer->at[i].value[0], from, to);
        follow_thread(&buffer->at[i].value[1], from, to);
    }
}

static void save_stack(int t, StatesCopy *stack)
{
    stack->count = 0;
    if (!states_has_stack[t])
        return;
    size_t bytes = (size_t)(fibers[t].base - (char *)fibers[t].sp);
    vec_reserve(stack, bytes);
    memcpy(stack->at, fibers[t].sp, bytes);
    stack->count = bytes;
}

static void exchange(void *a, void *b, size_t bytes)
{
    for (char *x = a, *y = b; bytes; bytes--, x++, y++) {
        char kept = *x;
        *x = *y;
        *y = kept;
    }
}

void states_exchange_threads(int t, int u)
{
    DEBUG_ASSERT(t != u && t >= (int)states_first && u >= (int)states_first &&
                 t <= (int)states_threads && u <= (int)states_threads);
    static StatesCopy of_t, of_u;
    save_stack(t, &of_t);
    save_stack(u, &of_u);
    uint32_t prints = MAX(states_prints[t].count, states_prints[u].count);
    exchange(&states_thread[t], &states_thread[u], sizeof *states_thread);
    exchange(&states_has_stack[t], &states_has_stack[u], sizeof *states_has_stack);
    exchange(&states_prints[t], &states_prints[u],
             offsetof(StatesPrints, at) + sizeof(StatesPrint) * prints);
    if (buffers_used)
        exchange(&states_buffers[t], &states_buffers[u], sizeof *states_buffers);
    take_place(t, u, &of_u);
    take_place(u, t, &of_t);
}

bool states_begin_alike(void)
{
    static StatesCopy moved;
    for (int t = 2; t <= (int)states_threads; t++) {
        if (idle[t].bytes != idle[1].bytes)
            return false;
        vec_reserve(&moved, idle[t].bytes);
        memcpy(moved.at, idle[t].stack, idle[t].bytes);
        follow_stack(moved.at, moved.at + idle[t].bytes, t, 1);
        if (memcmp(moved.at, idle[1].stack, idle[t].bytes))
            return false;
    }
    return true;
}

void states_check_storage(int t, const char *address, size_t bytes, bool writes, const void *pc)
{
    int owner = states_first ? -1 : memory_owner(address);
    if (owner >= 0 && owner < STATES_THREADS && owner != t && states_concurrent &&
        states_thread[owner].call)
        memory_report_ended(address, bytes, writes, owner, pc);
}
