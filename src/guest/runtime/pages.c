#include "guest/runtime/pages.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "record/link.h"

static char *next, *end;

static void *map(size_t bytes, int shared)
{
    bytes = (bytes + 4095) & ~(size_t)4095;
    void *p =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, shared | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        pages_refused("the runtime", bytes);
    return p;
}

void *pages_reserve(size_t bytes)
{
    return map(bytes, MAP_PRIVATE);
}

void *pages_share(size_t bytes)
{
    return map(bytes, MAP_SHARED);
}

void pages_use_large(void *at, size_t bytes)
{
    static const uintptr_t large = (uintptr_t)2 << 20;
    uintptr_t from = ((uintptr_t)at + large - 1) & ~(large - 1);
    uintptr_t to = ((uintptr_t)at + bytes) & ~(large - 1);
    if (from < to) /* (where it fails, pages are small) */
        madvise((void *)from, to - from, MADV_HUGEPAGE);
}

void pages_refused(const char *what, size_t bytes)
{
    char text[400];
    int length = snprintf(
        text, sizeof text,
        LINK_REFUSED "%zu %s of address space for %s are refused (%s): look at "
                     "`ulimit -v', and at vm.overcommit_memory and vm.max_map_count\n",
        bytes >> 20 ? bytes >> 20 : bytes >> 10, bytes >> 20 ? "MB" : "KB", what, strerror(errno));
    if (write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(4);
    _exit(3);
}

void pages_reserve_at(uintptr_t address, size_t bytes, int protection, const char *what)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    if (mmap((void *)address, bytes, protection, flags, -1, 0) != (void *)address)
        pages_refused(what, bytes);
}

void *pages_alloc(size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > 1u << 20)
        return pages_reserve(bytes);
    if ((size_t)(end - next) < bytes) {
        next = pages_reserve(4u << 20);
        end = next + (4u << 20);
    }
    void *p = next;
    next += bytes;
    return p;
}
