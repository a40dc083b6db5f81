#include "tool/cli/scale/ranks.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/str.h"
#include "tool/cli/present.h"
#include "tool/cli/scale/channel.h"
#include "tool/cli/scale/facts.h"
#include "tool/cli/scale/join.h"
#include "tool/cli/scale/ranks_link.h"
#include "tool/instrument/process.h"

#define REPORT_SECONDS 1.0
#define SILENCE_SECONDS 30.0
#define KEEP_SECONDS 0.002 /* a rank keeps new work for so long */
#define PATIENCE_SECONDS 0.02
#define TICK_MS 1

static const Channel *channel; /* NULL: no job */
static int own, ranks = 1;
static bool others_are_gone; /* rank 0: QUIT was sent */

/* ---- starting ---- */

/* How many ranks the launcher has started, and whose MPI it is: "openmpi" or "mpich"; 1 if none. */
static long launcher_size(const char **library)
{
    const char *size;
    if ((size = getenv("OMPI_COMM_WORLD_SIZE"))) {
        *library = "openmpi";
        return atol(size);
    }
    if ((size = getenv("PMI_SIZE"))) {
        *library = "mpich";
        return atol(size);
    }
    size = getenv("SLURM_STEP_NUM_TASKS");
    if (size && getenv("PMIX_RANK")) {
        *library = "openmpi";
        return atol(size);
    }
    *library = NULL;
    return size && getenv("SLURM_PROCID") ? atol(size) : 1;
}

/* The plug-in lies with the runtime library. */
static bool load_channel(const char *library, Error *error)
{
    Arena *arena = arena_new();
    const char *name = arena_printf(arena, "heddle-mpi-%s.so", library);
    const char *path = build_own_file(arena, name), *why = "it is not installed";
    void *plugin = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (path && !plugin)
        why = dlerror();
    channel = plugin ? dlsym(plugin, CHANNEL_SYMBOL) : NULL;
    bool fine = channel && channel->version == CHANNEL_VERSION;
    if (!fine) {
        error_set(error,
                  "a launcher of MPI has started several tasks, but %s can't be loaded: %s (it is "
                  "built where mpicc.%s is; HEDDLE_RANKS=no lets each task work alone)",
                  name, channel ? "it is of another version" : why, library);
        channel = NULL;
    }
    arena_free(arena);
    return fine;
}

/* The launcher waits for the end of its pipes: the program under test must not hold them open. */
static void close_on_exec(void)
{
    for (int fd = 3; fd < 1024; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (flags >= 0)
            fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
    }
}

long ranks_launched(void)
{
    const char *library, *wanted = getenv("HEDDLE_RANKS");
    return wanted && !strcmp(wanted, "no") ? 1 : launcher_size(&library);
}

bool ranks_begin(Error *error)
{
    const char *library;
    long size = launcher_size(&library);
    if (ranks_launched() <= 1)
        return true;
    if (!library)
        return error_set(error,
                         "srun has started %ld tasks without MPI, and each would explore "
                         "everything: give srun --mpi=pmix or --mpi=pmi2 (or set HEDDLE_RANKS=no)",
                         size);
    if (!load_channel(library, error))
        return false;
    if (!channel->begin(&own, &ranks))
        return error_set(error, "MPI does not start");
    close_on_exec();
    if (ranks != size)
        return error_set(error,
                         "the launcher has started %ld tasks, but MPI knows %d: it is the launcher "
                         "of another MPI",
                         size, ranks);
    return true;
}

int ranks_number(void)
{
    return ranks;
}

int ranks_own(void)
{
    return own;
}

static void send_all(RankTag tag, const void *bytes, size_t count)
{
    for (int r = 1; r < ranks; r++)
        channel->send(r, (int)tag, bytes, count);
}

void ranks_end(void)
{
    if (!channel || ranks <= 1)
        return;
    if (!own && !others_are_gone)
        send_all(RANK_QUIT, "", 0);
    channel->end();
}

/* ---- what all ranks do: look at the own program ---- */

typedef struct Watch {
    uint32_t epoch, learnt, past_end, busy; /* as last reported */
    bool reported, has_libraries;
    double last, asked;
} Watch;

/* Is there anything to report? */
static bool has_news(Watch *watch, Link *link)
{
    UnitsShared *units = &link->units;
    const UnitSlot *slot = &units->slots[0];
    double now = process_seconds();
    uint32_t busy = __atomic_load_n(&slot->busy, __ATOMIC_ACQUIRE) ||
                    __atomic_load_n(&units->queue_read, __ATOMIC_ACQUIRE) <
                        __atomic_load_n(&units->queue_written, __ATOMIC_ACQUIRE);
    bool news = !watch->reported || units->gift.busy || busy != watch->busy ||
                units->epoch != watch->epoch || units->learnt != watch->learnt ||
                units->past_end != watch->past_end;
    if (!watch->asked && now - watch->last >= REPORT_SECONDS) {
        __atomic_add_fetch(&units->ask, 1, __ATOMIC_RELAXED);
        watch->asked = now;
    }
    if (watch->asked && (slot->answered == units->ask || !busy || now - watch->asked > 0.5))
        news = true;
    return news;
}

static bool take_report(Watch *watch, Link *link, Bytes *to)
{
    vec_clear(to);
    if (!has_news(watch, link) || !rank_state_take(link, to))
        return false;
    RankState state;
    memcpy(&state, to->at, sizeof state);
    *watch = (Watch){.epoch = state.epoch,
                     .learnt = state.learnt,
                     .past_end = state.past_end,
                     .busy = state.busy,
                     .reported = true,
                     .has_libraries = watch->has_libraries,
                     .last = process_seconds()};
    return true;
}

/* ---- rank 0 ---- */

typedef struct Rank {
    UnitCounts counts;
    RankUnit unit;
    bool busy, ready;    /* ready: it has reported in this epoch */
    bool past_end;       /* check: it knows that there are no more tests */
    uint32_t given;      /* units that were sent to it */
    double asked;        /* when it was last asked for work, or 0 */
    double since, heard; /* when it got or shared its work; when it last reported */
} Rank;

typedef struct Master {
    const Session *session;
    Journal *journal;
    Arena *arena;
    Watch watch;
    Rank *rank;
    Vec(RankUnit) waiting;
    UnitCounts base;
    uint32_t epoch;
    uint64_t next_test;
    bool check, tests_end, closed;
    RankUnit known;     /* what all ranks have learnt */
    Bytes found;        /* what another rank has found, or empty */
    char failure[1024]; /* why nothing can come of it, or "" */
} Master;
static Master master;

static void let_go(void)
{
    if (!others_are_gone)
        send_all(RANK_QUIT, "", 0);
    others_are_gone = true;
}

static void clear_units(Master *m)
{
    for (size_t i = 0; i < m->waiting.count; i++)
        rank_unit_free(&m->waiting.at[i]);
    vec_clear(&m->waiting);
    for (int r = 0; r < ranks; r++) {
        rank_unit_free(&m->rank[r].unit);
        m->rank[r] = (Rank){.heard = m->rank[r].heard, .given = m->rank[r].given};
    }
}

/* Adds what FROM knows to what TO knows; TO becomes the whole. */
static void join_knowledge(RankUnit *to, const RankUnit *from)
{
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
    send_all(RANK_EPOCH, &m->epoch, sizeof m->epoch);
    __atomic_store_n(&link->units.wanted_epoch, m->epoch, __ATOMIC_RELEASE);
}

static void take_state(Master *m, Link *link, int r, const unsigned char *from, size_t bytes)
{
    Rank *rank = &m->rank[r];
    RankState state;
    RankUnit unit, gift;
    if (!rank_state_read(from, bytes, link, &state, &unit, &gift)) {
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
    if (!rank->busy || state.has_gift || !state.busy) {
        rank->asked = 0;
        rank->since = process_seconds();
    }
    rank_unit_free(&rank->unit);
    rank->unit = unit;
    rank->counts = state.counts;
    rank->busy = state.busy;
    rank->past_end = state.past_end;
    rank->ready = true;
    m->tests_end |= state.past_end;
    if (state.has_gift)
        vec_push(&m->waiting, gift);
}

static void give_unit(Master *m, Link *link, int r, RankUnit unit)
{
    Rank *rank = &m->rank[r];
    Bytes bytes = {0};
    rank_unit_put(&unit, &bytes);
    if (r)
        channel->send(r, RANK_UNIT, bytes.at, bytes.count);
    else
        rank_unit_give(&unit, link);
    vec_free(&bytes);
    rank_unit_free(&rank->unit);
    rank->unit = unit;
    rank->busy = true;
    rank->given++;
    rank->asked = 0;
    rank->since = process_seconds();
    if (!r)
        m->watch.busy = 1; /* that it is idle again will be news */
}

/* One is idle more than were asked already: the rank that has kept its work longest is asked for
 * some. One that does not answer soon has nothing to give now. */
static void ask_for_work(Master *m, Link *link, int idle)
{
    int victim = -1;
    double now = process_seconds();
    for (int r = 0; r < ranks; r++) {
        const Rank *rank = &m->rank[r];
        if (rank->asked > 0 && now - rank->asked < PATIENCE_SECONDS) {
            if (--idle <= 0)
                return;
        } else if (rank->busy && now - rank->since >= KEEP_SECONDS &&
                   (victim < 0 || rank->since < m->rank[victim].since)) {
            victim = r;
        }
    }
    if (victim < 0)
        return;
    m->rank[victim].asked = now;
    if (victim)
        channel->send(victim, RANK_WANT, "", 0);
    else
        __atomic_store_n(&link->units.want, 1, __ATOMIC_RELEASE);
}

/* Units to whoever is idle. True if nothing is left to do anywhere. */
static bool share_out(Master *m, Link *link)
{
    bool all_idle = true;
    int idle = 0;
    for (int r = 0; r < ranks; r++) {
        const Rank *rank = &m->rank[r];
        if (!rank->ready || rank->busy || rank->past_end) {
            all_idle &= rank->ready && !rank->busy;
            continue;
        }
        if (m->waiting.count) {
            RankUnit first = m->waiting.at[0];
            memmove(m->waiting.at, m->waiting.at + 1, --m->waiting.count * sizeof first);
            give_unit(m, link, r, first);
            all_idle = false;
        } else if (m->check && !m->tests_end) {
            RankUnit test = {.head = {.test = m->next_test++, .left = 1}, .bytes = malloc(1)};
            give_unit(m, link, r, test);
            all_idle = false;
        } else if (!m->check) {
            ask_for_work(m, link, ++idle);
        }
    }
    return all_idle && !m->waiting.count && (!m->check || m->tests_end);
}

/* Our own program, and whoever shows progress, see what the others have counted. */
static UnitCounts show_others(Master *m, Link *link)
{
    UnitCounts others = m->base;
    for (int r = 1; r < ranks; r++)
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

static void receive(Bytes *to, int from, int tag, size_t count)
{
    vec_clear(to);
    vec_reserve(to, count + 1);
    channel->receive(from, tag, to->at, count);
    to->at[count] = 0;
    to->count = count;
}

static void look_for_silence(Master *m)
{
    double now = process_seconds();
    for (int r = 1; r < ranks; r++)
        if (now - m->rank[r].heard > SILENCE_SECONDS && !m->failure[0])
            snprintf(m->failure, sizeof m->failure,
                     "rank %d has been silent for %.0f s; with --journal the same command goes on",
                     r, SILENCE_SECONDS);
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
    m->next_test = link->units.next_test;
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
    for (int r = 0; r < ranks; r++)
        m->rank[r].heard = process_seconds();
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
    while (channel->probe(&from, &tag, &count)) {
        receive(&bytes, from, tag, count);
        take_message(m, link, from, tag, &bytes);
    }
    if (!m->closed && take_report(&m->watch, link, &bytes))
        take_state(m, link, 0, bytes.at, bytes.count);
    vec_free(&bytes);
    if (!m->closed && share_out(m, link) && link->state == LINK_RUNNING && !link->stop)
        close_all(m, link);
    show_others(m, link);
    look_for_silence(m);
    if (m->found.count || m->failure[0])
        return false;
    return !m->journal || journal_watch_link(m->journal, link);
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

/* For the journal: counts and units of all ranks. */
static bool master_collect(void *collector, Arena *arena, Ledger *ledger)
{
    Master *m = collector;
    ledger->counts = m->base;
    vec_clear(&ledger->units);
    ledger->next_test = m->next_test;
    ledger->epoch = m->epoch;
    for (int r = 0; r < ranks; r++)
        ledger_add_counts(&ledger->counts, &m->rank[r].counts);
    for (int r = 0; r < ranks + (int)m->waiting.count; r++) {
        const RankUnit *unit = r < ranks ? &m->rank[r].unit : &m->waiting.at[r - ranks];
        if (r < ranks && !m->rank[r].busy)
            continue;
        LedgerUnit copy = {.head = unit->head};
        copy.way = (unsigned char *)arena_copy(arena, unit->bytes, unit->head.way_bytes);
        copy.knowledge = (unsigned char *)arena_copy(arena, unit->bytes + unit->head.way_bytes,
                                                     unit->head.knowledge_bytes);
        vec_push(&ledger->units, copy);
    }
    return true;
}

/* ---- the job ---- */

typedef struct RankJob {
    ExploreOptions options;
    uint64_t hang_ms;
    uint64_t words_bytes, program_bytes; /* name and arguments, each ended by 0; the executable */
} RankJob;

static bool read_program(const char *path, Bytes *to, Error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0)
        return error_set(error, "%s can't be read: %s", path, strerror(errno));
    size_t bytes = (size_t)status.st_size;
    vec_reserve(to, to->count + bytes);
    bool fine = read(fd, to->at + to->count, bytes) == (ssize_t)bytes;
    to->count += bytes;
    close(fd);
    return fine || error_set(error, "%s can't be read", path);
}

bool ranks_use(const Session *session, Journal *journal, SuperviseRequest *request, Error *error)
{
    Master *m = &master;
    *m = (Master){.session = session,
                  .journal = journal,
                  .arena = session->arena,
                  .check = request->options.check.enabled,
                  .rank = calloc((size_t)ranks, sizeof(Rank))};
    if (!m->rank)
        die("out of memory");
    request->options.jobs = 1;
    request->first_tests = NULL;
    if (journal) {
        journal->collect = master_collect;
        journal->collector = m;
    }
    request->watcher = (SuperviseWatcher){m, master_begin, master_watch, master_end, TICK_MS};
    Bytes message = {0};
    Buffer words = {0};
    buffer_append(&words, request->name, strlen(request->name) + 1);
    for (size_t i = 0; request->arguments && i < request->arguments->count; i++)
        buffer_append(&words, request->arguments->at[i], strlen(request->arguments->at[i]) + 1);
    RankJob job = {
        .options = request->options, .hang_ms = request->hang_ms, .words_bytes = words.count};
    vec_reserve(&message, sizeof job + words.count);
    message.count = sizeof job + words.count;
    memcpy(message.at + sizeof job, words.at, words.count);
    vec_free(&words);
    bool fine = read_program(request->program, &message, error);
    job.program_bytes = message.count - sizeof job - job.words_bytes;
    memcpy(message.at, &job, sizeof job);
    if (fine)
        send_all(RANK_JOB, message.at, message.count);
    vec_free(&message);
    return fine;
}

/* ---- the other ranks ---- */

typedef struct Server {
    Watch watch;
    uint32_t received; /* units */
    bool quits;
} Server;

static bool server_begin(void *context, Link *link, Error *error)
{
    (void)context;
    (void)error;
    link->units.mode = UNITS_WAIT;
    return true;
}

static void server_send_libraries(const Link *link)
{
    char host[256] = "", text[sizeof link->units.libraries + sizeof host + 2];
    gethostname(host, sizeof host - 1);
    int count = snprintf(text, sizeof text, "%s\n%s", host, link->units.libraries);
    channel->send(0, RANK_LIBRARIES, text, (size_t)count + 1);
}

static void server_take(Server *server, Link *link, int tag, const Bytes *bytes)
{
    const unsigned char *at = bytes->at;
    size_t left = bytes->count;
    RankUnit unit;
    uint32_t epoch;
    switch (tag) {
    case RANK_UNIT:
        if (rank_unit_get(&at, &left, &unit)) {
            rank_unit_give(&unit, link);
            server->received++;
            server->watch.busy = 1;
        }
        rank_unit_free(&unit);
        break;
    case RANK_WANT:
        __atomic_store_n(&link->units.want, 1, __ATOMIC_RELEASE);
        break;
    case RANK_EPOCH:
        if (left == sizeof epoch) {
            memcpy(&epoch, at, sizeof epoch);
            __atomic_store_n(&link->units.wanted_epoch, epoch, __ATOMIC_RELEASE);
        }
        break;
    default:
        server->quits = true;
    }
}

static bool server_watch(void *context, Link *link)
{
    Server *server = context;
    Bytes bytes = {0};
    int from, tag;
    size_t count;
    if (link->state == LINK_STARTING)
        return true;
    if (!server->watch.has_libraries)
        server_send_libraries(link);
    server->watch.has_libraries = true;
    while (!server->quits && channel->probe(&from, &tag, &count)) {
        receive(&bytes, from, tag, count);
        server_take(server, link, tag, &bytes);
    }
    if (link->state == LINK_RUNNING && take_report(&server->watch, link, &bytes)) {
        memcpy(bytes.at + offsetof(RankState, received), &server->received,
               sizeof server->received);
        channel->send(0, RANK_STATE, bytes.at, bytes.count);
    }
    vec_free(&bytes);
    return !server->quits;
}

/* The program has ended before it was let go: it has found something, or has died. */
static void server_end(void *context, Link *link)
{
    Server *server = context;
    if (server->quits)
        return;
    Bytes bytes = {0};
    if (link->state == LINK_DONE) {
        rank_found_take(link, &bytes);
        channel->send(0, RANK_FOUND, bytes.at, bytes.count);
    } else {
        static const char why[] = "the program under test has died";
        channel->send(0, RANK_FAILED, why, sizeof why);
    }
    vec_free(&bytes);
}

static bool serve_job(const Bytes *message, Error *error)
{
    RankJob job;
    Server server = {0};
    Arena *arena = arena_new();
    Workspace workspace = {0};
    if (message->count < sizeof job)
        return error_set(error, "a damaged job");
    memcpy(&job, message->at, sizeof job);
    const unsigned char *words = message->at + sizeof job, *program = words + job.words_bytes;
    Words arguments = {0};
    for (size_t at = 0; at < job.words_bytes; at += strlen((const char *)words + at) + 1)
        vec_push(&arguments, arena_printf(arena, "%s", (const char *)words + at));
    bool fine = workspace_open(&workspace, error);
    const char *path = fine ? workspace_file(&workspace, arena, "program") : "";
    int fd = fine ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700) : -1;
    if (fine && (fd < 0 || write(fd, program, job.program_bytes) != (ssize_t)job.program_bytes))
        fine = error_set(error, "can't write %s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    Words rest = {.at = arguments.at + 1, .count = arguments.count - 1};
    SuperviseRequest request = {
        .program = path,
        .name = arguments.at[0],
        .arguments = &rest,
        .options = job.options,
        .hang_ms = 0,
        .quiet = true,
        .watcher = {&server, server_begin, server_watch, server_end, TICK_MS}};
    request.options.time_ms = 0;
    SuperviseResult result;
    fine = fine && supervise_run(arena, &workspace, &request, &result, error);
    workspace_close(&workspace);
    vec_free(&arguments);
    arena_free(arena);
    others_are_gone = server.quits;
    return fine;
}

int ranks_serve(void)
{
    Bytes bytes = {0};
    Error error = {0};
    process_catch_interrupts();
    while (!others_are_gone) {
        int from, tag;
        size_t count;
        if (!channel->probe(&from, &tag, &count)) {
            usleep(1000);
            continue;
        }
        receive(&bytes, from, tag, count);
        if (tag == RANK_QUIT)
            break;
        if (tag == RANK_JOB && !serve_job(&bytes, &error))
            channel->send(0, RANK_FAILED, error.message, strlen(error.message) + 1);
    }
    vec_free(&bytes);
    channel->end();
    return 0;
}
