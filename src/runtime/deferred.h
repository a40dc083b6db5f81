/* deferred.h: a plain or volatile store that is explored as an event. Its hook runs before the native
 * store, so the value is not known yet: the store becomes an event at the thread's next hook, when
 * memory holds it. Nothing of the same thread comes between, and no other thread runs meanwhile. */
#ifndef HEDDLE_RUNTIME_DEFERRED_H
#define HEDDLE_RUNTIME_DEFERRED_H
#include "base/common.h"

typedef struct DeferredStore {
    void *address; /* NULL: none is waiting */
    unsigned size;
    uint8_t plain; /* as in Request */
    bool range;    /* a store of each location with events in it, rather than one of all bytes */
    const void *pc;
} DeferredStore;
extern DeferredStore deferred;
/* Submits the waiting store; leaves `request` as it was. */
void deferred_flush(void);
/* The locations with events that overlap [start, end), by number; false past the last. The explorer
 * knows (explore/memory.c). */
bool memory_location_in(const char *start, const char *end, unsigned number, char **address,
                        unsigned *size);
#endif
