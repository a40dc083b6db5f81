#include "guest/runtime/pages.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "record/link.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

static char *next, *end;

static inline size_t rounded(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) & ~(unit - 1);
}

/* Maps BYTES at ADDRESS, or anywhere if that is NULL. */
static char *map(char *address, size_t bytes, int shared)
{
    char *p = mmap(address, bytes, PROT_READ | PROT_WRITE,
                   shared | MAP_ANONYMOUS | MAP_NORESERVE | (address ? MAP_FIXED : 0), -1, 0);
    if (p == MAP_FAILED)
        pages_refused("the runtime", bytes);
    return p;
}

void *pages_reserve(size_t bytes)
{
    return map(NULL, rounded(bytes, 4096), MAP_PRIVATE);
}

void pages_give_back(void *at, size_t bytes)
{
    munmap(at, rounded(bytes, 4096));
}

void *pages_share(size_t bytes)
{
    bytes = rounded(bytes, 4096);
    if (bytes < PAGES_LARGE)
        return map(NULL, bytes, MAP_SHARED);
    /* A large page is aligned, in memory and from the beginning of what is shared on. */
    char *around = map(NULL, bytes + PAGES_LARGE, MAP_PRIVATE);
    size_t before = rounded((uintptr_t)around, PAGES_LARGE) - (uintptr_t)around;
    if (before)
        munmap(around, before);
    munmap(around + before + bytes, PAGES_LARGE - before);
    return map(around + before, bytes, MAP_SHARED);
}

bool pages_take_large(void *at, size_t bytes)
{
    static bool refused;
    for (char *page = at; page < (char *)at + bytes && !refused; page += PAGES_LARGE) {
        *(volatile char *)page = *page; /* (one that has nothing at all stays as it is) */
        if (madvise(page, PAGES_LARGE, MADV_COLLAPSE) && errno == EINVAL)
            refused = true; /* the others may fail at times: they are small then */
    }
    return !refused;
}

void pages_use_large(void *at, size_t bytes)
{
    uintptr_t from = rounded((uintptr_t)at, PAGES_LARGE);
    uintptr_t to = ((uintptr_t)at + bytes) & ~(PAGES_LARGE - 1);
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
