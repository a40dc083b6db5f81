/* locals.h: atomic and volatile accesses of a thread to its own stack.
 *
 * Compilers leave accesses to a local variable unannounced where nobody else can have its address,
 * but announce the atomic ones always, and volatile or plain ones in a function that gets a pointer
 * to it. And frames return: where an atomic local was, the next frame may have an object whose
 * initialisation nobody announces. So, while a location with events lies on the stack of the thread
 * that accesses it,
 *   - memory holds its value: what the thread's own events write or read is written there. The
 *     stack is part of the thread's checkpoints, so nothing is logged;
 *   - if memory holds something else at the next event, the thread has written there without a
 *     word: that becomes a plain store, before the event.
 * Where no other thread has ever touched the bytes (the usual case) this is exact: events are in
 * program order and the last one counts. Bytes that another thread has touched hold what their
 * owner wrote or read last, or what a plain read was shown since. When the owner goes on after the
 * first event that all events of the location happen before (a join, mostly), the object is still
 * there, as others were allowed to access it until then; the last write is put into memory, and if
 * that holds something else later, the object of the events is gone. (An object that is written
 * without a word and gets just this value has the right one.) The runtime's own frames are below
 * the return address into the program; where that is not found in the stack, memory is left alone,
 * and an unannounced write of a value that was there before is not noticed.
 *
 * A volatile access to the own stack is an event only if another thread has touched the bytes, in
 * any execution: then exploration begins again, knowing that. */
#ifndef HEDDLE_EXPLORE_MEMORY_LOCALS_H
#define HEDDLE_EXPLORE_MEMORY_LOCALS_H
#include "guest/explore/graph/graph.h"

extern bool locals_on; /* some location lies on a stack: requests go through route_submit */

/* Turns locals_on on: THREAD's access to the stack at ADDRESS makes a location. The exploration
 * begins again if THREAD is the stack's owner and this is the first of them. */
void locals_note_atomic(const void *address, int thread);
/* Has another thread touched any of these bytes of a stack? */
bool locals_is_foreign(const char *address, unsigned bytes);
/* Is X a location on the present thread's stack where memory holds what a plain read has to find:
 * its value, or that of the object that is there now? */
bool locals_holds(const Location *x);
/* The thread of E, its last event, goes on: does what is said above. Call it if locals_on, with the
 * thread at the request of E. */
void locals_catch_up(const Event *e);
/* Returns where the frames of the program begin in the stack of T, which has called the runtime and
 * will return to PC. NULL if that is not known. */
const char *locals_find_caller(int t, uint64_t pc);
bool locals_is_own(const char *address); /* on the present thread's stack? */
/* Are these bytes on the present thread's own stack, where memory follows its events? */
bool locals_is_followed(const char *address, unsigned bytes);
/* Has the present thread written to X without a word? When it runs again, the graph tells. */
bool locals_is_replaced(const Location *x);
#endif
