/* temporaries.h: loops that allocate: while (!flag) { p = malloc(...); ... free(p); }. A thread is
 * in a state in which it was, but objects of its own have other addresses. The statement, and why
 * no outcome is lost: doc/proofs/iterations.md. */
#ifndef HEDDLE_EXPLORE_WAITING_TEMPORARIES_H
#define HEDDLE_EXPLORE_WAITING_TEMPORARIES_H
#include "guest/explore/graph/graph.h"

/* T, which has allocated since its event E, stands at REQUEST, with a stack of the same length: is
 * its state that at the request of E, but that what it had allocated last has moved? REQUEST
 * becomes what it would be had nothing moved: whoever asks compares it with E. RESTORED: others may
 * have written since where T wrote in vain. */
bool temporaries_have_moved(int thread, const Event *e, Request *request, bool restored);
#endif
