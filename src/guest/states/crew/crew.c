#include "guest/states/crew/crew.h"
#include "guest/states/state.h"
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/scale/workers.h"
#include "guest/runtime/native.h"
#include "guest/runtime/pages.h"
#include "guest/states/crew/copies.h"
#include "guest/states/crew/told.h"
#include "guest/states/part.h"
#include "guest/states/sets.h"
#include "guest/states/shelf.h"
#include "guest/states/visited.h"
#include "record/hooks.h"

enum {
    MOST_CHUNKS = CREW_REACH / CREW_CHUNK - 1, /* that are offered at once */
    LOG_BYTES = 8 << 20,                       /* of a process, used again and again */
    CHUNK_BYTES = 1 << 20,                     /* in the log, at most */
    SLACK_BYTES = 1 << 19                      /* that can be written while the search reads none */
};

/* The number of a chunk and, in the low bits, who has it. */
enum { CHUNK_OPEN, CHUNK_OURS, CHUNK_CLAIMED, CHUNK_DONE, CHUNK_LEFT, CHUNK_BITS = 3 };
typedef struct Chunk {
    uint64_t state;
    uint32_t who;
    bool renumbers;    /* the local numbers of states (told.h) begin again */
    uint64_t from, to; /* in the log of that process */
    uint64_t counted[COUNT_OF(((CrewTasks *)0)->counters)];
} Chunk;
/* The search and the crew write to different lines of their caches. */
enum { LINE = 64 };
typedef struct Shared {
    uint32_t position;      /* the chunk that the search has come to */
    uint32_t offered;       /* chunks before this can be claimed */
    uint32_t ahead;         /* of the search: the crew claims chunks that are so far, or farther */
    uint32_t news;          /* changes that the crew may wait for */
    uint32_t search_sleeps; /* it waits for `done` */
    uint64_t log_taken[CREW_JOBS]; /* bytes of each log that the search has read */
    _Alignas(LINE) uint32_t next;  /* chunk that the crew claims */
    uint32_t done;                 /* changes that the search may wait for */
    uint32_t sleepers;             /* of the crew, that wait for news */
    uint64_t cpu_ns[CREW_JOBS];
    _Alignas(LINE) Chunk chunk[MOST_CHUNKS];
} Shared;
_Static_assert(sizeof(Chunk) == LINE, "a chunk has a line of its own");
/* A log has an entry for each step. All that is written to it takes a multiple of 8 bytes, and is
 * written in place, field by field: what is copied there from a variable that was just filled in
 * waits until all writes before it have reached memory. */
typedef struct Entry {
    uint32_t state;
    uint8_t node; /* of the chunk */
    uint8_t thread, flags, turn;
} Entry;
_Static_assert(CREW_CHUNK <= UINT8_MAX + 1, "a byte tells the nodes of a chunk");
/* It follows that of a new pair; its new parts come behind it, and its copy, unless that is in
 * memory that was lent. */
typedef struct Added {
    uint32_t size;  /* of all that */
    uint32_t bytes; /* of the copy */
    uint32_t parts; /* that nobody was told of, before it */
    uint32_t way, set;
    VisitedLook look;
    uint8_t inside, blocked, perpetual;
    bool renames; /* the copy has parts with local numbers */
    bool grows;
    char *lent; /* where the copy is, or NULL */
    StatesKey key;
    StatesDone done;
} Added;
enum { FLAG_ADDED = 1, FLAG_BEGINS = 2, FLAG_RETURNS = 4, FLAG_WROTE = 8 };

/* How much was known when the crew was forked. */
typedef struct Known {
    uint32_t sets;
    size_t words;
} Known;
typedef struct Crew {
    Shared *shared;
    long owner; /* of `shared` and the logs: a process */
    char *logs[CREW_JOBS];
    long pid[CREW_JOBS]; /* 0: it has ended */
    uint32_t jobs;       /* processes of the crew; 0: there is none */
    Known known;
    uint32_t added, unknown; /* pairs that were told; of these, with a set that is not known */
    const CrewTasks *tasks;
    /* In the search, by process: the numbers here of its new states and, + 1, parts. */
    Vec(uint32_t) states[CREW_JOBS];
    Shelf(uint32_t) parts[CREW_JOBS];
    /* In a member: */
    uint32_t self;
    uint64_t used, room; /* of its log, counted on; until where this chunk may write */
    uint32_t told;       /* parts */
} Crew;
static Crew crew;
bool crew_is_member;

static Chunk *chunk_at(uint32_t c)
{
    return &crew.shared->chunk[c % MOST_CHUNKS];
}

static inline uint64_t chunk_state(uint32_t c, uint32_t state)
{
    return (uint64_t)c << CHUNK_BITS | state;
}

static bool claim_chunk(uint32_t c, uint32_t state)
{
    uint64_t open = chunk_state(c, CHUNK_OPEN);
    return __atomic_compare_exchange_n(&chunk_at(c)->state, &open, chunk_state(c, state), false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Waits until *word is not SEEN any more, or for a while. */
static void sleep_on(uint32_t *word, uint32_t seen)
{
    struct timespec time = {.tv_nsec = 20000000};
    native_call(SYS_futex, (long)word, FUTEX_WAIT, (long)seen, (long)&time);
}

static void tell_news(uint32_t *word, const uint32_t *sleepers)
{
    __atomic_add_fetch(word, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(sleepers, __ATOMIC_SEQ_CST))
        native_call(SYS_futex, (long)word, FUTEX_WAKE, CREW_JOBS, 0);
}

/* ---- in the crew ---- */

static void finish_chunk(uint32_t c, uint32_t state)
{
    enum { SOME = 16 }; /* (it takes a call of the system) */
    if (c % SOME == 0 || state == CHUNK_LEFT)
        crew.shared->cpu_ns[crew.self] = clock_cpu_ns();
    __atomic_store_n(&chunk_at(c)->state, chunk_state(c, state), __ATOMIC_SEQ_CST);
    tell_news(&crew.shared->done, &crew.shared->search_sleeps);
}

static inline size_t rounded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

/* Another processor has read this memory last: the lines that will be written soon are on their way
 * back. */
static inline void expect_writes(const char *at)
{
    enum { AHEAD = 256 };
    __builtin_prefetch(at + AHEAD, 1);
}

/* Returns where to write so many bytes in the log; NULL: there is no room, which is found out at
 * the end of the chunk. */
static char *log_room(size_t bytes)
{
    char *at = crew.logs[crew.self] + crew.used % LOG_BYTES;
    crew.used += rounded(bytes);
    expect_writes(at);
    return crew.used <= crew.room ? at : NULL;
}

/* Bytes of the parts that nobody was told of. */
static size_t untold_bytes(void)
{
    size_t bytes = 0;
    for (uint32_t i = crew.told; i < part_local_count(); i++)
        bytes += rounded(part_export_bytes(PART_LOCAL + i));
    return bytes;
}

static void write_parts(void)
{
    for (; crew.told < part_local_count(); crew.told++) {
        char *at = log_room(part_export_bytes(PART_LOCAL + crew.told));
        if (at)
            part_export(PART_LOCAL + crew.told, at);
    }
}

void crew_tell(const CrewStep *step, const StatesCopy *copy)
{
    Entry *entry = (Entry *)log_room(sizeof *entry);
    if (entry) {
        entry->state = step->state;
        entry->node = (uint8_t)(step->node % CREW_CHUNK);
        entry->thread = step->thread;
        entry->turn = step->turn;
        entry->flags = (uint8_t)(step->added * FLAG_ADDED | (step->done->call >= 0) * FLAG_BEGINS |
                                 states_step_returns(step->done) * FLAG_RETURNS |
                                 step->done->wrote * FLAG_WROTE);
    }
    Added *added = step->added ? (Added *)log_room(sizeof *added) : NULL;
    if (!added)
        return;
    added->bytes = (uint32_t)copy->count;
    added->parts = part_local_count() - crew.told;
    added->way = step->way;
    added->set = crew_knows_set(step->set) ? step->set : CREW_SET_UNKNOWN;
    added->inside = step->inside;
    added->blocked = step->blocked;
    added->perpetual = step->perpetual;
    added->look = step->look;
    added->renames = part_tells_local();
    added->grows = step->grows;
    added->key = step->key;
    added->done = *step->done;
    added->lent = copies_keep(copy);
    size_t bytes = added->lent ? 0 : copy->count;
    added->size = (uint32_t)(sizeof *added + untold_bytes() + rounded(bytes));
    write_parts();
    char *at = log_room(bytes);
    if (at)
        memcpy(at, copy->at, bytes);
}

bool crew_knows_set(uint32_t set)
{
    return set < crew.known.sets;
}

/* Waits for room in the log, for a chunk. The log begins again at its start where there is no room
 * up to its end, and soon after what stands there was read: it stays in a cache. */
static void begin_log(void)
{
    Shared *shared = crew.shared;
    uint64_t left = LOG_BYTES - crew.used % LOG_BYTES;
    uint64_t read = __atomic_load_n(&shared->log_taken[crew.self], __ATOMIC_SEQ_CST);
    if (left < CHUNK_BYTES || crew.used + left + CHUNK_BYTES + SLACK_BYTES - read <= LOG_BYTES)
        crew.used += left;
    crew.room = crew.used + CHUNK_BYTES;
    __atomic_add_fetch(&shared->sleepers, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        uint32_t seen = __atomic_load_n(&shared->news, __ATOMIC_SEQ_CST);
        uint64_t taken = __atomic_load_n(&shared->log_taken[crew.self], __ATOMIC_SEQ_CST);
        if (crew.room - taken <= LOG_BYTES)
            break;
        sleep_on(&shared->news, seen);
    }
    __atomic_sub_fetch(&shared->sleepers, 1, __ATOMIC_SEQ_CST);
}

static void expand_chunk(uint32_t c)
{
    Chunk *chunk = chunk_at(c);
    chunk->who = crew.self;
    chunk->renumbers = told_forget();
    begin_log();
    chunk->from = crew.used;
    uint64_t *const *counters = crew.tasks->counters;
    for (uint32_t i = 0; i < COUNT_OF(chunk->counted); i++)
        chunk->counted[i] = counters[i] ? *counters[i] : 0;
    for (uint32_t node = c * CREW_CHUNK; node < (c + 1) * CREW_CHUNK; node++)
        crew.tasks->expand(node);
    for (uint32_t i = 0; i < COUNT_OF(chunk->counted); i++)
        chunk->counted[i] = counters[i] ? *counters[i] - chunk->counted[i] : 0;
    chunk->to = crew.used;
}

/* Claims a chunk that is some way ahead of the search: it would wait for one that is nearer. */
static uint32_t claim_next(void)
{
    Shared *shared = crew.shared;
    for (;;) {
        uint32_t seen = __atomic_load_n(&shared->news, __ATOMIC_SEQ_CST);
        uint32_t next = __atomic_load_n(&shared->next, __ATOMIC_SEQ_CST);
        uint32_t position = __atomic_load_n(&shared->position, __ATOMIC_SEQ_CST);
        uint32_t ahead = __atomic_load_n(&shared->ahead, __ATOMIC_RELAXED);
        uint32_t c = MAX(next, position + ahead);
        if (c < __atomic_load_n(&shared->offered, __ATOMIC_SEQ_CST)) {
            if (__atomic_compare_exchange_n(&shared->next, &next, c + 1, false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST) &&
                claim_chunk(c, CHUNK_CLAIMED))
                return c;
            continue;
        }
        __atomic_add_fetch(&shared->sleepers, 1, __ATOMIC_SEQ_CST);
        sleep_on(&shared->news, seen);
        __atomic_sub_fetch(&shared->sleepers, 1, __ATOMIC_SEQ_CST);
    }
}

/* Keys name words by their numbers, and others would number a new one otherwise. */
static bool all_fits(void)
{
    return crew.used <= crew.room && states_words.count == crew.known.words;
}

NORETURN static void run_member(uint32_t self)
{
    static uint32_t c; /* it is to outlive a jump */
    native_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
    crew_is_member = shelf_is_guest = true;
    visited_known_sets = crew.known.sets;
    crew.self = self;
    crew.used = 0;
    crew.told = part_local_count();
    copies_join(self);
    part_names = crew.parts[self].at;
    told_begin();
    if (setjmp(findings.jump)) {
        finish_chunk(c, CHUNK_LEFT);
        _exit(0);
    }
    for (;;) {
        c = claim_next();
        expand_chunk(c);
        finish_chunk(c, all_fits() ? CHUNK_DONE : CHUNK_LEFT);
        if (!all_fits())
            _exit(0);
    }
}

/* ---- in the search ---- */

static bool has_ended(uint32_t i)
{
    if (crew.pid[i] && native_call(SYS_wait4, crew.pid[i], 0, WNOHANG, 0))
        crew.pid[i] = 0;
    return !crew.pid[i];
}

static void get_memory(uint32_t jobs)
{
    long self = native_call(SYS_getpid, 0, 0, 0, 0);
    if (crew.owner != self) { /* that of a process which has forked this one */
        crew.shared = NULL;
        memset(crew.logs, 0, sizeof crew.logs);
    }
    crew.owner = self;
    if (!crew.shared)
        crew.shared = pages_share(sizeof *crew.shared);
    for (uint32_t i = 0; i < jobs; i++) {
        if (!crew.logs[i])
            crew.logs[i] = pages_share(LOG_BYTES);
        size_t count = crew.parts[i].count;
        shelf_clear(&crew.parts[i]);
        shelf_give_back((char *)crew.parts[i].at, (char *)(crew.parts[i].at + count));
    }
}

void crew_begin(uint32_t jobs, uint32_t node, const CrewTasks *tasks)
{
    ASSERT(!crew.jobs && node % CREW_CHUNK == 0);
    uint32_t count = jobs ? MIN(jobs, (uint32_t)CREW_JOBS) - 1 : 0, first = node / CREW_CHUNK;
    get_memory(count);
    Shared *shared = crew.shared;
    shared->position = shared->offered = shared->next = first;
    shared->ahead = 1;
    shared->sleepers = shared->search_sleeps = 0;
    memset(shared->log_taken, 0, sizeof shared->log_taken);
    memset(shared->cpu_ns, 0, sizeof shared->cpu_ns);
    crew.tasks = tasks;
    crew.known = (Known){sets_count(), states_words.count};
    crew.added = crew.unknown = 0;
    copies_begin(count);
    for (uint32_t i = 0; i < count; i++) {
        crew.states[i].count = 0;
        long pid = native_call(SYS_clone, SIGCHLD, 0, 0, 0);
        if (!pid)
            run_member(i);
        crew.pid[i] = MAX(pid, 0);
    }
    crew.jobs = count;
}

bool crew_is_there(void)
{
    return crew.jobs;
}

bool crew_is_stale(void)
{
    enum { MANY = 2048 };
    bool lives = false;
    for (uint32_t i = 0; i < crew.jobs; i++)
        lives |= crew.pid[i] != 0;
    return !lives || crew.known.words != states_words.count ||
           (crew.unknown > MANY && crew.unknown > crew.added / 8);
}

/* The number here of STATE, as WHO has numbered it. */
static inline uint32_t number_here(uint32_t who, uint32_t state)
{
    return state < TOLD_LOCAL ? state : crew.states[who].at[state - TOLD_LOCAL];
}

/* Takes over the new pair that is told of at AT in the log of WHO, which STEP has led to. */
static void take_added(uint32_t who, CrewStep *step, const Added *added)
{
    const char *at = (const char *)(added + 1);
    for (uint32_t i = 0; i < added->parts; i++) {
        uint32_t number = part_import(at);
        __atomic_store_n(shelf_at(&crew.parts[who], crew.parts[who].count), number + 1,
                         __ATOMIC_RELEASE);
        crew.parts[who].count++;
        at += rounded(part_export_bytes(number));
    }
    char *bytes = added->lent ? added->lent : (char *)(uintptr_t)at;
    StatesCopy copy = {bytes, added->bytes, added->bytes};
    if (added->lent)
        copies_note(who, added->lent);
    if (added->renames)
        states_rename_parts(copy.at, PART_LOCAL, crew.parts[who].at);
    bool fresh = step->state == TOLD_LOCAL + crew.states[who].count;
    step->state = fresh ? VISITED_NONE : number_here(who, step->state);
    step->inside = added->inside;
    step->blocked = added->blocked;
    step->perpetual = added->perpetual;
    step->grows = added->grows;
    step->way = added->way;
    step->set = added->set;
    step->look = added->look;
    step->key = added->key;
    step->done = &added->done;
    crew.added++;
    crew.unknown += step->set == CREW_SET_UNKNOWN;
    uint32_t state = crew.tasks->take(step, &copy, added->lent != NULL);
    if (fresh)
        vec_push(&crew.states[who], state);
}

/* A reader of a log that is some new pairs ahead of the one that takes them over. The lines of the
 * log, which another processor has written, and those of the table of states, which are anywhere,
 * are on their way when they are needed. */
typedef struct Ahead {
    const char *at, *end;
    uint32_t pairs; /* ahead */
} Ahead;

static void look_ahead(Ahead *ahead)
{
    enum { PAIRS = 6 };
    while (ahead->pairs < PAIRS && ahead->at < ahead->end) {
        const Entry *entry = (const Entry *)ahead->at;
        ahead->at += sizeof *entry;
        if (!(entry->flags & FLAG_ADDED))
            continue;
        const Added *added = (const Added *)ahead->at;
        if (entry->state >= TOLD_LOCAL)
            visited_expect(added->key);
        ahead->at += added->size;
        for (uint32_t i = 0; i < added->size; i += LINE)
            __builtin_prefetch(ahead->at + i); /* the next one is about as large */
        ahead->pairs++;
    }
}

/* Takes over chunk C, which is expanded. */
static void take_log(uint32_t c)
{
    const Chunk *chunk = chunk_at(c);
    uint32_t who = chunk->who;
    const char *at = crew.logs[who] + chunk->from % LOG_BYTES,
               *end = at + (chunk->to - chunk->from);
    Ahead ahead = {at, end, 0};
    if (chunk->renumbers)
        crew.states[who].count = 0;
    CrewStep step = {0};
    while (at < end) {
        const Entry *entry = (const Entry *)at;
        at += sizeof *entry;
        step.node = c * CREW_CHUNK + entry->node;
        step.state = entry->state;
        step.thread = entry->thread;
        step.turn = entry->turn;
        step.begins = entry->flags & FLAG_BEGINS;
        step.returns = entry->flags & FLAG_RETURNS;
        step.wrote = entry->flags & FLAG_WROTE;
        step.added = entry->flags & FLAG_ADDED;
        if (step.added) {
            const Added *added = (const Added *)at;
            look_ahead(&ahead);
            take_added(who, &step, added);
            ahead.pairs--;
            at += added->size;
            continue;
        }
        step.state = number_here(who, entry->state);
        crew.tasks->take(&step, NULL, false);
    }
    for (uint32_t i = 0; i < COUNT_OF(chunk->counted); i++)
        if (crew.tasks->counters[i])
            *crew.tasks->counters[i] += chunk->counted[i];
    __atomic_store_n(&crew.shared->log_taken[who], chunk->to, __ATOMIC_SEQ_CST);
}

/* The crew may claim the chunks of which all nodes are numbered. The farther ahead it is, the less
 * often the search comes to a chunk that is claimed but not expanded yet, and waits for it. */
static void offer(uint32_t position, uint32_t chunks)
{
    enum { LEAST = 16, MOST = 64, SHARE = 8 }; /* chunks; a part of those that wait */
    Shared *shared = crew.shared;
    uint32_t ahead = MAX((chunks - position) / SHARE, (uint32_t)LEAST);
    if (!hooks.eager_workers)
        __atomic_store_n(&shared->ahead, MIN(ahead, (uint32_t)MOST), __ATOMIC_RELAXED);
    uint32_t end = MIN(chunks, position + MOST_CHUNKS);
    for (uint32_t c = MAX(shared->offered, position); c < end; c++)
        __atomic_store_n(&chunk_at(c)->state, chunk_state(c, CHUNK_OPEN), __ATOMIC_RELAXED);
    __atomic_store_n(&shared->position, position, __ATOMIC_SEQ_CST);
    if (end > shared->offered)
        __atomic_store_n(&shared->offered, end, __ATOMIC_SEQ_CST);
    tell_news(&shared->news, &shared->sleepers);
}

/* Waits until C, which one of the crew has claimed, is expanded. Returns its state. */
static uint32_t wait_for(uint32_t c)
{
    Chunk *chunk = chunk_at(c);
    __atomic_store_n(&crew.shared->search_sleeps, 1, __ATOMIC_SEQ_CST);
    uint64_t state;
    for (bool ended = false;;) {
        uint32_t seen = __atomic_load_n(&crew.shared->done, __ATOMIC_SEQ_CST);
        state = __atomic_load_n(&chunk->state, __ATOMIC_SEQ_CST);
        if (state != chunk_state(c, CHUNK_CLAIMED) || ended)
            break;
        sleep_on(&crew.shared->done, seen);
        ended = has_ended(chunk->who);
    }
    __atomic_store_n(&crew.shared->search_sleeps, 0, __ATOMIC_SEQ_CST);
    return state == chunk_state(c, CHUNK_DONE) ? CHUNK_DONE : CHUNK_LEFT;
}

bool crew_take_chunk(uint32_t node, uint32_t nodes)
{
    uint32_t c = node / CREW_CHUNK;
    for (uint32_t i = 0; i < crew.jobs; i++)
        copies_lend(i);
    offer(c, nodes / CREW_CHUNK);
    if (c >= crew.shared->offered || claim_chunk(c, CHUNK_OURS))
        return false;
    if (wait_for(c) == CHUNK_DONE) {
        take_log(c);
        return true;
    }
    has_ended(chunk_at(c)->who);
    return false;
}

void crew_end(void)
{
    for (uint32_t i = 0; i < crew.jobs; i++) /* all at once: they take their time to end */
        if (!has_ended(i))
            native_call(SYS_kill, crew.pid[i], SIGKILL, 0, 0);
    for (uint32_t i = 0; i < crew.jobs; i++) {
        while (crew.pid[i] && native_call(SYS_wait4, crew.pid[i], 0, 0, 0) < 0 && errno == EINTR)
            ;
        crew.pid[i] = 0;
        workers.apart_ns += crew.shared->cpu_ns[i];
        copies_end(i);
    }
    crew.jobs = 0;
}

uint64_t crew_bytes(void)
{
    return (uint64_t)crew.jobs * LOG_BYTES;
}
