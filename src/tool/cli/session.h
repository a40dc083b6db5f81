/* session.h: from a command line to an answer, for every command that explores a program: build it,
 * look for code that escapes, explore it under supervision, replay what was found, save it. */
#ifndef HEDDLE_CLI_SESSION_H
#define HEDDLE_CLI_SESSION_H
#include "tool/instrument/library.h"
#include "tool/cli/options.h"
#include "tool/cli/supervise.h"
#include "tool/instrument/machine/escapes.h"
#include "tool/instrument/shared/shared.h"
#include "record/disk.h"
#include "tool/answer/answer.h"

typedef struct Session {
    Arena *arena;
    const RunOptions *options;
    Words compile;       /* theirs, if it is not the user's words alone */
    const char *command; /* "run" */
    bool many_events;    /* the program is linked with the runtime for them (record/options.h) */
    const char *subject; /* for people: "queue.c and 2 more" */
    const char *name;    /* of the program, as it sees it itself: "queue" */
    const char *label;   /* of the exploration, for progress and records: "queue", "queue-case" */
    Workspace workspace;
    BuildRequest request; /* with the sources of what `heddle cc' made */
    bool project_own;     /* each file has its own flags, from the project's list */
    bool told_compiler;   /* that CC or CXX is ignored has been looked at */
    bool link_all;        /* and the other sources of the list are there to link from */
    Build build;
    Escapes escapes;
    LibraryUse library;
    ExploreOptions explore; /* as asked for, with what the program itself decides */
    OrderTable *orders;     /* NULL, or other memory orders than the program's: `heddle weaken` */
    bool stays_built;       /* it shares the program with another session: never built anew */
    double build_seconds;
    Outcome *replayed;    /* what the last replay said, or NULL */
    Watches watches;      /* instructions that the runtime announces itself */
    EscapePlaces places;  /* of the escapes, in the program */
    Words frameworks;     /* test frameworks that are linked as libraries */
    bool has_foreign;     /* some object or library was not compiled by us */
    SharedCode shared;    /* libraries that are watched */
    bool watches_foreign; /* some object was not compiled by us, and is watched */
    bool trusts_unseen;   /* --trust names some code that nobody sees: memory is not logged there */
    Escapes trusted_objects; /* those that are trusted as a whole, frameworks among them */
    CodeRanges trusted_code; /* their functions in the program */
    Words trusted;           /* escapes that the user answers for, in words; not among the others */
    Words ran;               /* what the exploration ran that nobody sees, in words */
    Words replay_ran;        /* the same for the execution that was last replayed */
    const char *unseen_word; /* what --trust would take for the first of these, or NULL */
} Session;

/* Builds and scans. Close the session whatever the result. */
MUST_USE bool session_open(Session *session, Arena *arena, const char *command,
                           const RunOptions *options, Error *error);
/* Does an object of the program define main? */
bool session_has_main(const Session *session);
/* Makes the request to the supervisor that explores the program. */
void session_request(const Session *session, SuperviseRequest *request);
/* Explores; a violation is replayed before it is believed. The answer lives in the arena. */
MUST_USE bool session_explore(Session *session, Answer *answer, Error *error);
/* Runs a recorded execution again; on success *again is the record with what the replay added. */
MUST_USE bool session_replay(Session *session, const Record *record, const Record **again,
                             Error *error);
/* Puts the failing test and the serial orders of the last replay into the answer, if it has them.
 */
void session_take_test(const Session *session, Answer *answer);
/* Fills in what a record says about how the program was made. */
void session_describe(const Session *session, RecordFile *file);
/* Makes a violation that was just replayed inconclusive if its execution ran code that nobody sees,
 * and names that code. The execution is still shown. */
void session_doubt(const Session *session, Answer *answer);
void session_close(Session *session);
#endif
