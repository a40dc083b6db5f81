/* rounds.h: barriers and the like, where threads meet in rounds that are counted for ever. */
#ifndef HEDDLE_STATES_STEPS_ROUNDS_H
#define HEDDLE_STATES_STEPS_ROUNDS_H
#include "base/common.h"

/* Makes the numbers of rounds small, as op_forget_rounds says. *ROUNDS only grows, by one each time
 * a round opens. So who waits for more than a number below it may as well wait for more than
 * *ROUNDS - 1. Then the smallest number that anybody holds is subtracted from all of them, and EACH
 * times that from the counter. What threads do with the numbers depends on their differences alone.
 * So the state behaves as the one before. */
void rounds_forget(uint32_t *counter, uint32_t *rounds, uint32_t each);
#endif
