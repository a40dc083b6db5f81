/* configuration.h: the configurations of sets (sets.h), kept once and numbered: the same ones stand
 * in many sets. */
#ifndef HEDDLE_STATES_CONFIGURATION_H
#define HEDDLE_STATES_CONFIGURATION_H
#include "guest/states/sets.h"

typedef struct Configuration {
    uint32_t state; /* of the specification */
    /* The calls of a thread, the oldest first, in places of its own: see sets.c. 0: none. Behind
     * all of them perhaps, by such place, the calls that must be performed before (bits). */
    uint16_t at[2 * SETS_SLOTS];
} Configuration;

/* Forgets all; only the first PLACES of `at` are used from now on, the others are 0. */
void configuration_begin(uint32_t places);
/* Equal ones have equal numbers, which count from 0. */
uint32_t configuration_number(const Configuration *c);
Configuration configuration_at(uint32_t number);
uint64_t configuration_bytes(void); /* memory in use */
#endif
