/* session.h: session guarantees (Terry and others, 1994) of registers, of the keys of a store and
 * of transactions, each key by itself; session_set.h has those of sets. There must be an order of
 * the versions of the key, the initial one first, such that for each process
 *
 *   read your writes     a read gives a version no older than any the process wrote before;
 *   monotonic reads      a read gives a version no older than any the process read before;
 *   monotonic writes     the process' writes are in the order in which it made them;
 *   writes follow reads  a write is newer than what the process read before.
 *
 * Real time between processes does not count. Values must be distinct: a read then tells its
 * version. Near-linear. Depends on libc only. */
#ifndef HEDDLE_LINEAR_SESSION_H
#define HEDDLE_LINEAR_SESSION_H
#include "judge/linear/linearize.h"
#include "judge/linear/monitor.h"

/* X(NAME, word of --consistency): what counts no real time. The session guarantees, which may be
 * asked for together, stand first. */
#define SESSION_GUARANTEES(X)                                                                      \
    X(READ_YOUR_WRITES, "read-your-writes")                                                        \
    X(MONOTONIC_READS, "monotonic-reads")                                                          \
    X(MONOTONIC_WRITES, "monotonic-writes")                                                        \
    X(WRITES_FOLLOW_READS, "writes-follow-reads")                                                  \
    X(PRAM, "pram")                                                                                \
    X(CAUSAL, "causal")                                                                            \
    X(CAUSAL_CONVERGENCE, "causal-convergence")
typedef enum SessionGuarantee {
#define X(name, word) SESSION_INDEX_##name,
    SESSION_GUARANTEES(X)
#undef X
        SESSION_COUNT
} SessionGuarantee;
#define SESSION_ALL ((1u << SESSION_INDEX_PRAM) - 1) /* the four of Terry and others */
#define SESSION_BIT(name) (1u << SESSION_INDEX_##name)

/* The guarantees (bits 1 << SessionGuarantee) that WORD names, "session" being all four; 0 if none.
 */
unsigned session_from_word(const char *word);
/* May each key be judged by itself? Then only session guarantees are asked for, not of a set. */
bool session_is_local(unsigned guarantees, const Spec *spec);
/* Decides the guarantees together. NULL, or why it could not: "values" if values repeat or there
 * are operations other than reads and writes, "memory", "time", "interrupted". The core of a
 * violation contradicts itself: operations that say of versions that each is older than the next,
 * in a circle, or what causal.h and session_set.h say. */
const char *session_check(const Plan *plan, const PlanGroup *group, unsigned guarantees,
                          const LinearizeLimits *limits, MonitorResult *result);

/* A step of a session; versions are numbers. */
typedef struct SessionAccess {
    uint32_t op, process, key, version;
    bool writes;
} SessionAccess;
typedef struct SessionPair {
    uint32_t older, newer;  /* versions */
    uint32_t first, second; /* the operations that say so; MONITOR_NONE: none does */
} SessionPair;
typedef struct SessionAccesses {
    Vec(SessionAccess) at;  /* by process, in its order */
    Vec(SessionPair) pairs; /* what is known besides; more are added */
    Vec(uint32_t) writers;  /* by version: the operation that made it, or MONITOR_NONE */
    HashMap known;          /* private */
} SessionAccesses;
/* Are there orders of the versions? Fills *result. */
void session_decide(SessionAccesses *accesses, unsigned guarantees, MonitorResult *result);
void session_free(SessionAccesses *accesses);
#endif
