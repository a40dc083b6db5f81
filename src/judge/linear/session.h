/* session.h: session guarantees (Terry and others, 1994) of registers and of the keys of a store,
 * each key by itself. There must be an order of the versions of the key, the initial one first,
 * such that for each process
 *
 *   read your writes     a read gives a version no older than any the process wrote before;
 *   monotonic reads      a read gives a version no older than any the process read before;
 *   monotonic writes     the process' writes are in the order in which it made them;
 *   writes follow reads  a write is newer than what the process read before.
 *
 * Real time between processes does not count. Values must be distinct: a read then tells its
 * version. Depends on libc only. */
#ifndef HEDDLE_LINEAR_SESSION_H
#define HEDDLE_LINEAR_SESSION_H
#include "judge/linear/monitor.h"

/* X(NAME, word of --consistency) */
#define SESSION_GUARANTEES(X)                                                                      \
    X(READ_YOUR_WRITES, "read-your-writes")                                                        \
    X(MONOTONIC_READS, "monotonic-reads")                                                          \
    X(MONOTONIC_WRITES, "monotonic-writes")                                                        \
    X(WRITES_FOLLOW_READS, "writes-follow-reads")
typedef enum SessionGuarantee {
#define X(name, word) SESSION_INDEX_##name,
    SESSION_GUARANTEES(X)
#undef X
        SESSION_COUNT
} SessionGuarantee;
#define SESSION_ALL ((1u << SESSION_COUNT) - 1)

/* The guarantees (bits 1 << SessionGuarantee) that WORD names, "session" being all; 0 if none. */
unsigned session_from_word(const char *word);
/* Decides the guarantees together. MONITOR_UNABLE: values repeat, or there are operations other
 * than reads and writes. The core of a violation is a cycle of versions that must each be older
 * than the next: the operations that say so. */
void session_check(const Plan *plan, const PlanGroup *group, unsigned guarantees,
                   MonitorResult *result);
#endif
