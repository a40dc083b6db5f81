/* versions.h: which version each read saw, what is known about the order of the versions of each
 * key, and the anomalies that can be seen without a cycle. The elements of a list tell their order;
 * a register's versions are ordered only as far as reads before writes tell. Depends on libc only.
 */
#ifndef HEDDLE_ISOLATION_VERSIONS_H
#define HEDDLE_ISOLATION_VERSIONS_H
#include "judge/isolation/levels.h"
#include "judge/isolation/transactions.h"

#define VERSION_OWN (TXN_NONE - 1)     /* the transaction's own write */
#define VERSION_UNKNOWN (TXN_NONE - 2) /* not known, or what makes no sense */
/* and TXN_NONE: the initial version */

typedef struct VersionRead {
    uint32_t source; /* the last write of another transaction that it shows, or one of the above */
    uint32_t length; /* of a list: elements shown, without aborted ones and the reader's own */
    bool own;        /* a list that shows elements of the reader, too */
} VersionRead;

/* An anomaly that is no cycle: the first of its kind, and how many there are. */
typedef struct VersionFound {
    size_t count;
    uint32_t reader, step; /* transaction, and the step among all steps */
    uint32_t other;        /* the other transaction, or TXN_NONE */
    uint32_t key;
} VersionFound;

typedef struct VersionOrder {
    uint32_t first, count; /* in Versions.chain */
} VersionOrder;

typedef struct Versions {
    Transactions *txns;
    bool committed_only; /* transactions of unknown outcome count as aborted: the weakest reading,
                            which read uncommitted may take */
    Vec(VersionRead) reads;   /* by step; meaningless for writes */
    Vec(VersionOrder) orders; /* by key: of lists */
    Vec(uint32_t) chain;      /* writes in their order */
    VersionFound found[ANOMALY_COUNT];
} Versions;

/* Fills *versions; also marks the transactions of unknown outcome that were read from. */
void versions_find(Versions *versions, Transactions *txns, bool committed_only);
void versions_free(Versions *versions);
#endif
