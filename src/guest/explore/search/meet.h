/* meet.h: the request that a thread has made, met as an event of the graph. explore.h declares the
 * steps of this that others take one by one. */
#ifndef HEDDLE_EXPLORE_MEET_H
#define HEDDLE_EXPLORE_MEET_H

typedef enum Met {
    MET_BACKTRACK, /* no consistent way to meet the request */
    MET_ON,        /* met; the same thread may go on */
    MET_WAITS      /* the thread waits, or has ended: another one */
} Met;

/* Meets `request` of thread T: adds its event, with the frame of its choice, or lets T wait. May
 * not return: a finding jumps (finding.h). */
Met meet_request(int thread);
#endif
