#include "guest/states/shelf.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "guest/explore/search/ops.h"
#include "guest/runtime/native.h"
#include "guest/runtime/pages.h"

bool shelf_is_guest;
static Shelf(uint64_t) bytes_taken;

void *shelf_own(void *at, long *owner, size_t space)
{
    long self = native_call(SYS_getpid, 0, 0, 0, 0);
    if (at && *owner == self)
        return at;
    if (at)
        munmap(at, space);
    *owner = self;
    return pages_share(space);
}

void shelf_tell_full(void)
{
    op_unsupported("there are more states than a search has room for");
}

void shelf_give_back(char *from, char *to)
{
    if (from < to)
        madvise(from, (size_t)(to - from), MADV_REMOVE);
}

void *shelf_take_bytes(size_t bytes)
{
    if (shelf_is_guest)
        return malloc(bytes);
    if (bytes_taken.count + (bytes + 7) / 8 > shelf_most(&bytes_taken))
        shelf_tell_full();
    void *at = shelf_at(&bytes_taken, bytes_taken.count);
    bytes_taken.count += (bytes + 7) / 8;
    return at;
}

void shelf_forget_bytes(void)
{
    shelf_clear(&bytes_taken);
}
