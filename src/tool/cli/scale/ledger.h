/* ledger.h: an exploration as far as it is done: what it is of, what was counted, and the units
 * that are left (record/units_shared.h). A journal is a ledger that is written as the exploration
 * goes, a part of a sharded exploration is a ledger of one share, and merging adds ledgers up.
 *
 * On disk it is one line of JSON and a line with its hash, written beside and renamed, so that the
 * file is whole at every moment. What is read is checked like any file from outside: afterwards all
 * numbers in it can be used. Strings, ways and knowledge belong to the arena. */
#ifndef HEDDLE_CLI_SCALE_LEDGER_H
#define HEDDLE_CLI_SCALE_LEDGER_H
#include "base/arena.h"
#include "base/str.h"
#include "base/error.h"
#include "base/vec.h"
#include "record/link.h"
#include "refine/refine.h"

#define LEDGER_FORMAT 7 /* the number of the format, from which the hash of a file begins */

typedef struct LedgerFact { /* "model", "rc11" */
    const char *name, *value;
} LedgerFact;
typedef Vec(LedgerFact) LedgerFacts;

typedef struct LedgerUnit {
    UnitHead head;
    const unsigned char *way, *knowledge;
} LedgerUnit;

typedef struct Ledger {
    LedgerFacts facts; /* what it is an exploration of: those of two that fit together are equal */
    const char *subject, *command; /* for people */
    UnitCounts counts;
    uint64_t epoch, promoted;
    uint64_t leak_objects, leak_bytes, leak_pc, cut_pc, cpu_ns;
    double seconds;       /* of all sessions together */
    RefineFigures states; /* `heddle refine`: a search of states (refine_journal.h) */
    uint32_t shard, shards, depth;
    /* check: how many tests there are, and which of them are done or were put off: bits, in as many
     * bytes as there is something to say (record/units_shared.h) */
    uint64_t tests_planned, tests_budget;
    const unsigned char *tests_done, *tests_put_off;
    uint32_t tests_bytes;
    bool tests_all_done;
    const unsigned char *samples; /* --schedules: a UnitSamples, with as many hashes as it counts */
    uint32_t samples_bytes;
    const unsigned char *kept; /* of a command that is more than one exploration: weaken/kept.h */
    uint32_t kept_bytes;
    Vec(const char *) remarks;
    Vec(LedgerUnit) units;
    /* a share that is done, or an exploration: the answer; NULL while it goes on */
    const char *verdict, *violation, *message, *reason, *bounds, *coverage, *record;
    Vec(const char *) notes; /* that go with the answer */
    bool exhaustive;
    bool complete; /* nothing is left to do */
    /* what was known when the share ended: the tree that its counts belong to */
    const unsigned char *knowledge;
    uint32_t knowledge_bytes;
} Ledger;

void ledger_free(Ledger *ledger);
/* Takes over what LINK holds now. False if its lock can't be had: a process died that held it. */
MUST_USE bool ledger_take(Arena *arena, Link *link, Ledger *ledger);
/* The tests alone: into the ledger, and out of it. */
void ledger_take_tests(Arena *arena, const UnitTests *tests, Ledger *ledger);
void ledger_give_tests(const Ledger *ledger, UnitTests *tests);
/* Puts units and counts into LINK, before the program starts. */
MUST_USE bool ledger_give(const Ledger *ledger, Link *link, Error *error);
MUST_USE bool ledger_read(Arena *arena, const char *path, Ledger *ledger, Error *error);
/* Does the same for TEXT, the contents of PATH. */
MUST_USE bool ledger_parse(Arena *arena, const char *path, Str text, Ledger *ledger, Error *error);
/* Reads the ledger at the beginning of the file FD, *BYTES long, whatever follows it: a journal of
 * `heddle refine` (refine_journal.h). */
MUST_USE bool ledger_read_head(Arena *arena, const char *path, int fd, Ledger *ledger,
                               uint64_t *bytes, Error *error);
/* Opens PATH with FLAGS and locks it; *FD is -1 if there is no such file. */
MUST_USE bool ledger_lock(const char *path, int flags, int *fd, Error *error);
bool ledger_is_in_use(const char *path); /* is a process at work on it? */
/* Writes PATH whole or not at all. *FD, if not NULL, is an open and locked file that stood at PATH,
 * or -1 if there was none, and none may have come since; the new one takes its place, locked as
 * well. */
MUST_USE bool ledger_write(const char *path, const Ledger *ledger, int *fd, Error *error);
/* Facts about variables of the environment begin so; there is none about one that is not set. */
#define LEDGER_VARIABLE "environment variable "
/* The first fact that differs, in words ("model: rc11 there, sc here"), or NULL. */
const char *ledger_difference(Arena *arena, const LedgerFacts *there, const LedgerFacts *here);
/* The order of KnownFacts, by kind and key, for qsort. */
int ledger_compare_facts(const void *a, const void *b);
/* Do the two pieces of knowledge mean the same search tree? */
bool ledger_same_tree(const unsigned char *a, uint32_t a_bytes, const unsigned char *b,
                      uint32_t b_bytes);
void ledger_add_counts(UnitCounts *to, const UnitCounts *from);
#endif
