#include "guest/states/steps/written.h"
#include "guest/runtime/fiber.h"
#include "guest/states/present.h"

enum { WRITTEN = 64 };
static struct { /* what was there before the first writes of the present step */
    uint64_t at[WRITTEN], value[WRITTEN];
    uint32_t count;
    bool more; /* than there is room for, or something else has changed */
} written;
bool written_in_vain;

void written_begin(void)
{
    written.count = 0;
    written.more = false;
    written_in_vain = false;
}

void written_note_change(void)
{
    written.more = true;
}

bool written_changed(void)
{
    bool changed = written.more;
    for (uint32_t i = 0; i < written.count && !changed; i++)
        changed = states_peek((const void *)(uintptr_t)written.at[i], 8) != written.value[i];
    return changed;
}

/* (What a thread writes to its own stack, where nobody looks, is no progress.) */
void written_note(uintptr_t address, size_t bytes)
{
    if (fiber_current >= 0 && fiber_of_stack((void *)address) == fiber_current &&
        !(states_stacks_shared >> fiber_current & 1))
        return;
    for (uintptr_t a = address & ~(uintptr_t)7; a < address + bytes && !written.more; a += 8) {
        written.more = written.count == WRITTEN;
        if (!written.more) {
            written.at[written.count] = a;
            written.value[written.count++] = states_peek((const void *)a, 8);
        }
    }
}
