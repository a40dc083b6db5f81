/* kernel.h: what threads share in the kernel: descriptors, open files, directories, locks of files,
 * the working directory, the mask of modes. A call that reads or changes any of it is an event on
 * one object, which stands for all of that, between two steps of its thread: all orders of such
 * calls are explored, and every re-execution makes them in the order of its graph. The calls
 * themselves are the system's, on the real files.
 *
 * What an execution leaves behind does not reach the next one: before a call changes a file or a
 * directory, what is needed to take that back is kept (undo.h), and image_restore takes it back. So
 * an execution finds the files as they were, and so do others when it has ended; processes of ours
 * that explore programs with files take turns. Once main has created no thread, calls need no
 * event. What can't be taken back, or is not the same in each execution, is refused with its line:
 * devices but null, zero and full, FIFOs and sockets, /proc and /sys, descriptors that were open
 * before main. */
#ifndef HEDDLE_ENTRY_KERNEL_KERNEL_H
#define HEDDLE_ENTRY_KERNEL_KERNEL_H
#include <sys/types.h>
#include "base/common.h"

/* The calling thread is about to make call NAME, and comes back from it. [switch] */
void kernel_enter(const char *name, const void *pc);
void kernel_leave(const char *name, const void *pc);
/* Between the two, before the call: keeps what it will change, and refuses what can't be explored.
 * ARGUMENTS are those of the call. */
void kernel_prepare(const char *name, const uint64_t *arguments, const void *pc);
/* After the call: what it tells of files is made the same in every execution. */
void kernel_settle(const char *name, const uint64_t *arguments, const void *pc);
/* A stream that is no standard one is used: an event like a call where streams and other calls may
 * meet in a file. [switch] */
void kernel_enter_stream(const void *pc);
void kernel_leave_stream(const void *pc);
/* FD is to be read or written: refused unless it is a file that can be explored. */
void kernel_check_descriptor(int fd, const void *pc);
/* write(2) and read(2) on such a descriptor. What is read is stored in sight. [switch] */
ssize_t kernel_write(int fd, const void *from, size_t bytes, const void *pc);
ssize_t kernel_read(int fd, void *to, size_t bytes, const void *pc);
/* Locks on files. kernel_lock is called inside such a call that has got one, or not: it returns
 * what the thread has seen. After kernel_leave, kernel_await_release waits until another call may
 * have released a lock since. [switch] */
void kernel_use_locks(void);
uint32_t kernel_lock(const void *pc);
void kernel_await_release(uint32_t seen, const void *pc);
/* FD is mapped privately: what is written to the file may be seen there or not, so that a program
 * that changes it is told of as one with unseen accesses. */
void kernel_note_mapping(int fd, const void *pc);
/* A record has an event at ADDRESS: the replay knows what the recorded program had learnt. */
void kernel_recall(uint64_t address);
#endif
