#include "guest/explore/memory/shown.h"
#include "guest/explore/memory/memory.h"
#include <string.h>
#include "guest/explore/memory/blocks.h"
#include "guest/explore/memory/deferred.h"
#include "guest/explore/memory/locals.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/pages.h"
#include "guest/runtime/request.h"

typedef struct Shown {
    uint64_t run; /* in which it was noted */
    unsigned char bytes[16];
    bool stale; /* memory held something else since: so it is another object's */
} Shown;

bool shown_on;
static Shown *notes; /* by location */
static uint64_t run;

void shown_forget(void)
{
    shown_on = options.foreign_code && !options.checkpoints;
    run++;
    blocks_asked = shown_on || facts_met[FACT_blocks] || locals_on;
    if (shown_on && !notes)
        notes = pages_reserve(sizeof(Shown) * (size_t)MAX_LOCATIONS);
}

void shown_note(const Location *x)
{
    Shown *note = &notes[x - locations];
    *note = (Shown){.run = run};
    memcpy(note->bytes, x->address, x->size);
}

bool shown_is_known(const Location *x)
{
    return notes[x - locations].run == run;
}

bool shown_is_stale(const Location *x)
{
    Shown *note = &notes[x - locations];
    note->stale |= memcmp(note->bytes, x->address, x->size) != 0;
    return note->stale;
}

/* Locations on the present thread's stack, in place of which it has another object by now: that
 * one's value becomes an event. Elsewhere two threads may be at it, and who wrote is not known. */
static void adopt(char *start, char *end)
{
    const Fiber *self = &fibers[fiber_current];
    Location *x;
    if (start < self->limit || start >= self->base)
        return;
    for (unsigned i = 0; (x = memory_location_with_events(start, end, i)); i++) {
        if (!shown_is_known(x) || !shown_is_stale(x))
            continue;
        Request later = request;
        deferred_submit(x->address, x->size, x->address, 1, request.pc);
        request = later;
    }
}

void shown_submit(void)
{
    bool access = request.kind >= REQUEST_LOAD && request.kind <= REQUEST_AWAIT;
    char *start = request.address, *end = start + (access ? request.size : 0);
    Location *x;
    if (access && !request.plain && !memory_ghost_runs())
        adopt(start, end);
    blocks_submit_part();
    if (!access || memory_ghost_runs())
        return;
    for (unsigned i = 0; (x = memory_location_with_events(start, end, i)); i++)
        memory_show(x);
}
