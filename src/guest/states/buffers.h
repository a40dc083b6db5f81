/* buffers.h: store buffers, for tso. A store waits in the buffer of its thread until it is flushed
 * into memory, in the order of the stores; its thread sees it at once, others when it is in memory.
 * Locked instructions, seq_cst stores and seq_cst fences wait until the buffer is empty
 * (explore/graph/models/buffers.h says which those are).
 *
 * A store is no step that others notice: its thread runs on. The flush is one. While a thread runs,
 * memory shows what the thread sees, so that its plain accesses need no care; plain stores that
 * race are taken out of memory again when it stops, and put into the buffer.
 *
 * A call that has ended while stores are in the buffer is over for others when the last of these is
 * in memory: a flag that a client sets afterwards comes after them.
 *
 * The oldest store of a thread may go to memory that nobody else can reach, though somebody could
 * when it was made. Others will get there only by what its thread stores or does later, and see
 * this store then: when it is flushed makes no difference. States that differ in that alone are
 * made one: such stores are SETTLED, flushed when a step has ended, whoever made it. Not where a
 * call is over by that, since a step tells only about the calls of its own thread; nor while the
 * flush would race with a print (memory.h) of who could reach the memory until now. The plain
 * accesses before the store stay prints: nobody has seen it. What is out of reach stays so,
 * whatever others do; so the same stores are settled in the end, in whatever order steps are made.
 */
#ifndef HEDDLE_STATES_BUFFERS_H
#define HEDDLE_STATES_BUFFERS_H
#include "guest/states/present.h"

extern uint32_t buffers_limit; /* most stores in a buffer */
extern uint64_t buffers_full;  /* how often a store had to wait for a place */

void buffers_begin(void); /* empties them all */
/* Must Q, a request of T, wait until stores of T are flushed? */
bool buffers_hold(int thread, const Request *q);
/* Does Q put a store into a buffer? (If it is not to memory that only its thread can reach.) */
bool buffers_take(const Request *q);
/* Puts the store Q of T, which buffers_take, into its buffer. */
void buffers_add(int thread, const Request *q);
/* T is going to make the plain store Q by itself: it belongs into the buffer. */
void buffers_expect(const Request *q);
/* Reads into VALUE what T sees at ADDRESS. */
void buffers_read(int thread, const void *address, unsigned size, uint64_t value[2]);
/* Is there a store in the buffer of T to a part of this memory, or one that is expected? */
bool buffers_overlap(int thread, uint64_t address, size_t bytes);
/* Memory shows what T sees, from here to buffers_hide. ENDED: the call of T has, or T itself; its
 * local variables are gone, and stores to them have no effect any more. */
void buffers_show(int thread);
void buffers_hide(int thread, bool ended);
/* T frees memory: its own stores there have no effect any more. */
void buffers_forget(int thread, uint64_t address, size_t bytes);
/* The call of T has ended, which changes the number of elements by CHANGE once it is over for
 * others. Returns whether that is yet to come. */
bool buffers_end_call(int thread, int change);
/* Flushes the oldest store of T; returns how many calls of T are over by that, and adds to *change
 * what they change. */
uint32_t buffers_flush(int thread, int *change);
void buffers_settle(void); /* all stores that can be, see above */
#endif
