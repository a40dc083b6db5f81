/* levels.h: isolation levels and the anomalies that each rules out, after Adya (PhD thesis, MIT,
 * 1999), Bailis, Davidson, Fekete, Ghodsi, Hellerstein and Stoica (Highly Available Transactions,
 * VLDB 2013), Cerone and Gotsman (Analysing Snapshot Isolation, PODC 2016) and Kingsbury and Alvaro
 * (Elle, VLDB 2020). A history has a level if there are orders of the versions of each key in which
 * none of its anomalies occurs. Steps read and write single keys, never predicates; so repeatable
 * read (Adya's PL-2.99) and serializability rule out the same histories. */
#ifndef HEDDLE_ISOLATION_LEVELS_H
#define HEDDLE_ISOLATION_LEVELS_H
#include "base/common.h"

/* X(NAME, word, what it is) */
#define ISOLATION_ANOMALIES(X)                                                                     \
    X(GARBAGE, "garbage-read", "a read gives what nobody wrote")                                   \
    X(DUPLICATES, "duplicate-elements", "a list holds an element twice")                           \
    X(INCOMPATIBLE, "incompatible-order", "two reads of a list disagree on its order")             \
    X(INTERNAL, "internal", "a transaction does not read its own writes")                          \
    X(DIRTY_UPDATE, "dirty-update", "a version was made from one that was aborted")                \
    X(G1A, "G1a", "aborted read: a value of an aborted transaction was read")                      \
    X(G1B, "G1b", "intermediate read: a value that its transaction wrote over was read")           \
    X(UNREPEATABLE, "non-repeatable-read", "a transaction reads two versions of a key")            \
    X(LOST_UPDATE, "lost-update", "two transactions read a version and both write the next")       \
    X(G0, "G0", "dirty write: a cycle of write dependencies")                                      \
    X(G1C, "G1c", "circular information flow: a cycle of write and read dependencies")             \
    X(OTV, "observed-transaction-vanishes",                                                        \
      "a transaction reads a write of another, then an older version of what that wrote")          \
    X(WRITE_SKEW, "write-skew", "two transactions read what the other writes")                     \
    X(LONG_FORK, "long-fork", "two readers see two writes in different orders")                    \
    X(G_SINGLE, "G-single", "read skew: a cycle with one anti-dependency")                         \
    X(G_NONADJACENT, "G-nonadjacent", "a cycle in which no two anti-dependencies are adjacent")    \
    X(G2_ITEM, "G2-item", "a cycle with adjacent anti-dependencies")                               \
    X(NO_ORDER, "no-version-order", "whichever order the writes have, there is a cycle")
typedef enum Anomaly {
#define X(name, word, what) ANOMALY_##name,
    ISOLATION_ANOMALIES(X)
#undef X
        ANOMALY_COUNT
} Anomaly;
const char *anomaly_word(Anomaly anomaly);
const char *anomaly_what(Anomaly anomaly);

/* Which cycles of dependencies are ruled out. */
typedef enum CycleRule {
    CYCLES_ANY,   /* every one */
    CYCLES_ONE,   /* those with at most one anti-dependency */
    CYCLES_SPLIT, /* those in which no two anti-dependencies are adjacent */
} CycleRule;

/* Dependencies, as bits of a set: DEPENDS_OTV says that a version must be older than another for
 * what was observed not to vanish; DEPENDS_NODE* lead through nodes that are no transactions. */
enum {
    DEPENDS_WW = 1,
    DEPENDS_WR = 2,
    DEPENDS_RW = 4,
    DEPENDS_PROCESS = 8,
    DEPENDS_TIME = 16,
    DEPENDS_OTV = 32,
};

/* X(NAME, word, dependencies, rule, the levels directly below as bits) in an order in which weaker
 * ones stand first. */
#define LEVEL_BIT(name) (1u << LEVEL_##name)
#define ISOLATION_LEVELS(X)                                                                        \
    X(READ_UNCOMMITTED, "read-uncommitted", DEPENDS_WW, CYCLES_ANY, 0)                             \
    X(READ_COMMITTED, "read-committed", DEPENDS_WW | DEPENDS_WR, CYCLES_ANY,                       \
      LEVEL_BIT(READ_UNCOMMITTED))                                                                 \
    X(MONOTONIC_ATOMIC_VIEW, "monotonic-atomic-view", DEPENDS_WW | DEPENDS_WR | DEPENDS_OTV,       \
      CYCLES_ANY, LEVEL_BIT(READ_COMMITTED))                                                       \
    X(CUT_ISOLATION, "cut-isolation", DEPENDS_WW | DEPENDS_WR, CYCLES_ANY,                         \
      LEVEL_BIT(READ_COMMITTED))                                                                   \
    X(PARALLEL_SI, "parallel-snapshot-isolation", DEPENDS_WW | DEPENDS_WR | DEPENDS_RW,            \
      CYCLES_ONE, LEVEL_BIT(MONOTONIC_ATOMIC_VIEW) | LEVEL_BIT(CUT_ISOLATION))                     \
    X(SNAPSHOT_ISOLATION, "snapshot-isolation", DEPENDS_WW | DEPENDS_WR | DEPENDS_RW,              \
      CYCLES_SPLIT, LEVEL_BIT(PARALLEL_SI))                                                        \
    X(STRONG_SESSION_SI, "strong-session-snapshot-isolation",                                      \
      DEPENDS_WW | DEPENDS_WR | DEPENDS_RW | DEPENDS_PROCESS, CYCLES_SPLIT,                        \
      LEVEL_BIT(SNAPSHOT_ISOLATION))                                                               \
    X(STRONG_SI, "strong-snapshot-isolation", DEPENDS_WW | DEPENDS_WR | DEPENDS_RW | DEPENDS_TIME, \
      CYCLES_SPLIT, LEVEL_BIT(STRONG_SESSION_SI))                                                  \
    X(REPEATABLE_READ, "repeatable-read", DEPENDS_WW | DEPENDS_WR | DEPENDS_RW, CYCLES_ANY,        \
      LEVEL_BIT(SNAPSHOT_ISOLATION))                                                               \
    X(SERIALIZABLE, "serializable", DEPENDS_WW | DEPENDS_WR | DEPENDS_RW, CYCLES_ANY,              \
      LEVEL_BIT(REPEATABLE_READ))                                                                  \
    X(STRONG_SESSION_SERIALIZABLE, "strong-session-serializable",                                  \
      DEPENDS_WW | DEPENDS_WR | DEPENDS_RW | DEPENDS_PROCESS, CYCLES_ANY,                          \
      LEVEL_BIT(SERIALIZABLE) | LEVEL_BIT(STRONG_SESSION_SI))                                      \
    X(STRICT_SERIALIZABLE, "strict-serializable",                                                  \
      DEPENDS_WW | DEPENDS_WR | DEPENDS_RW | DEPENDS_TIME, CYCLES_ANY,                             \
      LEVEL_BIT(STRONG_SESSION_SERIALIZABLE) | LEVEL_BIT(STRONG_SI))
typedef enum Level {
#define X(name, word, depends, rule, below) LEVEL_##name,
    ISOLATION_LEVELS(X)
#undef X
        LEVEL_COUNT,
    LEVEL_AUTO, /* all of them: the strongest that the history allows */
    LEVEL_NONE
} Level;
typedef struct LevelRules {
    const char *word;
    unsigned depends; /* DEPENDS_* that count */
    CycleRule rule;
    unsigned below; /* levels directly below, as bits */
} LevelRules;
extern const LevelRules level_rules[LEVEL_COUNT];

/* The level that WORD of --consistency names, auto too; LEVEL_NONE if none. */
Level level_from_word(const char *word);
/* LEVEL and all that are weaker, as bits. */
unsigned level_implies(Level level);
/* Does LEVEL rule out the anomaly, which is no cycle, wherever it occurs? */
bool level_forbids(Level level, Anomaly anomaly);
#endif
