/* shelf.h: memory of a search that its crew (crew.h) sees as well: processes that are forked later
 * have it at the same addresses, with what the search writes there from then on.
 *
 * `Shelf(int) s = {0};` is an empty array that grows and never moves: it has address space
 * for 16 GB (64 GB of whole pages), and pages as they are used. shelf_clear it before its first
 * element; a process that was forked for other work gets memory of its own by that. */
#ifndef HEDDLE_STATES_SHELF_H
#define HEDDLE_STATES_SHELF_H
#include "base/common.h"

#define Shelf(Type)                                                                                \
    struct {                                                                                       \
        Type *at;                                                                                  \
        size_t count;                                                                              \
        long owner; /* a process */                                                                \
    }
#define shelf_space(shelf) ((size_t)1 << (sizeof *(shelf)->at < SHELF_PAGE ? 34 : 36))
#define shelf_most(shelf) (shelf_space(shelf) / sizeof *(shelf)->at)
#define shelf_at(shelf, i) ((shelf)->at + (i))
#define shelf_push(shelf, ...)                                                                     \
    do {                                                                                           \
        if (UNLIKELY((shelf)->count == shelf_most(shelf)))                                         \
            shelf_tell_full();                                                                     \
        (shelf)->at[(shelf)->count] = (__VA_ARGS__);                                               \
        (shelf)->count++;                                                                          \
    } while (0)
#define shelf_clear(shelf)                                                                         \
    do {                                                                                           \
        (shelf)->at = shelf_own((shelf)->at, &(shelf)->owner, shelf_space(shelf));                 \
        (shelf)->count = 0;                                                                        \
    } while (0)
#define shelf_bytes(shelf)                                                                         \
    (((shelf)->count * sizeof *(shelf)->at + SHELF_PAGE - 1) & ~(size_t)(SHELF_PAGE - 1))
enum { SHELF_PAGE = 4096 };

/* The memory at AT, if this process is the OWNER of it; else other memory, and it is from now on.
 */
void *shelf_own(void *at, long *owner, size_t space);
/* Ends the search (op_unsupported): there is no room for another element. */
NORETURN void shelf_tell_full(void);
/* Gives back the pages of the elements in [FROM, TO) bytes, which nobody reads any more. */
void shelf_give_back(char *from, char *to);

/* Bytes, aligned for words, that live until shelf_forget_bytes. In a process of the crew they are
 * its own, and live as long as it does. */
void *shelf_take_bytes(size_t bytes);
void shelf_forget_bytes(void);
extern bool shelf_is_guest; /* this process is one of the crew: it must not write here */
#endif
