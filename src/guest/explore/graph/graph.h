/* graph.h: the execution graph under construction: events with reads-from, a coherence order per
 * location, and vector clocks for two orders:
 *   porf  the prefix of an event in program order and reads-from (closed downwards);
 *   hb    happens-before; equal to porf under sc and tso, where every access synchronises.
 *
 * There is one graph, changed in place. Events live in a pool used as a stack: an event's number
 * (EventId) is its place there and also its stamp, the time at which it was added; a smaller number
 * is older. Event 0 stands for every location's initial write. Nothing here allocates per event or
 * knows of exploration: revisits, frames and backtracking stand above.
 *
 * Coherence needs no search: for an event with clock h, the lower bound of a location is the last
 * position in coherence order of any write, or of what any read read, that is hb-before the event.
 * A read may read from that position on, a write may be put after it (RC11 coherence: hb;eco? is
 * irreflexive; checked here against exact counts). */
#ifndef HEDDLE_EXPLORE_GRAPH_H
#define HEDDLE_EXPLORE_GRAPH_H
#include "record/options.h"
#include "guest/explore/graph/facts.h"
#include "guest/explore/graph/thread_set.h"
#include "guest/explore/graph/width.h"
#include "guest/explore/graph/block_part.h"
#include "guest/runtime/request.h"

#define MAX_LOCATIONS (1u << 20)
typedef uint32_t EventId;
typedef uint32_t LocationId;

/* Unless facts_met[FACT_many_threads], nothing ever touches the second half; see also SOME_THREADS.
 */
typedef struct Clock {
    ClockEntry at[MAX_THREADS]; /* at[t]: how many of thread t's events are before */
} __attribute__((aligned(64))) Clock;

typedef enum EventKind {
    EVENT_READ = 1,
    EVENT_WRITE,
    EVENT_FENCE,
    EVENT_CREATE,
    EVENT_JOIN,
    EVENT_END,
    EVENT_CHOOSE,
    EVENT_MARK
} EventKind;
#define IS_ACCESS(kind) ((kind) <= EVENT_WRITE)

enum {                                  /* Event.waits: what the thread does after this event */
       WAITS_NOT = 0,                   /* goes on; 1..MAX_THREADS: waits to join thread waits-1 */
       WAITS_BLOCKED = MAX_THREADS + 1, /* can't go on until a read of it gets another value */
       WAITS_CUT                        /* given up at a bound */
};

#define PURE_UNKNOWN EVENT_INDEX_MAX

enum {                   /* Event.company: of its porf prefix, without itself */
       COMPANY_NONE = 0, /* no thread was created yet */
       COMPANY_SILENT,   /* some were, but nothing was written after the first creation */
       COMPANY_WRITES
};

typedef struct Event {
    uint8_t thread, kind;
    EventIndex index; /* in its thread */
    uint8_t order, size;
    uint8_t op, test; /* RmwOp, AwaitTest */
    uint8_t locked;   /* write: as in Request */
    uint8_t success_order,
        failure_order; /* END: success_order 1 if it ends the program, test 1 if quietly */
    /* A new event has 0 in these, which stand together so that few stores clear them. */
    uint8_t request; /* RequestKind it came from */
    uint8_t plain;   /* as in Request */
    uint8_t rmw;     /* read: a write follows at once; write: it is that write */
    uint8_t has_release;
    uint8_t revisited; /* reads: it reads from a younger write */
    uint8_t spurious;  /* a weak compare-exchange that fails though the value fits */
    uint8_t weak;
    uint8_t waits;
    uint8_t ghost_count;
    uint8_t confirms; /* reads: it has no choice, see confirm.h */
    uint8_t hashed;   /* waiting.c knows a hash of the state at its request */
    uint8_t part;     /* accesses: as in Request; values are those of the whole */
    uint8_t merge;    /* both halves of a store to a part, see blocks.h */
    uint8_t dooms;    /* reads: its thread waits, from wait_from on, if it fails (doomed.h) */
    uint8_t returns;  /* reads: few writes may revisit it, see confirm/returning.h */
    uint8_t kept;     /* its thread has gone a round for nothing (waiting/reused.h) */
    uint8_t settled;  /* WAITS_BLOCKED: lost.c knows which locations could free its thread */
    uint8_t company;  /* whose writes are before it, see sc.c */
    EventIndex
        effects; /* WRITE, CREATE while values_mode.noted: how many of these its thread has */
    EventIndex wait_from; /* WAITS_BLOCKED: index where the droppable part begins */
    EventIndex
        pure_from; /* where the pure events that end with it begin (waiting.c), or PURE_UNKNOWN */
    LocationId location;
    int32_t co;     /* writes: place in the coherence order; -1 while not placed */
    EventId stamp;  /* its own number, but of the event it replaces after a revisit */
    EventId rf;     /* reads, and writes of an RMW: the write read from (0: initial) */
    EventId fence;  /* last release fence before it in its thread, or 0 */
    uint32_t other; /* CREATE: child, `value` its function, `operand` its argument, `expected`
                       where its name goes, `test` 1 if it is like the one before (alike.h); JOIN:
                       thread, `test` 1 if its result is wanted; END: the join event; CHOOSE: number
                       of choices; MARK: number of the operation; `test` is 1 for its return,
                       `value` its word, `op` 1 if it is no effect; MARK, CHOOSE: `operand` is the
                       event that it was ordered after, or 0, see exploration.held; `expected` of
                       CHOOSE is op_turn's word */
    uint32_t snapshot, snapshot_bytes; /* the thread's stack at the request */
    uint32_t log_position;             /* of the memory log at the request */
    uint32_t pending_from; /* see undo_unrun: where the log of the part after it begins */
    uint32_t heap_used;    /* the thread's heap at the request */
    uint32_t heap_count;
    EventId head; /* writes under rc11: the last release write of its thread to its location before
                     it */
    uint64_t value, operand, expected; /* first words; high words in graph_high */
    uint64_t pc;
    Clock porf, hb;
    Clock release; /* what an acquire read of this write learns, if has_release */
} __attribute__((aligned(64))) Event;

/* A past is what a thread was told and did up to a request (reduce/symmetry/pasts.h): a node of the
 * tree of all pasts, and the threads that the owners in it are. Here it is only kept with events.
 */
typedef struct Past {
    uint32_t node;
    uint8_t count, owner[11];
} Past;

/* Second words of 16-byte values, what only reports need, and pasts. */
typedef struct EventExtra {
    Past past; /* of its thread up to its request, while pasts are kept */
    uint64_t value_high, operand_high, expected_high;
    const char *object, *verb;
    LocationId freeing[3]; /* Event.settled: the locations, 0 after the last */
} EventExtra;

/* Holds what reduce/ keeps with an event (reduce/notes.h): zero when the event is made. A table of
 * its own takes as long as fields of Event: 0.97 to 1.06 of the time in six programs, least of 9.
 */
typedef struct EventNotes {
    uint64_t words[2];
} EventNotes;

typedef struct Location {
    char *address;
    uint8_t size;
    uint32_t revisited; /* how many of its reads read from younger writes */
    int32_t writes;     /* used part of co; co[0] = 0 is the initial write */
    int32_t reads;
    int32_t write_room, read_room;
    EventId *co;
    EventId *read;
    uint64_t init, init_high;
    ThreadSet readers;  /* those of its reads, and perhaps more */
    uint32_t mark;      /* scratch of revisits */
    uint16_t known;     /* values.c: its number there, or 0 */
    uint8_t returns[2]; /* by ValuesReturn, bit i: seen[i] came so, in some graph */
    uint8_t weak;       /* ordered.c: an access that is not seq_cst was requested */
    uint8_t seen_count;
    uint8_t seen_written; /* bit i: seen[i] was written, not only initial */
    uint64_t seen[8];     /* values that values.c has written down already */
    uint32_t granule;     /* of memory.c: plain accesses to the same bytes */
    LocationId next;      /* next location in the same granule */
    EventId caught_up; /* locals.c: memory has had the last write since its owner's event, or 0 */
} Location;

enum {              /* Thread.live */
       LIVE_NO,     /* its stack is not that of its last event: restore first */
       LIVE_YES,    /* stopped at the request of its last event */
       LIVE_PENDING /* has made its next request already (Thread.pending), which could not be met */
};

typedef struct Thread {
    EventId *po; /* its events */
    int count;
    int live;
    EventId create; /* the event that created it */
    int opaque_at; /* code that the log does not follow (guest/runtime/opaque.h) ran last on its way
                      to the request of this event, or 0; kept in re-execution only */
    uint32_t resumed_at;   /* length of the memory log when it last ran */
    uint32_t captured_to;  /* log entries below are captured, see checkpoint.c */
    uint32_t pending_from; /* as in Event, for a thread without events */
    Request pending;       /* live == LIVE_PENDING: the request it waits with */
} Thread;

/* The graph. One a process: the program under test has one address space. */
extern Event *pool;
extern EventExtra *pool_extra;
extern EventNotes *pool_notes;
extern EventId pool_top;
extern EventId *order; /* all events, oldest first; a revisited read keeps its place */
extern int order_count;
extern Location *locations;                      /* 1..location_count */
extern LocationId location_count, location_most; /* the latter: in any exploration so far */
extern Thread threads[MAX_THREADS];
extern ThreadSet threads_created, threads_ended, threads_waiting;
extern ExploreOptions options;
extern Past pasts[MAX_THREADS]; /* of each thread at its present request */

/* Holds what is true of all graphs of an exploration, and how they are made. */
typedef struct GraphsState {
    uint8_t leaders[MAX_THREADS]; /* see graph_leader */
    int threads_used;             /* those with greater numbers were never created, in any graph */
    bool more_threads;            /* some thread from SOME_THREADS on has had events */
    bool pasts_on;                /* are pasts kept now? */
    bool any_sc;                  /* some seq_cst event was ever added */
    bool any_sc_fence;
    bool any_not_sc;
    bool replaying;            /* all is executed again, see graph_reached */
    int replayed[MAX_THREADS]; /* events of each thread so far */
    bool any_program_end;      /* some thread other than main has ended the whole program */
    /* Invariants are checked at every step (search/validate.h): debug builds,
     * HEDDLE_DEBUG=validate. */
    bool validates;
} GraphsState;
extern GraphsState graphs;

/* Layers above that are told what happens; NULL: nobody is. */
typedef struct GraphHooks {
    /* A location is made, for THREAD; an access is to a part of X, see memory/overlap.h; all
     * locations are forgotten. */
    void (*made)(char *address, unsigned size, int thread);
    void (*overlap)(const Location *x, const char *address, unsigned size, int thread);
    void (*forgotten)(void);
    /* X gets its first event, and has its initial value; a write was put into its order. */
    void (*opened)(Location *x);
    void (*written)(Location *x, EventId write);
} GraphHooks;
extern GraphHooks graph_hooks;

void graph_setup(void); /* maps its memory; once */
void graph_reset(void); /* no events, no threads but main */
/* Forgets all locations, and that there are many threads. There are no events. */
void graph_forget(void);
void locations_forget(void); /* the part of it in locations.c */
/* Finds or makes it for THREAD; reads its initial value. */
LocationId graph_location(void *address, unsigned size, int thread);
LocationId graph_find_location(const void *address); /* 0 if no such location starts there */
/* Makes event number pool_top of thread T with its clocks from its predecessors. */
Event *graph_add(int thread, EventKind kind);
void graph_remove_last(int count); /* drops the newest events until order_count == count */
void graph_set_rf(Event *read, EventId write); /* also value, rmw and clocks */
void graph_set_release(Event *write, const Event *rmw_read);
void graph_set_fence(Event *fence); /* clocks of a fence whose order is set */
void graph_insert_co(Location *x, int position, EventId write);
void graph_add_read(Location *x, EventId read);
/* Lower bound of location X for clock H, see above, and an access E to it: accesses that share no
 * byte with E do not count. */
int graph_lower_bound(const Location *x, const Clock *h, const Event *e);
/* Would a write at POSITION come between an RMW's read and write? */
bool graph_splits_rmw(const Location *x, int position);
/* Clock of thread T's next event before that event. */
const Clock *graph_tip(int thread);
uint64_t graph_value_high(EventId write, const Location *x);
/* The value an RMW writes for the value it read. */
uint64_t graph_rmw_value(const Event *read, uint64_t *high);
/* Returns OP of V and O, of which the second words are *HIGH and OH; *HIGH becomes the result's. */
uint64_t graph_rmw_result(uint8_t op, uint64_t v, uint64_t o, uint64_t oh, unsigned size,
                          uint64_t *high);
/* Does the RMW that Q asks for write the value V back if it reads that? */
bool graph_is_silent_rmw(const Request *q, uint64_t v);
/* The first word of what the program gets from an access: the value of its part. */
uint64_t graph_read_value(const Event *e);
/* The bytes of READ, a mask, that are initial values: no write gave them. */
unsigned graph_initial_bytes(const Event *read);
bool graph_test_holds(const Event *await_read);
/* Would it hold if the read had these words? The second is that of 16-byte locations. */
bool graph_test_holds_for(const Event *await_read, uint64_t low, uint64_t high);

/* A plain access that is explored as an event synchronises with nothing, unless races are ignored:
 * then it is a relaxed one. */
static inline bool is_not_atomic(const Event *e)
{
    return e->plain == 1 && options.races != RACES_IGNORE;
}
static inline bool before(const Event *e, const Clock *clock)
{
    return e->index < clock->at[e->thread];
}
static inline bool in_prefix(const Event *e, const Event *of)
{
    return before(e, &of->porf);
}
/* How many threads there may be in this exploration. */
static inline int graph_thread_room(void)
{
    return UNLIKELY(facts_met[FACT_many_threads]) ? MAX_THREADS : FEW_THREADS;
}
static inline void clock_join(Clock *restrict into, const Clock *restrict from)
{
    for (int i = 0; i < SOME_THREADS; i++)
        into->at[i] = into->at[i] > from->at[i] ? into->at[i] : from->at[i];
    if (!graphs.more_threads)
        return;
    for (int i = SOME_THREADS; i < FEW_THREADS; i++)
        into->at[i] = into->at[i] > from->at[i] ? into->at[i] : from->at[i];
    if (UNLIKELY(facts_met[FACT_many_threads]))
        for (int i = FEW_THREADS; i < MAX_THREADS; i++)
            into->at[i] = into->at[i] > from->at[i] ? into->at[i] : from->at[i];
}
static inline void clock_copy(Clock *to, const Clock *from)
{
    __builtin_memcpy(to->at, from->at, sizeof to->at[0] * SOME_THREADS);
    if (!graphs.more_threads)
        return;
    __builtin_memcpy(to->at + SOME_THREADS, from->at + SOME_THREADS,
                     sizeof to->at[0] * (FEW_THREADS - SOME_THREADS));
    if (UNLIKELY(facts_met[FACT_many_threads]))
        __builtin_memcpy(to->at + FEW_THREADS, from->at + FEW_THREADS,
                         sizeof to->at[0] * (MAX_THREADS - FEW_THREADS));
}
static inline void clock_max(Clock *restrict into, const Clock *restrict a, const Clock *restrict b)
{
    for (int i = 0; i < SOME_THREADS; i++)
        into->at[i] = a->at[i] > b->at[i] ? a->at[i] : b->at[i];
    if (!graphs.more_threads)
        return;
    for (int i = SOME_THREADS; i < FEW_THREADS; i++)
        into->at[i] = a->at[i] > b->at[i] ? a->at[i] : b->at[i];
    if (UNLIKELY(facts_met[FACT_many_threads]))
        for (int i = FEW_THREADS; i < MAX_THREADS; i++)
            into->at[i] = a->at[i] > b->at[i] ? a->at[i] : b->at[i];
}
static inline bool is_acquire(int memory_order)
{
    return memory_order != ORDER_RELAXED && memory_order != ORDER_RELEASE;
}
static inline bool is_release(int memory_order)
{
    return memory_order >= ORDER_RELEASE;
}
static inline EventId event_id(const Event *e)
{
    return (EventId)(e - pool);
}
/* The bytes of its location that E accesses, a mask. */
static inline unsigned event_bytes(const Event *e)
{
    return block_part_bytes(e->part, e->size);
}
/* A mark that is no effect. */
static inline bool is_light_mark(const Event *e)
{
    return e->kind == EVENT_MARK && e->op;
}
/* A choice of the program's, not one that begins a turn (exploration.held). */
static inline bool is_choice(const Event *e)
{
    return e->kind == EVENT_CHOOSE && !e->expected;
}
/* The read half of a store to a part: no access of the program. */
static inline bool is_merge_read(const Event *e)
{
    return e->merge && e->kind == EVENT_READ;
}
static inline int rf_position(const Event *read)
{
    return read->rf ? pool[read->rf].co : 0;
}
static inline uint64_t write_value(EventId write, const Location *x)
{
    return write ? pool[write].value : x->init;
}
/* Is W the write of a silent RMW: one that writes the value it read? */
static inline bool graph_is_silent(const Event *w)
{
    return w->kind == EVENT_WRITE && w->rmw && !w->merge && w->size < 16 &&
           w->value == write_value(w->rf, &locations[w->location]);
}
static inline void graph_remove_co(Location *x, EventId write)
{
    x->writes--;
    for (int q = pool[write].co; q < x->writes; q++) {
        x->co[q] = x->co[q + 1];
        pool[x->co[q]].co = q;
    }
    pool[write].co = -1;
}
/* Returns what `company` an event has at least that follows E directly. */
static inline uint8_t company_after(const Event *e)
{
    if (e->company == COMPANY_NONE)
        return e->kind == EVENT_CREATE ? COMPANY_SILENT : COMPANY_NONE;
    return e->kind == EVENT_WRITE ? COMPANY_WRITES : e->company;
}
/* E comes directly after FROM: in its clocks, too. */
static inline void graph_come_after(Event *e, const Event *from)
{
    clock_join(&e->porf, &from->porf);
    clock_join(&e->hb, &from->hb);
    e->company = MAX(e->company, company_after(from));
}
static inline Event *thread_event(int thread, int index)
{
    return &pool[threads[thread].po[index]];
}
static inline Event *last_event(int thread)
{
    return thread_event(thread, threads[thread].count - 1);
}
/* The past of E's thread at the request that E was made from. */
static inline Past pasts_at(const Event *e)
{
    bool is_second = e->kind == EVENT_WRITE && e->rmw; /* half of a read-modify-write */
    return pool_extra[is_second ? threads[e->thread].po[e->index - 1] : event_id(e)].past;
}
/* The first of the threads that T is known to be like (reduce/symmetry), or -1 if it is like none.
 */
static inline int graph_leader(int t)
{
    return graphs.leaders[t] - 1;
}
/* Is E there for those who run? While the program is re-executed, the graph holds events that this
 * has not come to. */
static inline bool graph_reached(const Event *e)
{
    return LIKELY(!graphs.replaying) || e->index < graphs.replayed[e->thread];
}
/* Recomputes ended and waiting of THREAD from its last event. */
static inline void graph_sync_thread(int thread)
{
    ThreadSet bit = thread_bit(thread);
    threads_ended &= ~bit;
    threads_waiting &= ~bit;
    if (!threads[thread].count)
        return;
    const Event *e = last_event(thread);
    if (e->waits)
        threads_waiting |= bit;
    if (e->kind == EVENT_END)
        threads_ended |= bit;
}
/* Has the program created THREAD, and any but main? While it is re-executed, the graph has threads
 * that are still to be created. */
bool graph_thread_exists(unsigned thread);
bool graph_others_exist(void);
/* Can THREAD be joined? One that has ended the whole program never returns to whoever waits for it.
 */
static inline bool thread_can_be_joined(int thread)
{
    return threads_ended >> thread & 1 &&
           (LIKELY(thread && !graphs.any_program_end) || !last_event(thread)->success_order);
}
#endif
