/* ranks.h: one exploration by all ranks of an MPI job. Each rank runs the program under test and
 * works on one unit at a time (record/units_shared.h); rank 0 holds the ledger: what every rank has
 * counted and which unit it was on when it last said so, and the units that wait. A rank that is
 * idle while nothing waits makes rank 0 ask the one that has kept its work longest; that one gives
 * its oldest open choice away.
 *
 * A rank's state is replaced at once, counts, unit and gift together, so whatever happens the
 * ledger is exact: what was done since the last report was not counted. It is also the journal.
 * When the program learns something that changes the search tree, rank 0 joins what is known and
 * all begin again (an epoch); reports of older epochs are dropped.
 *
 * Rank 0's own program gives the answer: it is told the others' totals before it ends. */
#ifndef HEDDLE_CLI_SCALE_RANKS_H
#define HEDDLE_CLI_SCALE_RANKS_H
#include "base/error.h"

struct Session;          /* tool/cli/session.h */
struct Journal;          /* journal.h */
struct SuperviseRequest; /* tool/cli/supervise.h */

/* Silences every rank but the first until ranks_begin: only rank 0 says what all would say in the
 * same words, such as that an option is wrong. A rank that ends before it does so with status 0. */
void ranks_be_silent(void);
/* To be called before any thread or process is started. Loads MPI if a launcher started us
 * with more than one rank. False on error, such as a launcher of another MPI. */
MUST_USE bool ranks_begin(Error *error);
long ranks_launched(void); /* how many tasks a launcher has started; known before ranks_begin */
int ranks_number(void);    /* of ranks; 1: no job */
int ranks_own(void);       /* this one's number */
/* Rank 0 lets the others go; then MPI ends. STATUS is the job's, if a rank is lost. */
void ranks_end(int status);
/* Rank 0: sends the program to the others; REQUEST will be explored by all. JOURNAL may be NULL. */
MUST_USE bool ranks_use(const struct Session *session, struct Journal *journal,
                        struct SuperviseRequest *request, Error *error);
/* All other ranks: work until rank 0 lets them go. Returns the exit status. */
int ranks_serve(void);
#endif
