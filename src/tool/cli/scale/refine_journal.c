#include "tool/cli/scale/refine_journal.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include "base/print.h"
#include "record/hooks.h"
#include "tool/cli/commands.h"

#define INTERVAL_SECONDS 1.0

/* Options on which it depends which states there are, and in which order they are met. */
#define OPTION_FACTS(X)                                                                            \
    X(no_fusion)                                                                                   \
    X(no_thread_symmetry)                                                                          \
    X(no_value_symmetry)                                                                           \
    X(no_node_symmetry)                                                                            \
    X(no_antichain)                                                                                \
    X(no_pruning)                                                                                  \
    X(traces)                                                                                      \
    X(collect_outcomes)                                                                            \
    X(jobs)

static void collect(Arena *arena, const RefineOptions *options, const char *quasi,
                    LedgerFacts *facts)
{
    const char *specification = options->specification ? options->specification->name : "";
    const LedgerFact first[] = {
        {"heddle", HEDDLE_VERSION},
        {"command", "refine"},
        {"text of the model", arena_printf(arena, "%016" PRIx64, options->model->hash)},
        {"specification", specification},
        {"quasi", quasi ? quasi : ""}};
    for (size_t i = 0; i < COUNT_OF(first); i++)
        vec_push(facts, first[i]);
#define X(name) vec_push(facts, (LedgerFact){#name, arena_printf(arena, "%d", (int)options->name)});
    OPTION_FACTS(X)
#undef X
}

/* *fd is a file that fits; it is made if there is none. */
static bool open_file(Arena *arena, const char *path, Ledger *here, int *fd, uint64_t *begin,
                      Error *error)
{
    if (!ledger_lock(path, O_RDWR, fd, error))
        return false;
    if (*fd < 0 && !ledger_write(path, here, fd, error))
        return false;
    Ledger there;
    if (!ledger_read_head(arena, path, *fd, &there, begin, error))
        return false;
    const char *difference = ledger_difference(arena, &there.facts, &here->facts);
    ledger_free(&there);
    return !difference || error_set(error, "%s is of another exploration: %s", path, difference);
}

bool refine_journal_open(Arena *arena, const char *path, const RefineOptions *options,
                         const char *quasi, RefineJournal *journal, Error *error)
{
    Ledger here = {.subject = options->model->name, .command = "refine"};
    *journal = (RefineJournal){.fd = -1,
                               .interval = hooks.journal_ms >= 0 ? (double)hooks.journal_ms / 1e3
                                                                 : INTERVAL_SECONDS};
    collect(arena, options, quasi, &here.facts);
    bool fine = open_file(arena, path, &here, &journal->fd, &journal->begin, error) &&
                refine_journal_scan(journal, error);
    ledger_free(&here);
    if (!fine && journal->fd >= 0)
        close(journal->fd);
    return fine;
}

void refine_journal_close(RefineJournal *journal, const char *path, bool answered)
{
    if (journal->failure[0])
        print_plain(stderr, "heddle: %s can't be written: %s: it is older than this answer\n", path,
                    journal->failure);
    else if (!answered)
        print_plain(stderr, "heddle: the same command goes on from %s\n", path);
    close(journal->fd);
}
