/* search.h: all states that threads which call for ever can reach, breadth first, each paired with
 * the ways in which the calls so far can be explained. A violation is a path of native steps from
 * the start; what is reported is that path, run again by the ordinary engine
 * (explore/schedules/sample.h, SampleScript). If the search ends, every execution, however long, is
 * one of its paths. */
#ifndef HEDDLE_STATES_SEARCH_H
#define HEDDLE_STATES_SEARCH_H
#include "guest/explore/graph/finding.h"
#include "guest/explore/schedules/sample.h"
#include "guest/states/sets.h"
#include "guest/states/step.h"

typedef enum StatesProgress { /* what the graph of all states proves, for these threads */
                              STATES_WAIT_FREE, /* every call ends after a bounded number of its own
                                                   steps */
                              STATES_LOCK_FREE, /* whoever runs, calls end again and again */
                              STATES_OBSTRUCTION_FREE, /* a thread that runs alone ends its call */
                              STATES_BLOCKING,         /* a thread may have to wait for another */
                              STATES_PROGRESS_UNKNOWN  /* to work it out takes too much memory */
} StatesProgress;

typedef struct StatesLimits {
    uint32_t elements; /* no call that puts begins while so many are inside; 0: no bound */
    uint32_t lag;      /* nobody begins a call while so many returned during another; 0: no bound */
    uint64_t bytes;    /* of memory; 0: no limit */
    uint32_t stores;   /* in a store buffer (tso) at most; 0: there are none (sc) */
    bool views;        /* under rc11, by views (views.h): */
    uint32_t messages; /* of a place at most, older ones that all threads have passed aside; 0: no
                          bound */
    uint32_t late;  /* calls of a thread at most that have ended while stores are in its buffer */
    bool stuck;     /* calls that can never return are violations */
    bool calls_end; /* of these: all calls are made before somebody is stuck; else clients may stop
                     */
    uint64_t nodes; /* pairs of a state and a set; 0: no limit */
    bool keeps;     /* if there are more of these, all is kept for a search that `goes_on` */
    bool goes_on;   /* from where the search before has stopped, which kept all: of the same client,
                       specification and limits, but for more nodes */
    bool alike;     /* threads may make the same calls: they are interchangeable (symmetry.h) */
    uint32_t jobs;  /* processes that take steps (crew.h), if it has no limit of nodes */
} StatesLimits;

typedef struct StatesCall { /* of a path, in the order in which calls begin */
    uint32_t thread, call;
} StatesCall;

typedef struct StatesResult {
    FindingKind kind; /* NONE: all states were explored, if `complete` */
    bool complete;    /* else it was stopped: by exploration.poll, or by its memory (`full`) */
    bool full;
    bool by_views; /* states were those of StatesLimits.views */
    bool alike;    /* states that differ in which thread is which count as one */
    uint64_t states, nodes, transitions, bytes;
    uint64_t cut; /* steps that could not be followed: the finding is UNSUPPORTED, or a violation */
    uint64_t refused; /* calls that did not begin because of the bound on elements */
    uint64_t lagged;  /* because of that on the lag */
    uint64_t held;    /* steps that had to wait because of that on stores, or on calls of one thread
                         whose stores are not in memory */
    StatesProgress progress; /* unless there is a bound on the lag */
    bool endless;            /* of a program: there are states from which it does not end */
    bool loops;              /* VIOLATION: after the path, thread `looping` goes on for ever */
    uint32_t looping;
    uint64_t grows; /* the address of a number that seems to grow for ever, or 0 */
    uint64_t grown; /* what it has come to */
    /* of a search that has not ended: objects of a heap that seems to grow for ever, or 0; a
     * variable that leads ever further into it, or 0; where the last one, or the one that `grows`
     * lies in, was allocated */
    uint32_t heap_objects;
    uint64_t heap_variable, heap_pc;
    Vec(SampleStep) script; /* VIOLATION: the path */
    Vec(StatesCall) calls;
} StatesResult;

extern uint64_t states_so_far; /* explored by now, for whoever shows progress */

/* `finding` says what was found. *result keeps its memory for the next search. */
void states_search(const StatesClient *client, const SetsSpec *spec, const StatesLimits *limits,
                   StatesResult *result);
#endif
