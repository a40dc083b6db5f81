/* finding.h: what ends an exploration early: a violation, something that can't be explored, or a
 * discovery that makes it begin again. A service for all layers of the explorer and for the entry
 * points: whoever finds something, thread or explorer, does not return; the explorer's loop
 * (explore.c) sees the finding next. */
#ifndef HEDDLE_EXPLORE_FINDING_H
#define HEDDLE_EXPLORE_FINDING_H
#include <setjmp.h>
#include "base/common.h"
#include "record/kinds.h"

/* Tells reports what the next op_violation of this thread is about: an access that was not made. */
typedef enum OpBlame { BLAME_NOTHING, BLAME_READ, BLAME_WRITE, BLAME_FREE } OpBlame;
void op_blame(OpBlame what, const void *address, size_t bytes);
/* Ends this execution with a finding; the explorer reports it with the execution so far. */
NORETURN void op_violation(ViolationKind kind, const void *pc, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* The program does something that can't be explored: the answer is inconclusive, with this reason.
 */
NORETURN void op_unsupported(const char *format, ...) PRINTF_LIKE(1, 2);
/* Does what op_unsupported does, at PC of the program: the reason names the line. */
NORETURN void op_unsupported_at(const void *pc, const char *format, ...) PRINTF_LIKE(2, 3);
/* Something was learnt that changes the events of other executions, too, and is remembered in a
 * variable that nothing undoes: exploration begins again. */
NORETURN void op_begin_again(void);
/* A remark that goes with the answer (once per text), e.g. a leak. */
void op_warning(const char *format, ...) PRINTF_LIKE(1, 2);

typedef enum FindingKind {
    FINDING_NONE,
    FINDING_VIOLATION,
    FINDING_UNSUPPORTED, /* the answer is inconclusive */
    FINDING_RESTART      /* begin again with what was learnt */
} FindingKind;

typedef struct Finding {
    FindingKind kind;
    ViolationKind violation;
    int thread; /* who found it; -1: the explorer, at the end of an execution */
    uint64_t pc;
    char message[1024];
    int partner;      /* the other thread of a race, or -1 */
    uint64_t address; /* of a race or a bad access, or 0 */
    unsigned bytes;
    unsigned blame; /* OpBlame: what would have been done there */
    uint32_t event; /* the event, a read, that is wrong itself; 0: the thread had gone on behind its
                       last one */
} Finding;

extern Finding finding;
#define FINDING_REMARKS 32

typedef struct FindingState {
    jmp_buf jump;   /* set by the explorer's loop: findings outside any thread go there */
    int self;       /* the thread whose request the explorer handles */
    uint32_t event; /* the event that the explorer checks now, or 0 */
    char remarks[FINDING_REMARKS][256];
    unsigned remark_count;
    /* NULL, or asked before a thread's violation ends the exploration; may park the thread. */
    void (*put_off)(void);
    /* A debugger follows: a violation stops in heddle__stop before anything else happens. */
    bool debugged;
} FindingState;
extern FindingState findings;
/* Does nothing. A debugger has a breakpoint here; THREAD is the one to look at, or -1. */
void heddle__stop(int thread);
/* A debugger may set it: then a replay stops there after every step. */
extern volatile uint32_t heddle__stop_always;
/* To be called just before op_violation. */
void finding_set_partner(int thread, const void *address, unsigned bytes);
/* The thread's own access to the same place was not made: it is no event yet. */
void finding_set_blame(OpBlame what);
/* The program ends with STATUS, by a call at PC or (NULL) by the end of main: a violation if that
 * tells of a failure. */
void finding_check_exit(int status, const void *pc);
NORETURN void finding_restart(void);
/* Ends the exploration's present step: from a thread by leaving it, else by a jump to the loop. */
NORETURN void finding_stop(void);
#endif
