#include "guest/runtime/pages.h"
#include <sys/mman.h>

static char *next, *end;

static void *map(size_t bytes, int shared)
{
    bytes = (bytes + 4095) & ~(size_t)4095;
    void *p =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, shared | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        die("out of memory");
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
