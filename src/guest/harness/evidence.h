/* evidence.h: the present graph as a record in the link: events in an order that respects program
 * order and reads-from, heap objects, threads, the finding's message. */
#ifndef HEDDLE_HARNESS_EVIDENCE_H
#define HEDDLE_HARNESS_EVIDENCE_H
#include "record/link.h"

/* Fills in the record of the graph, without plain accesses: a replay needs no more. */
void evidence_fill(Link *tool_link);
/* During a replay: the events as they happen, plain accesses and allocations among them. */
void evidence_begin(Link *tool_link);
RecordEvent *evidence_append(RecordKind kind, int thread, uint64_t pc);
/* The address of E is known: whose local variable is it? */
void evidence_locate(RecordEvent *e);
void evidence_end(void); /* objects, threads, message */
/* How the call or return of an operation is written in a record: "put(1)", "get() = 2". */
typedef void EvidenceMarkWords(unsigned number, bool returns, uint64_t word, char *text,
                               size_t bytes);
extern EvidenceMarkWords *evidence_mark_words;
/* The record event of graph event E, filled but for rf. */
void evidence_describe(RecordEvent *to, uint32_t event_id);
#endif
