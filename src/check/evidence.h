/* evidence.h: the present graph as a record in the link: events in an order that respects program
 * order and reads-from, heap objects, threads, the finding's message. */
#ifndef HEDDLE_CHECK_EVIDENCE_H
#define HEDDLE_CHECK_EVIDENCE_H
#include "record/link.h"
void evidence_fill(Link *tool_link);
#endif
