#include "guest/states/crew.h"
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
#include "base/hash.h"
#include "guest/explore/finding.h"
#include "guest/explore/workers.h"
#include "guest/runtime/native.h"
#include "guest/runtime/pages.h"
#include "guest/states/part.h"
#include "guest/states/sets.h"
#include "guest/states/shelf.h"
#include "guest/states/visited.h"
#include "record/hooks.h"

enum {
    MOST_JOBS = 64,
    MOST_CHUNKS = CREW_REACH / CREW_CHUNK - 1, /* that are offered at once */
    LOG_BYTES = 8 << 20,                       /* of a process, used again and again */
    CHUNK_BYTES = 1 << 20                      /* in the log, at most */
};
#define LOCAL_STATE (UINT32_C(1) << 31) /* numbers from here on are those of one process */

/* The number of a chunk and, in the low bits, who has it. */
enum { CHUNK_OPEN, CHUNK_OURS, CHUNK_CLAIMED, CHUNK_DONE, CHUNK_LEFT, CHUNK_BITS = 3 };
typedef struct Chunk {
    uint64_t state;
    uint32_t who;
    bool renumbers;    /* the local numbers of states begin at LOCAL_STATE again */
    uint64_t from, to; /* in the log of that process */
    uint64_t counted[COUNT_OF(((CrewTasks *)0)->counters)];
} Chunk;
typedef struct Shared {
    uint32_t position;       /* the chunk that the search has come to */
    uint32_t offered;        /* chunks before this can be claimed */
    uint32_t next;           /* that the crew claims */
    uint32_t ahead;          /* of the search: the crew claims chunks that are so far, or farther */
    uint32_t news, sleepers; /* for the crew: changes; how many wait for that */
    uint32_t done, search_sleeps;  /* the same for the search */
    uint64_t log_taken[MOST_JOBS]; /* bytes of each log that the search has read */
    uint64_t cpu_ns[MOST_JOBS];
    Chunk chunk[MOST_CHUNKS];
} Shared;
/* A log has an entry for each step. */
typedef struct Entry {
    uint32_t node, state;
    uint8_t thread, flags, turn;
} Entry;
/* It follows that of a new pair; its new parts and its copy come behind it. */
typedef struct Added {
    uint32_t size;  /* of all that */
    uint32_t bytes; /* of the copy */
    uint32_t parts; /* that nobody was told of, before it */
    uint32_t way, set;
    uint8_t inside, blocked;
    StatesKey key;
    StatesDone done;
} Added;
enum { FLAG_ADDED = 1, FLAG_BEGINS = 2, FLAG_RETURNS = 4, FLAG_WROTE = 8 };

/* How much was known when the crew was forked. */
typedef struct Known {
    uint32_t sets;
    size_t words;
} Known;
typedef struct NewState {
    StatesKey key;
    uint32_t set; /* that it was told of with first; or CREW_SET_UNKNOWN, so far */
} NewState;
typedef struct Crew {
    Shared *shared;
    long owner; /* of `shared` and the logs: a process */
    char *logs[MOST_JOBS];
    long pid[MOST_JOBS]; /* 0: it has ended */
    uint32_t jobs;       /* processes of the crew; 0: there is none */
    Known known;
    uint32_t added, unknown; /* pairs that were told; of these, with a set that is not known */
    const CrewTasks *tasks;
    /* In the search, by process: the numbers here of its new states and parts. */
    Vec(uint32_t) states[MOST_JOBS], parts[MOST_JOBS];
    /* In a member: */
    uint32_t self;
    uint64_t used, room; /* of its log, counted on; until where this chunk may write */
    uint32_t told;       /* parts */
    HashMap numbers;     /* by the first half of the keys of new states: their numbers */
    Vec(NewState) found; /* the new states */
    HashMap pairs;       /* that it has told of, but for the first of each new state */
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
        native_call(SYS_futex, (long)word, FUTEX_WAKE, MOST_JOBS, 0);
}

/* ---- in the crew ---- */

static void finish_chunk(uint32_t c, uint32_t state)
{
    crew.shared->cpu_ns[crew.self] = clock_cpu_ns();
    __atomic_store_n(&chunk_at(c)->state, chunk_state(c, state), __ATOMIC_SEQ_CST);
    tell_news(&crew.shared->done, &crew.shared->search_sleeps);
}

/* Returns where to write so many bytes in the log; NULL: there is no room, which is found out at
 * the end of the chunk. */
static char *log_room(size_t bytes)
{
    char *at = crew.logs[crew.self] + crew.used % LOG_BYTES;
    crew.used += bytes;
    return crew.used <= crew.room ? at : NULL;
}

static void write_log(const void *from, size_t bytes)
{
    char *at = log_room(bytes);
    if (at)
        memcpy(at, from, bytes);
}

/* Bytes of the parts that nobody was told of. */
static size_t untold_bytes(void)
{
    size_t bytes = 0;
    for (uint32_t i = crew.told; i < part_local_count(); i++)
        bytes += part_export_bytes(PART_LOCAL + i);
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
    Entry entry = {.node = step->node,
                   .state = step->state,
                   .thread = step->thread,
                   .turn = step->turn,
                   .flags = (uint8_t)(step->added * FLAG_ADDED | step->begins * FLAG_BEGINS |
                                      step->returns * FLAG_RETURNS | step->wrote * FLAG_WROTE)};
    write_log(&entry, sizeof entry);
    if (!step->added)
        return;
    Added added = {.bytes = (uint32_t)copy->count,
                   .parts = part_local_count() - crew.told,
                   .way = step->way,
                   .set = crew_knows_set(step->set) ? step->set : CREW_SET_UNKNOWN,
                   .inside = step->inside,
                   .blocked = step->blocked,
                   .key = step->key,
                   .done = step->done};
    added.size = (uint32_t)(sizeof added + untold_bytes() + copy->count);
    write_log(&added, sizeof added);
    write_parts();
    write_log(copy->at, copy->count);
}

/* The crew does not add to the tables of the search. */
uint32_t crew_state(StatesKey key, bool *fresh)
{
    *fresh = false;
    uint32_t known = visited_find(key);
    for (uint64_t hash = key.a; known == VISITED_NONE; hash++) {
        uint64_t *at = hashmap_put(&crew.numbers, hash, fresh);
        if (*fresh) {
            *at = crew.found.count;
            vec_push(&crew.found, (NewState){key, CREW_SET_UNKNOWN});
        }
        const NewState *found = &crew.found.at[*at];
        if (found->key.a == key.a && found->key.b == key.b)
            known = LOCAL_STATE + (uint32_t)*at;
    }
    return known;
}

bool crew_knows_set(uint32_t set)
{
    return set < crew.known.sets;
}

bool crew_is_new(uint32_t state, uint32_t set)
{
    bool absent;
    if (set == CREW_SET_UNKNOWN)
        return true;
    if (state < LOCAL_STATE && visited_is_covered(state, set))
        return false;
    if (state >= LOCAL_STATE) {
        NewState *found = &crew.found.at[state - LOCAL_STATE];
        bool first = found->set == CREW_SET_UNKNOWN;
        if (first)
            found->set = set;
        if (first || found->set == set)
            return first;
    }
    hashmap_put(&crew.pairs, (uint64_t)state << 32 | set, &absent);
    return absent;
}

/* Forgets what this process has told of: the search knows most of it by now. */
static void forget_told(Chunk *chunk)
{
    enum { MANY = 1 << 15 };
    chunk->renumbers = crew.found.count > MANY;
    if (chunk->renumbers) {
        hashmap_clear(&crew.numbers);
        vec_clear(&crew.found);
    }
    if (chunk->renumbers || crew.pairs.count > MANY) /* they name states by their numbers */
        hashmap_clear(&crew.pairs);
}

/* Waits for room in the log, for a chunk. */
static void begin_log(void)
{
    uint64_t left = LOG_BYTES - crew.used % LOG_BYTES;
    if (left < CHUNK_BYTES)
        crew.used += left;
    crew.room = crew.used + CHUNK_BYTES;
    Shared *shared = crew.shared;
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
    forget_told(chunk);
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
    hashmap_clear(&crew.numbers);
    hashmap_clear(&crew.pairs);
    vec_clear(&crew.found);
    if (setjmp(finding_jump)) {
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
    for (uint32_t i = 0; i < jobs; i++)
        if (!crew.logs[i])
            crew.logs[i] = pages_share(LOG_BYTES);
}

void crew_begin(uint32_t jobs, uint32_t node, const CrewTasks *tasks)
{
    ASSERT(!crew.jobs && node % CREW_CHUNK == 0);
    uint32_t count = jobs ? MIN(jobs, (uint32_t)MOST_JOBS) - 1 : 0, first = node / CREW_CHUNK;
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
    for (uint32_t i = 0; i < count; i++) {
        crew.states[i].count = crew.parts[i].count = 0;
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

/* Takes over the new pair at AT of the log of WHO, which STEP has led to. */
static void take_added(uint32_t who, CrewStep *step, const char *at)
{
    Added added;
    memcpy(&added, at, sizeof added);
    at += sizeof added;
    for (uint32_t i = 0; i < added.parts; i++) {
        uint32_t number = part_import(at);
        vec_push(&crew.parts[who], number);
        at += part_export_bytes(number);
    }
    StatesCopy copy = {(char *)(uintptr_t)at, added.bytes, added.bytes};
    states_rename_parts(copy.at, PART_LOCAL, crew.parts[who].at);
    uint32_t local = step->state;
    step->added = true;
    step->inside = added.inside;
    step->blocked = added.blocked;
    step->way = added.way;
    step->set = added.set;
    step->key = added.key;
    step->done = added.done;
    crew.added++;
    crew.unknown += step->set == CREW_SET_UNKNOWN;
    uint32_t state = crew.tasks->take(step, &copy);
    if (local == LOCAL_STATE + crew.states[who].count)
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
    enum { PAIRS = 6, LINE = 64 };
    while (ahead->pairs < PAIRS && ahead->at < ahead->end) {
        Entry e;
        uint32_t size;
        memcpy(&e, ahead->at, sizeof e);
        ahead->at += sizeof e;
        if (!(e.flags & FLAG_ADDED))
            continue;
        StatesKey key;
        memcpy(&size, ahead->at + offsetof(Added, size), sizeof size);
        memcpy(&key, ahead->at + offsetof(Added, key), sizeof key);
        visited_expect(key);
        for (uint32_t i = 0; i < size; i += LINE)
            __builtin_prefetch(ahead->at + size + i); /* the next one is about as large */
        ahead->at += size;
        ahead->pairs++;
    }
}

static void take_log(const Chunk *chunk)
{
    uint32_t who = chunk->who;
    const char *at = crew.logs[who] + chunk->from % LOG_BYTES,
               *end = at + (chunk->to - chunk->from);
    Ahead ahead = {at, end, 0};
    if (chunk->renumbers)
        crew.states[who].count = 0;
    while (at < end) {
        Entry e;
        memcpy(&e, at, sizeof e);
        at += sizeof e;
        CrewStep step = {.node = e.node,
                         .state = e.state,
                         .thread = e.thread,
                         .turn = e.turn,
                         .begins = e.flags & FLAG_BEGINS,
                         .returns = e.flags & FLAG_RETURNS,
                         .wrote = e.flags & FLAG_WROTE};
        if (e.flags & FLAG_ADDED) {
            uint32_t size;
            memcpy(&size, at + offsetof(Added, size), sizeof size);
            look_ahead(&ahead);
            take_added(who, &step, at);
            ahead.pairs--;
            at += size;
            continue;
        }
        if (e.state >= LOCAL_STATE)
            step.state = crew.states[who].at[e.state - LOCAL_STATE];
        crew.tasks->take(&step, NULL);
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
        __atomic_store_n(&chunk_at(c)->state, chunk_state(c, CHUNK_OPEN), __ATOMIC_SEQ_CST);
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
    offer(c, nodes / CREW_CHUNK);
    if (c >= crew.shared->offered || claim_chunk(c, CHUNK_OURS))
        return false;
    Chunk *chunk = chunk_at(c);
    if (wait_for(c) == CHUNK_DONE) {
        take_log(chunk);
        return true;
    }
    has_ended(chunk->who);
    return false;
}

void crew_end(void)
{
    for (uint32_t i = 0; i < crew.jobs; i++) {
        if (!has_ended(i)) {
            native_call(SYS_kill, crew.pid[i], SIGKILL, 0, 0);
            while (native_call(SYS_wait4, crew.pid[i], 0, 0, 0) < 0 && errno == EINTR)
                ;
        }
        crew.pid[i] = 0;
        workers_apart_ns += crew.shared->cpu_ns[i];
    }
    crew.jobs = 0;
}

/* ---- one question ---- */

#define NO_ANSWER UINT32_MAX
static struct {
    uint32_t (*work)(uint32_t);
    uint32_t argument;
} question;

void crew_ask(uint32_t (*work)(uint32_t), uint32_t argument)
{
    ASSERT(!crew.jobs);
    get_memory(1);
    question.work = work;
    question.argument = argument;
    crew.shared->done = NO_ANSWER;
    crew.shared->cpu_ns[0] = 0;
    long pid = native_call(SYS_clone, SIGCHLD, 0, 0, 0);
    if (!pid) {
        native_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
        uint32_t answer = work(argument);
        crew.shared->cpu_ns[0] = clock_cpu_ns();
        __atomic_store_n(&crew.shared->done, answer, __ATOMIC_SEQ_CST);
        _exit(0);
    }
    crew.pid[0] = MAX(pid, 0);
    crew.jobs = 1;
}

uint32_t crew_answer(void)
{
    while (crew.pid[0] && native_call(SYS_wait4, crew.pid[0], 0, 0, 0) < 0 && errno == EINTR)
        ;
    crew.pid[0] = 0;
    crew_end();
    uint32_t answer = __atomic_load_n(&crew.shared->done, __ATOMIC_SEQ_CST);
    return answer == NO_ANSWER ? question.work(question.argument) : answer; /* it was killed */
}

uint64_t crew_bytes(void)
{
    return (uint64_t)crew.jobs * LOG_BYTES;
}
