/* annotated.h: the calls of annotated methods that the explored threads make, as they are noted
 * while the threads run. Everything lies in memory that backtracking takes back, so at a complete
 * execution it is that execution's. */
#ifndef HEDDLE_HARNESS_ANNOTATED_H
#define HEDDLE_HARNESS_ANNOTATED_H
#include <heddle_annotated.h>
#include "base/str.h"
#include "judge/graph/ordering.h"
#include "record/link.h"
#include "record/layout.h"
#include "guest/explore/graph/width.h"

/* The program's table (heddle_annotated.h); NULL if it has none. */
const HeddleAnnotations *annotated_table(void);

#define ANNOTATED_CALLS ORDERING_MOST /* of one thread */
#define ANNOTATED_POINTS 512
#define ANNOTATED_BYTES (1u << 16) /* arguments and results of a thread's calls */

typedef struct AnnotatedCall { /* state of the thread */
    const HeddleMethod *method;
    uint64_t object;
    uint32_t outer;   /* the call around it, plus one; 0: none */
    uint32_t cleared; /* points of the thread below this number are none of its own any more */
    uint32_t data;    /* where its arguments, result and pointees begin */
    uint32_t data_bytes;
} AnnotatedCall;
typedef struct AnnotatedPlace { /* of a call; no state */
    EventIndex begin, end;      /* the marks, as events of the thread; end 0: it has not returned */
    EventIndex repeated; /* 1: calls that are the same in everything followed and were not noted */
} AnnotatedPlace;
typedef struct AnnotatedPoint { /* state */
    uint32_t call;              /* of the thread */
    uint32_t number;            /* of the annotation */
    uint64_t access; /* what it accesses: the location, and the write that it reads or is */
} AnnotatedPoint;
typedef struct AnnotatedThread {
    uint32_t count; /* calls */
    uint32_t open;  /* the innermost one that runs, plus one; 0: none */
    uint32_t point_count;
    uint32_t data_used;
    AnnotatedCall calls[ANNOTATED_CALLS];
    AnnotatedPlace places[ANNOTATED_CALLS];
    AnnotatedPoint points[ANNOTATED_POINTS];
    EventIndex events[ANNOTATED_POINTS];         /* of the points, in the thread; no state */
    uint64_t potential[HEDDLE_ANNOTATED_LABELS]; /* the last access with this label; 0: none */
    EventIndex potential_event[HEDDLE_ANNOTATED_LABELS]; /* where that is; no state */
    _Alignas(16) unsigned char data[ANNOTATED_BYTES];
} AnnotatedThread;
extern AnnotatedThread *annotated_threads; /* MAX_THREADS of them */

/* Calls outside of any explored thread, by static constructors: nobody notes what they did. */
extern uint64_t annotated_too_early;

/* Once, before exploration. */
void annotated_setup(void);
/* "push(v=1)" or, when it has returned, "pop() = 1". */
void annotated_print_call(const AnnotatedThread *thread, uint32_t call, bool returned, Buffer *out);

/* ---- harness/annotated_judge.c ---- */
/* Makes exploration.on_complete judge every complete execution as options.check.histories asks. */
void annotated_judge_setup(Link *link);
/* After a replay with all steps done: judges once more. May call op_violation. */
void annotated_judge_again(void);
/* Does for annotated programs what child_check_begin of harness/check/check.h does. */
void annotated_judge_begin(bool again);
/* Adds what this process has judged to the outcome. */
void annotated_judge_end(void);
/* Annotated code runs on the explorer's own stack and has crashed: says so, does not return. False
 * if none runs. */
bool annotated_judge_crashed(const char *how);
#endif
