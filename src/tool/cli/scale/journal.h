/* journal.h: --journal and --shard: what is left to do is written down as the exploration goes, and
 * the same command goes on from there. The file is a ledger; it is locked while somebody writes it.
 */
#ifndef HEDDLE_CLI_SCALE_JOURNAL_H
#define HEDDLE_CLI_SCALE_JOURNAL_H
#include "tool/cli/scale/ledger.h"
#include "tool/cli/session.h"

typedef struct Journal {
    const char *path;
    const Session *session;
    Ledger ledger;     /* as it was read, or empty; its facts are those of this session */
    LedgerFacts there; /* the facts of the file, with the libraries */
    bool resumed;      /* something is done already */
    bool taken;        /* the ledger is what the program left */
    bool checked;      /* the program's libraries are those of the file */
    int fd;
    /* ranks.c: puts counts and units of all ranks into the ledger */
    bool (*collect)(void *collector, Arena *arena, Ledger *ledger);
    void *collector;
    double start, last, asked, interval;
    double cost;          /* seconds that writing it took the last time */
    char difference[512]; /* the file is of another exploration, as it turned out */
    char failure[1024];   /* why the file could not be written the last time, or "" */
} Journal;

/* Can the exploration be divided into units? WHAT wants that. */
MUST_USE bool journal_is_possible(const Session *session, const char *what, Error *error);
/* Opens the file, makes it if there is none, and refuses one of another exploration, naming the
 * difference. */
MUST_USE bool journal_open(Journal *journal, const Session *session, Error *error);
/* REQUEST will go on from the journal, and write it. */
void journal_use(Journal *journal, SuperviseRequest *request);
/* Does the same one by one, for who watches the program as well (SuperviseWatcher). */
MUST_USE bool journal_begin_link(void *journal, Link *link, Error *error);
MUST_USE bool journal_watch_link(void *journal, Link *link);
void journal_end_link(void *journal, Link *link);
/* The exploration has ended: writes the file for the last time, with its answer. False if the file
 * turned out to be of another exploration. */
MUST_USE bool journal_end(Journal *journal, const SuperviseResult *result, Error *error);
/* Writes what the answer is, after it was confirmed and qualified; and closes. */
void journal_close(Journal *journal, Answer *answer);
#endif
