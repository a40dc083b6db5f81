/* undo.h: the log of plain memory. Every write of the program to memory other than its own stack is
 * logged with the old bytes, thread and position in the thread; backtracking undoes the tail, a
 * revisit undoes the entries of the threads it cuts, newest first, by swapping (so that returning
 * from the revisit swaps back). Valid because, without races, a deleted entry is the newest of its
 * location. Changes of the race shadow are undone by the same entries. */
#ifndef HEDDLE_EXPLORE_MEMORY_UNDO_H
#define HEDDLE_EXPLORE_MEMORY_UNDO_H
#include "guest/explore/graph/thread_set.h"
#include "guest/explore/graph/width.h"

typedef enum LogKind {
    LOG_BYTES, /* memory only */
    LOG_WRITE, /* memory and the cell's last writer and readers */
    LOG_READ,  /* the cell's reader entry of one thread */
    LOG_NOTE   /* memory of the runtime that is no part of the thread's state, see waiting.h */
} LogKind;

typedef struct LogEntry {
    void *address;
    uint64_t old;
    ThreadSet old_readers;
    uint64_t fresh; /* of a write into another thread's stack: what it wrote, kept from before that
                       thread ran on and could reuse the place */
    uint32_t cell;
    EventIndex tag; /* how many events the thread had */
    EventIndex old_tag;
    uint8_t thread, size, dead, kind;
    uint8_t old_writer, old_has_write;
    uint8_t captured; /* `fresh` is valid */
} LogEntry;

extern LogEntry *undo_log;
extern uint32_t undo_count;
extern ThreadSet undo_stack_written; /* stacks (by thread) that another thread wrote into */

void undo_setup(void);
LogEntry *undo_push(void); /* the caller fills it */
/* Logs SIZE (at most 8) bytes at ADDRESS before they change. */
void undo_save(void *address, unsigned size);
/* The present thread writes to ADDRESS: perhaps into the stack of another one. */
void undo_note_stack_write(const void *address);
void undo_swap(LogEntry *entry); /* exchanges logged and present state */
void undo_to(uint32_t count);    /* undoes and drops the entries from COUNT on */
/* Thread T goes back to the request of its last event: takes back, for good, what it wrote after
 * that event. (A thread that waits has written without adding an event; those entries may be older
 * than the frame that is cut to. A thread to be restored never has such entries: it will write
 * again.) */
void undo_unrun(int thread, uint32_t from);
/* Asserts that what is alive in the log belongs to events that are there, and that sizes fit. */
void undo_validate(void);
/* THREAD touches CELL again, and that is not logged: asserts that there is an entry behind its last
 * event. Reductions take memory without one for memory that the thread has not touched since. */
void undo_validate_touched(uint32_t cell, int thread);
#endif
