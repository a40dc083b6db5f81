/* ghost.h: a thread run on from one of its earlier requests with other answers than it got, to see
 * where it comes to; nothing of that remains. The thread is put back in place, fed, run to its next
 * request and compared; then everything is put back. Asked by waiting.c and endless.c. */
#ifndef HEDDLE_EXPLORE_GHOST_H
#define HEDDLE_EXPLORE_GHOST_H
#include "guest/explore/graph/graph.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/undo.h"
#include "guest/runtime/fiber.h"

typedef enum GhostResult {
    GHOST_OTHER, /* made another request: the pair is dropped */
    GHOST_ALIKE, /* same request, other bytes: try again after the next event */
    GHOST_EQUAL  /* the same state */
} GhostResult;

/* The answer of a read that is not there (waiting_what_if); NULL: there is none. T's entries of the
 * log begin at `run_from` in the present run of pure events, at `from` after the answer. */
typedef struct Supposition {
    const Event *answer;
    uint32_t run_from, from;
} Supposition;
typedef struct GhostsState {
    Supposition supposed;
    bool looked;       /* scrub_look has seen the present stack of the thread in question */
    bool touched;      /* the last ones touched plain memory; whoever asks clears it */
    bool stops;        /* they stop at their pauses (below), as at a request */
    const void *tried; /* the lock that one has tried last */
    /* Where ghost_try puts the ghost's stack if nothing but that differs from the thread's, and
     * clears the pointer then; NULL: nowhere. */
    char *kept;
    Past kept_past; /* and its past here */
    /* If set, called after a ghost of ghost_try or waiting_what_if has run, with where its part of
     * the log begins. */
    void (*on_log)(uint32_t from);
} GhostsState;
extern GhostsState ghosts;

/* Plain memory that others write may hold something else in the execution that a what-if is about.
 * So it counts only if neither stretch, after the present request and after FIRST with the same
 * answer, reads such memory; or if both come to the first such read in the same state, having
 * written nothing: whatever they find there, they go on alike. (Memory that the thread has touched
 * in its run of pure events is written by nobody else without a race.) For that the ghosts of a
 * what-if stop at each plain read (memory_state.pauses). */
void ghost_note_pause(int thread); /* it has come to one */
/* T, or its ghost, runs to its next request, through its pauses. */
static inline void ghost_resume(int t)
{
    fiber_resume(t);
    while (UNLIKELY(request.kind == REQUEST_PAUSE) && !ghosts.stops) {
        ghost_note_pause(t);
        fiber_resume(t);
    }
}
/* The first ghost of a what-if will run, ... */
void ghost_pause_first(void);
/* ... and has run. */
void ghost_pause_no_more(void);

void ghost_setup(void);
void ghost_end(void); /* whatever ran before, no ghost runs now */
/* Runs T from the request of its event I with the answers of its last COUNT events and compares. */
GhostResult ghost_try(int thread, int i, int count);
/* Where a thread stands with its `request`: saved before a ghost of it runs. */
typedef struct GhostPlace {
    char *stack;
    uint32_t bytes, log;
    Request request;
    HeapCursor cursor;
    Past past;
} GhostPlace;
void ghost_save(int thread, GhostPlace *place);
/* The thread stands there again, and what was written since is undone. */
void ghost_restore(int thread, const GhostPlace *place);
/* The stack of T, its heap and its past become what they were at the request of its event E; plain
 * memory, and `request`, stay. */
void ghost_go_to(int thread, const Event *e);
/* Where thread T, which runs, stands: the number of its last event; in a ghost, of the event whose
 * answer it was fed last. For notes that entry points keep about events. */
int ghost_position(int thread);
bool ghost_runs(void); /* is what runs a ghost, not the thread itself? */
/* Runs the ghost of T with the answer in `reply`, which is that of event POSITION, to its next
 * request. Whoever begins a ghost saves and restores the thread. */
void ghost_step(int thread, int position);
/* The ghost of T called what the log does not follow: nothing but running everything again takes it
 * back. Threads that had made their next request make it once more, T last. */
void ghost_run_again(int thread);
/* Is Q the request that event E was made from? */
bool ghost_same_request(const Request *q, const Event *e);
/* Are these the same request? A field that its kind does not use holds what an earlier request left
 * there. */
bool ghost_same_requests(const Request *a, const Request *b);
/* Has T's plain writing since log position FROM had no net effect? */
bool ghost_memory_unchanged(int thread, uint32_t from);
/* Had it none when T wrote last, whatever others have written there since? */
bool ghost_memory_restored(int thread, uint32_t from);
/* Calls IS_SAME for each place that T has written since FROM: with its first write there, and what
 * is there now or, if LAST, was there when T had written last. False as soon as that is, or if it
 * is not known. */
typedef bool GhostChange(void *context, const LogEntry *first, uint64_t now);
bool ghost_each_change(int thread, uint32_t from, bool last, GhostChange *is_same, void *context);
/* Is IMAGE the same state as PRESENT, the thread's stack of that length at its present request? */
bool ghost_same_stack(const char *image, const char *present, uint32_t bytes);
/* Has T, after the supposed answer and up to log position END, touched only cells that it touches
 * in its run of pure events, too, or from END on, and written only such as it writes there? Else a
 * race might be seen only by going on with that answer. */
bool ghost_touches_nothing_new(int thread, uint32_t end);
/* A hash of what T has written to plain memory since log position FROM, and where; 0 if nothing. */
uint64_t ghost_written(int thread, uint32_t from);
/* Are the cells that T has read from log position FROM on such as it touches in its run of pure
 * events, too? */
bool ghost_has_touched(int thread, uint32_t from);
/* Is this a write of T's that is a part of its state? */
static inline bool ghost_is_state(const LogEntry *entry, int thread)
{
    return entry->thread == thread && !entry->dead && entry->kind < LOG_READ;
}
#endif
