/* memory.h: plain memory: bounds of heap objects, races, and which plain locations must be explored
 * as events. The accesses themselves come by plain.h.
 *
 * Memory is seen in granules of 8 bytes. A granule has cells, one for each group of bytes that was
 * always accessed together, with the last write and the last read of each thread (as in FastTrack,
 * Flanagan and Freund 2009: while no race was found, the writes of a cell are totally ordered, so
 * the last one stands for all), and the atomic locations that begin in it.
 *
 * An access is named by (thread, tag): it happened after the thread's first `tag` events. It is
 * hb-before an event with clock H iff tag < H.at[thread].
 *
 * What is discovered during exploration and changes the program as explored (a racing location
 * under sc and tso, a stack variable that another thread touches) is remembered across a restart.
 */
#ifndef HEDDLE_EXPLORE_MEMORY_MEMORY_H
#define HEDDLE_EXPLORE_MEMORY_MEMORY_H
#include "guest/explore/graph/graph.h"
#include "guest/runtime/fiber.h"

/* Called for every plain access that is not to the thread's own stack and no event, when set
 * (replay): before it is checked, and of a read once more when memory HOLDS the value that it gets.
 */
typedef void MemoryTrace(const void *address, size_t bytes, bool writes, const void *pc,
                         bool holds);
/* Layers above that are told what happens; NULL: nobody is. None of them may run other threads
 * [switch]: what the stacks of threads hold then is known along direct calls only (scrub.h). */
typedef struct MemoryHooks {
    void (*met)(const Location *x);                         /* a plain access meets events of X */
    void (*freed)(char *address, size_t bytes, int thread); /* before that is checked */
    void (*told)(uint64_t word); /* while pasts are kept: of an allocation or its end */
} MemoryHooks;
extern MemoryHooks memory_hooks;
extern uint64_t memory_most_promoted; /* FACT_races, in one exploration of this process */

typedef struct MemoryState {
    bool races_off;   /* a ghost runs: log, but check nothing */
    bool is_supposed; /* what runs, if any thread does, is a ghost (ghost.h) */
    MemoryTrace *trace;
    uint64_t writes; /* plain ones that are not to the thread's own stack */
    /* While set, the ghost that runs stops before each plain read of shared memory
     * (search/ghost.h), by memory_pause. [switch] */
    bool pauses;
} MemoryState;
extern MemoryState memory_state;
void memory_pause(const void *address, size_t bytes);
/* Does a replay run, or a script of steps, of which nothing is undone? (Who follows equal threads
 * traces accesses, too, but in a search.) */
static inline bool memory_undoes_nothing(void)
{
    return memory_state.trace && !graphs.pasts_on;
}
static inline bool memory_ghost_runs(void)
{
    return memory_state.is_supposed && fiber_current >= 0;
}

void memory_setup(void);
void memory_reset(void); /* forgets all accesses, keeps what was discovered */
/* Forgets what was discovered as well, with all granules: call graph_forget() before, for their
 * locations, and memory_reset() after. (Much is discovered when a granule or a location is made, so
 * that they can't stay.) */
void memory_forget(void);
/* Reports if nothing orders an atomic access of THREAD to ADDRESS, in the heap, with the
 * happens-before clock H, and the allocation of that memory. */
void memory_check_allocation(const char *address, const Clock *h, int thread, const void *pc,
                             bool writes);
/* An atomic access of thread T to X, or to a part of it, with the happens-before clock H: does it
 * race with a plain one? Reports if so. */
void memory_check_atomic(const Location *x, uint8_t part, const Clock *h, int thread, bool writes,
                         const void *pc);
/* READ reads these bytes of its location's initial value: a violation if they lie in a heap object
 * and nothing has written them. */
void memory_check_initialised(const Event *read, unsigned bytes);
/* From now on plain accesses to these bytes are events: because they race (sc and tso), or because
 * the present thread reads them in a loop that waits (spin.h), perhaps on its own stack. */
void memory_promote(char *address, unsigned bytes);
void memory_promote_read(char *address, unsigned bytes);
void memory_note_promoted(void); /* FACT_races has grown */
/* Some event on racing bytes begins or ends at ADDRESS: pieces (pieces.h) do so from now on. False
 * if that was known, or ADDRESS is not inside racing bytes of one granule. */
bool memory_cut(const char *address);
bool memory_races_in(const char *address, size_t bytes); /* is any of them explored as events? */
/* The first piece of these bytes: its length, and whether it is explored as an event. (By value: a
 * variable in a frame that is there while the thread waits would tell its states apart.) */
typedef struct MemoryPiece {
    unsigned bytes;
    bool races;
} MemoryPiece;
MemoryPiece memory_piece(const char *address, size_t bytes);
/* The present thread touches another one's stack: from now on its owner's accesses there count as
 * well. Begins again if that is news. */
void memory_note_foreign(const char *address, size_t bytes);
/* Knows the same from the start; tells whether that is news. */
bool memory_mark_foreign(const char *address, size_t bytes);
/* MARK: STACK_FOREIGN does that, STACK_ATOMIC says that atomic objects lie there. */
bool memory_mark_stack(const char *address, size_t bytes, unsigned mark);
static inline bool memory_has_events(const Location *x)
{
    if (LIKELY(!graphs.replaying))
        return x->writes > 1 || x->reads;
    for (int j = 1; j < x->writes; j++)
        if (graph_reached(&pool[x->co[j]]))
            return true;
    for (int j = 0; j < x->reads; j++)
        if (graph_reached(&pool[x->read[j]]))
            return true;
    return false;
}
/* Finds the locations with events that overlap [start, end), by number; NULL or false past the
 * last. */
Location *memory_location_with_events(const char *start, const char *end, unsigned number);
bool memory_location_in(const char *start, const char *end, unsigned number, char **address,
                        unsigned *size);
/* Thread T frees these bytes, or (PC is NULL) ends, which does the same to its local and
 * thread-local variables: any access that happens-before does not order before it is a use after
 * free, unless memory has performed it by then (pso: models/performed.h). */
void memory_check_free(char *address, size_t bytes, int t, const void *pc);
/* Ends the execution with a violation if the program has unmapped any of these bytes. */
void memory_check_mapped(const char *address, size_t bytes, bool writes, const void *pc);
/* Returns the thread on whose stack, or among whose thread-local variables, ADDRESS is, or -1. */
int memory_owner(const char *address);
/* Ends the execution with a violation if they are a local or thread-local variable of another
 * thread, which has ended: what a thread does after its last event comes before nothing else in the
 * graph. Not in tests of check, whose threads stand for such as go on: a record of a thread that
 * others look at stays. */
void memory_check_storage(const char *address, size_t bytes, bool writes, const void *pc);
/* Thread T ends: the same for what others have done with its variables, and nothing orders before
 * that. */
void memory_check_end(int t);
/* The violation of an access to a variable of OWNER, which has ended. */
NORETURN void memory_report_ended(const char *address, size_t bytes, bool writes, int owner,
                                  const void *pc);
/* Unordered accesses to these bytes are no race: a library answers for them. Call at start-up. */
void memory_exempt(const void *address, size_t bytes);
#endif
