/* serial.h: code as a specification (sets.h): the operations themselves, or golden code, run one
 * call at a time. A state of the specification is a state of a second instance of the program, in
 * which every thread is idle; each is kept as a copy and known by its key. */
#ifndef HEDDLE_STATES_SERIAL_H
#define HEDDLE_STATES_SERIAL_H
#include "guest/states/sets.h"
#include "guest/states/step.h"

/* CLIENT makes the calls; BESIDE is the client whose states are explored meanwhile, which goes on
 * afterwards. Whoever asks for a step loses the present state. */
const SetsSpec *serial_states(const StatesClient *client, const StatesClient *beside);
uint64_t serial_states_count(void);
/* How often code was run so far: each time the present state was lost. */
uint64_t serial_states_runs(void);
uint64_t serial_states_bytes(void);
#endif
