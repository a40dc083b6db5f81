/* perform.h: the requests of threads, performed on memory itself, or on store buffers (buffers.h).
 * It never runs on the stack of a thread. */
#ifndef HEDDLE_STATES_STEPS_PERFORM_H
#define HEDDLE_STATES_STEPS_PERFORM_H
#include "guest/runtime/request.h"
#include "guest/states/present.h"

/* Performs the request of T, which can be performed; the answer is in `reply`. PRIVATE: only T can
 * reach the memory. */
void perform_request(int thread, const Request *q, uint32_t way, bool private);
/* Can T, which waits, go on? Does the compare-exchange find what it expects? */
bool perform_await_holds(int thread, const Request *q);
bool perform_cas_fits(const Request *q);
#endif
