/* route.h: the way of a request from a thread to the explorer where it can't go as it is: it
 * concerns a part of a block (blocks.h), or memory must hold the values of events before and after
 * it (locals.h, shown.h). While states are explored (divert.h) requests stay as they are. */
#ifndef HEDDLE_EXPLORE_MEMORY_ROUTE_H
#define HEDDLE_EXPLORE_MEMORY_ROUTE_H

/* Hands `request` over, as one for its block if it lies in one, and cuts the answer out of `reply`.
 * Call it if blocks_asked. [switch] */
void route_submit(void);
#endif
