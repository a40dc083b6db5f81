#include "guest/runtime/callers.h"
#include "guest/runtime/fiber.h"

#define DEEPEST 512 /* deeper calls are counted, not remembered */

bool callers_kept;
static uint64_t stacks[MAX_THREADS][DEEPEST];
static unsigned depths[MAX_THREADS];
static struct {
    uint64_t inside, address;
} frames_of[MAX_THREADS][DEEPEST];

/* The first word with VALUE, at most MOST words up the current thread's stack; NULL if there is
 * none. */
static const uintptr_t *find_word(const uintptr_t *from, uintptr_t value, size_t most)
{
    const uintptr_t *end = (const uintptr_t *)(const void *)fibers[fiber_current].base;
    for (size_t i = 0; i < most && from + i < end; i++)
        if (from[i] == value)
            return from + i;
    return NULL;
}

/* A function's frame ends with its return address. First comes that of the hook which called us: it
 * lies in the function. No frame pointer is needed, so this holds at every level of optimisation.
 */
static uint64_t find_frame(const void *pc, const void *inside)
{
    enum { OWN = 64, LARGEST = 1 << 16 };
    const uintptr_t *at = __builtin_frame_address(0);
    if (fiber_of_stack(at) != fiber_current)
        return 0;
    at = find_word(at, (uintptr_t)inside, OWN);
    at = at ? find_word(at + 1, (uintptr_t)pc, LARGEST) : NULL;
    return at ? (uintptr_t)(at + 1) : 0;
}

void callers_enter(const void *pc, const void *inside)
{
    if (fiber_current < 0)
        return;
    unsigned *depth = &depths[fiber_current];
    if (*depth < DEEPEST) {
        stacks[fiber_current][*depth] = (uintptr_t)pc;
        frames_of[fiber_current][*depth].inside = (uintptr_t)inside;
        frames_of[fiber_current][*depth].address = find_frame(pc, inside);
    }
    ++*depth;
}

bool callers_frame(const void *address, uint64_t *inside, uint64_t *frame)
{
    int thread = fiber_of_stack(address);
    if (!callers_kept || thread < 0)
        return false;
    for (unsigned i = MIN(depths[thread], (unsigned)DEEPEST); i-- > 0;)
        if (frames_of[thread][i].address > (uintptr_t)address) { /* inner frames lie lower */
            *inside = frames_of[thread][i].inside;
            *frame = frames_of[thread][i].address;
            return true;
        }
    return false;
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
