/* kept.h: `heddle weaken --journal`: what the program as it is has shown, and every try that has
 * ended, are written down in a ledger, so that the same command goes on with the tries that are
 * left. A try that was not decided is made again. */
#ifndef HEDDLE_CLI_WEAKEN_KEPT_H
#define HEDDLE_CLI_WEAKEN_KEPT_H
#include "tool/answer/weakening.h"
#include "tool/cli/scale/ledger.h"
#include "tool/cli/session.h"

typedef struct WeakenKept {
    const char *path;
    int fd;
    Arena *arena;
    Ledger ledger;            /* facts, and counts of the program as it is */
    bool has_base;            /* the orders that the program meets are known */
    const OrderTable *table;  /* these */
    const WeakenOrder *there; /* not NULL: results, in memory that processes share */
    size_t order_count;
    uint64_t tries;   /* that are in the file */
    uint32_t base_ms; /* that the program as it is took */
    double start, last, before;
    char failure[256]; /* why it could not be written the last time, or "" */
} WeakenKept;

/* Opens PATH, or makes it; PLACE is the one that was asked for, or NULL. Refuses a file of
 * something else, naming the difference. If it knows what the program meets, TABLE does afterwards,
 * and ANSWER has its counts. */
MUST_USE bool weaken_kept_open(WeakenKept *kept, const Session *session, const char *path,
                               const char *place, OrderTable *table, Answer *answer, Error *error);
/* The program as it is was explored: ANSWER, and what it met is in TABLE. */
void weaken_kept_base(WeakenKept *kept, const OrderTable *table, const Answer *answer);
/* Puts the tries of earlier sessions into ORDERS, whose tries are written down from now on. */
MUST_USE bool weaken_kept_resume(WeakenKept *kept, WeakenOrder *orders, size_t count, Error *error);
/* Writes down what is new, if that is some time ago, or NOW. */
void weaken_kept_write(WeakenKept *kept, bool now);
/* ANSWERED: nothing is left to do. */
void weaken_kept_close(WeakenKept *kept, bool answered, bool quiet);
#endif
