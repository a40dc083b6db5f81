#include "tool/cli/scale/ranks.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"
#include "base/str.h"
#include "tool/cli/scale/facts.h"
#include "tool/cli/scale/job.h"
#include "tool/cli/scale/journal.h"
#include "tool/cli/scale/join.h"
#include "tool/cli/scale/sharing.h"
#include "tool/instrument/process.h"

extern char **environ;

#define SILENCE_SECONDS 30.0
#define AWAY_SECONDS 2.0 /* looks that are further apart: rank 0 did not run in between */
#define TESTS_SHARE 8    /* a rank is given this part of its share of the tests that are left */

typedef struct Rank {
    UnitCounts counts;
    RankUnit unit;
    bool ready;          /* it has reported in this epoch */
    bool wants, is_idle; /* check: as it last reported */
    uint32_t given;      /* units that were sent to it */
    double heard;        /* when it last reported */
} Rank;

typedef struct Master {
    const Session *session;
    Journal *journal;
    Arena *arena;
    RankWatch watch;
    Rank *rank;
    SharingParty *party; /* of each rank */
    Vec(RankUnit) waiting;
    UnitCounts base;
    uint32_t epoch, given_up; /* units_shared.h */
    bool check, closed;
    bool waits;                  /* a rank has nothing to do, or has not begun */
    double looked;               /* for silent ranks, the last time */
    uint64_t next_test, planned; /* the first that nobody was given; how many there are */
    UnitTests *tests;            /* what all ranks have done */
    RankUnit known;              /* what all ranks have learnt */
    Bytes found;                 /* what another rank has found, or empty */
    char failure[1024];          /* why nothing can come of it, or "" */
} Master;
static Master master;

static void let_go(void)
{
    if (!job_is_over)
        job_send_all(RANK_QUIT, "", 0);
    job_is_over = true;
}

static void clear_units(Master *m)
{
    for (size_t i = 0; i < m->waiting.count; i++)
        rank_unit_free(&m->waiting.at[i]);
    vec_clear(&m->waiting);
    for (int r = 0; r < ranks_number(); r++) {
        rank_unit_free(&m->rank[r].unit);
        m->rank[r] = (Rank){.heard = m->rank[r].heard, .given = m->rank[r].given};
        m->party[r] = (SharingParty){0};
    }
}

/* Adds what FROM knows to what TO knows; TO becomes the whole. A rank that is alone knows all. */
static void join_knowledge(RankUnit *to, const RankUnit *from)
{
    if (from->head.alone) {
        uint32_t all = from->head.knowledge_bytes;
        free(to->bytes);
        *to = (RankUnit){.head = {.left = 1, .knowledge_bytes = all, .alone = from->head.alone},
                         .bytes = malloc(all + 1)};
        if (!to->bytes)
            die("out of memory");
        memcpy(to->bytes, from->bytes + from->head.way_bytes, all);
        return;
    }
    Arena *arena = arena_new();
    uint32_t bytes;
    const JoinKnowledge both[2] = {
        {to->bytes ? to->bytes + to->head.way_bytes : NULL, to->head.knowledge_bytes},
        {from->bytes + from->head.way_bytes, from->head.knowledge_bytes}};
    const unsigned char *joined = join_knowledge_of(arena, both, 2, &bytes);
    free(to->bytes);
    *to = (RankUnit){.head = {.left = 1, .knowledge_bytes = bytes}, .bytes = malloc(bytes + 1)};
    if (!to->bytes)
        die("out of memory");
    memcpy(to->bytes, joined, bytes);
    arena_free(arena);
}

/* A rank has learnt something: all begin again with it. */
static void begin_epoch(Master *m, Link *link, const RankUnit *learnt)
{
    join_knowledge(&m->known, learnt);
    m->epoch++;
    m->given_up += learnt->head.alone == UNIT_IS_WHOLE;
    link->units.given_up = m->given_up;
    m->base = (UnitCounts){0};
    clear_units(m);
    RankUnit whole = m->known;
    whole.bytes = malloc(whole.head.knowledge_bytes + 1);
    if (!whole.bytes)
        die("out of memory");
    memcpy(whole.bytes, m->known.bytes, whole.head.knowledge_bytes);
    vec_push(&m->waiting, whole);
    link->counters[LINK_WORKERS] = (LinkCounters){0};
    link->units.base = (UnitCounts){0};
    job_send_all(RANK_EPOCH, &m->epoch, sizeof m->epoch);
    __atomic_store_n(&link->units.wanted_epoch, m->epoch, __ATOMIC_RELEASE);
}

static void take_state(Master *m, Link *link, int r, const unsigned char *from, size_t bytes)
{
    Rank *rank = &m->rank[r];
    RankState state;
    RankUnit unit, gift;
    if (!rank_state_read(from, bytes, link, &state, &unit, &gift, m->tests)) {
        snprintf(m->failure, sizeof m->failure, "rank %d has sent a damaged report", r);
        rank_unit_free(&unit);
        rank_unit_free(&gift);
        return;
    }
    rank->heard = process_seconds();
    /* of an exploration that is void, or written before the last unit arrived there */
    if (state.epoch != m->epoch || (r && state.received != rank->given)) {
        rank_unit_free(&unit);
        rank_unit_free(&gift);
        return;
    }
    if (state.learnt) {
        begin_epoch(m, link, &unit);
        rank_unit_free(&unit);
        rank_unit_free(&gift);
        return;
    }
    SharingParty *party = &m->party[r];
    if (party->busy != (bool)state.busy || state.has_gift || state.wants_tests)
        m->watch.moved = process_seconds();
    if (!party->busy || state.has_gift || !state.busy)
        *party = (SharingParty){.since = process_seconds()};
    party->busy = state.busy;
    rank_unit_free(&rank->unit);
    rank->unit = unit;
    rank->counts = state.counts;
    rank->ready = true;
    rank->wants = state.wants_tests;
    rank->is_idle = state.is_idle;
    m->planned = MAX(m->planned, state.tests_planned);
    if (state.has_gift)
        vec_push(&m->waiting, gift);
}

static void give_unit(Master *m, Link *link, int r, RankUnit unit)
{
    Rank *rank = &m->rank[r];
    Bytes bytes = {0};
    rank_unit_put(&unit, &bytes);
    if (r)
        job_channel->send(r, RANK_UNIT, bytes.at, bytes.count);
    else
        rank_unit_give(&unit, link);
    vec_free(&bytes);
    rank_unit_free(&rank->unit);
    rank->unit = unit;
    rank->given++;
    m->party[r] = (SharingParty){.busy = true, .since = process_seconds()};
    if (!r)
        m->watch.busy = 1; /* that it is idle again will be news */
}

/* IDLE ranks have nothing to do: as many others are asked for some of their work. */
static void ask_for_work(Master *m, Link *link, int idle)
{
    double now = process_seconds();
    for (int victim; (victim = sharing_victim(m->party, ranks_number(), idle, now)) >= 0;) {
        m->party[victim].asked = now;
        if (victim)
            job_channel->send(victim, RANK_WANT, "", 0);
        else
            __atomic_store_n(&link->units.want, 1, __ATOMIC_RELEASE);
    }
}

/* GIVEN tests to rank R, with what earlier sessions have done of them. */
static void give_tests(Master *m, Link *link, int r, const RankTests *given)
{
    Bytes bytes = {0};
    vec_reserve(&bytes, sizeof *given);
    memcpy(bytes.at, given, sizeof *given);
    bytes.count = sizeof *given;
    for (size_t i = 0; i < m->waiting.count; i++) {
        const RankUnit *unit = &m->waiting.at[i];
        if (unit->head.test <= given->first || unit->head.test > given->end)
            continue; /* they count from 1 on */
        if (r)
            rank_unit_put(unit, &bytes);
        else
            rank_unit_append(unit, link);
    }
    if (r)
        job_channel->send(r, RANK_TESTS, bytes.at, bytes.count);
    else
        rank_tests_give(given, link);
    vec_free(&bytes);
}

/* Tests to whoever wants some: fewer at a time the fewer are left. True if all are done. */
static bool share_out_tests(Master *m, Link *link)
{
    bool all_idle = true;
    m->waits = false;
    for (int r = 0; r < ranks_number(); r++) {
        Rank *rank = &m->rank[r];
        all_idle &= rank->is_idle;
        m->waits |= rank->is_idle || !rank->ready;
        if (!rank->wants)
            continue;
        uint64_t left = m->planned - m->next_test;
        uint64_t count = MIN(left, left / (TESTS_SHARE * (uint64_t)ranks_number()) + 1);
        RankTests given = {.first = m->next_test, .end = m->next_test + count, .no_more = !count};
        m->next_test += count;
        rank->wants = false;
        give_tests(m, link, r, &given);
        if (!r)
            m->watch.wants_tests = 0;
    }
    return all_idle;
}

/* Units to whoever is idle. True if nothing is left to do anywhere. */
static bool share_out(Master *m, Link *link)
{
    bool all_idle = true;
    int idle = 0;
    m->waits = false;
    for (int r = 0; r < ranks_number(); r++) {
        const Rank *rank = &m->rank[r];
        m->waits |= !rank->ready;
        bool busy = m->party[r].busy;
        if (!rank->ready || busy) {
            all_idle &= rank->ready && !busy;
            continue;
        }
        if (m->waiting.count) {
            RankUnit first = m->waiting.at[0];
            memmove(m->waiting.at, m->waiting.at + 1, --m->waiting.count * sizeof first);
            give_unit(m, link, r, first);
            all_idle = false;
        } else {
            idle++;
        }
    }
    m->waits |= idle > 0;
    if (idle)
        ask_for_work(m, link, idle);
    return all_idle && !m->waiting.count;
}

/* Our own program, and whoever shows progress, see what the others have counted. */
static UnitCounts show_others(Master *m, Link *link)
{
    UnitCounts others = m->base;
    for (int r = 1; r < ranks_number(); r++)
        ledger_add_counts(&others, &m->rank[r].counts);
    LinkCounters *base = &link->counters[LINK_WORKERS];
    base->executions = others.executions;
    base->blocked = others.blocked;
    base->stuck = others.stuck;
    base->cut = others.cut;
    base->left_out = others.left_out;
    base->revisits = others.revisits;
    return others;
}

/* Everything is done: our own program gives the answer, with the totals of all. */
static void close_all(Master *m, Link *link)
{
    UnitCounts others = show_others(m, link);
    link->outcome.tests = others.tests;
    link->outcome.histories = others.histories;
    link->outcome.serial_runs = others.serial_runs;
    link->outcome.tests_by_states = others.tests_by_states;
    link->outcome.test_states = others.test_states;
    link->units.base.undecided = others.undecided;
    m->closed = true;
    __atomic_store_n(&link->units.closed, 1, __ATOMIC_RELEASE);
    let_go();
}

/* The nodes must have the same libraries: addresses and what they do come from there. */
static void compare_libraries(Master *m, Link *link, const unsigned char *text, size_t bytes)
{
    Arena *arena = arena_new();
    char *theirs = arena_copy(arena, text, bytes), *list = strchr(theirs, '\n');
    Link *other = calloc(1, sizeof *other);
    if (list && other) {
        *list++ = 0;
        snprintf(other->units.libraries, sizeof other->units.libraries, "%s", list);
        LedgerFacts here = {0}, there = {0};
        facts_add_libraries(arena, link, &here);
        facts_add_libraries(arena, other, &there);
        const char *difference = ledger_difference(arena, &there, &here);
        if (difference)
            snprintf(m->failure, sizeof m->failure, "node %s has other libraries: %s", theirs,
                     difference);
        vec_free(&here);
        vec_free(&there);
    }
    free(other);
    arena_free(arena);
}

static void take_message(Master *m, Link *link, int from, int tag, Bytes *bytes)
{
    m->rank[from].heard = process_seconds();
    switch (tag) {
    case RANK_STATE:
        take_state(m, link, from, bytes->at, bytes->count);
        break;
    case RANK_FOUND:
        if (!m->found.count) {
            m->found = *bytes;
            *bytes = (Bytes){0};
        }
        break;
    case RANK_FAILED:
        snprintf(m->failure, sizeof m->failure, "rank %d: %.*s", from, (int)MIN(bytes->count, 900u),
                 (const char *)bytes->at);
        break;
    case RANK_LIBRARIES:
        compare_libraries(m, link, bytes->at, bytes->count);
        break;
    default:
        break;
    }
}

static void look_for_silence(Master *m)
{
    double now = process_seconds(), away = now - m->looked;
    m->looked = now;
    for (int r = 1; r < ranks_number() && away > AWAY_SECONDS; r++)
        m->rank[r].heard += away; /* this machine slept, and perhaps the others with it */
    for (int r = 1; r < ranks_number(); r++)
        if (now - m->rank[r].heard > SILENCE_SECONDS && !m->failure[0]) {
            snprintf(m->failure, sizeof m->failure,
                     "rank %d has been silent for %.0f s; with --journal the same command goes on",
                     r, SILENCE_SECONDS);
            job_has_lost_rank = true;
        }
}

static bool master_begin(void *context, Link *link, Error *error)
{
    Master *m = context;
    if (m->journal && !journal_begin_link(m->journal, link, error))
        return false;
    const unsigned char *at = link->units.queue;
    size_t left = link->units.queue_written;
    m->base = link->units.base;
    m->epoch = link->units.wanted_epoch = link->units.epoch;
    while (left) {
        RankUnit unit;
        const unsigned char *start = at;
        if (!rank_unit_get(&at, &left, &unit))
            return error_set(error, "a unit of the journal is damaged");
        vec_push(&m->waiting, unit);
        size_t padding = units_bytes(&unit.head) - (size_t)(at - start);
        at += padding;
        left -= MIN(left, padding);
    }
    if (!m->journal && !m->check)
        vec_push(&m->waiting, (RankUnit){.head.left = 1, .bytes = malloc(1)});
    link->units.queue_read = link->units.queue_written = 0;
    link->units.mode = UNITS_WAIT;
    for (int r = 0; r < ranks_number(); r++)
        m->rank[r].heard = process_seconds();
    m->looked = m->watch.moved = process_seconds();
    return true;
}

static bool master_watch(void *context, Link *link)
{
    Master *m = context;
    Bytes bytes = {0};
    int from, tag;
    size_t count;
    if (link->state == LINK_STARTING)
        return true;
    while (job_channel->probe(&from, &tag, &count)) {
        job_receive(&bytes, from, tag, count);
        take_message(m, link, from, tag, &bytes);
    }
    if (!m->closed && watch_take_report(&m->watch, link, &bytes))
        take_state(m, link, 0, bytes.at, bytes.count);
    vec_free(&bytes);
    bool done = !m->closed && (m->check ? share_out_tests(m, link) : share_out(m, link));
    if (done && link->state == LINK_RUNNING && !link->stop)
        close_all(m, link);
    show_others(m, link);
    look_for_silence(m);
    if (m->found.count || m->failure[0])
        return false;
    return !m->journal || journal_watch_link(m->journal, link);
}

static int master_tick_ms(void *context)
{
    const Master *m = context;
    return watch_tick_ms(&m->watch, m->waits);
}

/* The finding of another rank takes the place of what our own program left. */
static void master_end(void *context, Link *link)
{
    Master *m = context;
    Bytes bytes = {0};
    if (!m->closed && rank_state_take(link, &bytes))
        take_state(m, link, 0, bytes.at, bytes.count);
    vec_free(&bytes);
    let_go();
    show_others(m, link);
    if (m->found.count && link->state != LINK_DONE &&
        rank_found_give(m->found.at, m->found.count, link))
        link->state = LINK_DONE;
    else if (m->failure[0]) {
        link->state = LINK_DONE;
        link->outcome.verdict = VERDICT_INCONCLUSIVE;
        link->outcome.exhaustive = 0;
        outcome_say(&link->outcome, OUTCOME_reason, "%s", m->failure);
    }
    if (m->journal)
        journal_end_link(m->journal, link);
}

/* Is UNIT, from the journal, of a test that has ended or of which a rank has a unit that goes
 * further? */
static bool is_outdone(const Master *m, const RankUnit *unit)
{
    uint64_t number = unit->head.test - 1;
    if (!unit->head.test)
        return false;
    bool outdone = number < m->tests->count && m->tests->done[number / 8] >> number % 8 & 1;
    for (int r = 0; r < ranks_number() && !outdone; r++)
        outdone = m->party[r].busy && m->rank[r].unit.head.test == unit->head.test;
    return outdone;
}

/* For the journal: counts and units of all ranks. */
static bool master_collect(void *collector, Arena *arena, Ledger *ledger)
{
    Master *m = collector;
    ledger->counts = m->base;
    vec_clear(&ledger->units);
    ledger->epoch = m->epoch - m->given_up;
    if (m->check)
        ledger_take_tests(arena, m->tests, ledger);
    for (int r = 0; r < ranks_number(); r++)
        ledger_add_counts(&ledger->counts, &m->rank[r].counts);
    for (int r = 0; r < ranks_number() + (int)m->waiting.count; r++) {
        const RankUnit *unit =
            r < ranks_number() ? &m->rank[r].unit : &m->waiting.at[r - ranks_number()];
        if (r < ranks_number() ? !m->party[r].busy : is_outdone(m, unit))
            continue;
        LedgerUnit copy = {.head = unit->head};
        copy.way = (unsigned char *)arena_copy(arena, unit->bytes, unit->head.way_bytes);
        copy.knowledge = (unsigned char *)arena_copy(arena, unit->bytes + unit->head.way_bytes,
                                                     unit->head.knowledge_bytes);
        vec_push(&ledger->units, copy);
    }
    return true;
}
static bool read_program(const char *path, Bytes *to, Error *error)
{
    Buffer text = {0};
    bool fine = file_read(path, &text, error);
    vec_reserve(to, to->count + text.count);
    if (text.count)
        memcpy(to->at + to->count, text.at, text.count);
    to->count += text.count;
    vec_free(&text);
    return fine;
}

bool ranks_use(const Session *session, Journal *journal, SuperviseRequest *request, Error *error)
{
    Master *m = &master;
    *m = (Master){.session = session,
                  .journal = journal,
                  .arena = session->arena,
                  .check = request->options.check.enabled,
                  .tests = calloc(1, sizeof(UnitTests)),
                  .rank = calloc((size_t)ranks_number(), sizeof(Rank)),
                  .party = calloc((size_t)ranks_number(), sizeof(SharingParty))};
    if (!m->rank || !m->party || !m->tests)
        die("out of memory");
    request->options.jobs = 1;
    request->first_tests = NULL;
    if (journal) {
        journal->collect = master_collect;
        journal->collector = m;
    }
    request->watcher =
        (SuperviseWatcher){m, master_begin, master_watch, master_end, master_tick_ms};
    Bytes message = {0};
    Buffer words = {0};
    buffer_append(&words, request->name, strlen(request->name) + 1);
    for (size_t i = 0; request->arguments && i < request->arguments->count; i++)
        buffer_append(&words, request->arguments->at[i], strlen(request->arguments->at[i]) + 1);
    size_t words_bytes = words.count;
    for (char **at = environ; *at; at++)
        buffer_append(&words, *at, strlen(*at) + 1);
    if (journal)
        ledger_give_tests(&journal->ledger, m->tests);
    RankJob job = {.options = request->options,
                   .hang_ms = request->hang_ms,
                   .words_bytes = words_bytes,
                   .environment_bytes = words.count - words_bytes,
                   .tests_bytes = (m->tests->count + 7) / 8,
                   .tests_budget = m->tests->budget};
    vec_reserve(&message, sizeof job + words.count);
    message.count = sizeof job + words.count;
    memcpy(message.at + sizeof job, words.at, words.count);
    vec_free(&words);
    bool fine = read_program(request->program, &message, error);
    job.program_bytes = message.count - sizeof job - job.words_bytes - job.environment_bytes;
    memcpy(message.at, &job, sizeof job);
    vec_reserve(&message, message.count + 2 * job.tests_bytes);
    memcpy(message.at + message.count, m->tests->done, job.tests_bytes);
    memcpy(message.at + message.count + job.tests_bytes, m->tests->put_off, job.tests_bytes);
    message.count += 2 * job.tests_bytes;
    if (fine)
        job_send_all(RANK_JOB, message.at, message.count);
    vec_free(&message);
    return fine;
}
