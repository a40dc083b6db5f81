/* process.h: starting other programs (the compiler, the program under test) without a shell,
 * waiting for them, and noticing that a person wants to stop. */
#ifndef HEDDLE_INSTRUMENT_PROCESS_H
#define HEDDLE_INSTRUMENT_PROCESS_H
#include <sys/types.h>
#include "base/error.h"

typedef struct ProcessStart {
    const char *file;         /* the program; NULL: arguments[0], searched on PATH */
    char *const *arguments;   /* ends with NULL */
    char *const *environment; /* NULL: ours */
    int output;               /* file for stdout; -1: /dev/null */
    int errors;               /* file for stderr; -1: as stdout */
    bool own_group;           /* a process group of its own, without core files */
    bool fixed_addresses;     /* without address randomisation, where that is permitted */
} ProcessStart;

/* stdin is /dev/null; signal handlers and masks are the default ones. */
MUST_USE bool process_start(const ProcessStart *start, pid_t *pid, Error *error);
/* Was a program started with fixed_addresses that has random ones nevertheless? Containers may
 * refuse personality(2). */
bool process_addresses_random(void);
/* Waits for one process; false (and the process is killed) if a person interrupts meanwhile. */
MUST_USE bool process_wait(pid_t pid, int *status);

/* For a child that PARENT has forked: kills it when PARENT ends, and at once if it has ended. */
void process_end_with(pid_t parent);

/* From here on SIGINT, SIGTERM and SIGHUP do not end the tool but are noticed. */
void process_catch_interrupts(void);
int process_interrupted(void); /* the signal that came, or 0 */
double process_seconds(void);  /* a clock that only goes forward */
#endif
