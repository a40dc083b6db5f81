/* explore.h: the search over all executions of the program under test. */
#ifndef HEDDLE_EXPLORE_EXPLORE_H
#define HEDDLE_EXPLORE_EXPLORE_H
#include "guest/explore/graph/finding.h"
#include "guest/explore/graph/graph.h"

typedef struct ExploreCounts {
    uint64_t executions; /* complete graphs */
    uint64_t blocked;    /* ended with threads that wait */
    uint64_t stuck;      /* of these: real deadlocks */
    uint64_t cut;        /* given up at a bound */
    uint64_t dead_ends;  /* by-products of the search, see explore_leaf */
    uint64_t left_out;   /* complete, stuck or cut short: they need too many preemptions */
} ExploreCounts;
extern ExploreCounts counts;

/* Called at every complete execution, with the graph in place. May call op_violation. */
typedef void ExploreVisitor(void);

/* Asked of those above the search; NULL: there are none. */
typedef struct SearchHooks {
    void (*stopped)(void); /* the search ends early: where it stands is to be written down */
    void (*cut)(void);     /* an execution was given up */
    /* With a preemption bound: does the present graph, complete or stuck, need too many; does all
     * that the present, incomplete one leads to? */
    bool (*beyond)(void);
    bool (*leads_beyond)(void);
    /* When so many polls have been made, or (HURRIES) at the next leaf: true if something was found
     * by looking ahead, so that the search is left. 0: never. */
    unsigned polls_left;
    bool hurries;
    bool (*look)(void);
    /* Performs WHAT in a process of its own, a copy of this one (scale/workers.h). */
    bool (*run_apart)(void (*what)(void));
    /* Draws random schedules, so many or of so many requests (schedules/sample.h). */
    FindingKind (*sample)(uint64_t count, uint64_t requests);
    /* Do other processes explore parts of the present pass, or could they (scale/units.h)? */
    bool (*is_divided)(void);
} SearchHooks;
extern SearchHooks search_hooks;

/* "threads 0, 2 wait for ever": those that have not ended. */
void explore_describe_deadlock(char *text, size_t bytes);
/* The steps of the search one by one, for all who perform steps (frames.c, schedules/): everything
 * to the start; `request` of thread T as an event, not yet placed or given a value; the checks of a
 * read that has got its value, and whose write, if it is a read-modify-write, has its place; the
 * write of an RMW; any other kind of request; only the checks that come before an access. */
void explore_begin(void);
/* Goes on from the present graph until nothing is left above exploration.floor, or
 * exploration.stopped. */
void explore_search(void);
Event *explore_add_access(int thread, EventKind kind);
void explore_check_read(const Event *read);
Event *explore_add_rmw_write(Event *read);
/* CHOICE: the value of a CHOOSE; of a creation, the child's number plus 1, or 0 for the first that
 * is free. */
Event *explore_add_other(int thread, uint64_t choice);
void explore_check_access(int thread);
/* For sample.c: T never comes to an end, the execution is given up; nothing can run any more:
 * counts the execution, calls exploration.on_complete, reports a deadlock. */
void explore_give_up(int thread);
/* Is `request` the creation of one thread too many? Its execution is given up. */
bool explore_lacks_threads(void);
void explore_count_cut(void); /* an execution is given up at `request` */
void explore_leaf(void);
/* For forecast.c, with frame_draws.draw set: goes on from the present graph to a leaf; is that a
 * complete execution? Nothing is counted, nobody is told. */
bool explore_probe(void);
/* The exploration that runs, beside its graph. */
typedef struct ExplorationState {
    /* Complete and blocked graphs of the present pass that another process has counted, before it
     * wrote down where it stood and this one went on (units.h). */
    ExploreCounts earlier;
    ExploreVisitor *on_complete;
    /* Called when threads wait for ever; NULL: that is a violation. */
    ExploreVisitor *on_stuck;
    /* Called every few executions: publishes progress; true = stop. */
    bool (*poll)(void);
    /* For a process apart (workers_run_apart) that works for long: a sign of life; true = stop. */
    bool (*sign)(void);
    /* NULL, or for programs in which one thread at a time has the turn: the threads that have not,
     * a function of the present graph. They do not run. What begins a turn (op_mark and op_turn)
     * then comes after all that was done before, as if the turn had been passed by a lock, but
     * without events of its own and with nothing to explore. */
    ThreadSet (*held)(void);
    /* A rule says, when no thread needs to run, that the execution is complete: main would end. It
     * counts until the next graph. */
    bool completes;
    /* Threads with so many events may be given up (a rule says so, `gives_up`). */
    int many_events;
    bool must_end;      /* the runtime can't go on (more events than can be counted) */
    bool stopped;       /* poll asked for the end */
    unsigned poll_mask; /* poll is called at one leaf in (mask + 1); tests set 0 */
    unsigned restarts;
    unsigned most_restarts; /* of one exploration of this process */
    uint64_t cut_pc;        /* where the last execution that was given up went round */
    uint64_t waits_pc;      /* where a thread waits for ever when the program ends, or 0 */
    bool threads_full;      /* executions were given up that create too many threads */
    /* The search stack, for workers.c: frames FLOOR..top are this process's. */
    int floor;
} ExplorationState;
extern ExplorationState exploration;
#endif
