#include "guest/explore/memory/heap.h"
#include "guest/explore/graph/finding.h"
#include <string.h>
#include <sys/mman.h>
#include "guest/runtime/fiber.h"
#include "guest/explore/memory/write.h"
#include "guest/runtime/pages.h"

/* A shadow byte: 0 not allocated, 1..16 that many bytes of the unit are live, FREED. */
#define FREED 0x80

HeapCursor heap_cursor[MAX_THREADS + 1];
/* The most units that were used since heap_restart: a cursor goes back with its thread, but what
 * code wrote beyond it that nobody announces (shown.h) is not undone. */
static uint32_t most_used[MAX_THREADS + 1];
HeapLimits heap_limits = {.bytes = HEAP_SLOT / 2};
static bool ready;
static struct {
    void *bytes, *shadow;
    HeapCursor cursor;
} start_image;

void heap_setup(void)
{
    if (ready)
        return;
    size_t bytes = HEAP_END - HEAP_BASE;
    pages_reserve_at(HEAP_BASE, bytes, PROT_READ | PROT_WRITE, "the heap");
    pages_reserve_at(HEAP_SHADOW_BASE, bytes / HEAP_UNIT, PROT_READ | PROT_WRITE,
                     "notes about the heap");
    ready = true;
}

static inline unsigned char *shadow_of(const void *address)
{
    return (unsigned char *)(HEAP_SHADOW_BASE + ((uintptr_t)address - HEAP_BASE) / HEAP_UNIT);
}

static inline char *region_start(int region)
{
    return (char *)(HEAP_BASE + (uintptr_t)region * HEAP_SLOT);
}

static uint64_t check_value(const HeapBlock *block)
{
    return (uintptr_t)block * 0x9E3779B97F4A7C15u ^ 0x686564646c65u;
}

/* Shadow bytes for a block: N units, the last with TAIL live bytes. Logged, eight at a time. */
static void set_shadow(char *address, size_t bytes, bool live)
{
    unsigned char *shadow = shadow_of(address);
    size_t units = (bytes + HEAP_UNIT - 1) / HEAP_UNIT;
    unsigned char piece[256];
    for (size_t done = 0; done < units;) {
        size_t count = MIN(units - done, sizeof piece);
        memset(piece, live ? (int)HEAP_UNIT : FREED, count);
        if (live && done + count == units && bytes % HEAP_UNIT)
            piece[count - 1] = (unsigned char)(bytes % HEAP_UNIT);
        op_write(shadow + done, piece, count);
        done += count;
    }
}

HeapBlock *heap_place(int region, size_t alignment, const HeapBlock *header)
{
    DEBUG_ASSERT(alignment >= HEAP_UNIT && !(alignment & (alignment - 1)) && region >= 0 &&
                 region <= (int)HEAP_REGION_START);
    HeapCursor *cursor = &heap_cursor[region];
    size_t bytes = header->bytes;
    uintptr_t at = (uintptr_t)region_start(region) + (uintptr_t)cursor->used * HEAP_UNIT;
    at = (at + sizeof(HeapBlock) + alignment - 1) & ~(uintptr_t)(alignment - 1);
    size_t units =
        (bytes + HEAP_UNIT - 1) / HEAP_UNIT + 1; /* one unit stays unallocated: a red zone */
    uintptr_t end = at + units * HEAP_UNIT;
    if (end > (uintptr_t)region_start(region) + HEAP_SLOT)
        return NULL;
    HeapBlock *block = (HeapBlock *)at - 1, filled = *header;
    filled.region = (uint16_t)region;
    filled.serial = cursor->count;
    filled.check = check_value(block);
    /* logged as well: where this allocation is undone, the header of another execution must not lie
     * inside a block that calloc hands out as zero */
    op_write(block, &filled, sizeof filled);
    cursor->used = (uint32_t)((end - (uintptr_t)region_start(region)) / HEAP_UNIT);
    most_used[region] = MAX(most_used[region], cursor->used);
    cursor->count++;
    if (bytes)
        set_shadow((char *)at, bytes, true);
    else
        op_write(shadow_of((char *)at), "\xff", 1); /* a block of no bytes can still be freed */
    return block;
}

HeapBlock *heap_block_at(const void *address)
{
    if (!in_heap(address) || (uintptr_t)address % HEAP_UNIT)
        return NULL;
    HeapBlock *block = (HeapBlock *)(uintptr_t)address - 1;
    return in_heap(block) && block->check == check_value(block) ? block : NULL;
}

bool heap_is_live(const HeapBlock *block)
{
    unsigned char state = *shadow_of(block + 1);
    return state != 0 && state != FREED;
}

void heap_put_block(void *address, size_t bytes, bool zeroed, bool live, const void *pc)
{
    HeapBlock *block = (HeapBlock *)address - 1;
    *block = (HeapBlock){.bytes = bytes, .pc = (uintptr_t)pc, .zeroed = zeroed};
    block->check = check_value(block);
    *shadow_of(address) = live ? HEAP_UNIT : FREED;
}

void heap_remove_block(void *address)
{
    ((HeapBlock *)address - 1)->check = 0;
    *shadow_of(address) = 0;
}

void heap_check_release(const HeapBlock *block, void *address, const void *pc)
{
    if (!block || *shadow_of(address) == 0 || *shadow_of(address) == FREED)
        op_blame(BLAME_FREE, address, 0);
    if (!block || *shadow_of(address) == 0)
        op_violation(VIOLATION_INVALID_FREE, pc,
                     "%p is freed, but it is not the start of an "
                     "allocated object",
                     address);
    if (*shadow_of(address) == FREED)
        op_violation(VIOLATION_DOUBLE_FREE, pc, "an object of %zu bytes is freed twice",
                     (size_t)block->bytes);
}

void heap_mark_freed(HeapBlock *block, const void *pc)
{
    DEBUG_ASSERT(block->check == check_value(block));
    if (fiber_current < 0) {
        op_write(shadow_of(block + 1), "\x80", 1);
        return;
    }
    set_shadow((char *)(block + 1), MAX(block->bytes, 1u), false);
    op_set(block->free_pc, (uint64_t)(uintptr_t)pc);
    op_set(block->free_thread, (uint16_t)fiber_current);
}

size_t heap_release_early(void *address, const void *pc)
{
    static const char zeroes[256];
    HeapBlock *block = heap_block_at(address);
    heap_check_release(block, address, pc);
    for (size_t done = 0, count; done < block->bytes; done += count) {
        count = MIN(block->bytes - done, sizeof zeroes);
        op_write((char *)address + done, zeroes, count);
    }
    set_shadow(address, MAX(block->bytes, 1u), false);
    return block->bytes;
}

void heap_forget_early(void *address, void (*will_write)(void *address, size_t bytes))
{
    DEBUG_ASSERT(heap_block_at(address));
    size_t units = (MAX(heap_block_at(address)->bytes, 1u) + HEAP_UNIT - 1) / HEAP_UNIT;
    will_write(shadow_of(address), units);
    memset(shadow_of(address), FREED, units);
}

/* The block that ADDRESS lies in or just behind, live or freed; NULL if none. */
static HeapBlock *heap_block_of(const char *address)
{
    uintptr_t unit = (uintptr_t)address & ~(uintptr_t)(HEAP_UNIT - 1);
    for (unsigned steps = 0; in_heap((void *)unit) && steps < 1u << 20;
         steps++, unit -= HEAP_UNIT) {
        HeapBlock *block = heap_block_at((void *)unit);
        if (block)
            return block;
    }
    return NULL;
}

const HeapBlock *heap_block_around(const void *address)
{
    return in_heap(address) ? heap_block_of(address) : NULL;
}

bool heap_is_zeroed(const char *address)
{
    const HeapBlock *block = heap_block_of(address);
    return !block || block->zeroed;
}

int heap_allocated_by(const char *address, uint32_t *tag)
{
    int region = (int)(((uintptr_t)address - HEAP_BASE) / HEAP_SLOT);
    if (region >= HEAP_REGION_START)
        return -1;
    const HeapBlock *block = heap_block_of(address);
    *tag = block ? block->tag : 0;
    return block ? region : -1;
}

static void bad_access(const char *address, size_t bytes, bool writes, const void *pc)
{
    if (heap_limits.unchecked)
        return;
    const HeapBlock *block = heap_block_of(address);
    const char *verb = writes ? "write" : "read";
    op_blame(writes ? BLAME_WRITE : BLAME_READ, address, bytes);
    if (block && *shadow_of(block + 1) == FREED)
        op_violation(VIOLATION_USE_AFTER_FREE, pc,
                     "a %s of %zu byte%s inside an object of %zu bytes "
                     "that thread %d has freed",
                     verb, bytes, bytes == 1 ? "" : "s", (size_t)block->bytes, block->free_thread);
    if (block)
        op_violation(VIOLATION_INVALID_ACCESS, pc,
                     "a %s of %zu byte%s at offset %td of an object of %zu bytes", verb, bytes,
                     bytes == 1 ? "" : "s", address - (const char *)(block + 1),
                     (size_t)block->bytes);
    op_violation(VIOLATION_INVALID_ACCESS, pc, "a %s of %zu bytes at %p, which was never allocated",
                 verb, bytes, (const void *)address);
}

void heap_check(const char *address, size_t bytes, bool writes, const void *pc)
{
    DEBUG_ASSERT(in_heap(address));
    const char *end = address + bytes;
    const unsigned char *shadow = shadow_of(address);
    unsigned offset = (uintptr_t)address % HEAP_UNIT;
    for (; address < end; shadow++) {
        unsigned wanted = (unsigned)MIN((size_t)(end - address) + offset, (size_t)HEAP_UNIT);
        if (UNLIKELY(*shadow < wanted || *shadow > HEAP_UNIT))
            bad_access(address, bytes, writes, pc);
        address += HEAP_UNIT - offset;
        offset = 0;
    }
}

bool heap_is_allowed(const char *address, size_t bytes)
{
    const char *end = address + bytes;
    const unsigned char *shadow = shadow_of(address);
    unsigned offset = (uintptr_t)address % HEAP_UNIT;
    for (; address < end; shadow++) {
        unsigned wanted = (unsigned)MIN((size_t)(end - address) + offset, (size_t)HEAP_UNIT);
        if (*shadow < wanted || *shadow > HEAP_UNIT)
            return false;
        address += HEAP_UNIT - offset;
        offset = 0;
    }
    return true;
}

void heap_each(int region, void (*visit)(HeapBlock *, char *, void *), void *context)
{
    DEBUG_ASSERT(region >= 0 && region <= (int)HEAP_REGION_START);
    char *at = region_start(region), *end = at + (size_t)heap_cursor[region].used * HEAP_UNIT;
    while (at + sizeof(HeapBlock) <= end) {
        HeapBlock *block = heap_block_at(at + sizeof(HeapBlock));
        if (!block) { /* padding of an aligned block */
            at += HEAP_UNIT;
            continue;
        }
        visit(block, (char *)(block + 1), context);
        at = (char *)(block + 1) + ((block->bytes + HEAP_UNIT - 1) / HEAP_UNIT + 1) * HEAP_UNIT;
    }
}

void heap_save_start(void)
{
    start_image.cursor = heap_cursor[HEAP_REGION_START];
    size_t bytes = (size_t)start_image.cursor.used * HEAP_UNIT;
    start_image.bytes = pages_alloc(bytes + HEAP_UNIT);
    start_image.shadow = pages_alloc(bytes / HEAP_UNIT + HEAP_UNIT);
    memcpy(start_image.bytes, region_start(HEAP_REGION_START), bytes);
    memcpy(start_image.shadow, shadow_of(region_start(HEAP_REGION_START)), bytes / HEAP_UNIT);
}

/* Many bytes are given back to the system, which has zeros for them when they are needed again. */
static void clear(void *from, size_t bytes)
{
    size_t whole = bytes & ~(size_t)4095;
    if (whole < (size_t)1 << 20 || madvise(from, whole, MADV_DONTNEED))
        whole = 0;
    memset((char *)from + whole, 0, bytes - whole);
}

void heap_restart(void)
{
    for (int region = 0; region < MAX_THREADS; region++) {
        size_t bytes = (size_t)MAX(most_used[region], heap_cursor[region].used) * HEAP_UNIT;
        clear(region_start(region), bytes);
        clear(shadow_of(region_start(region)), bytes / HEAP_UNIT);
        heap_cursor[region] = (HeapCursor){0, 0};
        most_used[region] = 0;
    }
    size_t bytes = (size_t)start_image.cursor.used * HEAP_UNIT;
    memcpy(region_start(HEAP_REGION_START), start_image.bytes, bytes);
    memcpy(shadow_of(region_start(HEAP_REGION_START)), start_image.shadow, bytes / HEAP_UNIT);
}
