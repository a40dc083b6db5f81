#include "runtime/callers.h"
#include <string.h>
#include "runtime/fiber.h"

#define DEEPEST 512 /* deeper calls are counted, not remembered */

bool callers_kept;
static uint64_t stacks[MAX_THREADS][DEEPEST];
static unsigned depths[MAX_THREADS];

void callers_enter(const void *pc)
{
    if (fiber_current < 0)
        return;
    unsigned *depth = &depths[fiber_current];
    if (*depth < DEEPEST)
        stacks[fiber_current][*depth] = (uintptr_t)pc;
    ++*depth;
}

void callers_leave(void)
{
    if (fiber_current >= 0 && depths[fiber_current])
        depths[fiber_current]--;
}

void callers_list(int thread, uint64_t *list, unsigned count)
{
    unsigned depth = callers_kept ? depths[thread] : 0;
    for (unsigned i = 0; i < count; i++)
        list[i] = i < depth && depth - 1 - i < DEEPEST ? stacks[thread][depth - 1 - i] : 0;
}
