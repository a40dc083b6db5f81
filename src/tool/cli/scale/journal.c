#include "tool/cli/scale/journal.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/print.h"
#include "record/hooks.h"
#include "record/memory_model.h"
#include "tool/cli/scale/facts.h"
#include "tool/instrument/process.h"

#define INTERVAL_SECONDS 1.0
#define ANSWER_SECONDS 0.5 /* for so long a worker may take to write its slot */

/* ---- opening ---- */

/* A search that can't be divided into units yet is refused: a journal that does not help would be a
 * lie. */
bool journal_is_possible(const Session *session, const char *what, Error *error)
{
    const ExploreOptions *options = &session->explore;
    if (options->schedules && (options->check.enabled || strcmp(what, "--journal") != 0))
        return error_set(error, "%s does not go with --schedules%s: samples are no part of a whole",
                         what, options->check.enabled ? " in a check" : "");
    if (!options->check.enabled && options->preemptions >= 0 &&
        model_is_interleaved(options->model))
        return error_set(error,
                         "%s does not go with --preemptions under sc: that search remembers where "
                         "it has been, and can't be divided",
                         what);
    if (options->check.unbounded)
        return error_set(error, "%s does not go with --unbounded: states are no executions", what);
    if (options->check.annotated)
        return error_set(error, "%s does not go with annotations", what);
    if (options->check.keep_going)
        return error_set(error, "%s does not go with --keep-going and --all in a check", what);
    if (options->check.observations[0])
        return error_set(error, "%s does not go with --observations", what);
    return true;
}

/* The facts of the file are those of this session, as far as they are known before the program
 * runs: the libraries come later. */
static bool take_file(Journal *journal, const LedgerFacts *facts, Error *error)
{
    Ledger *ledger = &journal->ledger;
    Arena *arena = journal->session->arena;
    const RunOptions *options = journal->session->options;
    if (!ledger_read(arena, journal->path, ledger, error))
        return false;
    LedgerFacts known = ledger->facts;
    known.count = MIN(known.count, facts->count);
    const char *difference = ledger_difference(arena, &known, facts);
    if (!difference && ledger->shards != options->shards)
        difference = arena_printf(arena, "number of shares: %u there, %u here", ledger->shards,
                                  options->shards);
    else if (!difference && ledger->shards && ledger->shard != options->shard)
        difference =
            arena_printf(arena, "share: %u there, %u here", ledger->shard + 1, options->shard + 1);
    if (difference)
        return error_set(error, "%s is of another exploration: %s", journal->path, difference);
    journal->there = ledger->facts;
    ledger->facts = (LedgerFacts){0};
    journal->resumed = true;
    return true;
}

/* The whole, with what FROM has learnt, if there is one. */
static bool begin_file(Journal *journal, const LedgerFacts *facts, Error *error)
{
    const RunOptions *options = journal->session->options;
    Arena *arena = journal->session->arena;
    LedgerUnit whole = {.head.left = 1};
    if (options->shard_from) {
        Ledger from;
        if (!ledger_read(arena, options->shard_from, &from, error))
            return false;
        LedgerFacts known = from.facts;
        known.count = MIN(known.count, facts->count);
        const char *difference = ledger_difference(arena, &known, facts);
        whole.knowledge = from.knowledge;
        whole.head.knowledge_bytes = from.knowledge_bytes;
        ledger_free(&from);
        if (difference)
            return error_set(error, "%s is of another exploration: %s", options->shard_from,
                             difference);
    }
    journal->ledger.shard = options->shard;
    journal->ledger.shards = options->shards;
    if (!journal->session->explore.check.enabled) /* tests are counted up */
        vec_push(&journal->ledger.units, whole);
    return true;
}

static const char *path_of(const Session *session)
{
    const RunOptions *options = session->options;
    return options->journal ? options->journal
                            : arena_printf(session->arena, "%s.part-%u-of-%u", session->name,
                                           options->shard + 1, options->shards);
}

bool journal_open(Journal *journal, const Session *session, Error *error)
{
    *journal = (Journal){.session = session, .path = path_of(session), .fd = -1};
    LedgerFacts facts = {0};
    if (!journal_is_possible(session, session->options->shards ? "--shard" : "--journal", error) ||
        !ledger_lock(journal->path, O_RDONLY, &journal->fd, error) ||
        !facts_collect(session, &facts, error)) {
        vec_free(&facts);
        return false;
    }
    bool fresh = journal->fd < 0;
    if (fresh ? !begin_file(journal, &facts, error) : !take_file(journal, &facts, error)) {
        vec_free(&facts);
        return false;
    }
    journal->ledger.facts = facts;
    journal->ledger.subject = session->subject;
    journal->ledger.command = session->command;
    journal->ledger.verdict = journal->ledger.violation = journal->ledger.reason =
        journal->ledger.message = journal->ledger.bounds = journal->ledger.record = NULL;
    vec_clear(&journal->ledger.notes);
    if (!journal->resumed && !ledger_write(journal->path, &journal->ledger, &journal->fd, error))
        return false; /* better now than after a night */
    const UnitCounts *counts = &journal->ledger.counts;
    if (journal->resumed && !session->options->output.quiet)
        print_plain(stderr, "heddle: going on from %s: %llu %s before\n", journal->path,
                    (unsigned long long)(counts->tests ? counts->tests : counts->executions),
                    counts->tests ? "tests were made" : "executions were explored");
    return true;
}

/* ---- while the program runs ---- */

bool journal_begin_link(void *context, Link *link, Error *error)
{
    Journal *journal = context;
    link->units.mode = UNITS_QUEUE;
    link->units.shard = journal->ledger.shard;
    link->units.shards = journal->ledger.shards;
    bool given = ledger_give(&journal->ledger, link, error);
    link->units.resumed = journal->resumed;
    journal->start = journal->last = process_seconds();
    journal->interval = hooks.journal_ms >= 0 ? (double)hooks.journal_ms / 1e3 : INTERVAL_SECONDS;
    return given;
}

/* The libraries are known when the program runs. */
static void check_libraries(Journal *journal, const Link *link)
{
    if (journal->checked || __atomic_load_n(&link->state, __ATOMIC_ACQUIRE) == LINK_STARTING)
        return;
    journal->checked = true;
    facts_add_libraries(journal->session->arena, link, &journal->ledger.facts);
    /* a journal that was written before its program came so far has none */
    bool begun = journal->ledger.counts.executions || journal->ledger.counts.tests;
    for (size_t i = 0; i < journal->ledger.units.count; i++)
        begun |= journal->ledger.units.at[i].head.has_way != 0;
    bool complete = journal->resumed && journal->there.count > 0 && begun;
    const char *difference = complete ? ledger_difference(journal->session->arena, &journal->there,
                                                          &journal->ledger.facts)
                                      : NULL;
    if (difference)
        snprintf(journal->difference, sizeof journal->difference, "%s", difference);
}

static bool have_answered(const Link *link)
{
    const UnitsShared *units = &link->units;
    uint32_t ask = __atomic_load_n(&units->ask, __ATOMIC_RELAXED);
    for (size_t i = 0; i < WORKERS_MOST; i++)
        if (__atomic_load_n(&units->slots[i].busy, __ATOMIC_RELAXED) &&
            __atomic_load_n(&units->slots[i].answered, __ATOMIC_RELAXED) != ask)
            return false;
    return true;
}

/* Takes what the link holds into the journal's ledger; its lists live in ARENA. */
static bool take_link(Journal *journal, Arena *arena, Link *link, Ledger *to)
{
    const Ledger *from = &journal->ledger;
    *to = (Ledger){.facts = from->facts, .subject = from->subject, .command = from->command};
    to->seconds = from->seconds + process_seconds() - journal->start;
    return ledger_take(arena, link, to) &&
           (!journal->collect || journal->collect(journal->collector, arena, to));
}

static void write_file(Journal *journal, Link *link)
{
    Arena *arena = arena_new();
    Ledger now;
    Error error = {0};
    if (journal->checked && !journal->difference[0] && take_link(journal, arena, link, &now)) {
        bool written = ledger_write(journal->path, &now, &journal->fd, &error);
        snprintf(journal->failure, sizeof journal->failure, "%s", written ? "" : error.message);
        now.facts = (LedgerFacts){0};
        ledger_free(&now);
    }
    arena_free(arena);
}

bool journal_watch_link(void *context, Link *link)
{
    Journal *journal = context;
    double now = process_seconds();
    check_libraries(journal, link);
    if (journal->difference[0])
        return false;
    /* a large one, with the hashes of millions of samples, is not written as often */
    if (!journal->asked && now - journal->last >= MAX(journal->interval, 100 * journal->cost)) {
        __atomic_add_fetch(&link->units.ask, 1, __ATOMIC_RELAXED);
        journal->asked = now;
    }
    if (journal->asked && (have_answered(link) || now - journal->asked > ANSWER_SECONDS)) {
        double start = process_seconds();
        write_file(journal, link);
        journal->asked = 0;
        journal->last = process_seconds();
        journal->cost = journal->last - start;
    }
    return true;
}

/* The last state: the program has ended, by itself or not. */
void journal_end_link(void *context, Link *link)
{
    Journal *journal = context;
    check_libraries(journal, link);
    if (journal->difference[0] || !journal->checked)
        return;
    Ledger now;
    if (!take_link(journal, journal->session->arena, link, &now))
        return; /* a process died while it wrote: the file stays as it is */
    journal->taken = true;
    if (!now.knowledge_bytes) { /* nothing was left to do */
        now.depth = journal->ledger.depth;
        now.knowledge = journal->ledger.knowledge;
        now.knowledge_bytes = journal->ledger.knowledge_bytes;
    }
    bool is_check = journal->session->explore.check.enabled;
    now.complete = (is_check ? now.tests_all_done : !now.units.count) && link->state == LINK_DONE;
    vec_free(&journal->ledger.remarks);
    vec_free(&journal->ledger.units);
    vec_free(&journal->ledger.notes);
    journal->ledger = now;
}

void journal_use(Journal *journal, SuperviseRequest *request)
{
    request->watcher =
        (SuperviseWatcher){journal, journal_begin_link, journal_watch_link, journal_end_link, NULL};
    request->first_tests = NULL;
}

bool journal_end(Journal *journal, const SuperviseResult *result, Error *error)
{
    (void)result;
    if (journal->difference[0])
        return error_set(error, "%s is of another exploration: %s", journal->path,
                         journal->difference);
    return true;
}

void journal_close(Journal *journal, Answer *answer)
{
    Ledger *ledger = &journal->ledger;
    Arena *arena = journal->session->arena;
    if (answer && journal->taken) {
        ledger->verdict = verdict_word(answer->verdict);
        ledger->violation =
            answer->verdict == VERDICT_VIOLATED ? violation_word(answer->violation) : NULL;
        ledger->message = answer->message;
        ledger->reason = answer->reason;
        ledger->bounds = answer->bounds;
        for (size_t i = 0; i < answer->remarks.count; i++)
            vec_push(&ledger->notes, answer->remarks.at[i]);
        ledger->coverage = answer->outcome.coverage;
        ledger->record = answer->record_path;
        ledger->exhaustive = answer->exhaustive;
        ledger->promoted = answer->outcome.promoted;
        Error error = {0};
        bool written = ledger_write(journal->path, ledger, &journal->fd, &error);
        snprintf(journal->failure, sizeof journal->failure, "%s", written ? "" : error.message);
    }
    if (answer && journal->taken && !ledger->complete && answer->verdict == VERDICT_INCONCLUSIVE)
        vec_push(&answer->remarks,
                 arena_printf(arena, "the same command goes on from %s", journal->path));
    if (answer && journal->taken && ledger->complete && ledger->shards &&
        !journal->session->options->journal)
        vec_push(&answer->remarks,
                 arena_printf(arena, "this share is in %s: `heddle merge' joins all %u",
                              journal->path, ledger->shards));
    if (answer && journal->failure[0])
        vec_push(&answer->remarks,
                 arena_printf(arena, "%s: it is older than this answer", journal->failure));
    if (journal->fd >= 0)
        close(journal->fd);
    vec_free(&journal->there);
    ledger_free(ledger);
}
