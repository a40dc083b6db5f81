/* heddle_history.h: is what a concurrent object did linearizable? Record calls and returns from any
 * number of threads, then ask.
 *
 *   heddle_history *h = heddle_history_open("map", NULL, 0);
 *   ... in every thread, around every operation on the object:
 *   heddle_history_call(h, thread, "put", "[\"k\", 7]");
 *   bool added = map_put(map, "k", 7);
 *   heddle_history_return(h, thread, "null");
 *   ... at the end:
 *   if (heddle_history_check(h, NULL) == HEDDLE_HISTORY_VIOLATED)
 *       fputs(heddle_history_explain(h), stderr);
 *   heddle_history_close(h);
 *
 * A handle may be used by several threads at once; different handles share nothing. Arguments and
 * results are JSON. Link with -lheddle-history (pkg-config heddle-history). heddle-history(3) says
 * more; heddle-history(1) lists the specifications. Out of memory ends the program. */
#ifndef HEDDLE_HISTORY_H
#define HEDDLE_HISTORY_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heddle_history heddle_history;

enum heddle_history_answer {
    HEDDLE_HISTORY_HOLDS = 0,
    HEDDLE_HISTORY_VIOLATED = 1,
    HEDDLE_HISTORY_ERROR = 2, /* see heddle_history_error */
    HEDDLE_HISTORY_INCONCLUSIVE = 3
};

/* SPECIFICATION is a built-in model ("fifo", "register:0"). NULL if there is none; then MESSAGE, if
 * it is not NULL, gets why, in at most BYTES bytes. */
heddle_history *heddle_history_open(const char *specification, char *message, size_t bytes);

/* Golden code (heddle_spec.h) as the specification: INIT makes the initial state of STATE_BYTES
 * bytes, FIND gives the function of an operation, or NULL. Functions see the calling process. */
struct heddle_call;
struct heddle_value;
typedef void heddle_history_function(void); /* heddle_value (*)(void *state, heddle_call *) */
heddle_history *heddle_history_open_code(size_t state_bytes, void (*init)(void *state),
                                         heddle_history_function *(*find)(void *context,
                                                                          const char *name),
                                         void *context);
void heddle_history_close(heddle_history *history); /* NULL is allowed */
/* For "transactions": the isolation level to judge by, "read-committed", "snapshot-isolation",
 * "serializable", ... (heddle-history(1)), in place of "strict-serializable"; or "auto": the answer
 * then is that some level holds, and heddle_history_explain names the strongest. 0, or -1 with a
 * message. */
int heddle_history_isolation(heddle_history *history, const char *level);

/* Events. They return 0, or -1 with a message for heddle_history_error: a second call on a process,
 * a return without a call, text that is no JSON. The order of the events is that in which these
 * functions are entered; so call before the operation begins, and return after it ended. */
int heddle_history_call(heddle_history *history, int64_t process, const char *operation,
                        const char *arguments); /* a JSON array; NULL: none */
int heddle_history_return(heddle_history *history, int64_t process, const char *result);
int heddle_history_fail(heddle_history *history, int64_t process);    /* it did not happen */
int heddle_history_unknown(heddle_history *history, int64_t process); /* it may have, or may yet */
/* Adds the events of a log (heddle-history(1)) as one history; only into an empty one. FORMAT may
 * be NULL. */
int heddle_history_read(heddle_history *history, const char *path, const char *format);

typedef struct heddle_history_limits {
    double seconds;           /* 0: no limit */
    size_t memory;            /* bytes, 0: no limit */
    const volatile int *stop; /* NULL, or not 0 once the check shall end */
} heddle_history_limits;
/* Judges what was recorded so far; what is open counts as pending. More may be recorded after it.
 * LIMITS may be NULL: none. */
enum heddle_history_answer heddle_history_check(heddle_history *history,
                                                const heddle_history_limits *limits);
/* The evidence for the last answer, as text, with the anomalies of transactions by name; lives
 * until the next check. "" if there is none. */
const char *heddle_history_explain(const heddle_history *history);
/* The last error of this handle, "" if there was none; lives until the next error. */
const char *heddle_history_error(const heddle_history *history);
size_t heddle_history_count(const heddle_history *history); /* of operations */

#ifdef __cplusplus
}
#endif
#endif
