#include "tool/report/advice.h"
#include <string.h>
#include "base/common.h"

#define STATES "--unbounded" /* in the place of a command */

/* The first row counts whose words occur in the reason and whose command, if it names one, is that
 * of the answer: special ones first. */
static const struct {
    const char *words, *advice, *command;
} rows[] = {
    {"was found and confirmed, but",
     "Look at the execution below: it went through code that Heddle can't see. If that code does "
     "not matter for it, say --trust=PLACE; else compile it with Heddle (name its source).",
     NULL},
    {"could not be confirmed",
     "The same steps led elsewhere when they were run again: something outside the program's "
     "memory "
     "changes. Look for what depends on the system: files, addresses, time.",
     NULL},
    {"can't see",
     "Compile that code with Heddle (name its source), use a port without assembly, try "
     "--model=sc or tso, where most instructions are understood, or answer for it with "
     "--trust=PLACE.",
     NULL},
    {"time limit",
     "Give it more time (--time) or fewer arguments to call with; or check tests of a few calls "
     "instead: without --unbounded.",
     STATES},
    {"time limit",
     "Give it more time (--time), more processes (--jobs), or a smaller model: fewer threads, "
     "smaller ranges (-DNAME=VALUE).",
     "refine"},
    {"time limit",
     "Give it more time (--time), or have heddle refine explore a model with a few threads.",
     "prove"},
    {"", /* any other reason */
     "Add a lemma (heddle-prove(1)), write the operations in smaller steps, or have heddle refine "
     "explore a model with a few threads.",
     "prove"},
    {"time limit",
     "Give it more time (--time), more processes (--jobs), a smaller test (fewer threads, fewer "
     "rounds), fewer executions (--preemptions=2 --model=sc), or a sample (--schedules=100000). "
     "--journal=FILE goes on another day. For threads that run for ever there is --unbounded.",
     "run"},
    {"time limit",
     "Give it more time (--time), more processes (--jobs), a smaller test (--shape=2x2, fewer "
     "rounds), fewer executions (--preemptions=2 --model=sc), or a sample (--schedules=100000). "
     "--journal=FILE goes on another day.",
     NULL},
    {"limit",
     "Allow more (--memory, --states), or make the model smaller: fewer threads, smaller ranges "
     "(-DNAME=VALUE).",
     "refine"},
    {"memory limit", "Allow more (--memory), or make the buffers of the test smaller.", NULL},
    {"in one allocation", "Allow more (--memory), or make the buffers of the test smaller.", NULL},
    {"given up",
     "A loop counts without end and waits for something: bound it in the test, or see "
     "--loop-bound and --event-bound. For threads that run for ever there is --unbounded.",
     "run"},
    {"given up",
     "A loop counts without end and waits for something: bound it in the test, or see "
     "--loop-bound and --event-bound.",
     NULL},
    {"nothing happened for",
     "Make the computation in the test smaller, allow more (--hang=60s), "
     "or leave the call out that "
     "waits.",
     NULL},
    {"endless loop", "A loop changes only its own variables: does it end? Bound it in the test.",
     NULL},
    {"different sizes",
     "Atomic accesses of different sizes overlap. Use a variant of the code that always accesses "
     "the whole word.",
     NULL},
    {"interrupted", "Run it again; with --journal=FILE it goes on where it was stopped.", NULL},
    {"ended with status",
     "The program ended itself in the middle of an exploration: leave exit, exec or abort out of "
     "the test.",
     NULL},
    {"killed by signal",
     "The program was killed from outside, perhaps for want of memory: see --memory.", NULL},
};

const char *advice_for(const char *command, bool by_states, const char *reason)
{
    const char *which = by_states ? STATES : command;
    for (size_t i = 0; reason && i < COUNT_OF(rows); i++)
        if (strstr(reason, rows[i].words) &&
            (!rows[i].command || (which && !strcmp(which, rows[i].command))))
            return rows[i].advice;
    return NULL;
}
