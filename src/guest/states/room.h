/* room.h: the memory that a search may take (--memory). Its tables say how much they use. The rest
 * of the process is looked at from time to time, and what the graph of states will take at the end
 * (progress.h) is kept free: otherwise the tool would end the program when the search is almost
 * done. */
#ifndef HEDDLE_STATES_ROOM_H
#define HEDDLE_STATES_ROOM_H
#include "base/common.h"

/* A search by PROCESSES begins, which may take LIMIT bytes; 0: there is no limit. */
void room_begin(uint64_t limit, uint32_t processes);
typedef enum Room {
    ROOM_PLENTY,
    ROOM_SCARCE, /* half of the memory is in use */
    ROOM_NONE    /* the search must end */
} Room;
/* Its tables take USED bytes; at the end it will take LATER bytes more. */
Room room_left(uint64_t used, uint64_t later);
/* Is there room for MORE bytes beside the tables? */
bool room_fits(uint64_t used, uint64_t more);
#endif
