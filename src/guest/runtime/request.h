/* request.h: what a thread asks of the explorer when it yields. There is one request at a time: the
 * thread fills `request`, yields, and finds its answer in `reply`. */
#ifndef HEDDLE_RUNTIME_REQUEST_H
#define HEDDLE_RUNTIME_REQUEST_H
#include "base/common.h"
#include "record/operations.h"

typedef enum RequestKind {
    REQUEST_LOAD = 1,
    REQUEST_STORE,
    REQUEST_RMW,
    REQUEST_CAS,
    REQUEST_AWAIT,
    REQUEST_FENCE,
    REQUEST_CHOOSE,
    REQUEST_CREATE,
    REQUEST_JOIN,
    REQUEST_EXIT,
    REQUEST_MARK,
    REQUEST_STALL, /* no event: others may run first; answered by going on (explore/memory/spin.h)
                    */
    REQUEST_PAUSE, /* no event: a ghost is about to read plain memory (explore/search/ghost.h) */
    REQUEST_STOP   /* the thread can't go on: a finding, see finding.h; never answered */
} RequestKind;

/* A choice has one of these as its `test`: whose is it? */
typedef enum ChoiceOfTime {
    CHOICE_PROGRAM,
    CHOICE_TIMES_OUT, /* 1: a wait times out; 0: it is ended by another thread */
    CHOICE_TIME_OVER, /* no choice: the thread looks at a clock that has stopped */
    CHOICE_FAILS      /* no choice: an assumption of the program's fails, the thread ends here */
} ChoiceOfTime;

typedef struct Request {
    uint8_t kind;
    uint8_t op;   /* RmwOp */
    uint8_t test; /* AwaitTest */
    uint8_t order, failure_order;
    uint8_t size;
    uint8_t weak; /* a compare-exchange that may fail spuriously */
    uint8_t
        plain; /* a plain or volatile access that is explored as an event: 1 plain, 2 volatile */
    uint8_t locked;    /* STORE: by a locked instruction, as locks are given back on x86 */
    uint8_t part;      /* of the block at `address` (guest/explore/memory/blocks.h), or 0 */
    uint8_t merge;     /* RMW: it is a store to a part */
    bool returns;      /* MARK: the end of an operation, not its begin; JOIN: the result is wanted;
                          CREATE: as op_create_alike says */
    bool ends_program; /* EXIT: of the whole program, by exit or the end of main ... */
    bool quiet;        /* ... and nothing of the program's is called for it */
    void *address;
    uint64_t operand, operand_high;   /* value to write; 16-byte accesses use both words */
    uint64_t expected, expected_high; /* compare-exchange; AWAIT: operand of the test;
                                         CREATE: where the thread's name goes */
    const void *pc;
    const char *object, *verb; /* AWAIT: words for reports */
    void *(*function)(void *); /* CREATE */
} Request;

typedef struct Reply {
    uint64_t value, value_high; /* what was read; CREATE: the thread; CHOOSE: the choice */
    bool success;               /* CAS */
} Reply;

extern Request request;
extern Reply reply;
extern uint64_t request_count; /* how many were submitted: a sign of life */

static inline bool request_is_access(const Request *q)
{
    return q->kind >= REQUEST_LOAD && q->kind <= REQUEST_AWAIT;
}
/* May an access write? */
static inline bool request_can_write(const Request *q)
{
    return q->kind != REQUEST_LOAD && !(q->kind == REQUEST_AWAIT && q->op == RMW_NONE);
}
/* Hands the request over and waits for the answer. */
void request_submit(void);
#endif
