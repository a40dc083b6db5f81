/* sleeps.h: condition variables and futexes in an execution: who began to wait when, who woke whom.
 * The runtime makes several events of one such call (it enters a set of waiting threads, gives the
 * mutex back, sleeps; it looks at the set, takes a thread out, wakes it); a person wants the call,
 * and wants to know why a thread that waits for ever was not woken. */
#ifndef HEDDLE_REPORT_EXPLAIN_SLEEPS_H
#define HEDDLE_REPORT_EXPLAIN_SLEEPS_H
#include "tool/report/dwarf/names.h"

typedef enum SleepRole {
    SLEEP_NONE,    /* no part of such a call, or told as other events are */
    SLEEP_BEGINS,  /* the thread is among those who wait from here on */
    SLEEP_UNLOCKS, /* the mutex is given back */
    SLEEP_TESTS,   /* a futex: the value is looked at */
    SLEEP_LEAVES,  /* it gives up waiting */
    SLEEP_SLEEPS,  /* it is woken, or waits for ever */
    SLEEP_WAKES,   /* a signal: it takes `woken` out of those who wait */
    SLEEP_DETAIL   /* told by another event of the same call */
} SleepRole;

typedef struct SleepEvent {
    uint8_t role;
    uint32_t told_by; /* the event that tells this one; RECORD_NONE: itself */
    uint64_t set;     /* address of the set of waiting threads */
    uint64_t woken;   /* SLEEP_WAKES: bits of threads */
    uint64_t moved;   /* bits of threads that wait on another futex from here on */
    bool gives_both;  /* gives back a set of two that were taken */
    uint32_t begin;   /* SLEEP_SLEEPS: the event at which the wait began */
    const char *call; /* "pthread_cond_wait" */
} SleepEvent;

typedef struct Sleeps {
    SleepEvent *at;    /* by event of the record; the record has event_count of them */
    uint64_t *objects; /* by event: of SLEEP_BEGINS, the address of what is waited on */
} Sleeps;

/* Lives in the arena of NAMES. */
void sleeps_find(Names *names, const Record *record, Sleeps *sleeps);
/* The event as a step: "pthread_cond_signal c: wakes T1"; NULL: it has no role. */
const char *sleeps_action(Names *names, const Record *record, const Sleeps *sleeps, uint32_t event);

/* Why THREAD, which waits for ever, was not woken. NULL: it does not wait in such a call. */
typedef struct SleepReason {
    enum {
        SLEEP_NOBODY, /* there is no signal at all */
        SLEEP_BEFORE, /* the last one came before the wait */
        SLEEP_AGAIN,  /* it woke this thread, which waits again */
        SLEEP_OTHER   /* it woke another one that waited, too */
    } why;
    uint32_t begin, signal; /* events; signal: RECORD_NONE if there is none */
    uint64_t woken;         /* by that signal: bits of threads */
    const char *call;       /* "pthread_cond_wait c" */
    const char *object;     /* "c"; "it" if it has no name */
} SleepReason;
const SleepReason *sleeps_reason(Names *names, const Record *record, const Sleeps *sleeps,
                                 uint32_t thread);
/* Says in few words why nobody wakes it: "T1 signals before T2 waits". */
const char *sleeps_reason_words(Names *names, const Record *record, const SleepReason *reason);
const char *sleeps_threads(Names *names, uint64_t bits); /* "T1 and T3" */
#endif
