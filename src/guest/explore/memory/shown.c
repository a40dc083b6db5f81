#include "guest/explore/memory/shown.h"
#include <string.h>
#include "guest/explore/memory/blocks.h"
#include "guest/explore/memory/locals.h"
#include "guest/explore/memory/undo.h"
#include "guest/runtime/pages.h"

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
    DEBUG_ASSERT(x > locations && x->size <= 16);
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
    DEBUG_ASSERT(shown_is_known(x));
    Shown *note = &notes[x - locations];
    note->stale |= memcmp(note->bytes, x->address, x->size) != 0;
    return note->stale;
}

void shown_put(Location *x)
{
    int last = x->writes - 1;
    while (last > 0 && !graph_reached(&pool[x->co[last]]))
        last--;
    EventId w = x->co[last];
    uint64_t words[2] = {write_value(w, x), graph_value_high(w, x)};
    if (memcmp(x->address, words, x->size)) {
        undo_save(x->address, MIN(x->size, 8u));
        if (x->size == 16)
            undo_save(x->address + 8, 8);
        memcpy(x->address, words, x->size);
    }
    if (UNLIKELY(shown_on))
        shown_note(x);
}
