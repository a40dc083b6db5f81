/* summary.h: a finite summary of an rc11 graph, from which follows all that the graph can become.
 *
 * RC11 (Lahav and others, PLDI 2017) forbids cycles of program order and reads-from. So each
 * consistent graph is made by adding one event after the other, each with nothing behind it in
 * program order, reads-from and happens-before. doc/proofs/views.md has the argument that
 *   - places      for each location its messages (writes) in modification order, each with a view;
 *   - views       for each thread what happens before its next event (cur), before an acquire fence
 *                 that it might make (acq), and what its last release fence has seen (rel). A view
 *                 says for each place which message is the first that may be read, and for each
 *                 thread up to which of its accesses it has seen them (clock), for races;
 *   - masks       for psc: which of the entries, by which a path of psc can come back from events
 *                 to be to old ones, lead to which exits, by which it leaves them again
 * decide which events can be added, and what the summary is then. An entry is a gap behind a
 * message: a later event there is followed by the writes above the gap (scb), and by those that
 * read them (eco). A cycle is a bit test.
 *
 * A client (check) makes calls: one that begins may come behind any calls that have returned, as if
 * a client had synchronised there, and takes over their views. A view counts the calls of each
 * thread that have returned in it.
 *
 * It knows nothing of threads' code, memory or addresses: see views.h. */
#ifndef HEDDLE_STATES_VIEWS_SUMMARY_H
#define HEDDLE_STATES_VIEWS_SUMMARY_H
#include "base/common.h"

enum {
    SUMMARY_THREADS = 7,
    SUMMARY_PLACES = 24,
    SUMMARY_MESSAGES = 20, /* of a place */
    SUMMARY_GAPS = 64,     /* messages of all places */
    SUMMARY_RECORDS = 256,
    SUMMARY_RETURNS = 7,  /* of a thread, that not all who may call have seen */
    SUMMARY_NOWHERE = 255 /* no place */
};

typedef struct SummaryMask {
    uint64_t scb, eco; /* gaps, by their slots */
} SummaryMask;

typedef struct SummaryView {
    /* Nothing else than what all live threads have seen (of acq: what cur has); else it is that at
     * least. What follows is not meant then. */
    bool known;
    uint8_t at[SUMMARY_PLACES];
    uint8_t calls[SUMMARY_THREADS]; /* that have returned, but for those that everybody has seen */
    uint16_t clock[SUMMARY_THREADS];
    /* Entries that reach: a seq_cst fence as a node; what a seq_cst fence that is next may close;
     * an event with one of another location after it; an access to this place. */
    SummaryMask fence, before_fence, other, same[SUMMARY_PLACES];
} SummaryView;

typedef struct SummaryMessage {
    uint64_t value;
    bool attached;  /* it is a read-modify-write of the one before it */
    bool unwritten; /* nothing was written there yet */
    uint8_t slot;   /* of the gap behind it */
    SummaryView view;
    /* Entries that reach a write up to this one, or a read of one; the same where a seq_cst fence
     * came before it; the same for reads of messages before this one. */
    SummaryMask to_write, to_write_fenced, to_read_fenced;
} SummaryMessage;

typedef struct SummaryPlace {
    uint64_t name; /* not 0 */
    uint32_t bytes, count;
    SummaryMessage message[SUMMARY_MESSAGES];
} SummaryPlace;

typedef struct SummaryThread {
    bool live, ended;
    bool may_call;    /* of a client: it will begin more calls */
    uint8_t returned; /* how many of `returns` are used */
    SummaryView cur, acq, rel;
    SummaryView head[SUMMARY_PLACES]; /* C11: what its later writes there release, too */
    uint64_t last;                    /* the name of the place of its last event; 0: it has none */
    SummaryMask skipping; /* cur.other before its last events, which were all at `last` */
    SummaryMask reached;  /* entries that reach its events */
    SummaryView returns[SUMMARY_RETURNS]; /* of its calls, the oldest first */
} SummaryThread;

typedef struct SummaryRecord { /* the last access of a thread of one kind */
    uint64_t at;
    uint32_t bytes;
    uint16_t clock;
    uint8_t thread, writes,
        plain; /* plain: 2: it is an allocation, which no atomic load races with */
    const void *pc;
} SummaryRecord;

typedef struct Summary {
    uint32_t places, records;
    uint64_t slots; /* that are used */
    bool orders;    /* there are seq_cst events: masks are kept */
    bool fences;    /* there are acquire fences: acq is kept */
    bool c11;       /* later writes of a thread go on with its release sequences */
    bool full;      /* there was no more room: nothing that follows is meant */
    bool client;    /* threads make calls */
    uint16_t clock[SUMMARY_THREADS];
    SummaryThread thread[SUMMARY_THREADS];
    SummaryRecord record[SUMMARY_RECORDS];
    SummaryPlace place[SUMMARY_PLACES];
} Summary;

enum { SUMMARY_READ = 1, SUMMARY_WRITE = 2, SUMMARY_UPDATE = 3, SUMMARY_FENCE = 4 };

typedef struct SummaryEvent {
    uint8_t thread, kind;
    bool atomic, acquires, releases, seq_cst;
    uint32_t place; /* or SUMMARY_NOWHERE, of a plain access */
    uint32_t from;  /* the message that is read; of a write the one that it comes behind */
    uint64_t value;
    uint64_t at; /* for races: the memory, and whether others need to know of it */
    uint32_t bytes;
    bool recorded;
    bool allocates;
    bool apart; /* for races only: psc does not see it */
    const void *pc;
} SummaryEvent;

/* Nothing has happened; thread 0 is live. */
void summary_begin(Summary *s);
/* Begins one of a client, whose threads are live if they MAY_CALL (bits). */
void summary_begin_client(Summary *s, uint32_t may_call);
/* Adds a place with one message that everybody has seen; returns its number. */
uint32_t summary_add_place(Summary *s, uint64_t name, uint32_t bytes, uint64_t value,
                           bool unwritten);
uint32_t summary_find_place(const Summary *s, uint64_t name); /* or SUMMARY_NOWHERE */
void summary_drop_place(Summary *s, uint32_t place);          /* nobody can access it any more */
/* Is E possible: consistent, and of a write not between a message and its read-modify-write? */
bool summary_allows(const Summary *s, const SummaryEvent *e);
/* Adds E, which is possible. Returns a record that it races with, or NULL. */
const SummaryRecord *summary_add(Summary *s, const SummaryEvent *e);
/* PARENT creates CHILD; thread ENDED, which has, is joined by T; it ends. */
void summary_create(Summary *s, uint32_t parent, uint32_t child);
/* T does nothing before the end of AWAITED. */
void summary_wait(Summary *s, uint32_t thread, uint32_t awaited);
void summary_join(Summary *s, uint32_t thread, uint32_t ended);
void summary_end(Summary *s, uint32_t thread);
/* A call of T that begins comes behind the first CHOSEN[u] calls of each thread u that have
 * returned. In how many ways can these be chosen, so that a call which comes before one of them is
 * chosen, too? Leaves in CHOSEN those of WAY, and returns how many there are up to that; all if WAY
 * is UINT32_MAX. */
uint32_t summary_call_ways(const Summary *s, uint32_t t, uint32_t way,
                           uint8_t chosen[SUMMARY_THREADS]);
void summary_call(Summary *s, uint32_t t, const uint8_t chosen[SUMMARY_THREADS], bool may_call);
void summary_return(Summary *s, uint32_t t);
/* Forgets what no later event depends on. Adds to DROPPED, which may be NULL, how many calls of
 * each thread all later calls come behind from here on. */
void summary_forget(Summary *s, uint32_t dropped[SUMMARY_THREADS]);
/* The bytes of it that are in use: at most so many; written to TO, of which the end is returned;
 * read again. */
size_t summary_bytes(const Summary *s);
char *summary_save(const Summary *s, char *to);
const char *summary_restore(Summary *s, const char *from);
/* Puts all of it but names, values and records as words, at most summary_words, with places in
 * ORDER. Equal words, with the rest, lead to the same. */
size_t summary_words(const Summary *s);
uint64_t *summary_put(const Summary *s, const uint8_t *order, uint64_t *to);
#endif
