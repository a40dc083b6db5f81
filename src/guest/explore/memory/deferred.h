/* deferred.h: plain and volatile accesses that are explored as events. Their hook runs before the
 * native access. A store's value is not known yet: it becomes an event at the thread's next hook,
 * when memory holds it. A load finds the value that the explorer chose in memory, put there for
 * that one load. In both cases memory is as it was before from the next hook on: it holds the
 * location's initial value. Nothing of the same thread comes between, and no other thread runs
 * meanwhile. A structure that gcc copies is an exception (code.h): the store comes after the hook
 * of the load. Then both are pending at once, and the store waits for one hook more. An access that
 * no hook announces is another one: see DeferredAside. */
#ifndef HEDDLE_EXPLORE_MEMORY_DEFERRED_H
#define HEDDLE_EXPLORE_MEMORY_DEFERRED_H
#include "base/common.h"

enum { DEFERRED_MOST = 65536 }; /* bytes of one access, if not all of them are one event */

typedef enum DeferredKind {
    DEFERRED_STORE,  /* one event */
    DEFERRED_RANGE,  /* an event on each location that has events; memory keeps what was written */
    DEFERRED_PIECES, /* piece by piece: guest/explore/memory/pieces.h */
    DEFERRED_LOAD    /* only memory is to be put back, where it is explored as events */
} DeferredKind;

typedef struct Deferred {
    void *address; /* NULL: nothing is to be done */
    unsigned size;
    uint8_t kind;  /* DeferredKind */
    uint8_t plain; /* as in Request */
    uint8_t made;  /* a store that a library function makes before it returns: never late */
    const void *pc;
} Deferred;
extern Deferred deferred;
extern Deferred
    deferred_copy; /* the store of a copy whose load is `deferred`, if it has an address */
/* A store as KIND, which is not DEFERRED_LOAD. */
void deferred_store(DeferredKind kind, void *address, unsigned size, uint8_t plain, const void *pc);
/* The native load that comes next finds the bytes at VALUES. If several pieces are loaded (PARTLY),
 * those that race: the others are no concern of ours. */
void deferred_load(void *address, unsigned size, const void *values, bool partly);
/* Does what was put off until the next hook; leaves `request` as it was. */
void deferred_flush(void);
/* To be called before memory or a frame may end its life (free, longjmp, an exception): what is to
 * be done at the next hook is done now. [switch] */
static inline void deferred_settle(void)
{
    if (UNLIKELY(deferred.address))
        deferred_flush();
}
/* The execution is abandoned between two hooks of a thread: memory is as it was before the access
 * that it was about to make, or had made. To be called before the log is undone. */
void deferred_abandon(void);
/* The present function ends, and with it its frame: what is to be done there is done now, before
 * something else stands in its place. */
void deferred_leave_frame(void);
/* The hook of a load, called from PC, comes. Does the native store of `deferred` come only after
 * it? */
bool deferred_is_late(const void *pc);
/* Where the last hook of a load was called while a store was deferred, and what rbp held there, so
 * that deferred_is_late can tell a store to the stack from others (code.h). Loads that are not
 * announced by the compiler's hooks (functions of the library) do not set it: no store comes after
 * those. */
typedef struct DeferredHook {
    const void *pc, *rbp;
} DeferredHook;
extern DeferredHook deferred_hook;
/* The load of a copy is on its way; STORE is to be done after it. */
void deferred_resume_copy(const Deferred *store);
/* An access of the program that no hook announces comes between a hook and the access that this one
 * has announced (guest/entry/x86_64/watch.c): that one is put aside, so that memory is as it was
 * before, others may run, and accesses be deferred; and it is taken up again when the access
 * between is made. Only a load that no store waits for, of at most DEFERRED_ASIDE bytes, and a
 * store that is not made yet can be put aside. */
enum { DEFERRED_ASIDE = 64 };
typedef struct DeferredAside {
    Deferred what; /* no address: nothing */
    unsigned char values[DEFERRED_ASIDE];
} DeferredAside;
void deferred_put_aside(DeferredAside *aside);
void deferred_take_up(const DeferredAside *aside);
bool deferred_can_load_later(void); /* can the load that is deferred be put aside? */
/* Does memory hold something else than before the store that is deferred? */
bool deferred_is_visible(void);
/* Does the load that is deferred find in memory what is there anyhow? */
bool deferred_finds_the_same(void);
/* Stores SIZE bytes at ADDRESS as an event. [switch] */
void deferred_submit(void *address, unsigned size, const void *value, uint8_t plain,
                     const void *pc);

/* The bytes from START to END were written, and those of the location at ADDRESS are stored as they
 * are in memory: of a block (blocks.h) those that were written. [switch] */
void deferred_submit_range(char *address, unsigned size, char *start, char *end, uint8_t plain,
                           const void *pc);

#endif
