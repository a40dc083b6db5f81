/* pieces.h: plain accesses to memory of which a part races (sc and tso), where racing bytes are
 * events.
 *
 * The language promises nothing about two accesses that race, the machine only that an access of up
 * to 8 bytes inside 8 aligned ones is one. What is explored lies between: a plain access is a
 * sequence of accesses to pieces, in the order of their addresses, each at its own place in the
 * interleaving. A piece is as large as it can be: it does not leave its 8 aligned bytes (a
 * granule), all of it races or nothing of it does, and where accesses to the same racing bytes
 * differ in extent, it goes from one of their boundaries to the next (memory_cut). So an access
 * whose racing bytes nobody accesses in part is not torn, however many threads write there at once;
 * a structure of two halves that somebody accesses by halves is, as if it had been assigned member
 * by member.
 *
 * Pieces that race are events. Those that don't are plain accesses like any other, and performed in
 * their place between the events: a reader that finds the first, racing member of a copy fresh and
 * goes on to the second has a race, which is then found, and the second becomes an event, too. That
 * the program as explored is the one described follows: no piece is moved across an event of its
 * own thread, and pieces without a race see the same values in any order that respects
 * happens-before.
 *
 * The native access is one for all pieces. A load happens after the last event, and finds for each
 * racing piece the value that its event got. A store has happened when it is looked at, at the next
 * hook (guest/explore/memory/deferred.h): then memory is put back as it was, and the pieces are
 * stored one by one.
 *
 * gcc announces the store of a bit field, but not the load that gets the bits beside it (code.h).
 * It is an access of its own here, before the store: memory shows what it has found until the store
 * has happened.
 *
 * What remains out of reach: a plain write to a part of an atomic object that races with it. Its
 * value would depend on what it comes after; the models have no such thing. graph_location refuses
 * it. */
#ifndef HEDDLE_EXPLORE_MEMORY_PIECES_H
#define HEDDLE_EXPLORE_MEMORY_PIECES_H
#include "base/common.h"

/* A plain access of which a byte races, as announced by its hook. */
void pieces_read(char *address, size_t bytes, const void *pc);
void pieces_write(char *address, size_t bytes, const void *pc);
/* Does the code that announces a write at PC load the same memory before? */
bool pieces_loads_first(const char *address, size_t bytes, const void *pc);
/* Loads at most 8 bytes as one event, plain or volatile (PLAIN as in Request); the native load
 * finds its value. [switch] */
void pieces_load(char *address, unsigned bytes, int plain, const void *pc);
/* Returns what a load that was just made has put into memory (BYTES of it, at most 8), and ends it.
 */
uint64_t pieces_end_load(const char *address, size_t bytes);
/* Copies those of SIZE bytes that belong at PLACE and race there.
 */
void pieces_copy_racing(const char *place, void *to, const void *from, size_t size);
/* The store of FRESH, of which a part races, piece by piece. [switch] */
void pieces_store(char *address, size_t size, const unsigned char *fresh, const void *pc);
#endif
