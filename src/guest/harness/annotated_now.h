/* annotated_now.h: the execution whose annotated calls are judged; shared by annotated_judge.c,
 * which judges sequential histories, and annotated_others.c, which looks at what a call has beside
 * it: calls that are not ordered with it, and the histories of those that come before it. */
#ifndef HEDDLE_HARNESS_ANNOTATED_NOW_H
#define HEDDLE_HARNESS_ANNOTATED_NOW_H
#include "guest/explore/graph/graph.h"
#include "guest/harness/annotated.h"

#define ANNOTATED_HISTORIES 100000u /* of one object in one execution */
#define ANNOTATED_ALL_POINTS 1024u  /* of all threads */

typedef enum Failed { /* the numbers of HeddleJudged, and one more */
                      FAILED_NOT,
                      FAILED_PRE,
                      FAILED_POST,
                      FAILED_JUSTIFY_PRE,
                      FAILED_JUSTIFY_POST,
                      FAILED_SYNCHRONISATION
} Failed;

typedef struct Call {
    const AnnotatedThread *thread;
    const AnnotatedCall *call;
    const AnnotatedPlace *place;
    const Event *begin, *end;
    int number; /* of the thread */
} Call;

typedef struct Failure {
    Failed kind;
    uint32_t call, other; /* the call that fails; the later call of a rule */
    const HeddleRule *rule;
    uint32_t history[ORDERING_MOST], length;
} Failure;

typedef struct AnnotatedNow {
    Call calls[ORDERING_MOST];
    uint32_t call_count;
    OrderingPoint points[ANNOTATED_ALL_POINTS];
    const Event *events[ANNOTATED_ALL_POINTS]; /* of the points */
    uint32_t point_count;
    const Event *last_point[ORDERING_MOST]; /* by call */
    uint64_t past[ORDERING_MOST]; /* calls whose last point is in the past of a call's last */
    Ordering ordering;
    HeddleJudged judged[ORDERING_MOST];
    const Call *running; /* whose code runs */
} AnnotatedNow;
extern AnnotatedNow annotated_now;

/* ---- annotated_judge.c ---- */
uint64_t annotated_members_with(uint32_t c);     /* the calls on the same object as call C */
void annotated_begin_history(uint32_t c);        /* makes the state of the object of C anew */
Failed annotated_run_call(uint32_t c, int mode); /* runs the code of C; HeddleJudgeMode */
void annotated_print(uint32_t c, const char *by, Buffer *out);
const char *annotated_one_line(const char *code, char *line, size_t bytes);
NORETURN void annotated_report(ViolationKind kind, const Buffer *message);

/* ---- annotated_others.c ---- */
/* Orders calls also by happens-before between their ordering points, where both methods are written
 * with @OPDefine: the later papers order them so. Keeps the relation transitively closed. */
void annotated_order_by_time(void);
/* Are the calls ordered where @Admissibility and @Commutativity want that? An execution in which
 * they are not has no meaning to judge: a warning says which, once. */
bool annotated_admissible(void);
/* Has each of MEMBERS, the calls of an object, a history of the calls before it in which its
 * justifying conditions hold? Reports one that has none. False if there are too many to try. */
MUST_USE bool annotated_justified(uint64_t members);
#endif
