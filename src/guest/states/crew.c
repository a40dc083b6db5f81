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
#include "guest/states/visited.h"

enum {
    MOST_JOBS = 64,
    MOST_CHUNKS = 2048,
    LOG_BYTES = 24 << 20, /* of a process, for one crew */
    ENOUGH_ROOM = 1 << 20 /* for a chunk */
};
enum { CHUNK_OPEN, CHUNK_DONE, CHUNK_LEFT };

typedef struct Chunk {
    uint32_t state; /* CHUNK_... */
    uint32_t who;
    uint64_t from, to; /* in the log of that process */
    uint64_t counted[COUNT_OF(((CrewTasks *)0)->counters)];
} Chunk;
typedef struct Shared {
    uint32_t next;   /* chunk that nobody has taken */
    uint32_t signal; /* changes whenever a chunk is done */
    uint32_t waits;  /* the search does */
    uint64_t cpu_ns[MOST_JOBS];
    Chunk chunk[MOST_CHUNKS];
} Shared;
/* A log has one for each new pair; its new parts and its copy follow. */
typedef struct Entry {
    CrewStep step;
    uint32_t bytes; /* of the copy */
    uint32_t parts; /* that nobody was told of, before it */
} Entry;
typedef struct ShortEntry { /* of a step that leads to nothing new */
    uint32_t node, state;
    uint8_t thread, flags;
} ShortEntry;
enum { FLAG_ADDED = 1, FLAG_BEGINS = 2, FLAG_RETURNS = 4, FLAG_WROTE = 8 };

/* How much was known when the crew was forked. */
typedef struct Known {
    uint32_t states, parts, sets;
    size_t words;
} Known;
typedef struct Crew {
    Shared *shared;
    char *logs[MOST_JOBS];
    long pid[MOST_JOBS]; /* 0: it has ended */
    uint32_t jobs, first, end;
    Known known;
    const CrewTasks *tasks;
    /* In the search, by process: the numbers here of its new states and parts. */
    Vec(uint32_t) states[MOST_JOBS], parts[MOST_JOBS];
    /* In a member: */
    uint32_t self;
    uint64_t used;       /* of its log */
    uint32_t told;       /* parts */
    HashMap numbers;     /* by the first half of the keys of new states: their numbers */
    Vec(StatesKey) keys; /* of new states */
    HashMap pairs;       /* that it has told of */
} Crew;
static Crew crew;
bool crew_is_member;

static uint32_t chunk_of(uint32_t node)
{
    return node / CREW_CHUNK - crew.first / CREW_CHUNK;
}

/* The first node of chunk C. */
static uint32_t node_of(uint32_t c)
{
    uint32_t node = (crew.first / CREW_CHUNK + c) * CREW_CHUNK;
    return MIN(MAX(node, crew.first), crew.end);
}

static uint32_t chunks(void)
{
    return chunk_of(crew.end - 1) + 1;
}

/* ---- in the crew ---- */

static void signal_search(void)
{
    __atomic_add_fetch(&crew.shared->signal, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&crew.shared->waits, __ATOMIC_SEQ_CST))
        native_call(SYS_futex, (long)&crew.shared->signal, FUTEX_WAKE, 1, 0);
}

static void finish_chunk(uint32_t c, uint32_t state)
{
    crew.shared->cpu_ns[crew.self] = clock_cpu_ns();
    __atomic_store_n(&crew.shared->chunk[c].state, state, __ATOMIC_RELEASE);
    signal_search();
}

/* Appends to the log. What does not fit is found out at the end of the chunk. */
static void write_log(const void *from, size_t bytes)
{
    if (crew.used + bytes <= LOG_BYTES)
        memcpy(crew.logs[crew.self] + crew.used, from, bytes);
    crew.used += bytes;
}

static void write_parts(void)
{
    for (; crew.told < part_count(); crew.told++) {
        size_t bytes = part_export_bytes(crew.told);
        if (crew.used + bytes <= LOG_BYTES)
            part_export(crew.told, crew.logs[crew.self] + crew.used);
        crew.used += bytes;
    }
}

void crew_tell(const CrewStep *step, const StatesCopy *copy)
{
    ShortEntry flags = {.node = step->node,
                        .state = step->state,
                        .thread = step->thread,
                        .flags =
                            (uint8_t)(step->added * FLAG_ADDED | step->begins * FLAG_BEGINS |
                                      step->returns * FLAG_RETURNS | step->wrote * FLAG_WROTE)};
    write_log(&flags, sizeof flags);
    if (!step->added)
        return;
    Entry entry = {*step, (uint32_t)copy->count, part_count() - crew.told};
    if (step->set >= crew.known.sets)
        entry.step.set = CREW_SET_UNKNOWN;
    write_log(&entry, sizeof entry);
    write_parts();
    write_log(copy->at, copy->count);
}

/* Others than the search do not add to its tables, which would only have their pages copied. */
uint32_t crew_state(StatesKey key, bool *fresh)
{
    *fresh = false;
    uint32_t known = visited_find(key);
    for (uint64_t hash = key.a; known == VISITED_NONE; hash++) {
        uint64_t *at = hashmap_put(&crew.numbers, hash, fresh);
        if (*fresh) {
            *at = crew.keys.count;
            vec_push(&crew.keys, key);
        }
        if (crew.keys.at[*at].a == key.a && crew.keys.at[*at].b == key.b)
            known = crew.known.states + (uint32_t)*at;
    }
    return known;
}

bool crew_is_new(uint32_t state, uint32_t set)
{
    bool absent;
    if (state < crew.known.states && visited_is_covered(state, set))
        return false;
    hashmap_put(&crew.pairs, (uint64_t)state << 32 | set, &absent);
    return absent;
}

static void expand_chunk(uint32_t c)
{
    Chunk *chunk = &crew.shared->chunk[c];
    chunk->who = crew.self;
    chunk->from = crew.used;
    uint64_t *const *counters = crew.tasks->counters;
    for (uint32_t i = 0; i < COUNT_OF(chunk->counted); i++)
        chunk->counted[i] = counters[i] ? *counters[i] : 0;
    for (uint32_t node = node_of(c); node < node_of(c + 1); node++)
        crew.tasks->expand(node);
    for (uint32_t i = 0; i < COUNT_OF(chunk->counted); i++)
        chunk->counted[i] = counters[i] ? *counters[i] - chunk->counted[i] : 0;
    chunk->to = crew.used;
}

/* Keys name words by their numbers, and others would number a new one otherwise. */
static bool all_fits(void)
{
    return crew.used <= LOG_BYTES && states_words.count == crew.known.words;
}

NORETURN static void run_member(uint32_t self)
{
    static uint32_t c; /* it is to outlive a jump */
    native_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
    crew_is_member = true;
    crew.self = self;
    crew.used = 0;
    crew.told = crew.known.parts;
    if (setjmp(finding_jump)) {
        finish_chunk(c, CHUNK_LEFT);
        _exit(0);
    }
    while (crew.used + ENOUGH_ROOM <= LOG_BYTES) {
        c = __atomic_fetch_add(&crew.shared->next, 1, __ATOMIC_RELAXED);
        if (c >= chunks())
            break;
        expand_chunk(c);
        finish_chunk(c, all_fits() ? CHUNK_DONE : CHUNK_LEFT);
        if (!all_fits())
            break;
    }
    _exit(0);
}

/* ---- in the search ---- */

static bool has_ended(uint32_t i)
{
    if (crew.pid[i] && native_call(SYS_wait4, crew.pid[i], 0, WNOHANG, 0))
        crew.pid[i] = 0;
    return !crew.pid[i];
}

static bool somebody_lives(void)
{
    bool lives = false;
    for (uint32_t i = 0; i < crew.jobs; i++)
        lives |= !has_ended(i);
    return lives;
}

bool crew_begin(uint32_t jobs, uint32_t first, uint32_t end, const CrewTasks *tasks)
{
    if (!crew.shared)
        crew.shared = pages_share(sizeof *crew.shared);
    crew.jobs = MIN(jobs, (uint32_t)MOST_JOBS);
    crew.first = first;
    crew.end = MIN(end, first + (MOST_CHUNKS - 1) * CREW_CHUNK);
    crew.tasks = tasks;
    crew.known = (Known){visited_states(), part_count(), sets_count(), states_words.count};
    crew.shared->next = 0;
    memset(crew.shared->cpu_ns, 0, sizeof crew.shared->cpu_ns);
    for (uint32_t c = 0; c < chunks(); c++)
        crew.shared->chunk[c].state = CHUNK_OPEN;
    for (uint32_t i = 0; i < crew.jobs; i++) {
        if (!crew.logs[i])
            crew.logs[i] = pages_share(LOG_BYTES);
        crew.states[i].count = crew.parts[i].count = 0;
    }
    bool any = false;
    for (uint32_t i = 0; i < crew.jobs; i++) {
        long pid = native_call(SYS_clone, SIGCHLD, 0, 0, 0);
        if (!pid)
            run_member(i);
        crew.pid[i] = MAX(pid, 0);
        any |= pid > 0;
    }
    return any;
}

/* Waits until chunk C is expanded; false: nobody will do it. */
static bool wait_for(uint32_t c)
{
    const uint32_t *state = &crew.shared->chunk[c].state;
    while (__atomic_load_n(state, __ATOMIC_ACQUIRE) == CHUNK_OPEN) {
        struct timespec time = {.tv_nsec = 20000000};
        uint32_t seen = __atomic_load_n(&crew.shared->signal, __ATOMIC_SEQ_CST);
        __atomic_store_n(&crew.shared->waits, 1, __ATOMIC_SEQ_CST);
        bool lives = somebody_lives();
        if (__atomic_load_n(state, __ATOMIC_SEQ_CST) == CHUNK_OPEN && !lives)
            return false;
        if (__atomic_load_n(state, __ATOMIC_SEQ_CST) == CHUNK_OPEN)
            native_call(SYS_futex, (long)&crew.shared->signal, FUTEX_WAIT, (long)seen, (long)&time);
        __atomic_store_n(&crew.shared->waits, 0, __ATOMIC_SEQ_CST);
    }
    return true;
}

/* Takes over the new pair at AT of the log of WHO; returns what follows it. */
static const char *take_entry(uint32_t who, const char *at)
{
    static StatesCopy copy;
    Entry entry;
    memcpy(&entry, at, sizeof entry);
    at += sizeof entry;
    for (uint32_t i = 0; i < entry.parts; i++) {
        uint32_t number = part_import(at);
        vec_push(&crew.parts[who], number);
        at += part_export_bytes(number);
    }
    vec_reserve(&copy, entry.bytes);
    memcpy(copy.at, at, entry.bytes);
    copy.count = entry.bytes;
    states_rename_parts(copy.at, crew.known.parts, crew.parts[who].at);
    uint32_t state = crew.tasks->take(&entry.step, &copy);
    if (entry.step.state == crew.known.states + crew.states[who].count)
        vec_push(&crew.states[who], state);
    return at + entry.bytes;
}

static void take_log(const Chunk *chunk)
{
    const char *at = crew.logs[chunk->who] + chunk->from, *end = crew.logs[chunk->who] + chunk->to;
    while (at < end) {
        ShortEntry e;
        memcpy(&e, at, sizeof e);
        at += sizeof e;
        if (e.flags & FLAG_ADDED) {
            at = take_entry(chunk->who, at);
            continue;
        }
        uint32_t state = e.state < crew.known.states
                             ? e.state
                             : crew.states[chunk->who].at[e.state - crew.known.states];
        crew.tasks->take(&(CrewStep){.node = e.node,
                                     .state = state,
                                     .thread = e.thread,
                                     .begins = e.flags & FLAG_BEGINS,
                                     .returns = e.flags & FLAG_RETURNS,
                                     .wrote = e.flags & FLAG_WROTE},
                         NULL);
    }
}

CrewAnswer crew_take_chunk(uint32_t node, uint32_t *end)
{
    uint32_t c = chunk_of(node);
    *end = node_of(c + 1);
    if (node >= crew.end || !wait_for(c))
        return CREW_NOBODY;
    const Chunk *chunk = &crew.shared->chunk[c];
    if (chunk->state == CHUNK_LEFT)
        return CREW_LEFT;
    take_log(chunk);
    for (uint32_t i = 0; i < COUNT_OF(chunk->counted); i++)
        if (crew.tasks->counters[i])
            *crew.tasks->counters[i] += chunk->counted[i];
    return CREW_TAKEN;
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

uint64_t crew_bytes(void)
{
    return crew.jobs ? (uint64_t)crew.jobs * LOG_BYTES : 0;
}
