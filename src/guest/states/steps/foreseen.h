/* foreseen.h: compares steps that are foreseen (taken.h) with native ones, for tests
 * (HEDDLE_DEBUG=check-steps). */
#ifndef HEDDLE_STATES_STEPS_FORESEEN_H
#define HEDDLE_STATES_STEPS_FORESEEN_H
#include "guest/states/steps/taken.h"

/* A step is taken for that, in which nothing may go wrong. */
extern bool foreseen_compares;
/* It makes accesses behind the place where the one that was foreseen has stopped, since memory that
 * was shared then is the thread's own by now. These may race, which is learnt (FINDING_RESTART). */
bool foreseen_goes_further(void);
/* Takes the COUNT steps of THREAD from the state of COPY natively. There must be as many, with
 * the same visible accesses, results and states that they lead to, unless memory that was shared
 * when the step was foreseen is the thread's own by now (taken.h); else the program ends (die). The
 * present state is that of COPY afterwards. */
void foreseen_compare(const StatesClient *client, const char *copy, uint32_t thread,
                      const TakenStep *steps, uint32_t count);
#endif
