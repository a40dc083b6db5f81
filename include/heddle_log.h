/* heddle_log.h: writes a history that `heddle history` reads, from any C11 or C++11 program.
 *
 *   FILE *log = fopen("history.jsonl", "w");
 *   heddle_log_call(log, thread, "put", "\"k\", 7");     just before the operation
 *   heddle_log_return(log, thread, "true");              just after it; "null" if it gives nothing
 *   heddle_log_unknown(log, thread);                     instead, if nobody knows its outcome
 *
 * Arguments and results are JSON. Each thread uses its own number; call and return alternate.
 *
 * Why the order is right: every event takes its place from one atomic counter, a sequentially
 * consistent read-modify-write with full fences around it, so the place of a call is taken before
 * anything the operation does, and the place of a return after. If `a` returned at an earlier place
 * than that at which `b` was called, then all of `a` happened before all of `b`. Lines may reach
 * the file in another order; the reader sorts them by "seq". Link the counter once: define
 * HEDDLE_LOG_IMPLEMENTATION in one file before including this. */
#ifndef HEDDLE_LOG_H
#define HEDDLE_LOG_H
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
unsigned long long heddle_log_place(void); /* the next place in the order of events */
static inline void heddle_log_call(FILE *log, int process, const char *op, const char *args)
{
    unsigned long long seq;
    seq = heddle_log_place();
    fprintf(log, "{\"seq\":%llu,\"process\":%d,\"type\":\"call\",\"op\":\"%s\",\"args\":[%s]}\n",
            seq, process, op, args);
    /* the operation starts after this place is taken, however long the line takes */
}
static inline void heddle_log_return(FILE *log, int process, const char *result)
{
    unsigned long long seq = heddle_log_place();
    fprintf(log, "{\"seq\":%llu,\"process\":%d,\"type\":\"return\",\"result\":%s}\n", seq, process,
            result);
}
static inline void heddle_log_unknown(FILE *log, int process)
{
    unsigned long long seq = heddle_log_place();
    fprintf(log, "{\"seq\":%llu,\"process\":%d,\"type\":\"unknown\"}\n", seq, process);
}
#ifdef HEDDLE_LOG_IMPLEMENTATION
unsigned long long heddle_log_place(void)
{
    static unsigned long long next;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    unsigned long long place = __atomic_fetch_add(&next, 1, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return place;
}
#endif
#ifdef __cplusplus
}
#endif
#endif
