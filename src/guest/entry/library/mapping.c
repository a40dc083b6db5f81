/* mapping.c: mmap and its kin. The system maps the pages, at addresses of our choice
 * (guest/runtime/mappings.h). Pages that go away are freed memory: an access that nothing orders
 * before, or that comes later, is a use after free. Contents that madvise throws away are written.
 * A program that calls these is re-executed, never restored (record/known.inc).
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include "guest/entry/guest.h"
#include "guest/entry/kernel/kernel.h"
#include "guest/explore/memory/deferred.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/search/ops.h"
#include "guest/runtime/mappings.h"
#include "guest/runtime/opaque.h"
#include "guest/runtime/unseen.h"

#define MOST_ANNOUNCED ((size_t)256 << 10)

void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *address, size_t bytes);
void *__wrap_mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...);
int __wrap_madvise(void *address, size_t bytes, int advice);
int __wrap_mprotect(void *address, size_t bytes, int protection);

static NORETURN void refuse(void)
{
    op_unsupported("the program unmaps too many ranges of memory");
}

static void *place(size_t bytes)
{
    return mappings_place(op_active() ? (int)op_self() : MAPPINGS_START, bytes);
}

/* Machine code that is made while the program runs is not looked at. */
static void note_code(const char *call, int protection, const void *pc)
{
    if (op_active() && (protection & PROT_EXEC))
        unseen_call(call, (uintptr_t)pc);
}

/* Replaces what lies there, which others may see: as if it was written. */
static void replace(const char *call, void *address, size_t bytes, const void *pc)
{
    if (!op_active())
        return;
    if (bytes <= MOST_ANNOUNCED)
        guest_will_write(address, bytes, pc);
    else
        unseen_call(call, (uintptr_t)pc);
}

static void *map(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    opaque_note(NULL);
    if (!(flags & (MAP_FIXED | MAP_FIXED_NOREPLACE))) {
        address = place(bytes);
        if (!address) {
            errno = ENOMEM;
            return MAP_FAILED;
        }
        flags |= MAP_FIXED;
    }
    /* other processes of ours explore the same program: they must not share what is its own */
    if (flags & MAP_ANONYMOUS && (flags & MAP_TYPE) != MAP_PRIVATE)
        flags = (flags & ~MAP_TYPE) | MAP_PRIVATE;
    if (!mappings_give((uintptr_t)address, bytes))
        refuse();
    return mmap(address, bytes, protection, flags | MAP_NORESERVE, fd, offset);
}

static void *map_for_program(void *address, size_t bytes, int protection, int flags, int fd,
                             off_t offset, const void *pc)
{
    bool shared = (flags & MAP_TYPE) != MAP_PRIVATE && !(flags & MAP_ANONYMOUS);
    note_code("mmap of executable memory", protection, pc);
    if (op_active() && shared)
        unseen_call("mmap of a file that is shared", (uintptr_t)pc); /* at several addresses, say */
    if (op_active() && !shared && !(flags & MAP_ANONYMOUS))
        kernel_note_mapping(fd, pc);
    if (flags & MAP_FIXED)
        replace("mmap with MAP_FIXED", address, bytes, pc);
    return map(address, bytes, protection, flags, fd, offset);
}

GUEST void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int fd,
                        off_t offset)
{
    return map_for_program(address, bytes, protection, flags, fd, offset, GUEST_PC);
}

GUEST void *__wrap_mmap64(void *address, size_t bytes, int protection, int flags, int fd,
                          off_t offset)
{
    return map_for_program(address, bytes, protection, flags, fd, offset, GUEST_PC);
}

/* The pages go: as free does, this looks for accesses that nothing orders before it. */
static void give_back(void *address, size_t bytes, const void *pc)
{
    if (!op_active())
        return;
    opaque_note(NULL);
    deferred_settle();
    memory_check_free(address, bytes, (int)op_self(), pc);
}

GUEST int __wrap_munmap(void *address, size_t bytes)
{
    if (!op_active())
        return munmap(address, bytes);
    if ((uintptr_t)address % 4096 || !bytes) {
        errno = EINVAL;
        return -1;
    }
    give_back(address, bytes, GUEST_PC);
    if (!mappings_take((uintptr_t)address, bytes))
        refuse();
    return 0;
}

GUEST void *__wrap_mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    opaque_note(NULL);
    if (flags & MREMAP_FIXED)
        op_unsupported_at(GUEST_PC, "the program calls mremap with MREMAP_FIXED");
    if (bytes <= old_bytes) {
        if (bytes < old_bytes)
            __wrap_munmap((char *)old + bytes, old_bytes - bytes);
        return old;
    }
    void *to = flags & MREMAP_MAYMOVE ? place(bytes) : NULL;
    if (!to) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    give_back(old, old_bytes, GUEST_PC);
    void *moved = mremap(old, old_bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    /* the old addresses stay usable for the explorer */
    if (moved != MAP_FAILED && op_active()) {
        map(old, old_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (!mappings_take((uintptr_t)old, old_bytes))
            refuse();
    }
    return moved;
}

/* MADV_FREE may throw the contents away at any time; here it does so at once. */
GUEST int __wrap_madvise(void *address, size_t bytes, int advice)
{
    bool discards = advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE;
    opaque_note(NULL);
    if (discards && bytes <= MOST_ANNOUNCED)
        guest_will_write(address, bytes, GUEST_PC);
    else if (discards && op_active())
        unseen_call("madvise", (uintptr_t)GUEST_PC);
    return madvise(address, bytes, advice == MADV_FREE ? MADV_DONTNEED : advice);
}

GUEST int __wrap_mprotect(void *address, size_t bytes, int protection)
{
    opaque_note(NULL);
    note_code("mprotect of executable memory", protection, GUEST_PC);
    return mprotect(address, bytes, protection);
}
