/* malloc.c: malloc and its kin, operators new and delete. heddle_user_X becomes X when the runtime
 * object is made, because X inside the runtime itself means the runtime's own memory
 * (own_malloc.c). */
#include <errno.h>
#include <string.h>
#include "guest/entry/guest.h"
#include "guest/explore/memory/allocation.h"
#include "guest/explore/search/ops.h"

GUEST void *heddle_user_malloc(size_t bytes);
GUEST void heddle_user_free(void *address);
GUEST void *heddle_user_calloc(size_t count, size_t bytes);
GUEST void *heddle_user_realloc(void *address, size_t bytes);
GUEST void *heddle_user_aligned_alloc(size_t alignment, size_t bytes);
GUEST void *heddle_user_memalign(size_t alignment, size_t bytes);
GUEST int heddle_user_posix_memalign(void **result, size_t alignment, size_t bytes);
GUEST size_t heddle_user_malloc_usable_size(void *address);

/* No object is larger than the address space of a process: such a request fails on every machine.
 */
static bool is_impossible(size_t bytes)
{
    if (bytes <= UINT64_C(1) << 48)
        return false;
    guest_errno(ENOMEM);
    return true;
}

void *heddle_user_malloc(size_t bytes)
{
    if (is_impossible(bytes))
        return NULL;
    return heap_allocate_aligned(bytes, HEAP_UNIT, false, GUEST_PC);
}
void heddle_user_free(void *address)
{
    heap_release(address, GUEST_PC);
}
void *heddle_user_calloc(size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all))
        all = SIZE_MAX;
    if (is_impossible(all))
        return NULL;
    return heap_allocate_aligned(
        all, HEAP_UNIT, true, GUEST_PC); /* fresh memory is zero, and undone writes leave it so */
}

static void *reallocate(void *address, size_t bytes, const void *pc)
{
    HeapBlock *old = address ? heap_block_at(address) : NULL;
    op_unannounced = true;
    if (address && !old)
        op_violation(VIOLATION_INVALID_FREE, pc,
                     "realloc of %p, which is not the start of an "
                     "allocated object",
                     address);
    if (address && !heap_is_live(old) && op_active())
        op_violation(VIOLATION_USE_AFTER_FREE, pc, "realloc of an object that was freed");
    void *moved = is_impossible(bytes) ? NULL : heap_allocate_aligned(bytes, HEAP_UNIT, false, pc);
    if (address && moved) {
        size_t count = MIN(bytes, old->bytes);
        guest_will_copy(moved, address, count, pc);
        memcpy(moved, address, count);
        heap_release(address, pc);
    }
    return moved;
}

void *heddle_user_realloc(void *address, size_t bytes)
{
    return reallocate(address, bytes, GUEST_PC);
}
void *heddle_user_aligned_alloc(size_t alignment, size_t bytes)
{
    if (is_impossible(bytes))
        return NULL;
    return heap_allocate_aligned(bytes, MAX(alignment, (size_t)HEAP_UNIT), false, GUEST_PC);
}
void *heddle_user_memalign(size_t alignment, size_t bytes)
{
    if (is_impossible(bytes))
        return NULL;
    return heap_allocate_aligned(bytes, MAX(alignment, (size_t)HEAP_UNIT), false, GUEST_PC);
}
int heddle_user_posix_memalign(void **result, size_t alignment, size_t bytes)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)))
        return EINVAL;
    if (bytes > PTRDIFF_MAX || bytes > UINT64_C(1) << 48)
        return ENOMEM;
    void *address =
        heap_allocate_aligned(bytes, MAX(alignment, (size_t)HEAP_UNIT), false, GUEST_PC);
    if (!address)
        return ENOMEM;
    if (op_active())
        op_plain_write(result, sizeof *result, GUEST_PC);
    *result = address;
    return 0;
}
size_t heddle_user_malloc_usable_size(void *address)
{
    const HeapBlock *block = heap_block_at(address);
    op_unannounced = true;
    return block ? block->bytes : 0;
}

/* ---- C++ operators new and delete: their caller is what a report wants to name ---- */
#define OPERATOR_NEW(name, arguments, alignment)                                                   \
    GUEST void *name arguments;                                                                    \
    void *name arguments                                                                           \
    {                                                                                              \
        return heap_allocate_aligned(bytes ? bytes : 1, alignment, false, GUEST_PC);               \
    }
OPERATOR_NEW(_Znwm, (size_t bytes), HEAP_UNIT)
OPERATOR_NEW(_Znam, (size_t bytes), HEAP_UNIT)
OPERATOR_NEW(_ZnwmRKSt9nothrow_t, (size_t bytes, const void *tag UNUSED), HEAP_UNIT)
OPERATOR_NEW(_ZnamRKSt9nothrow_t, (size_t bytes, const void *tag UNUSED), HEAP_UNIT)
OPERATOR_NEW(_ZnwmSt11align_val_t, (size_t bytes, size_t align), MAX(align, (size_t)HEAP_UNIT))
OPERATOR_NEW(_ZnamSt11align_val_t, (size_t bytes, size_t align), MAX(align, (size_t)HEAP_UNIT))
#define OPERATOR_DELETE(name, arguments)                                                           \
    GUEST void name arguments;                                                                     \
    void name arguments                                                                            \
    {                                                                                              \
        heap_release(address, GUEST_PC);                                                           \
    }
OPERATOR_DELETE(_ZdlPv, (void *address))
OPERATOR_DELETE(_ZdaPv, (void *address))
OPERATOR_DELETE(_ZdlPvm, (void *address, size_t bytes UNUSED))
OPERATOR_DELETE(_ZdaPvm, (void *address, size_t bytes UNUSED))
OPERATOR_DELETE(_ZdlPvRKSt9nothrow_t, (void *address, const void *tag UNUSED))
OPERATOR_DELETE(_ZdaPvRKSt9nothrow_t, (void *address, const void *tag UNUSED))
OPERATOR_DELETE(_ZdlPvSt11align_val_t, (void *address, size_t align UNUSED))
OPERATOR_DELETE(_ZdaPvSt11align_val_t, (void *address, size_t align UNUSED))
OPERATOR_DELETE(_ZdlPvmSt11align_val_t, (void *address, size_t bytes UNUSED, size_t align UNUSED))
OPERATOR_DELETE(_ZdaPvmSt11align_val_t, (void *address, size_t bytes UNUSED, size_t align UNUSED))
