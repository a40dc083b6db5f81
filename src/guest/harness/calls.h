/* calls.h: the calls that a program with a main() marks (HD_BEGIN, HD_END). While it runs
 * they become marks in its trace; afterwards the calls of the explorer's present graph are listed
 * here by object.
 *
 * An object is told from others by its address or, if the program gives one, its name. To be found
 * again in another execution, an address on a heap or stack counts from the thread that it belongs
 * to, and a thread is known by who created it as its how manyth: numbers of threads depend on the
 * schedule. The identity of a call is its object, thread, name and arguments. */
#ifndef HEDDLE_HARNESS_CALLS_H
#define HEDDLE_HARNESS_CALLS_H
#include "base/error.h"
#include "guest/harness/graph_history.h"
#include "guest/explore/graph/graph.h"
#include "judge/history/value.h"
#include "record/link.h"
#include "guest/entry/marks.h"

#define CALLS_OF_THREAD 64u /* calls of one thread in an execution */
#define CALLS_DEEP 8u       /* calls inside each other */
#define CALLS_OBJECTS 64u   /* different ones in all executions */
#define CALLS_MOST (MAX_THREADS * CALLS_OF_THREAD)

typedef struct CallSignature { /* what the program wrote and gave */
    uint32_t object;
    Value name;
    Value arguments[MARKS_ARGUMENTS];
    uint16_t count;
    char object_name[32]; /* "queue" for &queue */
    char text[96];        /* "put(1)" */
    const char *file;
    int line;
} CallSignature;

typedef struct GraphCall {
    uint16_t signature;
    uint8_t thread;
    bool returned;
    uint16_t identity; /* the same in other executions */
    EventId call, ret;
    uint64_t word; /* of its result */
} GraphCall;
typedef struct GraphObject { /* calls first..first+count-1 are on it; those of a thread in its
                              * order */
    uint32_t first, count;
    char name[48]; /* "queue", "q#2" if several are called q; "" if it is the only object */
} GraphObject;
typedef struct GraphCalls {
    GraphCall at[CALLS_MOST];
    uint32_t count;
    GraphObject objects[CALLS_OBJECTS];
    uint32_t object_count;
} GraphCalls;

/* From now on marks count; values are interned in VALUES. */
void calls_setup(Values *values);
/* With gates, calls on one object exclude each other: a thread waits before its call while another
 * one is inside. Between explorations only. */
void calls_use_gates(bool gates);
/* Does the thread wait at a gate in the present graph? */
bool calls_at_gate(int thread);
/* Did any execution so far mark a call? */
bool calls_any(void);
/* Marks in operations of a test file are refused. */
void calls_refuse(void);

/* The present graph. */
void calls_collect(GraphCalls *calls);
/* Ends the exploration if a thread has ended inside a call. */
void calls_check_ends(const GraphCalls *calls);
/* The calls on one object as a history, with their order. May end the exploration: too many of
 * them. */
void calls_history(const GraphCalls *calls, const GraphObject *object, GraphHistory *history);
/* Has no other thread done anything between begin and end of this call? Threads that the call
 * itself created are a part of it. */
bool calls_is_atomic(const GraphCall *call);

const CallSignature *calls_signature(uint32_t signature);
/* "queue.put(1)" of a call in the graph; of an identity, without an execution. */
void calls_print(const GraphObject *object, const GraphCall *call, Buffer *out);
void calls_print_identity(uint32_t identity, Buffer *out);

/* Ends the exploration: what is wrong with the marks, at this place. */
NORETURN void calls_complain(const char *file, int line, const char *format, ...) PRINTF_LIKE(3, 4);
/* Was it ended by that? Then OUTCOME says so: it is an error of the input. */
bool calls_complained(OutcomeMessage *outcome);
#endif
