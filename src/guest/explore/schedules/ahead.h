/* ahead.h: the first bug first. Depth-first order may meet a bug last that the first random
 * schedule shows. So an exploration that has gone on for a while is looked ahead of: a process is
 * forked that draws random schedules (sample.h) and then makes a forecast of the size of the search
 * (forecast.h), while the exploration waits, in the state in which it goes on. Schedules are drawn
 * from options.seed, so when one of them goes wrong, the exploration is left and the same schedules
 * are drawn again here; what they find is what is reported. When none does, nothing has changed:
 * counts and verdicts are those of a search without looks.
 *
 * The first look comes after AHEAD_POLLS polls, each further one after eight times as many. A look
 * costs about a tenth of what the exploration has cost so far, and all looks of an
 * exploration together no more than a second, or a tenth of the time limit. */
#ifndef HEDDLE_EXPLORE_SCHEDULES_AHEAD_H
#define HEDDLE_EXPLORE_SCHEDULES_AHEAD_H
#include "guest/explore/finding.h"
#include "guest/explore/schedules/forecast.h"

#define AHEAD_POLLS 1024

extern bool ahead_wanted;         /* set by the driver; off until then */
extern Forecast ahead_forecast;   /* of the present exploration, by its last look */
extern unsigned ahead_polls_left; /* until the next look; 0: there will be none */

void ahead_setup(bool eagerly); /* once; EAGERLY: the first look comes at the first poll */
extern uint64_t ahead_cpu_ns;   /* processor time of all looks of this process */
void ahead_begin(void);         /* an exploration begins */
void ahead_end(void);           /* this process is a new worker: another one looks ahead */
/* The next look is due. True if a schedule goes wrong: the search is to be left. */
bool ahead_look(void);
/* Has a look found something? Then ahead_repeat draws the schedules again, up to the one that goes
 * wrong, and returns what it finds: FINDING_NONE only if the program does not repeat its steps. */
bool ahead_has_found(void);
FindingKind ahead_repeat(void);
#endif
