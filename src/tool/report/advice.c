#include "tool/report/advice.h"
#include <string.h>
#include "base/common.h"

#define STATES "--unbounded" /* in the place of a command */
#define REPLACE                                                                                    \
    "Put something in the place of that call in the test that does to the threads what it does: "  \
    "a "                                                                                           \
    "flag, a semaphore, a condition variable, or nothing. What leaves the program's memory can't " \
    "be undone."

/* The first row counts whose words occur in the reason and whose command, if it names one, is that
 * of the answer: special ones first. */
static const struct {
    const char *words, *advice, *command;
} rows[] = {
    {"was found and confirmed, but",
     "Look at the execution below: it went through code that Heddle can't see. If that code does "
     "not matter for it, say --trust=PLACE; else compile it with Heddle (name its source).",
     NULL},
    {"could not be confirmed after code that",
     "What the code in the notes does to memory is neither explored nor undone, so that executions "
     "can't be told from each other. Compile it with Heddle (name its source), use a port without "
     "assembly, or try --model=sc or tso, where most instructions are understood.",
     NULL},
    {"could not be confirmed",
     "The same steps led elsewhere when they were run again: something outside the program's "
     "memory changes, or memory is read that nobody keeps. Look for what depends on the system "
     "(files, addresses, time), and for pointers to local variables of functions that have "
     "returned.",
     NULL},
    {"whose function has returned",
     "A local variable is gone when its function returns, and its place is used for other things: "
     "let the function wait for the threads that it has shown it to, or make it a global variable, "
     "or one on the heap.",
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
    {"they create more than",
     "Let the test create fewer threads: bound the loop that creates them. Two or three show most "
     "errors.",
     NULL},
    {"given up",
     "A loop goes on without end: it counts, or threads get in each other's way and try again, as "
     "in std::scoped_lock. Explore states instead of executions, where sc or tso is enough: "
     "--unbounded -O1. Or bound the loop in the test, or see --loop-bound and --event-bound.",
     NULL},
    {"nothing happened for",
     "Make the computation in the test smaller, allow more (--hang=60s), "
     "or leave the call out that "
     "waits.",
     NULL},
    {"endless loop", "A loop changes only its own variables: does it end? Bound it in the test.",
     NULL},
    {"an atomic object of",
     "The library takes a lock for atomic objects of other sizes. Guard a plain object by a mutex "
     "of your own, or make it fit into 8 or 16 bytes: a pointer to it, or an index.",
     NULL},
    {"different sizes",
     "Atomic accesses of different sizes overlap. Use a variant of the code that always accesses "
     "the whole word.",
     NULL},
    {"there is no end",
     "Let a number of which only differences matter start with HD_TICKET (heddle(7)). If it does, "
     "or if old nodes pile up because a thread stands still, say how many calls of others may "
     "return meanwhile: --lag=2. Else let the test count modulo a small number, or check tests of "
     "a few calls: without --unbounded.",
     STATES},
    {"the outside world", REPLACE, NULL},
    {"makes system call", REPLACE, NULL},
    {"a process (", REPLACE, NULL},
    {"the program sets a", REPLACE, NULL},
    {"the program calls pthread_cancel",
     "Let the thread look at a flag in the test, and leave by itself: threads that are cancelled "
     "are not explored.",
     NULL},
    {"loads a library", "Link the library, or name its sources, instead of loading it.", NULL},
    {"switches stacks itself", "Let the test call the functions in turn, or in threads.", NULL},
    {"does not know which memory",
     "If the function touches no memory that threads share, answer for it with --trust=FUNCTION; "
     "else leave the call out of the test, or write it yourself.",
     NULL},
    {"an atomic object of",
     "Larger objects are locked by libatomic, which is not explored: make it smaller in the test, "
     "or protect it by a mutex.",
     NULL},
    {"interrupted", "Run it again; with --journal=FILE it goes on where it was stopped.", NULL},
    {"ended with status",
     "The program ended itself in the middle of an exploration: leave exit, exec or abort out of "
     "the test.",
     NULL},
    {"killed by signal",
     "The program was killed from outside, perhaps for want of memory: see --memory.", NULL},
    {"signal", REPLACE, NULL},
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
