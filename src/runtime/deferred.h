/* deferred.h: plain and volatile accesses that are explored as events. Their hook runs before the native
 * access. A store's value is not known yet: it becomes an event at the thread's next hook, when memory
 * holds it. A load finds the value that the explorer chose in memory, put there for that one load. In
 * both cases memory is as it was before from the next hook on: it holds the location's initial value.
 * Nothing of the same thread comes between, and no other thread runs meanwhile.
 * A structure that gcc copies is an exception (code.h): the store comes after the hook of the load. Then
 * both are pending at once, and the store waits for one hook more. */
#ifndef HEDDLE_RUNTIME_DEFERRED_H
#define HEDDLE_RUNTIME_DEFERRED_H
#include "base/common.h"

typedef struct Deferred {
    void *address; /* NULL: nothing is to be done */
    unsigned size;
    bool loaded;   /* a load: only memory is to be put back */
    uint8_t plain; /* as in Request */
    bool range;    /* a store of each location with events in it, rather than one of all bytes */
    const void *pc;
    unsigned char old[16];
} Deferred;
extern Deferred deferred;
extern Deferred deferred_copy; /* the store of a copy whose load is `deferred`, if it has an address */
void deferred_store(void *address, unsigned size, uint8_t plain, const void *pc);
/* The native load that comes next finds VALUE. */
void deferred_load(void *address, unsigned size, const uint64_t value[2]);
/* What is to be done at the next hook; leaves `request` as it was. */
void deferred_flush(void);
/* The present function ends, and with it its frame: what is to be done there is done now, before something
 * else stands in its place. */
void deferred_leave_frame(void);
/* The hook of a load, called from PC, comes. Does the native store of `deferred` come only after it? */
bool deferred_is_late(const void *pc);
/* The load of a copy is on its way; STORE is to be done after it. */
void deferred_resume_copy(const Deferred *store);
/* The locations with events that overlap [start, end), by number; false past the last. The explorer
 * knows (explore/memory.c). */
bool memory_location_in(const char *start, const char *end, unsigned number, char **address,
                        unsigned *size);
#endif
