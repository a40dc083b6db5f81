/* hidden.h: state that library functions keep for themselves: the environment, the static buffers
 * of gmtime and its like, the position of strtok, streams. A call that uses it runs natively
 * between two events of its thread: it takes a lock that belongs to the state, so that all orders
 * of such calls are explored and every re-execution performs them in the order of the graph.
 *
 * Streams, and what a library locks itself, are atomic: the lock synchronises. Other state is the
 * program's to protect: its lock orders nothing (it is relaxed), and the state stands for a plain
 * location that the call reads or writes, so that two unordered calls race. Reports know these
 * locations by name (record/hidden.inc). */
#ifndef HEDDLE_ENTRY_LIBRARY_HIDDEN_H
#define HEDDLE_ENTRY_LIBRARY_HIDDEN_H
#include "base/common.h"

/* LETTER names the state (hidden.inc); HOW is 'h' to read it (no event unless the program calls
 * something that changes it), 'H' to change it, 'l' to use it under the library's own lock, 'o'
 * to use it in one step that orders nothing (no event while there is one thread).
 * [switch] */
void hidden_enter(char letter, char how, const void *pc);
void hidden_leave(char letter, char how, const void *pc);
/* Where a function that the runtime performs itself keeps such state (strtok). */
uint64_t *hidden_cell(char letter);
/* A FILE. [switch] */
void hidden_enter_stream(const void *stream, const void *pc);
void hidden_leave_stream(const void *stream, const void *pc);
/* The library's locks for objects of the program's: std::shared_ptrs that several threads use by
 * std::atomic_load and its like. */
unsigned char hidden_lock_of(const void *object);
void hidden_lock(unsigned char lock, const void *pc); /* [switch] */
void hidden_unlock(unsigned char lock, const void *pc);
/* Another object of the library's, which nothing locks: a DIR. [switch] */
void hidden_enter_object(const void *object, const void *pc);
void hidden_leave_object(const void *object, const void *pc);
/* All that lies in the kernel (guest/entry/kernel): relaxed, and no location of its own. Locks of
 * files, once there are any, synchronise: who has got one acquires what all have done before they
 * RELEASED one. Who waits for a lock waits until more have done so than it has seen. [switch] */
void hidden_enter_kernel(const char *call, const void *pc);
void hidden_leave_kernel(bool releases, const void *pc);
void hidden_use_file_locks(void);               /* begins again, the first time */
uint32_t hidden_acquire_kernel(const void *pc); /* returns what it has seen */
void hidden_await_kernel(uint32_t seen, const void *pc);
/* A stream takes part in the kernel's events. */
void hidden_note_stream(const void *pc);
/* A record has an event at ADDRESS: which of the above does it come from? */
bool hidden_is_file_lock(uint64_t address); /* and file locks are used from now on */
bool hidden_is_stream_note(uint64_t address);
#endif
