/* parked.h: threads that do not run while another does, in the search under a preemption bound
 * (bounded.c). Such a thread stands at a request that is not met; its stack there is kept in
 * checkpoints.stacks, and put back when it runs next, unless it is still in place. */
#ifndef HEDDLE_EXPLORE_SCHEDULES_PARKED_H
#define HEDDLE_EXPLORE_SCHEDULES_PARKED_H
#include "guest/explore/graph/graph.h"
#include "guest/explore/memory/heap.h"
#include "guest/runtime/request.h"

typedef struct Park {
    uint64_t serial;          /* no other has it */
    uint32_t snapshot, bytes; /* the stack */
    HeapCursor heap;
    Request request;
    uint8_t waits; /* as in Event, of its last event */
    EventIndex wait_from;
} Park;

/* Where all threads are parked at some moment. */
typedef struct Parked {
    uint32_t count;
    uint32_t of[MAX_THREADS]; /* 0: it runs, or has not begun, or has ended */
} Parked;
extern Parked parked_now;

void parked_setup(void); /* once */
void parked_begin(void); /* nobody is parked */
/* Where T is parked; NULL if it is not. */
const Park *parked_at(int t);

/* T stops at `request`, where it stands now. */
void parked_stop(int t, uint8_t waits, EventIndex wait_from);
/* T stops at Q, before event E that it performed there later: the event's copy of the stack is
 * kept, and the newest of all. */
void parked_stop_before(int t, const Event *e, const Request *q);
/* T, which is parked, stands at its request again, which is in `request`. */
void parked_leave(int t);
/* T, which is not parked, stands where it performed E. */
void parked_return(int t, const Event *e);
/* T runs on: its stack is that of no park any more. */
void parked_run(int t);

/* Threads are parked as they were THEN, a copy of parked_now; graph and snapshots have been cut to
 * that moment. */
void parked_restore(const Parked *then);

/* Does Q have to wait: for a thread to end, for a value to change? */
bool parked_must_wait(const Request *q);
/* The threads other than BESIDES that can go on. */
ThreadSet parked_able(int besides);
#endif
