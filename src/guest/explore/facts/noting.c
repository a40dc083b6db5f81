#include "guest/explore/facts/noting.h"
#include "guest/explore/facts/contents.h"
#include "guest/explore/facts/values.h"

static void note_opened(Location *x)
{
    values_note(x, x->init);
    if (UNLIKELY(contents_watched))
        contents_note_location(x->address, x->size);
}

void facts_note(bool on)
{
    values_noted = on;
    graph_hooks.opened = on ? note_opened : NULL;
    graph_hooks.written = on ? values_note_write : NULL;
}
