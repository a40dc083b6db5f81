/* transactions.h: the transactions of a history with what each of their steps wrote and read, by
 * number: keys, writes and transactions are indexes. A transaction whose outcome is unknown counts
 * as committed if a committed one read from it, and as if it had never been otherwise: leaving out
 * what nobody read takes no constraint off a history that it had. Depends on libc only. */
#ifndef HEDDLE_ISOLATION_TRANSACTIONS_H
#define HEDDLE_ISOLATION_TRANSACTIONS_H
#include "judge/linear/plan.h"

#define TXN_NONE UINT32_MAX

typedef enum TxnStatus { TXN_COMMITTED, TXN_ABORTED, TXN_UNKNOWN } TxnStatus;
typedef enum TxnStepKind { TXN_READ, TXN_WRITE, TXN_APPEND } TxnStepKind;

typedef struct TxnStep {
    Value value;    /* written, or read */
    uint32_t key;   /* index */
    uint32_t write; /* its index among the writes; TXN_NONE for a read */
    TxnStepKind kind;
    bool known; /* a read: what it gave is known */
} TxnStep;

/* One write of a register or append to a list. */
typedef struct TxnWrite {
    Value value;
    uint32_t txn, key, step; /* step: index among all steps */
    uint32_t place;          /* list: 1.. in the order that reads show; 0: no read shows it */
    bool last;               /* its transaction writes the key no more: other versions are
                                intermediate */
} TxnWrite;

typedef struct Txn {
    uint32_t operation; /* of the history, or of its failed ones if it aborted */
    uint32_t process, called, returned;
    uint32_t first, count; /* its steps */
    TxnStatus status;
    bool seen; /* unknown, and read by a committed one */
} Txn;

typedef struct TxnKey {
    Value name;
    bool list, registers;  /* which of append, write there is */
    uint32_t first, count; /* in by_key */
} TxnKey;

typedef struct Transactions {
    const Plan *plan;
    Vec(Txn) txns; /* in the order of their calls; aborted ones last */
    Vec(TxnStep) steps;
    Vec(TxnWrite) writes;
    Vec(TxnKey) keys;
    Vec(uint32_t) by_key; /* writes by key, in the order of the transactions */
    HashMap index;        /* key and value -> write + 1 */
    const char *problem;  /* why versions can't be told apart; NULL: they can */
    uint32_t problem_line;
} Transactions;

/* Is SPEC the built-in model of transactions? */
bool transactions_are(const Spec *spec);
/* Fills *txns from the group; false if its versions can't be told: txns->problem says why. Free it
 * in both cases. */
MUST_USE bool transactions_load(Transactions *txns, const Plan *plan, const PlanGroup *group);
void transactions_free(Transactions *txns);
/* The write that put VALUE there, or TXN_NONE. */
uint32_t transactions_find_write(const Transactions *txns, uint32_t key, Value value);
size_t transactions_memory(const Transactions *txns);
const Operation *transactions_operation(const Transactions *txns, uint32_t txn);
/* T3: append x 1, ... as the log has it, whole. */
void transactions_print(const Transactions *txns, uint32_t txn, Buffer *out);
#endif
