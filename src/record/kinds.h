/* kinds.h: the verdicts and kinds of violation that Heddle can name, as one list each. The words
 * are part of the command line's contract (--json, exit status, expected.csv). Plain data: any
 * folder may include it. */
#ifndef HEDDLE_RECORD_KINDS_H
#define HEDDLE_RECORD_KINDS_H

typedef enum Verdict { VERDICT_HOLDS, VERDICT_VIOLATED, VERDICT_INCONCLUSIVE } Verdict;

/* X(NAME, word, what it means in one sentence) */
#define VIOLATION_KINDS(X)                                                                         \
    X(NONE, "", "no violation")                                                                    \
    X(ASSERTION, "assertion", "an assertion failed, or the program called abort")                  \
    X(RACE, "race", "two conflicting accesses, not both atomic, are not ordered")                  \
    X(DEADLOCK, "deadlock", "threads wait for each other for ever")                                \
    X(LIVELOCK, "livelock", "threads run for ever without getting anywhere")                       \
    X(USE_AFTER_FREE, "use-after-free", "memory is accessed after it was freed")                   \
    X(DOUBLE_FREE, "double-free", "memory is freed twice")                                         \
    X(INVALID_FREE, "invalid-free", "something is freed that was never allocated")                 \
    X(INVALID_ACCESS, "invalid-access", "an access outside any live heap object")                  \
    X(UNINITIALISED_READ, "uninitialised-read", "an atomic read of memory never written")          \
    X(CRASH, "crash", "the program crashed")                                                       \
    X(MISUSE, "misuse", "a thread or lock function was used in a way that is not allowed")         \
    X(LINEARIZABILITY, "linearizability", "no serial execution explains this one")                 \
    X(STUCK, "stuck", "an operation blocks where no serial execution does")                        \
    X(NONDETERMINISM, "nondeterminism", "the same serial calls gave different results")            \
    X(SPECIFICATION, "specification", "an annotated condition does not hold")                      \
    X(SYNCHRONISATION, "synchronisation", "a required happens-before edge is missing")             \
    X(NO_ORDERING_POINT, "no-ordering-point", "an annotated call has no ordering point")           \
    X(ORDERING_CYCLE, "ordering-cycle", "the ordering points of calls form a circle")              \
    X(REFINEMENT, "refinement", "the implementation does what its specification can't")            \
    X(EXIT_STATUS, "exit-status", "the program reports failure by its exit status")                \
    X(QUASI_LINEARIZABILITY, "quasi-linearizability",                                              \
      "no serial execution within the bounds on reordering explains this one")                     \
    X(SEQUENTIAL_CONSISTENCY, "sequential-consistency",                                            \
      "no serial execution keeps the order of each process")                                       \
    X(K_ATOMICITY, "k-atomicity", "a read gives a value that is too old")                          \
    X(STRICT_SERIALIZABILITY, "strict-serializability",                                            \
      "no serial order of the transactions explains what they read")                               \
    X(READ_YOUR_WRITES, "read-your-writes", "a process does not see what it wrote")                \
    X(MONOTONIC_READS, "monotonic-reads", "a process reads an older version than before")          \
    X(MONOTONIC_WRITES, "monotonic-writes", "the writes of a process are seen out of order")       \
    X(WRITES_FOLLOW_READS, "writes-follow-reads",                                                  \
      "a write is older than what its process had read before")                                    \
    X(SESSION_GUARANTEES, "session-guarantees", "no order of the versions suits every process")    \
    X(ISOLATION, "isolation", "no order of the versions gives the transactions this isolation")    \
    X(PRAM, "pram",                                                                                \
      "no serial execution with the order of each process gives a process its results")            \
    X(CAUSAL, "causal-consistency",                                                                \
      "no serial execution that keeps causality gives a process its reads")                        \
    X(CAUSAL_CONVERGENCE, "causal-convergence",                                                    \
      "no order of all writes that keeps causality gives the reads")                               \
    X(LEAK, "leak", "memory that nothing points to any more was never freed")

typedef enum ViolationKind {
#define X(name, word, text) VIOLATION_##name,
    VIOLATION_KINDS(X)
#undef X
        VIOLATION_KIND_COUNT
} ViolationKind;
const char *violation_word(ViolationKind kind); /* "race" */
const char *violation_text(ViolationKind kind); /* the sentence */
const char *verdict_word(Verdict verdict);
#endif
