/* hardware.h: whether what holds under rc11 holds on processors whose models are weaker, as far as
 * that follows from what was explored (guest/explore/graph/load_buffering.h). */
#ifndef HEDDLE_HARNESS_HARDWARE_H
#define HEDDLE_HARNESS_HARDWARE_H
#include "record/link.h"

void hardware_begin(const Link *link);      /* before the exploration */
void hardware_end(OutcomeMessage *outcome); /* adds what this process knows */
#endif
