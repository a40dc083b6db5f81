// expect: holds
// executions: 1
// A request for more than an address space has fails on every machine.
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

int main(void)
{
    volatile size_t all = (size_t)-64, large = (size_t)1 << 60, half = (size_t)1 << 40;
    void *aligned, *small = malloc(8);
    assert(!malloc(all) && !malloc(large) && !calloc(half, 1 << 20) && !realloc(small, all));
    assert(!aligned_alloc(64, all) && !memalign(64, all) && posix_memalign(&aligned, 64, all) == ENOMEM);
    free(small);
}
