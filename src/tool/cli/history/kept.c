#include "tool/cli/history/kept.h"
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/file.h"
#include "base/hash.h"
#include "base/print.h"
#include "record/hooks.h"
#include "tool/cli/commands.h"
#include "tool/cli/history/watch.h"

#define INTERVAL_MS 1000

/* The file has a head, then a number a part: 0, or 1 + twice the configurations that its search
 * visited, plus 1 more if no search was needed. */
typedef struct KeptHead {
    uint64_t contents, parts;
} KeptHead;

bool history_kept_owns(const HistorySettings *settings, size_t index)
{
    return !settings->shards || hash_mix(index + 1) % settings->shards == settings->shard;
}

/* ---- what it is of ---- */

static void add(LedgerFacts *facts, const char *name, const char *value)
{
    vec_push(facts, (LedgerFact){name, value ? value : ""});
}

static void collect(Arena *arena, const HistorySettings *settings, LedgerFacts *facts)
{
    uint64_t names = 1;
    for (size_t i = 0; i < settings->logs.count; i++)
        names = hash_bytes(settings->logs.at[i], strlen(settings->logs.at[i]) + 1, names);
    add(facts, "heddle", HEDDLE_VERSION);
    add(facts, "command", "history");
    add(facts, "specification", settings->spec);
    add(facts, "quasi", settings->quasi);
    add(facts, "semantics", settings->semantics);
    add(facts, "consistency", settings->consistency);
    add(facts, "may-fail", settings->may_fail);
    add(facts, "how logs are read",
        arena_printf(arena, "%d%d%d%d", (int)settings->reading.format, settings->reading.one_by_one,
                     (int)settings->reading.nil_reads, settings->reading.observed_cas));
    add(facts, "partition", settings->partition ? "1" : "0");
    add(facts, "monitors", settings->monitors ? "1" : "0");
    add(facts, "number of logs", arena_printf(arena, "%zu", settings->logs.count));
    add(facts, "names of logs", arena_printf(arena, "%016" PRIx64, names));
}

/* A hash of the logs of this share. */
static bool hash_logs(const HistorySettings *settings, uint64_t *hash, Error *error)
{
    *hash = 1;
    for (size_t i = 0; i < settings->logs.count; i++) {
        Buffer text = {0};
        Error ignored = {0};
        if (!strcmp(settings->logs.at[i], "-"))
            return error_set(error, "--journal and --shard want files, not standard input");
        if (!history_kept_owns(settings, i))
            continue;
        /* one that can't be read is a problem that reading tells of */
        bool read = file_read(settings->logs.at[i], &text, &ignored);
        *hash = hash_bytes(text.at, text.count, hash_combine(*hash, read ? i + 1 : 0));
        vec_free(&text);
    }
    return true;
}

/* ---- writing ---- */

static bool holds(const Part *part)
{
    return atomic_load(&part->status) == PART_DONE && part->verdict.verdict == VERDICT_HOLDS;
}

static uint64_t count_holds(const Parts *parts)
{
    uint64_t count = 0;
    for (size_t i = 0; i < parts->count; i++)
        count += holds(&parts->parts[i]);
    return count;
}

static void put_parts(const HistoryKept *kept, Buffer *out)
{
    const Parts *parts = kept->parts;
    KeptHead head = {kept->contents, parts ? parts->count : 0};
    buffer_append(out, &head, sizeof head);
    for (size_t i = 0; parts && i < parts->count; i++) {
        const Part *part = &parts->parts[i];
        uint64_t number =
            holds(part) ? 1 + (part->verdict.configurations << 1 | part->verdict.by_monitor) : 0;
        buffer_append(out, &number, sizeof number);
    }
}

static void write_file(HistoryKept *kept)
{
    Buffer state = {0};
    Error error = {0};
    Ledger now = kept->ledger;
    if (kept->parts || !now.kept_bytes) {
        put_parts(kept, &state);
        now.kept = (const unsigned char *)state.at;
        now.kept_bytes = (uint32_t)state.count;
    }
    now.seconds = kept->before + history_now() - kept->start;
    if (kept->parts) { /* `heddle status` takes each part for a test */
        now.tests_planned = kept->parts->count;
        now.counts.tests = count_holds(kept->parts);
    }
    bool written = ledger_write(kept->path, &now, &kept->fd, &error);
    snprintf(kept->failure, sizeof kept->failure, "%.250s", written ? "" : error.message);
    vec_free(&state);
}

static void *write_now_and_then(void *data)
{
    HistoryKept *kept = data;
    int64_t interval = hooks.journal_ms >= 0 ? hooks.journal_ms : INTERVAL_MS;
    pthread_mutex_lock(&kept->lock);
    while (!kept->is_over) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += interval / 1000;
        until.tv_nsec += interval % 1000 * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&kept->over, &kept->lock, &until);
        if (!kept->is_over)
            write_file(kept);
    }
    pthread_mutex_unlock(&kept->lock);
    return NULL;
}

void history_kept_work(HistoryKept *kept)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are for the thread that judges */
    kept->has_writer = pthread_create(&kept->writer, NULL, write_now_and_then, kept) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void history_kept_rest(HistoryKept *kept)
{
    Buffer state = {0};
    pthread_mutex_lock(&kept->lock);
    kept->is_over = true;
    pthread_cond_signal(&kept->over);
    pthread_mutex_unlock(&kept->lock);
    if (kept->has_writer)
        pthread_join(kept->writer, NULL);
    kept->has_writer = false;
    put_parts(kept, &state);
    kept->ledger.kept = (unsigned char *)arena_copy(kept->arena, state.at, state.count);
    kept->ledger.kept_bytes = (uint32_t)state.count;
    kept->parts = NULL; /* the table goes */
    vec_free(&state);
}

/* ---- opening and closing ---- */

static bool read_file(HistoryKept *kept, const LedgerFacts *facts, Error *error)
{
    Ledger *ledger = &kept->ledger;
    const HistorySettings *settings = kept->settings;
    if (!ledger_read(kept->arena, kept->path, ledger, error))
        return false;
    const char *difference = ledger_difference(kept->arena, &ledger->facts, facts);
    KeptHead head = {0};
    if (ledger->kept_bytes >= sizeof head)
        memcpy(&head, ledger->kept, sizeof head);
    if (!difference && (ledger->shards != settings->shards || ledger->shard != settings->shard))
        difference = "it is of another share";
    else if (!difference && head.contents != kept->contents)
        difference = "the logs have changed";
    vec_free(&ledger->facts);
    ledger->verdict = ledger->violation = ledger->message = ledger->reason = NULL;
    ledger->complete = ledger->exhaustive = false;
    kept->before = ledger->seconds;
    return !difference ||
           error_set(error, "%s is of another exploration: %s", kept->path, difference);
}

bool history_kept_open(HistoryKept *kept, const HistorySettings *settings, Arena *arena,
                       Error *error)
{
    *kept = (HistoryKept){
        .settings = settings,
        .arena = arena,
        .fd = -1,
        .start = history_now(),
        .path = settings->journal ? settings->journal
                                  : arena_printf(arena, "%s.part-%u-of-%u", settings->logs.at[0],
                                                 settings->shard + 1, settings->shards)};
    pthread_mutex_init(&kept->lock, NULL);
    pthread_cond_init(&kept->over, NULL);
    if (settings->follow || (settings->quasi && strstr(settings->quasi, "auto")))
        return error_set(error, "--journal and --shard do not go with --follow, nor with factors "
                                "that are to be found");
    if (settings->shards && !settings->spec)
        return error_set(error, "--shard wants --spec: a share does not see all logs");
    LedgerFacts facts = {0};
    collect(arena, settings, &facts);
    bool fine = hash_logs(settings, &kept->contents, error) &&
                ledger_lock(kept->path, O_RDONLY, &kept->fd, error);
    bool fresh = kept->fd < 0;
    fine = fine && (fresh || read_file(kept, &facts, error));
    kept->ledger.facts = facts;
    kept->ledger.shard = settings->shard;
    kept->ledger.shards = settings->shards;
    kept->ledger.subject = settings->logs.at[0];
    kept->ledger.command = "history";
    if (fine && fresh)
        write_file(kept);
    if (fine && fresh && kept->failure[0]) /* better now than after a night */
        fine = error_set(error, "%s", kept->failure);
    return fine;
}

bool history_kept_resume(HistoryKept *kept, Parts *parts, Error *error)
{
    const Ledger *ledger = &kept->ledger;
    KeptHead head = {0};
    kept->parts = parts;
    if (ledger->kept_bytes >= sizeof head)
        memcpy(&head, ledger->kept, sizeof head);
    if (!head.parts) /* it was not begun */
        return true;
    if (head.parts != parts->count || ledger->kept_bytes != sizeof head + head.parts * 8)
        return error_set(error, "%s does not fit the logs: it is damaged", kept->path);
    for (size_t i = 0; i < parts->count; i++) {
        uint64_t number;
        memcpy(&number, ledger->kept + sizeof head + i * sizeof number, sizeof number);
        if (!number)
            continue;
        Part *part = &parts->parts[i];
        part->verdict = (GroupVerdict){.verdict = VERDICT_HOLDS,
                                       .by_monitor = (number - 1) & 1,
                                       .configurations = (number - 1) >> 1,
                                       .ended = LINEARIZE_NONE,
                                       .stuck = LINEARIZE_NONE};
        atomic_store(&part->status, PART_DONE);
        atomic_fetch_add(&parts->decided, 1);
    }
    return true;
}

void history_kept_close(HistoryKept *kept, const HistorySummary *summary)
{
    Ledger *ledger = &kept->ledger;
    if (summary) {
        Verdict verdict = history_summary_verdict(summary);
        ledger->verdict = verdict_word(verdict);
        if (verdict == VERDICT_VIOLATED) {
            ledger->violation = violation_word(history_summary_violation(summary));
            ledger->message = violation_text(history_summary_violation(summary));
        }
        ledger->complete = ledger->exhaustive = verdict != VERDICT_INCONCLUSIVE;
        ledger->reason = verdict != VERDICT_INCONCLUSIVE ? NULL
                         : summary->problem_count        ? "a log could not be read"
                                                         : "a history was not decided";
        ledger->counts.histories = summary->count;
        write_file(kept);
    }
    if (kept->failure[0])
        print_plain(stderr, "heddle: %s: it is older than this answer\n", kept->failure);
    else if (summary && !ledger->complete)
        print_plain(stderr, "heddle: the same command goes on from %s\n", kept->path);
    if (kept->fd >= 0)
        close(kept->fd);
    pthread_cond_destroy(&kept->over);
    pthread_mutex_destroy(&kept->lock);
    ledger_free(ledger);
    kept->path = NULL;
}
