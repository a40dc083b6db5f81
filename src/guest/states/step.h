/* step.h: one step of one thread, natively. A thread between calls chooses a call, runs to its
 * first visible access, performs it and runs on to the next one; a thread inside a call performs
 * the access that it stands at and runs on. Visible are atomic accesses, waits and choices, and
 * plain accesses that race (memory.h), but for those to memory that only this thread can reach. A
 * call returns at the end of the step with its last visible access. So calls begin as late and end
 * as early as they can, which gives the strongest order in time: if those histories can be
 * explained, all can.
 *
 * Why nothing is lost: the plain accesses that follow a visible step conflict with nothing that
 * other threads do before this thread's next step, or a race would have been found; so they, and
 * the begin and the end of calls, commute with what others do. */
#ifndef HEDDLE_STATES_STEP_H
#define HEDDLE_STATES_STEP_H
#include "guest/states/present.h"
#include "judge/history/value.h"

/* The program whose states are explored: threads that make calls. */
typedef struct StatesClient {
    bool program;     /* a whole one: main and the threads that it creates; the rest is not used */
    uint32_t threads; /* 1 to STATES_THREADS - 1 */
    uint32_t calls;   /* different ones: numbers below this */
    void (*begin)(void);                              /* runs in main before the threads */
    Value (*perform)(uint32_t thread, uint32_t call); /* runs in a thread: its result */
    /* A place is a number for the calls that a thread has still to begin, the same for threads to
     * which the same is left. That of THREAD (from 1 on) at the start, and the one that follows
     * PLACE when a call begins; or NULL, if it makes no difference: it is 0. */
    uint32_t (*first_place)(uint32_t thread);
    uint32_t (*next_place)(uint32_t place);
    bool (*may_call)(uint32_t thread, uint32_t place, uint32_t call); /* begin CALL now? */
    /* By how much CALL changes the number of elements inside: when it begins (RETURNS false), and
     * when it has returned RESULT. */
    int (*change)(uint32_t call, bool returns, Value result);
} StatesClient;

typedef struct StatesDone { /* what happened in a step */
    int16_t call;           /* that began, or -1 */
    bool returned;          /* a call ended, with `result` */
    bool late;              /* for others it is not over yet (buffers.h) */
    uint32_t over;          /* calls that ended before and are over now */
    Value result;
    uint32_t ended;    /* the call that did */
    uint32_t requests; /* performed, but for plain accesses */
    bool wrote;       /* something else to memory than was there, or it created or ended a thread */
    bool tried;       /* of a program: it did not; an exchange or a compare-exchange was in vain */
    const void *site; /* the plain access before which it stopped, or NULL; of a flush the store */
} StatesDone;

/* For the graph of states (progress.h): programs have no calls that return. */
static inline bool states_step_returns(const StatesDone *done)
{
    return done->returned || done->tried;
}

/* A program (with views, views/views.h) has come to its end: memory holds the last values. */
extern void (*states_on_end)(void);
/* Puts the program to its start: main has run, every thread is idle. */
void states_start(const StatesClient *client);
/* Does the same for a search that goes on: parts of threads (part.h) keep their numbers. */
void states_start_again(const StatesClient *client);
/* Puts memory back to the start, for other explorations. */
void states_leave(void);
/* In how many ways can T take a step in the present state? An idle thread: in none (see
 * StatesClient.may_call). */
uint32_t states_ways(int thread);
/* The operand of the choice between calls that an idle thread stands at. */
#define STATES_IDLE_REQUEST UINT64_MAX
/* The step in which the oldest store of a thread is flushed, if there is one. */
#define STATES_FLUSH UINT32_MAX
/* Takes it: an idle thread begins call WAY. What goes wrong inside ends in findings.jump, with
 * *done as far as it was. */
void states_step(int thread, uint32_t way, StatesDone *done);

/* Another client that makes the calls from here on, from a state of its own start. */
void states_use(const StatesClient *client);
/* Nobody else runs (states_concurrent is false): idle thread T makes CALL from begin to end, in all
 * ways. Calls ENDED with the result in each state that this leads to, and returns whether in one of
 * them the call waits for ever. The present state is lost. */
bool states_run_alone(int thread, uint32_t call, void (*ended)(Value result, void *context),
                      void *context);
#endif
