/* contents.h: what plain memory has held in any graph of the present exploration, so that a thread
 * can be run on beyond what it has read in the present one (alike.h).
 *
 * A place in plain memory is some bytes inside a granule that a ghost (ghost.h) wanted to read; it
 * is watched from then on, and the exploration begins again when a ghost has asked for one that is
 * not. Its contents are what it holds when the exploration begins, and what it holds whenever a
 * thread that has written to it comes to its next request. What a thread writes and overwrites
 * between two requests nobody else reads without a race; and the ghost that reads what it has
 * written itself on the same stretch reads just that. So every plain read of a place, in any graph,
 * of bytes that the thread itself has not written since its last request, gets one of the contents
 * that are known, or a fact that a decision did not know begins the exploration again (values.h,
 * where the contents are kept: as the values of a location that is no location). Nothing is decided
 * by places that are accessed atomically, too, or that lie on a stack. */
#ifndef HEDDLE_EXPLORE_CONFIRM_CONTENTS_H
#define HEDDLE_EXPLORE_CONFIRM_CONTENTS_H
#include "guest/explore/graph/graph.h"

#define CONTENTS_CHOICES 6 /* reads of one stretch of a ghost that have several contents */

/* One stretch of a ghost: which of the known contents its plain reads get, and what it did. */
typedef struct ContentsStretch {
    uint8_t chosen[CONTENTS_CHOICES], of[CONTENTS_CHOICES];
    int choices;
    uint64_t accesses; /* a hash of its accesses to memory other than its stack */
    bool failed;       /* it read what nothing can be said about */
    bool meets_null;   /* it ended with an access to the first page, where nothing is */
    bool is_bound;     /* its reads were answered by the present graph, not for every one */
} ContentsStretch;

extern uint32_t contents_watched; /* how many places are; 0: nothing is to be noted */
/* Takes over from the table of values.h which places are watched, if decisions ARE_MADE at all; to
 * be called when a pass begins or the table was replaced. */
void contents_set_up_pass(bool are_made);
/* Notes what memory holds at the beginning of the exploration. */
void contents_note_start(void);
/* T has come to its next request. */
void contents_note_writes(int thread);
/* There is a new location: watched places that it overlaps are no longer to be decided by. */
void contents_note_location(const char *address, unsigned size);

/* Runs the ghost of T with the answer in `reply` to its next request; STRETCH says what its plain
 * reads get. What it puts into memory for that is logged as LOG_NOTE. */
void contents_step(int thread, ContentsStretch *stretch);
/* Does an access to ADDRESS fail in every graph? */
static inline bool contents_is_null(const void *address)
{
    return (uintptr_t)address < 4096;
}
/* Goes on to the next choice of contents; false if all were made. */
bool contents_next(ContentsStretch *stretch);
/* Forgets which places were asked for that are not watched. */
void contents_want_nothing(void);
/* Has a ghost read one since, and nothing else tells what it may hold? */
bool contents_are_wanted(void);
/* Watches those that were asked for and begins the exploration again; returns only if there is no
 * room. */
void contents_watch_wanted(void);
#endif
