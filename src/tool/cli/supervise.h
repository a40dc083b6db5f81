/* supervise.h: runs the program under test as a child under limits, follows its progress through
 * the shared mapping (record/link.h), and survives whatever it does: crash, hang, fork, exit. When
 * it returns, no process of the child's making is left. */
#ifndef HEDDLE_CLI_SUPERVISE_H
#define HEDDLE_CLI_SUPERVISE_H
#include "tool/instrument/compiler.h"
#include "tool/instrument/workspace.h"
#include "record/estimate.h"
#include "record/link.h"
#include "tool/instrument/machine/escapes.h"
#include "tool/instrument/shared/shared.h"

/* Somebody who looks at the mapping while the program runs; all may be NULL. */
typedef struct SuperviseWatcher {
    void *context;
    bool (*begin)(void *context, Link *link, Error *error); /* before the program starts */
    bool (*watch)(void *context, Link *link); /* every few milliseconds; false: end it now */
    void (*end)(void *context, Link *link);   /* no process is left */
    int (*tick_ms)(void *context);            /* until it wants to look again; NULL: as it comes */
} SuperviseWatcher;

typedef struct SuperviseRequest {
    const char *program;      /* the executable */
    const char *name;         /* what the program sees as its own name */
    const char *label;        /* what progress calls it */
    const Words *arguments;   /* of the program; may be NULL */
    const Words *environment; /* of the program; NULL: that of this process */
    LinkMode mode;
    ExploreOptions options;
    const Record *record;     /* LINK_REPLAY: the execution to run again */
    const Words *first_tests; /* check: scenarios to make before all others; may be NULL */
    OrderTable *orders; /* goes into the mapping, and comes back with what was met; may be NULL */
    uint64_t hang_ms;   /* no event for that long: given up; 0: never */
    bool show_output, quiet;
    const char *output_path; /* a file for the program's standard output; may be NULL */
    SuperviseWatcher watcher;
    const Watches *watches;     /* instructions to stop at; may be NULL */
    const SharedCode *shared;   /* libraries that they are in; may be NULL */
    const EscapePlaces *unseen; /* where code lies that nobody sees; may be NULL */
} SuperviseRequest;

typedef enum SuperviseEnd {
    SUPERVISE_DONE,   /* the program gave its outcome */
    SUPERVISE_EXITED, /* it ended by itself before that */
    SUPERVISE_SIGNAL, /* a signal killed it */
    SUPERVISE_TIME,   /* limits */
    SUPERVISE_MEMORY,
    SUPERVISE_HANG,
    SUPERVISE_INTERRUPT /* a person wanted to stop */
} SuperviseEnd;

enum { SUPERVISE_LOOKS = 24, SUPERVISE_CALLERS = 12 };
typedef struct SuperviseResult {
    SuperviseEnd end;
    int status;   /* exit status or signal */
    bool started; /* the program reached its main */
    bool done;    /* outcome is valid (also after a limit that the program noticed itself) */
    Outcome outcome;
    LinkCounters total;         /* over all workers */
    Estimate estimate;          /* as in Answer */
    const CausesShared *causes; /* check --keep-going, copied; NULL: none */
    const Record *record;       /* copied out of the mapping and validated; or NULL */
    char record_error[256];
    const char **remarks;
    size_t remark_count;
    uint64_t depth, last_pc; /* when it was asked to stop: events of its execution, the last one */
    /* SUPERVISE_HANG, and a limit or a wish before the first execution was complete: where the
     * program was seen, a few times; each with return addresses of its callers, innermost first, as
     * far as frame pointers tell. 0: unknown. */
    uint64_t pcs[SUPERVISE_LOOKS], callers[SUPERVISE_LOOKS][SUPERVISE_CALLERS];
    double seconds;
    long peak_rss_kb;
    bool unmeasured;           /* nobody says how much memory it used: there is no limit to it */
    const uint8_t *ran_unseen; /* by escape: 1 if some execution came by; NULL: there are none */
    const LinkUnseenCall *unseen_calls; /* library functions whose effects nobody knows */
    size_t unseen_call_count;
    bool misses_unseen_calls; /* there were more places of such calls than the mapping has room for
                               */
    char errors[4096];        /* the end of what the program wrote to stderr */
} SuperviseResult;

/* False only if the child could not be started. */
MUST_USE bool supervise_run(Arena *arena, Workspace *workspace, const SuperviseRequest *request,
                            SuperviseResult *result, Error *error);
#endif
