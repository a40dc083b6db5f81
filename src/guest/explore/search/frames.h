/* frames.h: the stack of choices. A frame belongs to an event that had alternatives: a read (which
 * write), a write (which place in the coherence order, then which older reads to revisit), a
 * choice. Backtracking cuts graph, memory and stacks back to the marks of the newest frame and
 * advances it. */
#ifndef HEDDLE_EXPLORE_FRAMES_H
#define HEDDLE_EXPLORE_FRAMES_H
#include "guest/explore/graph/graph.h"

typedef struct Frame {
    EventId event;
    uint8_t stage;      /* of a write: 0 places, 1 revisits */
    uint8_t revisiting; /* the graph is cut for a revisit */
    uint8_t spurious;   /* of a weak CAS: try the spurious failure at the same position next */
    int position, low;  /* next position to try, counting down to low */
    int cursor;         /* next place in order[] to revisit */
    EventId copy;       /* the revisited read */
    int order_mark;
    EventId pool_mark;
    uint32_t snapshot_mark, log_mark;
    uint32_t taken; /* how often it was advanced: see units.h */
    ThreadSet ran;  /* threads that have run since it was made: their stacks may be newer */
} Frame;

extern Frame *frames; /* frames[-1] is there, and means nothing */
extern int frame_count;

void frames_setup(void);
/* Thread T runs. */
static inline void frames_note_run(int t)
{
    frames[frame_count - 1].ran |= thread_bit(t);
}
/* The events below are at the end of the graph when these are called. Each makes the first
 * alternative of its event real, leaving a frame if there are more; false if none is consistent:
 * then the caller backtracks. */
bool frames_read(Event *read);
/* READ confirms FIRST (confirm.h). CONFIRM_WAITS: what FIRST reads is inconsistent for it, its
 * thread waits before it, and READ is gone. */
typedef enum ConfirmResult { CONFIRM_NOT, CONFIRM_ON, CONFIRM_WAITS } ConfirmResult;
ConfirmResult frames_confirm(Event *read, const Event *first);
bool frames_write(Event *write, const Event *rmw_read);
bool frames_choose(Event *choice);
/* Next alternative of the newest frame that has one; false when frame_count sinks to FLOOR. */
bool frames_backtrack(int floor);
/* The oldest frame from FLOOR on that may have alternatives left, or -1. */
int frames_oldest_open(int floor);
/* How many alternatives of frame I may be left, at most: for estimates. */
unsigned frames_alternatives(int i);
/* Forgets the frames from COUNT on with what they have led to, as if nothing were left in them. */
void frames_drop(int count);
/* For looks ahead (forecast.h), and whoever follows a search. */
typedef struct FrameDraws {
    /* NULL, or chooses the alternative with which a new frame begins: it is told how many there
     * are, and returns a number from 1 on (forecast.h). The others are left out. */
    uint32_t (*draw)(uint32_t count);
    uint64_t tried; /* alternatives that were looked at for that */
    /* The oldest frame that frames_backtrack has advanced since somebody set this to INT_MAX. */
    int lowest;
} FrameDraws;
extern FrameDraws frame_draws;
#endif
