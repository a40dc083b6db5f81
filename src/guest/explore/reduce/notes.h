/* notes.h: what reductions keep with an event, beside the graph, which knows none of them. Zero
 * when the event is made; a revisited read that is made anew has none. */
#ifndef HEDDLE_EXPLORE_REDUCE_NOTES_H
#define HEDDLE_EXPLORE_REDUCE_NOTES_H
#include "guest/explore/graph/graph.h"

typedef struct ReduceNotes {
    ThreadSet rest; /* main's CREATE, JOIN: what follows is known, see rest.h; or 0 */
    uint8_t loads;  /* `rest` is known: 0, or it loads what this list of rest.c says */
} __attribute__((may_alias)) ReduceNotes;
_Static_assert(sizeof(ReduceNotes) <= sizeof(EventNotes), "they fit");

static inline ReduceNotes *notes_of(const Event *e)
{
    return (ReduceNotes *)&pool_notes[event_id(e)];
}
#endif
