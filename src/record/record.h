/* record.h: one execution as data: its events in an order that respects program order and
 * reads-from, the heap objects it had, its threads, and what was found. The explorer fills it
 * inside the program under test; the tool saves, replays and prints it. Events are named by their
 * number in the record. */
#ifndef HEDDLE_RECORD_RECORD_H
#define HEDDLE_RECORD_RECORD_H
#include "base/common.h"
#include "record/kinds.h"

/* X(NAME, word) */
#define RECORD_KINDS(X)                                                                            \
    X(READ, "load")                                                                                \
    X(WRITE, "store")                                                                              \
    X(FENCE, "fence")                                                                              \
    X(CREATE, "create")                                                                            \
    X(BEGIN, "begin")                                                                              \
    X(JOIN, "join")                                                                                \
    X(END, "end")                                                                                  \
    X(CHOOSE, "choose")                                                                            \
    X(PLAIN_READ, "read")                                                                          \
    X(PLAIN_WRITE, "write")                                                                        \
    X(ALLOC, "allocate")                                                                           \
    X(FREE, "free")                                                                                \
    X(CALL, "call")                                                                                \
    X(RETURN, "return")
typedef enum RecordKind {
#define X(name, word) RECORD_##name,
    RECORD_KINDS(X)
#undef X
        RECORD_KIND_COUNT
} RecordKind;

#define RECORD_NONE UINT32_MAX       /* no event */
#define RECORD_INIT (UINT32_MAX - 1) /* the location's initial value */
enum {
    RECORD_FLAG_RMW = 1,      /* half of a read-modify-write */
    RECORD_FLAG_CAS = 2,      /* a compare-exchange; without RMW on a read: it failed */
    RECORD_FLAG_STALE = 4,    /* a read of a value that was already overwritten */
    RECORD_FLAG_AWAIT = 8,    /* a lock or another waiting call of the runtime */
    RECORD_FLAG_BLOCKED = 16, /* its thread waits here for ever */
    RECORD_FLAG_PLAIN = 32,   /* a plain access that races and was explored as an event */
    RECORD_FLAG_BAD = 64,     /* the event at which the violation shows */
    RECORD_FLAG_PARTNER = 128 /* the other access of a race */
};

#define RECORD_CALLERS 6
enum {                      /* orders beyond those of <stdatomic.h> */
       RECORD_VOLATILE = 6, /* a volatile access */
       RECORD_PROMOTED = 7  /* a plain access to memory of which all plain accesses are events */
};

typedef struct RecordEvent {
    uint16_t thread;
    uint8_t kind, order, size, flags, rmw_op;
    uint8_t has_value; /* plain accesses: 1 if `value` is what was read or written */
    uint32_t index;    /* position in its thread */
    uint32_t rf;       /* reads: the event read from, RECORD_INIT or RECORD_NONE */
    uint32_t co;       /* writes: position in the location's coherence order, from 1 */
    uint32_t other;    /* CREATE, JOIN: the other thread; ALLOC, FREE: heap object number; READ,
                          WRITE: bytes of the aligned block that is accessed in parts, or 0 */
    uint64_t address;
    uint64_t value[2];    /* read, written or chosen; the second word of 16-byte accesses */
    uint64_t expected[2]; /* compare-exchange */
    uint64_t pc;
    uint64_t text; /* offset of a word for reports in the text area ("mutex lock"), or 0 */
    uint64_t callers[RECORD_CALLERS]; /* who called that, innermost first; 0: unknown */
    uint64_t frame_pc; /* an address on a stack: inside the function that it is local to, or 0 */
    uint64_t frame;    /* that function's canonical frame address */
} RecordEvent;

/* Do these accesses share a byte? */
static inline bool record_overlap(const RecordEvent *a, const RecordEvent *b)
{
    return a->address < b->address + b->size && b->address < a->address + a->size;
}

typedef struct RecordObject { /* a heap object */
    uint64_t address, bytes;
    uint64_t alloc_pc, free_pc; /* free_pc 0: still live */
    uint16_t alloc_thread, free_thread;
    uint32_t spare;
} RecordObject;

typedef struct RecordThread {
    uint64_t function, create_pc;
    uint32_t parent;
    uint32_t state;         /* 0 runnable, 1 ended, 2 waits for ever */
    uint64_t waits_address; /* state 2: what it waits for, 0 if a join */
    uint64_t waits_pc, waits_text;
    uint32_t waits_thread;   /* state 2 and a join: for whom */
    uint16_t finder;         /* 1: the violation was found in this thread */
    uint16_t ran_on;         /* 1: it had run on behind its last event, to a request not yet met */
    uint64_t thread_pointer; /* its thread-local storage ends there; 0: it has none of its own */
    uint64_t asks_address;   /* ran_on, to a plain or volatile access that is an event: of what */
    uint32_t asks_bytes;
    uint32_t asks_order; /* RECORD_PROMOTED or RECORD_VOLATILE; 0: it is no such access */
} RecordThread;

/* A record as it lies in memory: arrays that the owner keeps alive. */
typedef struct Record {
    uint32_t violation; /* ViolationKind */
    uint32_t model;
    uint32_t event_count, object_count, thread_count, text_bytes;
    RecordEvent *events;
    RecordObject *objects;
    RecordThread *threads;
    char *text;       /* strings, each ended by 0; offset 0 is the empty one */
    uint64_t message; /* offset in text: one sentence that says what is wrong */
    uint64_t
        load_base; /* where the program was loaded: subtract it from pc for its ELF addresses */
    uint64_t pc;   /* of what its finder did when the violation showed, or 0 */
    uint64_t callers[RECORD_CALLERS]; /* of that */
} Record;

/* Has every thread ended, or does it wait? Then those that wait do so for ever; a record that ends
 * where something else goes wrong does not say that. */
static inline bool record_is_at_rest(const Record *record)
{
    for (uint32_t t = 0; t < record->thread_count; t++)
        if (!record->threads[t].state)
            return false;
    return true;
}
#endif
