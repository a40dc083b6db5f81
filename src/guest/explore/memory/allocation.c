#include "guest/explore/memory/allocation.h"
#include <errno.h>
#include "guest/explore/graph/finding.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/memory/deferred.h"
#include "guest/explore/memory/divert.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/plain.h"
#include "guest/runtime/fiber.h"

void (*heap_trace)(const HeapBlock *block, bool frees, const void *pc);

void *heap_allocate_aligned(size_t bytes, size_t alignment, bool zeroed, const void *pc)
{
    heap_setup();
    bool by_thread = fiber_current >= 0;
    if (UNLIKELY(memory_divert != NULL) && by_thread)
        return memory_divert->allocate(bytes, alignment, zeroed, pc);
    if (bytes > heap_limits.bytes) {
        if (by_thread)
            op_unsupported("the program asks for %zu bytes in one allocation, more than the "
                           "memory limit allows",
                           bytes);
        errno = ENOMEM;
        return NULL;
    }
    HeapBlock header = {.bytes = bytes,
                        .pc = (uintptr_t)pc,
                        .zeroed = zeroed || !by_thread,
                        .tag = by_thread ? (uint32_t)threads[fiber_current].count : 0};
    HeapBlock *block =
        heap_place(by_thread ? fiber_current : HEAP_REGION_START, alignment, &header);
    if (!block) {
        if (by_thread)
            op_unsupported("the program allocates more than %u GB in one thread",
                           (unsigned)(HEAP_SLOT >> 30));
        errno = ENOMEM;
        return NULL;
    }
    if (UNLIKELY(graphs.pasts_on))
        memory_hooks.told(bytes);
    if (UNLIKELY(heap_trace) && by_thread)
        heap_trace(block, false, pc);
    /* The zeroes are a write of this thread. While there is one thread only, nothing can race with
     * it, and what it costs can be saved. */
    if (zeroed && bytes && by_thread && graph_others_exist())
        op_plain_write(block + 1, bytes, pc);
    return block + 1;
}

void *heap_allocate(size_t bytes, const void *pc)
{
    return heap_allocate_aligned(bytes, HEAP_UNIT, false, pc);
}

void heap_release(void *address, const void *pc)
{
    if (!address)
        return;
    if (fiber_current >= 0)
        deferred_settle();
    if (UNLIKELY(memory_divert != NULL) && (fiber_current >= 0) &&
        memory_divert->release(address, pc))
        return;
    HeapBlock *block = heap_block_at(address);
    if (fiber_current < 0) {
        if (block)
            heap_mark_freed(block, pc);
        return;
    }
    if (UNLIKELY(graphs.pasts_on))
        memory_hooks.told((uintptr_t)address);
    if (UNLIKELY(heap_limits.unchecked) && !block)
        return;
    heap_check_release(block, address, pc);
    if (!heap_is_of(address, fiber_current))
        memory_check_allocation(address, graph_tip(fiber_current), fiber_current, pc, true);
    memory_check_free(address, block->bytes, fiber_current, pc);
    heap_mark_freed(block, pc);
    if (UNLIKELY(heap_trace))
        heap_trace(block, true, pc);
}
