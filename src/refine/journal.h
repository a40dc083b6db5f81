/* journal.h: the state of a search on disk, so that a search that was stopped or killed goes on.
 *
 * All that a search knows only grows (table.h, the pairs of worker.h), so the file does as well:
 * now and then everything that is new is appended as one *piece* with its length and hash. A piece
 * that is not whole at the end of the file does not count; whatever the moment at which the process
 * is killed, the whole pieces are the search as it once was, between two pairs. Since a search is
 * deterministic it goes on from there to the same pairs, in the same order, with the same numbers.
 * What the automaton remembers of its steps is not stored: it is computed again, and meets only
 * states that have their numbers already.
 *
 * The hashes tell damage. They are no protection against a file that was made to deceive: the bytes
 * of states are taken as they are. */
#ifndef HEDDLE_REFINE_JOURNAL_H
#define HEDDLE_REFINE_JOURNAL_H
#include "refine/refine.h"

struct RefineJournal {
    int fd;          /* the caller's, open for reading and writing */
    uint64_t begin;  /* bytes that are not ours, in front */
    double interval; /* seconds from one piece to the next, at least */
    uint32_t round;  /* which of the searches of one command, one after the other, this is */
    /* the rest is set by refine_journal_scan, and by searches */
    uint64_t end;          /* of the last whole piece */
    uint64_t first;        /* where the pieces of the last round begin */
    uint32_t jobs;         /* of that round */
    bool is_resumed;       /* there are pieces, and they are of `round` */
    bool is_complete;      /* nothing is left to do in it */
    RefineFigures figures; /* at the last piece; the seconds are those of all sessions */
    double seconds_before; /* of sessions before this one */
    double last, cost;     /* when the last piece was written, by clock_seconds; seconds it took */
    char failure[128];     /* why the last piece could not be written, or "" */
};

/* Finds the last whole piece and takes over its round and figures. Reads only; a file without
 * pieces is fine. */
MUST_USE bool refine_journal_scan(RefineJournal *journal, Error *error);

/* ---- for the search ---- */
struct Worker; /* worker.h */
/* Puts WORKERS, which are new, into the state of the last piece. */
MUST_USE bool refine_journal_load(RefineJournal *journal, struct Worker *workers, int jobs,
                                  uint64_t *depth, Error *error);
/* Is it time for another piece? Writing them takes a sixtieth of the time at most. */
bool refine_journal_is_due(const RefineJournal *journal);
/* Appends what is new since the last piece; FIGURES are those of the search now. A piece that can't
 * be written leaves the file as it was, and `failure` says why. */
void refine_journal_save(RefineJournal *journal, struct Worker *workers, int jobs,
                         const RefineFigures *figures, bool is_complete);
#endif
