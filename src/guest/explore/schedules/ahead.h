/* ahead.h: the first bug first. Depth-first order may meet a bug last that the first random
 * schedule shows. So an exploration that has gone on for a while is looked ahead of: a process is
 * forked that draws random schedules (sample.h) and then makes a forecast of the size of the search
 * (forecast.h), while the exploration waits, in the state in which it goes on. Schedules are drawn
 * from options.seed, so when one of them goes wrong, the exploration is left and the same schedules
 * are drawn again here; what they find is what is reported. When none does, nothing has changed:
 * counts and verdicts are those of a search without looks.
 *
 * The first look comes when threads have made so many requests that 150 ms or so have passed, or an
 * execution was given up because it does not end: there may be no end to such ones, and they cost
 * more than their requests. (No forecast is made then.) Each further look comes when four times as
 * much has been done. A look costs a hundredth of what the exploration has cost so far; where the
 * forecast says that it will take much longer, a hundredth of half the forecast, but no more than a
 * twentieth of what was done. All looks of an exploration together cost no more than a second, or a
 * tenth of the time limit. What is counted is requests, not time: an exploration of one process
 * looks at the same places every time. */
#ifndef HEDDLE_EXPLORE_SCHEDULES_AHEAD_H
#define HEDDLE_EXPLORE_SCHEDULES_AHEAD_H
#include "guest/explore/graph/finding.h"
#include "guest/explore/schedules/forecast.h"

typedef struct AheadState {
    bool wanted;       /* set by the driver; off until then */
    Forecast forecast; /* of the present exploration, by its last look */
} AheadState;
extern AheadState ahead;

void ahead_setup(bool eagerly); /* once; EAGERLY: the first look comes at the first poll */
void ahead_begin(void);         /* an exploration begins */
void ahead_end(void);           /* this process is a new worker: another one looks ahead */
void ahead_note_cut(void);      /* an execution was given up */
/* The next look is due. True if a schedule goes wrong: the search is to be left. */
bool ahead_look(void);
/* Has a look found something? Then ahead_repeat draws the schedules again, up to the one that goes
 * wrong, and returns what it finds: FINDING_NONE only if the program does not repeat its steps. */
bool ahead_has_found(void);
FindingKind ahead_repeat(void);
#endif
